"""What goes into a lock table and what comes out: entries and events, and the table's snapshot.

All are messages: frozen, hashable, and of types that the wire can check.

    entry          asks for                                        is answered by
    OpenSession    a session                                       Opened
    Describe       what others are to know of a session's process  Described
    Attach         what a session holds and waits for, compared    Attached, Lost, Ended; Granted and others once more
    Acquire        a lock                                          Granted, Queued and later Granted, Refused
    Cancel         an Acquire to be undone, granted or not         Refused (cancelled)
    Release        a lock to be given back                         Released
    Transfer       a name for one of those who wait for it         Reserved, Refused; its holders: Wanted
    EndSession     the end of a session and of all that it holds   Ended
    Pause          no expiry, or expiry again                      Paused, if it is not out of date
    RestorePause   a Pause that a voter has on disk to count       Paused, if it is the last one

An entry of a session that the table does not know is answered by Ended; these two need no session. A session numbers
its requests (Acquire, Transfer) from 1 up. `answered` is its low-water mark: all requests up to there are answered.
Queued is an answer, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import Message, Pid

# Why a request was refused.
TAKEN = "taken"  # it would have had to wait, and did not want to
SLOTS = "slots"  # the name is in use with another number of slots
INVALID = "invalid"  # no number of slots, priority or name that makes sense
CANCELLED = "cancelled"
FORGOTTEN = "forgotten"  # it is over, or went with the lost end of a log: who still wants it asks anew
NOT_WAITING = "not waiting"  # the session that a transfer names does not wait for that name

# Why a session ended.
CLOSED = "closed"  # it asked for it
EXPIRED = "expired"  # it was not renewed in time
DEAD = "dead"  # its process is known to have ended
UNKNOWN = "unknown"  # the table has never heard of it, or has forgotten it


@mypyc_attr(allow_interpreted_subclasses=True)
class Entry(Message):
    """What stands in the log."""


@mypyc_attr(allow_interpreted_subclasses=True)
@dataclass(frozen=True)
class SessionEntry(Entry):
    """What a session asks for, or what happens to it."""

    session: int


@dataclass(frozen=True)
class OpenSession(Entry):
    """The table gives the session its number; `opening` tells the owner's attempts apart."""

    owner: Pid
    opening: int
    ttl: int
    metadata: str = ""


@dataclass(frozen=True)
class Describe(SessionEntry):
    metadata: str


@dataclass(frozen=True)
class Attach(SessionEntry):
    """A session says what it has: the tokens it holds, and the requests up to `latest` that it still wants answered."""

    latest: int  # the highest request number that it has used
    held: tuple[int, ...]
    open: tuple[int, ...]
    answered: int = 0


@dataclass(frozen=True)
class Acquire(SessionEntry):
    request: int
    name: str
    shared: bool = False
    slots: int = 1
    priority: int = 0
    wait: bool = True
    answered: int = 0


@dataclass(frozen=True)
class Cancel(SessionEntry):
    request: int


@dataclass(frozen=True)
class Release(SessionEntry):
    token: int


@dataclass(frozen=True)
class Transfer(SessionEntry):
    request: int
    name: str
    to: int  # a session that waits for the name
    answered: int = 0


@dataclass(frozen=True)
class EndSession(SessionEntry):
    reason: str = CLOSED


@dataclass(frozen=True)
class Pause(SessionEntry):
    """Void if there has been another one after the one with the number `after`; -1: never."""

    paused: bool = True
    after: int = -1


@dataclass(frozen=True)
class RestorePause(Entry):
    """There was a Pause with this number."""

    number: int
    paused: bool


@mypyc_attr(allow_interpreted_subclasses=True)
@dataclass(frozen=True)
class Event(Message):
    """What a session is told."""

    session: int


@dataclass(frozen=True)
class Opened(Event):
    owner: Pid
    opening: int


@dataclass(frozen=True)
class Described(Event):
    metadata: str


@dataclass(frozen=True)
class Attached(Event):
    """The table and the session agree on what it has."""


@dataclass(frozen=True)
class Granted(Event):
    request: int
    name: str
    token: int
    slot: int = 0
    shared: bool = False


@dataclass(frozen=True)
class Queued(Event):
    request: int


@dataclass(frozen=True)
class Refused(Event):
    request: int
    reason: str


@dataclass(frozen=True)
class Released(Event):
    token: int


@dataclass(frozen=True)
class Reserved(Event):
    request: int


@dataclass(frozen=True)
class Wanted(Event):
    """A holder is asked to give a lock back, for another session that has it reserved."""

    name: str
    token: int
    to: int


@dataclass(frozen=True)
class Lost(Event):
    """A token that the session believes to hold is not in the table."""

    token: int


@dataclass(frozen=True)
class Ended(Event):
    reason: str


@dataclass(frozen=True)
class Paused(Event):
    paused: bool


@dataclass(frozen=True)
class Waiter(Message):
    """A request in a queue. The smallest (rank, ticket) is served first."""

    session: int
    request: int
    rank: int
    ticket: int
    shared: bool


@dataclass(frozen=True)
class LockImage(Message):
    """A name in use, as a snapshot has it: holders by token, waiters in their order."""

    name: str
    slots: int
    tickets: int
    holders: tuple[Granted, ...]
    waiters: tuple[Waiter, ...]


@dataclass(frozen=True)
class SessionImage(Message):
    """A session as a snapshot has it, with the answers that it may ask for again, by request.

    What it holds and waits for stands with the names.
    """

    session: int
    owner: Pid
    opening: int
    ttl: int
    metadata: str
    answered: int
    granted: tuple[Granted, ...]  # and given back since
    refused: tuple[Refused, ...]
    reserved: tuple[Reserved, ...]


@dataclass(frozen=True)
class TableImage(Message):
    """A whole lock table: sessions by number, locks by name."""

    last: int
    paused: bool
    sessions: tuple[SessionImage, ...]
    locks: tuple[LockImage, ...]
    notes: int = 0
    pause: int = 0  # the number of the last Pause


ENTRIES = (OpenSession, Describe, Attach, Acquire, Cancel, Release, Transfer, EndSession, Pause, RestorePause)
EVENTS = (Opened, Described, Attached, Granted, Queued, Refused, Released, Reserved, Wanted, Lost, Ended, Paused)
