"""The trace: a header, then one JSON line an event.

An event is one clause that ran at one process, or one fault. It says when and where, what set it off, what arrived,
what was sent, which fields changed, and which events caused it: the one before it at the same process and those that
sent what it received. The digest is taken over the event lines, so it does not depend on who recorded them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

FORMAT = 1


class TraceError(ValueError):
    """A file is not a trace; the text says where and why."""


class Carried(msgspec.Struct, frozen=True):
    """A message as it left `sender` or reached `to`."""

    message: int
    sender: int
    to: int
    type: str
    fields: dict[str, Any]

    @property
    def label(self) -> str:
        """`Candidate(7)`: the message as a diagram writes it."""
        return f"{self.type}({', '.join(str(value) for value in self.fields.values())})" if self.fields else self.type


class Event(msgspec.Struct, omit_defaults=True):
    """One clause that ran, or one fault."""

    event: int
    time: int
    kind: str
    process: int | None = None
    clause: str = ""
    layer: str = ""
    subject: Any = None
    received: list[Carried] = []
    sent: list[Carried] = []
    changed: dict[str, Any] = {}
    role: str | None = None
    parents: list[int] = []


class Header(msgspec.Struct):
    """What the events that follow belong to."""

    habemus: str
    format: int
    algorithm: str
    ids: list[int]
    edges: list[tuple[int, int]]
    scenario: dict[str, Any] = {}


_encoder = msgspec.json.Encoder()


def encoded(event: Event) -> bytes:
    """An event as its line of the trace."""
    return _encoder.encode(event) + b"\n"


class Trace:
    """A recorded run."""

    def __init__(self, header: Header, events: list[Event]) -> None:
        self.header = header
        self.events = events

    @property
    def digest(self) -> str:
        """The name of this run: equal runs, equal digests."""
        return digest_of(map(encoded, self.events))

    @property
    def ids(self) -> list[int]:
        """The processes, in the order of their places."""
        return self.header.ids

    def write(self, path: str | Path) -> None:
        """Write the trace as JSON lines."""
        with open(path, "wb") as file:
            file.write(_encoder.encode(self.header) + b"\n")
            file.writelines(map(encoded, self.events))

    def _repr_svg_(self) -> str:
        """The space-time diagram, for notebooks."""
        from habemus.trace.diagram import space_time_svg

        return space_time_svg(self)


def digest_of(lines: Iterable[bytes]) -> str:
    """SHA-256 over event lines."""
    sha = hashlib.sha256()
    for line in lines:
        sha.update(line)
    return sha.hexdigest()


def read_trace(path: str | Path) -> Trace:
    """Read a trace that `Trace.write` wrote."""
    with open(path, "rb") as file:
        lines = file.read().splitlines()
    if not lines:
        raise TraceError(f"{path} is empty; expected a trace of JSON lines")
    try:
        header = msgspec.json.decode(lines[0], type=Header)
    except msgspec.MsgspecError as error:
        raise TraceError(f"{path}, line 1 is not the header of a trace: {error}") from None
    if header.format != FORMAT:
        raise TraceError(f"{path} is a trace of format {header.format}; this version reads format {FORMAT}")
    events = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            events.append(msgspec.json.decode(line, type=Event))
        except msgspec.MsgspecError as error:
            raise TraceError(f"{path}, line {number} is not an event: {error}") from None
    return Trace(header, events)
