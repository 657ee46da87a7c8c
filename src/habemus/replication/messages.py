"""What the processes of a replicated log say to each other."""

from __future__ import annotations

from dataclasses import dataclass

from habemus.process import Message
from habemus.replication.log import LogEntry


@dataclass(frozen=True)
class Append(Message):
    """I lead in this term, with a log up to `last`. After entry `previous` of `previous_term` store these.

    Entries up to `commit` are committed.
    """

    term: int
    last: int
    previous: int
    previous_term: int
    entries: tuple[LogEntry, ...] = ()
    commit: int = 0
    round: int = 0
    cleared: int = 0  # the number of the receiver's restart that is cleared; 0: none


@dataclass(frozen=True)
class Install(Message):
    """I lead in this term, with a log up to `last`. Take this snapshot in place of all entries up to `index`."""

    term: int
    last: int
    index: int
    index_term: int
    snapshot: Message | None
    round: int = 0
    cleared: int = 0


@dataclass(frozen=True)
class Stored(Message):
    """I have your log up to `match`; this answers a message of that round."""

    term: int
    match: int
    round: int = 0
    restarts: int = 0
    forgetful: bool = False


@dataclass(frozen=True)
class Lacks(Message):
    """I do not have `previous`; we may agree up to `agreed`."""

    term: int
    previous: int
    agreed: int
    restarts: int = 0
    forgetful: bool = False


@dataclass(frozen=True)
class TakeOver(Message):
    """You have all that I have: stand now."""

    term: int


@dataclass(frozen=True)
class Forward(Message):
    """You lead: propose this."""

    value: Message


@dataclass(frozen=True)
class Value(Message):
    """What the workload proposes, where there is no layer above."""

    value: int = 0
