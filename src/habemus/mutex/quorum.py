"""Quorum: permission from more than half of the coordinators.

Each of n coordinators is a gatekeeper of its own: it grants one request at a time and queues the others. Whoever wants
in asks them all, enters with m > n/2 grants, and releases them all when it leaves. Coordinators may be down meanwhile,
as long as m are up. But two who ask at once may each get half, and wait for each other for ever; so with `patience`
one gives up after a while, releases what it has, and asks again after a random time. And a coordinator that restarts
must not grant again what it granted before: it has to remember, or to wait until that grant has expired.

Assumes   a complete graph, reliable links, crash and recovery; no order of messages, no bound on delays. With `lease`
          messages may be lost, but clocks have to run at the same rate, and nobody stands still while inside.
Gives     mutual exclusion, unless `restart` is amnesia and a coordinator restarts. With `patience` also freedom from
          deadlock and starvation, with probability 1, while participants do not crash for good; with `lease` they may.
Costs     with c coordinators besides oneself 3c messages an entry if nobody else wants in; at least 2c + m - 1 and at
          most 3c if somebody does, as one that is released does not grant any more; each attempt in vain up to 3c more.
Why safe  two quorums share a coordinator, and it has granted to one of them only. It grants to the other when the
          request of that number is released, which is after the stay, or when its lease is over. It counts a lease from
          its grant on, but whoever is inside from its request on, which was earlier: so that one leaves first.

Options   `m`: the quorum, 0 for the smallest majority; `coordinators`: who grants, empty for everybody; `patience`:
          how long to wait for a quorum, 0 for ever, doubled with each attempt; `lease`: how long a grant is good for,
          and so how long a request may last, 0 for ever. `restart` of a coordinator: "durable", it finds its grant on
          disk and asks whether that is still needed; "wait-out", it grants nothing for a lease, when all it may have
          granted has expired; "amnesia", it grants at once, and may let in two.

S. Lin, Q. Lian, M. Chen, Z. Zhang. A practical distributed mutual exclusion protocol in dynamic peer-to-peer systems.
IPTPS 2004. Leases: C. Gray, D. Cheriton. Leases: an efficient fault-tolerant mechanism for distributed file cache
consistency. SOSP 1989.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mypy_extensions import mypyc_attr

from habemus.process import (
    WORST,
    Bound,
    Durable,
    Message,
    MisuseError,
    Mutex,
    Parameter,
    Pid,
    upon,
    upon_command,
    upon_recover,
    upon_timeout,
)

Claim: TypeAlias = tuple[Pid, int]
"""A request: whose it is, and its number."""

MOST_DOUBLINGS = 6


@dataclass(frozen=True)
class Request(Message):
    """May I enter? This is my request of that number."""

    number: int


@dataclass(frozen=True)
class Grant(Message):
    """As far as I am concerned you may: on this request of yours."""

    number: int


@dataclass(frozen=True)
class Release(Message):
    """My requests up to this number are over."""

    number: int


@dataclass(frozen=True)
class Inquiry(Message):
    """I was away: is this request of yours, which I granted, still on?"""

    number: int


@mypyc_attr(allow_interpreted_subclasses=True)
class Quorum(Mutex):
    name = "quorum"
    topology = "complete"
    model = "asynchronous, crash-recovery"
    guarantees = ("mutual_exclusion",)  # and no deadlock, no starvation with `patience`, with probability 1
    bounds = (Bound(WORST, "3(n-1)", lambda n, m: 3 * (n - 1)),)
    horizon = 20_000

    m: Parameter[int] = 0
    coordinators: Parameter[tuple[Pid, ...]] = ()
    patience: Parameter[int] = 0
    lease: Parameter[int] = 0
    restart: Parameter[Literal["durable", "wait-out", "amnesia"]] = "durable"

    number: Durable[int] = 0  # of its latest request
    asking: bool = False  # that one is on: it waits or is inside because of it
    grants: set[Pid] = set()
    attempts: int = 0  # in vain, since it began to wait
    granted: Durable[Claim | None] = None
    queue: list[Claim] = []
    latest: dict[Pid, int] = {}  # the latest request known of each, asked for or released
    closed: bool = False  # waiting out the leases from before a crash
    returned: bool = False  # it has been away, and may have missed releases

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        missing = set(self.asked) - self.grants if self.waiting else set()
        holder = {self.granted[0]} if self.granted is not None else set()
        return tuple(sorted((missing | holder) - {self.id}))

    @property
    def asked(self) -> tuple[Pid, ...]:
        """All coordinators."""
        return self.coordinators or self.members

    @property
    def others(self) -> list[Pid]:
        """All coordinators but this process, which tells itself what it has to say without a message."""
        return [c for c in self.asked if c != self.id]

    @property
    def enough(self) -> int:
        """How many grants let one in."""
        return self.m or len(self.asked) // 2 + 1

    def check_parameters(self) -> None:
        n, strangers = len(self.asked), [c for c in self.coordinators if c not in self.members]
        if strangers:
            raise MisuseError(f"parameters.coordinators: there is no process {strangers[0]}")
        if len(set(self.coordinators)) < len(self.coordinators):
            raise MisuseError("parameters.coordinators: each coordinator can be named once")
        if self.m and not n // 2 < self.m <= n:
            raise MisuseError(f"parameters.m: expected {n // 2 + 1} to {n} of {n} coordinators, got {self.m}")
        if self.restart == "wait-out" and not self.lease:
            raise MisuseError("parameters.restart: wait-out needs a lease to wait for, as in lease=200")

    # Who wants in

    @upon_command("acquire")
    def want_in(self) -> None:
        self.check_parameters()
        self.ask()
        self.attempts = 0
        self.request()

    def request(self) -> None:
        self.number += 1
        self.asking = True
        if self.lease:
            self.set_timer("lease", self.lease)
        if self.patience:
            self.set_timer("patience", self.stretched(self.patience))
        self.send(self.others, Request(self.number))
        if self.id in self.asked:
            self.enqueue(self.id, Request(self.number))

    @upon(Grant)
    def count_grant(self, sender: Pid, message: Grant) -> None:
        if self.asking and message.number == self.number:  # else that request is over, and its release under way
            self.grants.add(sender)
            if self.waiting and len(self.grants) >= self.enough:
                self.cancel_timer("patience")
                self.enter()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        self.release_all()

    @upon_timeout("lease")
    def lose_lease(self) -> None:
        if self.inside:
            self.go_outside()
        else:
            self.give_up()

    @upon_timeout("patience")
    def give_up(self) -> None:
        self.release_all()
        # If all came back at once they would be in each other's way again.
        self.set_timer("back-off", self.choose(range(1, self.stretched(self.patience or self.lease) + 1)))
        self.attempts += 1

    @upon_timeout("back-off")
    def try_again(self) -> None:
        self.request()

    def stretched(self, time: int) -> int:
        """Longer with each attempt in vain, as nobody knows how long messages take, nor how many are waiting."""
        return time << min(self.attempts, MOST_DOUBLINGS)

    def release_all(self) -> None:
        self.asking = False
        self.grants = set()
        self.cancel_timer("lease")
        self.cancel_timer("patience")
        self.send(self.others, Release(self.number))
        if self.id in self.asked:
            self.take_back(self.id, Release(self.number))

    @upon(Inquiry)
    def answer_inquiry(self, sender: Pid, message: Inquiry) -> None:
        if not (self.asking and message.number == self.number):
            self.send(sender, Release(message.number))

    # Coordinators

    @upon(Request)
    def enqueue(self, sender: Pid, message: Request) -> None:
        if message.number > self.latest.get(sender, 0):  # else its release has overtaken it
            self.end_claims(sender, message.number - 1)
            self.latest[sender] = message.number
            self.queue.append((sender, message.number))
            self.grant_next()

    @upon(Release)
    def take_back(self, sender: Pid, message: Release) -> None:
        self.end_claims(sender, message.number)
        self.latest[sender] = max(message.number, self.latest.get(sender, 0))
        self.grant_next()

    def end_claims(self, sender: Pid, last: int) -> None:
        """Requests of the sender up to this number are over; a later one is not."""
        self.queue = [claim for claim in self.queue if claim[0] != sender or claim[1] > last]
        if self.granted is not None and self.granted[0] == sender and self.granted[1] <= last:
            self.granted = None
            self.cancel_timer("grant")

    def grant_next(self) -> None:
        if self.granted is None and self.queue and not self.closed:
            self.granted = self.queue.pop(0)
            if self.lease:
                self.set_timer("grant", self.lease)
            claimant, number = self.granted
            if claimant == self.id:
                self.count_grant(self.id, Grant(number))
            else:
                self.send(claimant, Grant(number))
                if self.returned:  # the release may have come while it was away, and the request after that
                    self.send(claimant, Inquiry(number))

    @upon_timeout("grant")
    def let_grant_expire(self) -> None:
        self.granted = None
        self.grant_next()

    # Coming back

    @upon_recover
    def come_back(self) -> None:
        self.returned = self.restart == "durable"  # else it remembers nothing to inquire after, or has waited it out
        if self.restart != "durable":
            self.granted = None
        if self.restart == "wait-out":
            self.closed = True
            if self.lease:
                self.set_timer("wait-out", self.lease)
        if self.number:
            self.release_all()  # what it asked for before the crash
        if self.granted is not None:
            claimant, number = self.granted
            self.send(claimant, Inquiry(number))  # the release may have come while it was away
            if self.lease:
                self.set_timer("grant", self.lease)

    @upon_timeout("wait-out")
    def open_again(self) -> None:
        self.closed = False
        self.grant_next()
