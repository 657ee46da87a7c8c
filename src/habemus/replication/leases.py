"""What the members of a leased group and its leader say to each other, and to the programs above."""

from __future__ import annotations

from dataclasses import dataclass

from habemus.process import Message, Pid
from habemus.replication.entries import Entry, Event, TableImage

# From a member to the leader


@dataclass(frozen=True)
class KeepAlive(Message):
    """My session is wanted for longer; if `session` is 0 it is not open yet. Each attempt has its own number."""

    opening: int
    session: int
    attempt: int


@dataclass(frozen=True)
class Submit(Message):
    """Put these into the log."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Look(Message):
    """What does the table contain? It is answered after a round, so by who leads."""


@dataclass(frozen=True)
class Recall(Message):
    """What has happened since the note of this number? To be told from now on, for a while."""

    since: int


# From the leader to a member


@dataclass(frozen=True)
class Alive(Message):
    """Your session was alive when I led, after I received that attempt."""

    opening: int
    session: int
    attempt: int


@dataclass(frozen=True)
class Gone(Message):
    """There is no such session."""

    opening: int


@dataclass(frozen=True)
class Tell(Message):
    """What the table says to your session, in this order."""

    events: tuple[Event, ...]


@dataclass(frozen=True)
class Seen(Message):
    """This is what the table contains. A program that asked for it is told the same."""

    table: TableImage


@dataclass(frozen=True)
class Recalled(Message):
    """What has happened since that note, as the leader's program tells it. The program that asked is told the same."""

    since: int
    newest: int  # of all that the leader's program has noted
    text: str


@dataclass(frozen=True)
class Elsewhere(Message):
    """I do not lead; perhaps this one does."""

    leader: Pid | None


# What a leader wants to have confirmed before it answers


@dataclass(frozen=True)
class Renewal(Message):
    owner: Pid
    opening: int
    attempt: int


@dataclass(frozen=True)
class Glance(Message):
    viewer: Pid
    pause: int  # the number of the last Pause, before the round


# Commands


@dataclass(frozen=True)
class Want(Message):
    """A lock is wanted. The ticket tells the wants of one program apart; 0 is the lock that every mutex has."""

    ticket: int = 0
    name: str = "lock"
    shared: bool = False
    slots: int = 1
    priority: int = 0
    wait: bool = True


@dataclass(frozen=True)
class Give(Message):
    """What was wanted is given back, or not wanted any more."""

    ticket: int = 0


@dataclass(frozen=True)
class Exchange(Message):
    """Some are given back, then others are wanted; all of it travels together."""

    gives: tuple[Give, ...] = ()
    wants: tuple[Want, ...] = ()


@dataclass(frozen=True)
class Description(Message):
    """What the other members are to know of this process."""

    metadata: str


@dataclass(frozen=True)
class Reserve(Message):
    """A session that waits for a lock is to have it next."""

    name: str
    session: int


@dataclass(frozen=True)
class Halt(Message):
    """Expiry is to stop, or to go on, if the last Pause is still the one that is known here; -1: in any case."""

    after: int = -1


@dataclass(frozen=True)
class Dead(Message):
    """The process of this session is known to have ended."""

    session: int


@dataclass(frozen=True)
class Report(Message):
    """An answer to a Recall."""

    member: Pid
    recalled: Recalled


# What a program is told


@dataclass(frozen=True)
class Held(Message):
    """The lock is held from now on, until it is given back or lost."""

    ticket: int
    token: int
    slot: int = 0


@dataclass(frozen=True)
class Denied(Message):
    """The lock was refused."""

    ticket: int
    reason: str


@dataclass(frozen=True)
class LeaseLost(Message):
    """The lock is not held any more, though it was not given back."""

    ticket: int
    token: int


@dataclass(frozen=True)
class Introduced(Message):
    """At a voter: the process of a session has described itself."""

    session: int
    metadata: str


@dataclass(frozen=True)
class Expected(Message):
    """Another session has the lock reserved: give it back soon."""

    ticket: int
    session: int


@dataclass(frozen=True)
class Asked(Message):
    """At the leader: a member wants to know what has happened."""

    member: Pid
    since: int


@dataclass(frozen=True)
class Noted(Message):
    """At a voter: something has happened in the table. Numbers grow, and are the same at all voters."""

    number: int
    what: str
    session: int  # whom it concerns; 0 if nobody
    metadata: str  # of that session
    name: str = ""
    token: int = 0
    reason: str = ""


# What is noted.
JOINED = "joined"  # a process has described itself
LEFT = "left"  # its session is over
GRANTED = "granted"
LET_GO = "let go"
WANTED = "wanted"  # a lock is reserved for a session
PAUSED = "paused"
RESUMED = "resumed"

RELEASED = "released"  # why a lock was let go, if the session goes on
