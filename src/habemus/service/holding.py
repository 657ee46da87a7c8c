"""A lock or a role for asyncio, while a body runs.

If the lease is lost, or its role is to pass to another member, the body is cancelled, as `asyncio.timeout` does it, and
LeaseLost comes out. In every case the body ends first, and then the lock is given back.
"""

from __future__ import annotations

import asyncio
import math
from types import TracebackType
from typing import Any

from habemus.service.engine import Grant, Wish
from habemus.service.errors import DEPOSED, EXPIRED, GroupError, LeaseLost
from habemus.service.lease import Lease, call_in
from habemus.service.membership import Membership, patience
from habemus.service.telemetry import Tenure
from habemus.service.view import ROLE


class Holding:
    """A lock or role, for the time of an `async with`. It can be used once."""

    def __init__(self, membership: Membership, wish: Wish, name: str, wait: float | None) -> None:
        self.membership = membership
        self.grace = membership.options.time_to_end
        self.wish = wish
        self.name = name
        self.wait = wait
        self.lease: Lease | None = None
        self.task: asyncio.Task[Any] | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.alarm: asyncio.TimerHandle | None = None
        self.earlier_cancels = 0  # of the task, by others
        self.cancelled_for = ""  # why we cancelled the body

    async def __aenter__(self) -> Lease:
        if self.task is not None:
            raise RuntimeError("this lock was used already: call group.lock(...) again for each `async with`")
        self.loop = asyncio.get_running_loop()
        self.task = asyncio.current_task()
        assert self.task is not None
        self.tenure = Tenure(self.membership.telemetry, self.wish)
        try:
            grant = await self.acquire(self.loop)
        except BaseException:
            self.tenure.give_up()
            raise
        self.lease = Lease(self.name, grant)
        self.tenure.hold(self.lease)
        self.earlier_cancels = self.task.cancelling()
        self.lease.lost.call(self.on_loss)
        if self.wish.kind == ROLE:
            self.lease.wanted.call(self.on_wanted)
        self.watch_deadline()
        return self.lease

    async def acquire(self, loop: asyncio.AbstractEventLoop) -> Grant:
        answer: asyncio.Future[Grant] = loop.create_future()

        def deliver(result: Grant | GroupError) -> None:
            if answer.done():
                return
            if isinstance(result, GroupError):
                answer.set_exception(result)
            else:
                answer.set_result(result)

        attempt = self.membership.joined.acquire(self.wish, lambda result: call_in(loop, deliver, result))
        try:
            async with asyncio.timeout(patience(self.wait)):
                return await answer
        except TimeoutError:
            attempt.cancel()
            raise self.membership.make_timeout(self.name, self.wait) from None
        except asyncio.CancelledError:
            attempt.cancel()
            raise

    def on_loss(self, reason: str) -> None:
        assert self.loop is not None
        call_in(self.loop, self.cancel_body, reason)

    def on_wanted(self, member: str) -> None:
        self.on_loss(DEPOSED)

    def cancel_body(self, reason: str) -> None:
        if self.lease is not None and self.task is not None and not self.cancelled_for:
            self.cancelled_for = reason
            self.task.cancel()

    def watch_deadline(self) -> None:
        """Cancel the body `grace` seconds before the deadline, wherever renewals have moved it by then."""
        assert self.lease is not None and self.loop is not None
        if self.lease.deadline == math.inf:
            return
        left = self.lease.remaining() - self.grace
        if left <= 0:
            self.cancel_body(EXPIRED)
        else:
            self.alarm = self.loop.call_later(left, self.watch_deadline)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        lease, self.lease = self.lease, None  # from here on nobody cancels the task
        assert lease is not None and self.task is not None
        if self.alarm is not None:
            self.alarm.cancel()
        lease.give_back()
        reason = self.cancelled_for or lease.lost.reason
        self.tenure.end(reason)
        ours = bool(self.cancelled_for) and self.task.uncancel() <= self.earlier_cancels
        if reason and (kind is None or (ours and kind is asyncio.CancelledError)):
            raise LeaseLost(self.name, reason) from error
