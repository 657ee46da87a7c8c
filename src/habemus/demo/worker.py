"""A worker: a client of the group that uses its locks, and writes to the store under them."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Coroutine
from contextlib import suppress
from random import Random
from typing import Any

import msgspec

from habemus.demo.child import Child, MemberOptions, run_child
from habemus.demo.store import Access
from habemus.service.errors import LeaseLost
from habemus.service.lease import Lease
from habemus.service.view import LOCK, ROLE

STEP = 0.4  # seconds that one access to the store takes
HOLD, THINK = (1.5, 4.0), (0.2, 1.5)  # seconds
WRITERS = 1 / 3  # of those who use what is shared
SCHEDULER = "scheduler"


class Need(msgspec.Struct):
    """A lock, and how often it is wanted."""

    name: str
    weight: int
    shared: bool = False
    slots: int | None = None


NEEDS = (Need("stock", 5), Need("prices", 3, shared=True), Need("printers", 2, slots=2))


class Worker(Child):
    """Wants one lock after the other, and to lead."""

    def __init__(self, options: MemberOptions) -> None:
        super().__init__(options)
        self.chance = Random()
        self.held: dict[tuple[str, str], Lease] = {}

    def jobs(self) -> list[Coroutine[Any, Any, None]]:
        return [self.work(), self.lead()]

    async def work(self) -> None:
        while True:
            need = self.chance.choices(NEEDS, [need.weight for need in NEEDS])[0]
            shared = need.shared and self.chance.random() > WRITERS
            with suppress(LeaseLost):
                async with self.group.lock(need.name, shared=shared, slots=need.slots) as lease:
                    await self.use(LOCK, lease, shared, time.monotonic() + self.chance.uniform(*HOLD))
            await asyncio.sleep(self.chance.uniform(*THINK))

    async def lead(self) -> None:
        while True:
            with suppress(LeaseLost):
                async with self.group.lead(SCHEDULER) as lease:
                    await self.use(ROLE, lease)

    async def use(self, kind: str, lease: Lease, shared: bool = False, until: float = float("inf")) -> None:
        self.held[kind, lease.name] = lease
        try:
            while time.monotonic() < until:
                await asyncio.to_thread(self.access, kind, lease, shared)
        finally:
            del self.held[kind, lease.name]

    def access(self, kind: str, lease: Lease, shared: bool) -> None:
        """Look whether the lease is held, work, and write: as programs do. A process that is stopped in between writes
        when it goes on, whatever has become of its lease; only the store can refuse that."""
        lease.ensure()
        time.sleep(STEP)
        self.report({"access": Access(kind, lease.name, lease.token, lease.slot, shared)})

    async def look(self) -> dict[str, Any]:
        member = self.engine.member
        leases = [
            {"kind": kind, "name": name, "token": str(lease.token), "deadline": lease.deadline}
            for (kind, name), lease in list(self.held.items())
        ]
        return {"leader": member.guide if member.guided else None, "role": "", "leases": leases}


if __name__ == "__main__":
    sys.exit(run_child(Worker))
