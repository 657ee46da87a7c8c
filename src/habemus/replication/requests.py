"""What a layer may ask of a replicated log below it, and what it is told.

request                  asks                                              in return
Propose(values, asker)   a leader to put these into the log, and to let    Committed, if it comes to that
                         who asked for it know early; others drop them
Confirm(ticket)          a leader to find out whether it still leads       Confirmed, if it does
Compact(index, snapshot) to keep this in place of the entries up to index
Transfer(to)             a leader to make another one leader
WaitOut(ticks)           a voter that forgot, just after its restart, to count again after so long

indication               says
Committed(first, entries)    these are committed, the first with that index; in the order of the log, each once
Restored(index, snapshot)    begin anew with this snapshot; None: with nothing
Confirmed(tickets)           this process has led at a moment after it was asked these, with its whole log
"""

from __future__ import annotations

from dataclasses import dataclass

from habemus.process import Message, Pid
from habemus.replication.log import LogEntry


@dataclass(frozen=True)
class Propose(Message):
    values: tuple[Message, ...]
    asker: Pid | None = None  # the process that waits for it, if it is known


@dataclass(frozen=True)
class Confirm(Message):
    ticket: Message


@dataclass(frozen=True)
class Compact(Message):
    index: int
    snapshot: Message | None = None


@dataclass(frozen=True)
class Transfer(Message):
    to: Pid


@dataclass(frozen=True)
class WaitOut(Message):
    ticks: int


@dataclass(frozen=True)
class Committed(Message):
    first: int
    entries: tuple[LogEntry, ...]


@dataclass(frozen=True)
class Restored(Message):
    index: int
    snapshot: Message | None = None


@dataclass(frozen=True)
class Confirmed(Message):
    tickets: tuple[Message, ...]
