"""What an engine is: the part of a group that grants locks. The rest of the service is the same for all engines.

An engine may use threads of its own. Its callbacks may come from any thread, and before the call that asked for them
has returned. It blocks nobody: only `close` may take a moment, to say goodbye. What needs an answer gives a future,
which fails with a GroupError (NoQuorum, if nothing can be decided). What an engine cannot do, it refuses in one
sentence; the methods that are not abstract do so.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from time import clock_gettime
from typing import Any, ClassVar, TypeVar

from habemus.network.node.clock import CLOCK
from habemus.service.errors import ForkedError, GroupError
from habemus.service.view import LOCK, ROLE, Event, View

T = TypeVar("T")


class Guarantee(StrEnum):
    """What an engine can promise; `join(require=...)` insists on it."""

    FENCED = "fenced"  # tokens of a name grow with every grant
    QUORUM = "quorum"  # it survives the failure of a minority, and no failure leads to two holders
    FAIR = "fair"  # first come, first served
    RECLAIMS_HUNG = "reclaims hung"  # a holder that hangs loses its lease


FENCED = Guarantee.FENCED
QUORUM = Guarantee.QUORUM
FAIR = Guarantee.FAIR
RECLAIMS_HUNG = Guarantee.RECLAIMS_HUNG


@dataclass(frozen=True)
class Wish:
    """A lock or a role that somebody wants."""

    name: str
    kind: str = LOCK
    shared: bool = False
    slots: int = 1
    priority: int = 0
    wait: bool = True

    @property
    def key(self) -> str:
        """What it is called in the engine, where locks and roles are all the same."""
        return f"{self.kind}/{self.name}"


class Grant(ABC):
    """A lock that was granted. `deadline` is on the clock CLOCK_BOOTTIME; an engine with renewals moves it."""

    token: int
    slot: int = 0
    deadline: float = math.inf
    lost: str = ""  # why, once it is
    on_loss: Callable[[], None] | None = None  # called once
    wanted: str = ""  # the member that is to have it next, once somebody asked for a transfer
    on_wanted: Callable[[], None] | None = None  # called once

    def lose(self, reason: str) -> None:
        """Called by the engine when the lock is no longer held."""
        if not self.lost:
            self.lost = reason
            if self.on_loss is not None:
                self.on_loss()

    def want(self, member: str) -> None:
        """Called by the engine when the holder is asked to give it up for another member. It stays held."""
        if not self.wanted:
            self.wanted = member
            if self.on_wanted is not None:
                self.on_wanted()

    @abstractmethod
    def release(self) -> None:
        """Give it back; nothing happens if it is lost or given back already."""

    def share(self) -> int:
        """A new descriptor that keeps the lock as long as any process has it open; -1 if there is no such thing."""
        return -1

    @abstractmethod
    def confirm(self) -> Future[bool]:
        """Ask those who decide whether it is still held."""


class Attempt(ABC):
    """A lock that is asked for."""

    @abstractmethod
    def cancel(self) -> None:
        """Ask no longer. If the grant came first, it is given back."""


Settle = Callable[[Grant | GroupError], None]


class Latch:
    """What one thread waits for and another one opens, once. A threading.Event takes longer."""

    __slots__ = ("is_open", "lock")

    def __init__(self) -> None:
        self.is_open = False
        self.lock = threading.Lock()
        self.lock.acquire()

    def open(self) -> None:
        self.is_open = True
        self.lock.release()

    def wait(self, timeout: float | None) -> None:
        if not self.is_open:
            self.lock.acquire(timeout=-1 if timeout is None else timeout)


class Engine(ABC):
    """Grants locks of one group, and knows what happens in it."""

    guarantees: ClassVar[frozenset[Guarantee]]
    id: str = ""  # of this member; known once it is open
    forked: bool = False  # this process is a child of the one that joined
    closed: bool = False
    last_sign_of_life: float = math.inf  # on CLOCK; infinite if nobody asked for `alive_within`

    @abstractmethod
    def open(self) -> None:
        """Begin to work; GroupError if that is impossible."""

    @abstractmethod
    def acquire(self, wish: Wish, settle: Settle) -> Attempt:
        """Ask for a lock. `settle` is called once, with a grant or with what went wrong, unless it is cancelled."""

    def wait(self, latch: Latch, timeout: float | None) -> None:
        """In a thread that has nothing else to do: wait until `settle` opens the latch, or the time is over."""
        latch.wait(timeout)

    @abstractmethod
    def close(self) -> None:
        """End; whatever is still held is given back."""

    def check_usable(self) -> None:
        if self.forked:
            raise ForkedError
        if self.closed:
            raise GroupError("this group was left: join it again")

    def show_life(self) -> None:
        """The application works. With `alive_within`, nothing is renewed that long after it last said so."""
        self.last_sign_of_life = clock_gettime(CLOCK)

    # What is known

    def describe_trouble(self) -> str:
        """Why nothing can be decided at this moment; empty if it can."""
        return ""

    @property
    @abstractmethod
    def view(self) -> View:
        """What this process knows, without asking anybody."""

    @abstractmethod
    def fetch_view(self) -> Future[View]:
        """What those know who decide."""

    @abstractmethod
    def follow(self, tell: Callable[[Event], None]) -> Callable[[], None]:
        """Tell of every event from now on, in order. `tell` must not block. What comes back ends it."""

    def fetch_history(self) -> Future[list[Event]]:
        """What happened lately, the oldest first."""
        return refuse(f"{self.title} keeps no history")

    # What operators ask for

    def transfer(self, role: str, to: str) -> Future[None]:
        """Let a member that waits for a role be the next, and ask the leader to give it up (`Grant.want`).

        Nothing is taken from the leader. The future is settled when the reservation is made.
        """
        return refuse(f"{self.title} cannot transfer a role")

    def pause(self, paused: bool) -> Future[None]:
        """While paused nobody is replaced because it seems to be dead."""
        return refuse(f"{self.title} cannot be paused")

    @property
    def title(self) -> str:
        return f"the {type(self).__name__.removesuffix('Engine').lower()} engine"


def check_transfer(view: View, role: str, to: str) -> None:
    """A role is transferred to a member that waits for it."""
    state = view.find(ROLE, role)
    if to in [holder.member for holder in state.holders]:
        raise GroupError(f'"{to}" leads "{role}" already')
    waiting = sorted({waiter.member for waiter in state.waiters})
    if to not in waiting:
        names = ", ".join(waiting) + (" does" if len(waiting) == 1 else " do") if waiting else "nobody does"
        raise GroupError(f'"{to}" does not wait for the role "{role}": {names}')


def answer(compute: Callable[[], T]) -> Future[T]:
    """A completed future, for an answer that needs no communication."""
    future: Future[T] = Future()
    try:
        future.set_result(compute())
    except GroupError as error:
        future.set_exception(error)
    except OSError as error:
        future.set_exception(GroupError(f"{error.filename or 'a file'}: {error.strerror}"))
    return future


def refuse(sentence: str) -> Future[Any]:
    """What an engine answers to what it cannot do."""
    future: Future[Any] = Future()
    future.set_exception(GroupError(sentence))
    return future
