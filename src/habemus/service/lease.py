"""A lease: what its holder can know about it at any moment, without asking anybody."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Generator
from contextlib import suppress
from time import clock_gettime
from typing import Any

from habemus.network.node.clock import CLOCK
from habemus.service.engine import Grant
from habemus.service.errors import EXPIRED, FORKED, RELEASED, ForkedError, LeaseLost

log = logging.getLogger("habemus")


class Notice:
    """Something that may happen to a lease, once, for a reason: `lease.lost`, `lease.wanted`.

    It is true once it has happened. `await lease.lost` waits for it and gives the reason; `lease.lost.call(f)` calls f
    with the reason, once, in any thread.
    """

    def __init__(self) -> None:
        self.reason = ""
        self.callbacks: list[Callable[[str], object]] = []

    def __bool__(self) -> bool:
        return bool(self.reason)

    def call(self, callback: Callable[[str], object]) -> None:
        self.callbacks.append(callback)
        if self.reason:
            self.tell()

    def set(self, reason: str) -> None:
        if not self.reason:
            self.reason = reason
            self.tell()

    def tell(self) -> None:
        while self.callbacks:
            try:
                callback = self.callbacks.pop()
            except IndexError:  # another thread was faster, and calls it
                return
            try:
                callback(self.reason)
            except Exception:
                log.exception("a callback of a lease failed")

    def __await__(self) -> Generator[object, None, str]:
        loop = asyncio.get_running_loop()
        news: asyncio.Future[str] = loop.create_future()

        def answer(reason: str) -> None:
            if not news.done():
                news.set_result(reason)

        self.call(lambda reason: call_in(loop, answer, reason))
        return (yield from news.__await__())


class BaseLease:
    """What leases of both kinds, asyncio's and the blocking one, have in common."""

    def __init__(self, name: str, grant: Grant) -> None:
        self.name = name
        self.token = grant.token
        self.slot = grant.slot
        self.lost = Notice()
        self.wanted = Notice()  # by another member, which is named, in a transfer
        self.grant = grant
        self.given_back = False
        grant.on_loss = self.on_loss
        if grant.lost:
            self.on_loss()
        grant.on_wanted = self.on_wanted
        if grant.wanted:
            self.on_wanted()

    def on_loss(self) -> None:
        self.lost.set(self.grant.lost)

    def on_wanted(self) -> None:
        self.wanted.set(self.grant.wanted)

    @property
    def deadline(self) -> float:
        """Until when it is held, on the clock CLOCK_BOOTTIME, if it is not renewed; infinite if it does not expire."""
        return self.grant.deadline

    def remaining(self) -> float:
        """Seconds until the deadline; 0 if it is lost or given back."""
        over = self.grant.lost or self.given_back
        return 0.0 if over else max(0.0, self.grant.deadline - clock_gettime(CLOCK))

    @property
    def is_held(self) -> bool:
        """Whether it is held at this moment, by this process's own clock."""
        return not self.grant.lost and not self.given_back and clock_gettime(CLOCK) < self.grant.deadline

    def ensure(self) -> None:
        """Raise LeaseLost unless it is held at this moment, by this process's own clock. Loss is final."""
        grant = self.grant
        if not self.given_back:
            if not grant.lost and (grant.deadline == math.inf or clock_gettime(CLOCK) < grant.deadline):
                return
            grant.lose(EXPIRED)
        raise self.error()

    def give_back(self) -> None:
        """Let the next one have it. First of all, whoever still has this object no longer takes it for held."""
        self.given_back = True
        self.grant.release()

    def error(self) -> LeaseLost | ForkedError:
        return ForkedError() if self.grant.lost == FORKED else LeaseLost(self.name, self.grant.lost or RELEASED)

    def __repr__(self) -> str:
        state = f"lost ({self.grant.lost})" if self.grant.lost else "given back" if self.given_back else "held"
        return f'<Lease of "{self.name}", token {self.token}, {state}>'


class Lease(BaseLease):
    """A lock or a role that this process holds, for asyncio."""

    async def check(self) -> None:
        """Ask those who decide, now; raise LeaseLost if it is not held."""
        self.ensure()
        if not await asyncio.wrap_future(self.grant.confirm()):
            self.grant.lose(EXPIRED)
        self.ensure()


def call_in(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *arguments: Any) -> None:
    """Call a function in the thread of a loop; a loop that was closed has nobody left to tell."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(function, *arguments)
