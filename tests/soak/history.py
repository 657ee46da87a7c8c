"""What the nodes said and what was done to them, as an observer outside saw it. Times are seconds since 1970."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import msgspec


@dataclass(frozen=True)
class Life:
    """From the start of a process to its end."""

    process: int
    number: int  # of this process
    begin: float
    end: float
    status: int  # its exit status; negative: the signal that ended it
    cause: str  # which fault was to end it; empty: none
    late: bool = False  # it had to be killed, because it did not end by itself in time
    lines: int = 0  # of its log
    traceback: str = ""  # the first line of its log that has one
    last_line: str = ""  # of its log


@dataclass(frozen=True)
class Claim:
    """A process says who leads in a term."""

    time: float
    process: int
    life: int
    source: str  # where it says so: stdout, events, history, answer
    leader: int | None
    term: int


@dataclass(frozen=True)
class Answer:
    """The answer to the question whether a process leads."""

    sent: float
    received: float
    process: int
    leads: bool | None  # None: no answer


@dataclass(frozen=True)
class Entry:
    """A process says that it has the lock."""

    time: float
    process: int
    life: int
    source: str
    token: int | None


@dataclass(frozen=True)
class Exit:
    """A process says that it has the lock no longer."""

    time: float
    process: int
    life: int
    source: str


@dataclass(frozen=True)
class Upset:
    """A time in which processes or messages could not be punctual."""

    begin: float
    end: float
    kind: str


@dataclass(frozen=True)
class Fault:
    """Something that was done to the group."""

    time: float
    kind: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class Calm:
    """A time without faults, and with all processes up."""

    begin: float
    agreed: float | None  # when all had named the same leader; None: not in time
    used: float | None  # when all had entered after that, if there is a lock
    end: float


@dataclass(frozen=True)
class Size:
    """What a process takes of its machine."""

    time: float
    process: int
    life: int
    memory: int  # bytes
    descriptors: int


Record = Life | Claim | Answer | Entry | Exit | Upset | Fault | Calm | Size
R = TypeVar("R", bound=Record)


class History:
    """Records of all kinds, each kind in the order in which it came."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.records: dict[type, list[Record]] = defaultdict(list)
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        self.records[type(record)].append(record)

    def all(self, kind: type[R]) -> list[R]:
        return self.records[kind]  # type: ignore[return-value]

    def write(self, file: Path) -> None:
        """One line of JSON for each record."""
        lines = [
            msgspec.json.encode({"record": type(record).__name__, **asdict(record)})
            for records in self.records.values()
            for record in records
        ]
        file.write_bytes(b"\n".join(lines) + b"\n")
