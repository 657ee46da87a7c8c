"""Lamport: everyone keeps the same queue, and its head goes inside.

Whoever wants in stamps its request with its logical clock and sends it to all, who put it into their queues and
acknowledge it. With everybody's acknowledgement, and its own request the earliest in its own queue (by stamp, then by
id), a process is inside. Leaving, it has everybody strike the request out.

Assumes   a complete graph, unique ids, reliable FIFO links, no crashes; no bound on delays.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting: entries in the order of the stamps.
Costs     3(n-1) messages an entry, exactly: a request, an acknowledgement and a release for each of the others.
Why safe  whoever acknowledges a request has seen its stamp and will only take later ones; whatever it asked for before
          is already here, because links are FIFO. So a complete set of acknowledgements means that every earlier
          request is in the queue. Where an acknowledgement overtakes a request, two may be inside.

The paper takes any message with a later stamp for an acknowledgement. Here only `Ack` counts, which needs no stamp.

L. Lamport. Time, clocks, and the ordering of events in a distributed system. CACM 21(7), 1978.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Message, Mutex, Pid, WaitingBound, upon, upon_command, whenever


@dataclass(frozen=True)
class Request(Message):
    """I want in; my clock says this."""

    stamp: int


@dataclass(frozen=True)
class Ack(Message):
    """Your request is in my queue, and what I ask for from now on comes after it."""


@dataclass(frozen=True)
class Release(Message):
    """I was inside; strike my request out."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Lamport(Mutex):
    name = "lamport"
    topology = "complete"
    waiting_bound = WaitingBound("n - 1, those with earlier timestamps", lambda n: n - 1)
    bounds = (Bound(WORST, "3(n-1)", lambda n, m: 3 * (n - 1)),)

    clock: int = 0
    queue: dict[Pid, int] = {}  # the stamps of those who want in or are inside
    acknowledged: set[Pid] = set()  # by these; empty unless we wait

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        return tuple(sorted(set(self.neighbours) - self.acknowledged | self.earlier())) if self.waiting else ()

    def earlier(self) -> set[Pid]:
        """Those whose requests come before ours."""
        ours = (self.queue[self.id], self.id)
        return {p for p, stamp in self.queue.items() if (stamp, p) < ours}

    @upon_command("acquire")
    def request_entry(self) -> None:
        self.ask()
        self.clock += 1
        self.queue[self.id] = self.clock
        self.send(self.neighbours, Request(self.clock))

    @upon(Request)
    def queue_request(self, sender: Pid, message: Request) -> None:
        self.clock = max(self.clock, message.stamp)
        self.queue[sender] = message.stamp
        self.send(sender, Ack())

    @upon(Ack)
    def note_ack(self, sender: Pid, message: Ack) -> None:
        self.acknowledged.add(sender)

    @upon(Release)
    def strike_out(self, sender: Pid, message: Release) -> None:
        self.queue.pop(sender, None)  # where links are not FIFO, a late release has taken it along

    @whenever(lambda self: self.waiting and len(self.acknowledged) == self.n - 1 and not self.earlier())
    def go_inside(self) -> None:
        self.acknowledged = set()
        self.enter()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        del self.queue[self.id]
        self.send(self.neighbours, Release())
