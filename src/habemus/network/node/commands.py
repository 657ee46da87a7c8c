"""The commands of an algorithm."""

from __future__ import annotations

from collections.abc import Collection

from habemus.network.errors import NetworkError

START = "start"  # calls an election


def check_command(name: str, known: Collection[str], algorithm: str) -> None:
    if name not in known:
        commands = ", ".join(map(repr, sorted(known))) or "none"
        raise NetworkError(f"{algorithm} has no command {name!r}; it has {commands}")
