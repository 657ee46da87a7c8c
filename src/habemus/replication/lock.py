"""One name: who holds it and who waits, in which order.

A request joins the queue with a ticket; tickets count up by one. Requests are served by rank, ticket - LEAP · priority,
and those of the same rank by ticket. So one step of priority is worth LEAP places, and priorities age: whoever comes
LEAP · 2 · MAX_PRIORITY tickets after a request cannot overtake it any more, whatever its priority. Only the first of
the queue is ever granted, and it is granted as soon as the holders admit it: nobody behind a waiting writer slips in.

A reserved request goes before all others.

A withdrawn request stays in the heap until it comes to the top, or until more than half of the heap is stale; then the
heap is built anew. Every operation costs O(log waiters), amortised.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Final

from habemus.replication.entries import Granted, LockImage, Waiter

LEAP: Final = 16
MAX_PRIORITY: Final = 1000
RESERVED: Final = -LEAP * MAX_PRIORITY - 1  # no ticket and priority give a rank as small as this


class Lock:
    """A name that is in use."""

    def __init__(self, name: str, slots: int) -> None:
        self.name = name
        self.slots = slots
        self.tickets = 0  # handed out so far
        self.holders: dict[int, Granted] = {}  # by token
        self.waiting: dict[int, Waiter] = {}  # by ticket
        self.heap: list[tuple[int, int]] = []  # rank and ticket of all that wait, and of some that no longer do
        self.used = 0  # slots that were ever held
        self.free: list[int] = []  # a heap of those among them that are free now

    @property
    def is_idle(self) -> bool:
        return not self.holders and not self.waiting

    def enqueue(self, session: int, request: int, shared: bool, priority: int) -> int:
        """Let a request wait. Says its ticket."""
        ticket = self.tickets
        self.tickets = ticket + 1
        self.put(Waiter(session, request, ticket - LEAP * priority, ticket, shared))
        return ticket

    def put(self, waiter: Waiter) -> None:
        self.waiting[waiter.ticket] = waiter
        heappush(self.heap, (waiter.rank, waiter.ticket))
        self.clear_stale()

    def withdraw(self, ticket: int) -> None:
        del self.waiting[ticket]
        self.clear_stale()

    def clear_stale(self) -> None:
        if len(self.heap) > 2 * len(self.waiting) + 8:
            self.heap = [(waiter.rank, waiter.ticket) for waiter in self.waiting.values()]
            heapify(self.heap)

    def reserve(self, ticket: int) -> None:
        """Put a waiting request before all others."""
        first, old = self.first(), self.waiting[ticket]
        rank = RESERVED if first is None else min(RESERVED, first.rank - 1)
        self.put(Waiter(old.session, old.request, rank, ticket, old.shared))

    def first(self) -> Waiter | None:
        """The request that is next, whether it can be granted now or not."""
        while self.heap:
            rank, ticket = self.heap[0]
            waiter = self.waiting.get(ticket)
            if waiter is not None and waiter.rank == rank:
                return waiter
            heappop(self.heap)
        return None

    def next_admitted(self) -> Waiter | None:
        """The request that can be granted now: the first, if the holders leave room for it."""
        waiter = self.first()
        if waiter is None or not self.holders:
            return waiter
        shared = next(iter(self.holders.values())).shared  # all holders are alike
        room = waiter.shared if shared else not waiter.shared and len(self.holders) < self.slots
        return waiter if room else None

    def grant(self, waiter: Waiter, token: int) -> Granted:
        """Let the first request in."""
        heappop(self.heap)
        del self.waiting[waiter.ticket]
        slot = self.take_slot() if self.slots > 1 else 0
        granted = Granted(waiter.session, waiter.request, self.name, token, slot, waiter.shared)
        self.holders[token] = granted
        return granted

    def take_slot(self) -> int:
        """The smallest free slot."""
        if self.free:
            return heappop(self.free)
        self.used += 1
        return self.used - 1

    def release(self, token: int) -> None:
        granted = self.holders.pop(token)
        if self.slots > 1:
            heappush(self.free, granted.slot)

    def in_order(self) -> list[Waiter]:
        """All that wait, the next one first."""
        return sorted(self.waiting.values(), key=order)

    def freeze(self) -> LockImage:
        holders = [self.holders[token] for token in sorted(self.holders)]
        return LockImage(self.name, self.slots, self.tickets, tuple(holders), tuple(self.in_order()))


def order(waiter: Waiter) -> tuple[int, int]:
    return waiter.rank, waiter.ticket


def thaw_lock(image: LockImage) -> Lock:
    lock = Lock(image.name, image.slots)
    lock.tickets = image.tickets
    for granted in image.holders:
        lock.holders[granted.token] = granted
    for waiter in image.waiters:
        lock.put(waiter)
    if image.slots > 1:
        taken = {granted.slot for granted in image.holders}
        lock.used = max(taken, default=-1) + 1
        lock.free = [slot for slot in range(lock.used) if slot not in taken]  # sorted, so a heap
    return lock
