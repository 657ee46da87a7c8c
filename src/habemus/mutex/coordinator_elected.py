"""Elected coordinator: if the coordinator dies, an election names another.

The coordinator is whom the election in the layer below names. Who waits asks the new one, with a new ticket, so no
request is lost, and what the old one may still grant is void. The new one lets nobody in before every old grant is
over: so there is always a lease, and what is not answered for as long as a grant may last is said again.

Assumes   what coordinator-lease does, of everybody; an election in a layer below.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting, whoever crashes.
Costs     what coordinator does; when a coordinator is elected all who wait ask again, and with `fencing` all others
          tell it the largest token that they have seen.
Why safe  a new coordinator waits as long as any grant of an old one may be in use. `overlap` is added: how long an old
          leader may go on beside the new one; 0 if the election gives uniqueness, 2 low + transmission for
          raft-election-steady. Where both go on for longer, two are inside.

Fencing   no two coordinators give the same token, so the resource serves one at a time even if several coordinate. And
          tokens grow, so that it turns away nobody in vain: a new coordinator is told the largest that each of the
          others knows of, leaves out as many as for a thousand grants, and tells all where it begins. Where nobody that
          it can hear has heard of the one before, or of any of its last thousand grants, it may begin too low. That is
          safe, but those it lets in are turned away until it has caught up.

C. G. Gray, D. R. Cheriton. Leases: an efficient fault-tolerant mechanism for distributed file cache consistency. SOSP
1989. M. Burrows. The Chubby lock service for loosely-coupled distributed systems. OSDI 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mypy_extensions import mypyc_attr

from habemus.mutex.coordinator_lease import CoordinatorLease
from habemus.process import Message, Parameter, Pid, WaitingBound, upon, upon_leader, upon_timeout

SKIPPED = 1000  # grants


@dataclass(frozen=True)
class Seen(Message):
    """To a new coordinator and from it: this is the largest token I know of."""

    token: int


@mypyc_attr(allow_interpreted_subclasses=True)
class CoordinatorElected(CoordinatorLease):
    name = "coordinator-elected"
    waiting_bound: ClassVar[WaitingBound | None] = None  # a queue is rebuilt in another order
    bounds = ()
    default_election = "bully"

    overlap: Parameter[int] = 0

    leader: Pid | None = None

    @property
    def chief(self) -> Pid | None:
        return self.leader  # None: who wants in asks when there is somebody to ask

    @property
    def patience(self) -> int:
        return self.retry or self.validity

    @property
    def inherited_validity(self) -> int:
        return self.overlap + self.validity

    @upon_leader
    def follow(self, leader: Pid | None) -> None:
        self.resign()
        self.leader = leader
        if leader == self.id:
            self.wait_for_old_grants()
        elif leader is not None:
            self.queue = []  # not before: who is about to take office may already be asked
        if self.waiting:
            self.apply()
        elif self.fencing and leader is not None and leader != self.id:
            self.send(leader, Seen(self.token))

    def resign(self) -> None:
        self.holder = None
        self.closed = False
        for timer in ("office", "processing", "expiry", "answer"):
            self.cancel_timer(timer)

    @upon_timeout("office")
    def begin_to_grant(self) -> None:
        super().begin_to_grant()
        if self.fencing:
            self.token += SKIPPED * self.n  # more than the old coordinator may have given unheard
            self.send(self.neighbours, Seen(self.token))  # what the next one will have to exceed

    @upon(Seen)
    def note_token(self, sender: Pid, message: Seen) -> None:
        self.token = max(self.token, message.token)

    def next_token(self) -> int:
        """Different from those of all other coordinators."""
        seat = len([process for process in self.members if process < self.id])
        return (self.token // self.n + 1) * self.n + seat
