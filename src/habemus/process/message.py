"""What travels between processes: small, immutable, typed."""

from __future__ import annotations

from typing import TypeAlias

from mypy_extensions import mypyc_attr

Pid: TypeAlias = int
"""A process is named by its id; ids are unique and totally ordered."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Message:
    """Base of all messages. Subclass it as a frozen dataclass whose fields are immutable values:

    @dataclass(frozen=True)
    class Candidate(Message):
        id: Pid
    """
