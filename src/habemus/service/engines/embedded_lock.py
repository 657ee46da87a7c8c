"""Locks of an embedded group as the rest of the service knows them: a grant, and the way to one."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Protocol

from habemus.replication.leases import Exchange, Give, Held, Want
from habemus.service.engine import Attempt, Grant, Settle, Wish
from habemus.service.engines.loop_thread import LoopThread
from habemus.service.errors import GroupError


class Session:
    """One session of this process, for the leases that end with it."""

    def __init__(self) -> None:
        self.deadline = 0.0


OVER = Session()


class LockKeeper(Protocol):
    """What is needed of the engine. The methods run in its thread."""

    thread: LoopThread

    def give(self, ticket: int) -> None:
        """A lock is given back, or no longer wanted."""

    def confirm(self, session: Session, answer: Future[bool]) -> None:
        """Have a session renewed now."""


class EmbeddedGrant(Grant):
    """A lock in the table."""

    def __init__(self, keeper: LockKeeper, held: Held, session: Session) -> None:
        self.keeper = keeper
        self.ticket = held.ticket
        self.token = held.token
        self.slot = held.slot
        self.session = session

    @property
    def deadline(self) -> float:  # type: ignore[override]  # one write moves the deadline of all that a session holds
        return self.session.deadline

    def release(self) -> None:
        self.session = OVER
        self.keeper.thread.call_unhurried(self.keeper.give, self.ticket)

    def confirm(self) -> Future[bool]:
        answer: Future[bool] = Future()
        self.keeper.thread.call_soon(self.keeper.confirm, self.session, answer)
        return answer


class EmbeddedAttempt(Attempt):
    """A lock that the table is asked for."""

    def __init__(self, keeper: LockKeeper, ticket: int, wish: Wish, settle: Settle) -> None:
        self.keeper = keeper
        self.ticket = ticket
        self.wish = wish
        self.settle = settle
        self.patience: asyncio.TimerHandle | None = None  # of one who does not want to wait

    def cancel(self) -> None:
        self.keeper.thread.call_soon(self.keeper.give, self.ticket)

    def finish(self, result: Grant | GroupError) -> None:
        self.stop_waiting()
        self.settle(result)
        self.keeper.thread.note_settled()

    def stop_waiting(self) -> None:
        if self.patience is not None:
            self.patience.cancel()


class Changes:
    """What is wanted and given back, until the node is told of all of it at once."""

    def __init__(self) -> None:
        self.wants: dict[int, Want] = {}  # by ticket
        self.gives: list[Give] = []

    def __bool__(self) -> bool:
        return bool(self.wants or self.gives)

    def want(self, attempt: EmbeddedAttempt) -> None:
        wish, ticket = attempt.wish, attempt.ticket
        self.wants[ticket] = Want(ticket, wish.key, wish.shared, wish.slots, wish.priority, wish.wait)

    def give(self, ticket: int) -> None:
        if self.wants.pop(ticket, None) is None:  # else the node has not heard of it
            self.gives.append(Give(ticket))

    def take_all(self) -> Exchange:
        exchange = Exchange(tuple(self.gives), tuple(self.wants.values()))
        self.wants, self.gives = {}, []
        return exchange


def answer_with(answer: Future[bool], held: bool) -> None:
    with suppress(InvalidStateError):  # whoever asked has given up
        answer.set_result(held)
