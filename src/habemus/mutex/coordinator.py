"""Coordinator: ask one process, who lets the others in one after the other.

Whoever wants in asks the coordinator and waits. The coordinator keeps a queue, and whenever nobody is inside it lets in
the first. Who leaves tells it so, and it says that it has heard.

Assumes   a complete graph, reliable links that need not keep the order, no crashes; no bound on delays.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting: first come, first served.
Costs     3 messages an entry, 4 if acknowledged; none for the coordinator's own. The coordinator is the bottleneck.
Why safe  every request has a ticket, and a grant lets in only the owner of its ticket, and only once. A ticket is over
          when it is released, or when its owner asks with a new one. So late and doubled messages do no harm.

Options   `coordinator` is its id, the smallest if not given; `acknowledged` releases; `processing` is how long it takes
          over a release before it lets the next one in; `retry`: what was not answered for so long is said again, so
          links may lose messages.

Lease     `lease`: after so many ticks a holder leaves by itself, and `transmission` later the coordinator lets the next
          one in. So participants may crash and come back, and with `retry` the coordinator, too. It relies on clocks
          that run alike, messages that take no longer than `transmission`, and processes that do not stand still: a
          slow holder cannot see that its lease has ended, and two are inside. No detector is heeded: only a perfect
          one could be trusted to say that a holder is dead, and a lease needs none.

Fencing   `fencing`: every grant has a token, no two the same, and the resource turns away all tokens but the largest it
          has seen. So it serves one at a time whatever happens: slow holders, late messages, several coordinators. And
          tokens grow, so that it turns away nobody in vain: a new coordinator is told the largest that each of the
          others knows of, leaves out as many as for a thousand grants, and tells all where it begins. Where nobody that
          it can hear has heard of the one before, or of any of its last thousand grants, it may begin too low. That is
          safe, but those it lets in are turned away until it has caught up.

Election  `elected`: the coordinator is whom the election in the layer below names. Who waits asks the new one, with a
          new ticket, so no request is lost, and what the old one may still grant is void. The new one lets nobody in
          before every old grant is over; so there is a lease, of 100 if not given, and a retry, after as long as a
          grant may last. `overlap`: how long an old leader may go on beside the new one; 0 if the election gives
          uniqueness, 2 low + transmission for raft-election with check_quorum. Where both go on, two are inside.

The textbooks' centralised algorithm, as in A. S. Tanenbaum, M. van Steen. Distributed Systems: Principles and
Paradigms, section 6.3. C. G. Gray, D. R. Cheriton. Leases: an efficient fault-tolerant mechanism for distributed file
cache consistency. SOSP 1989. M. Burrows. The Chubby lock service for loosely-coupled distributed systems. OSDI 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mypy_extensions import mypyc_attr

from habemus.process import (
    WORST,
    Bound,
    Durable,
    Message,
    Mutex,
    Parameter,
    Pid,
    upon,
    upon_command,
    upon_leader,
    upon_recover,
    upon_timeout,
    whenever,
)

Entry: TypeAlias = tuple[Pid, int]
"""Who wants in, or is, and with which ticket."""

LEASE = 100  # in ticks
SKIPPED = 1000  # grants


@dataclass(frozen=True)
class Request(Message):
    """Let me in; this is my ticket, and the largest fencing token I have seen."""

    ticket: int
    token: int = 0


@dataclass(frozen=True)
class Grant(Message):
    """You are in."""

    ticket: int
    token: int = 0


@dataclass(frozen=True)
class Release(Message):
    """I am out, or never went in."""

    ticket: int


@dataclass(frozen=True)
class Released(Message):
    """I have heard that you are out."""

    ticket: int


@dataclass(frozen=True)
class Seen(Message):
    """With `elected` and `fencing`, to a new coordinator and from it: this is the largest token I know of."""

    token: int


@mypyc_attr(allow_interpreted_subclasses=True)
class Coordinator(Mutex):
    """Ask one process, who lets the others in one after the other."""

    name = "coordinator"
    topology = "complete"
    model = "asynchronous; with a lease synchronous, crash-recovery"
    bounds = (Bound(WORST, "4", lambda n, m: 4),)

    coordinator: Parameter[Pid | None] = None
    acknowledged: Parameter[bool] = True
    processing: Parameter[int] = 0
    retry: Parameter[int] = 0
    lease: Parameter[int] = 0
    transmission: Parameter[int] = 10
    fencing: Parameter[bool] = False
    elected: Parameter[bool] = False
    overlap: Parameter[int] = 0

    ticket: Durable[int] = 0  # the latest
    grantor: Pid | None = None  # who let us in, until it knows that we are out
    token: Durable[int] = 0  # the largest that we have seen
    leader: Pid | None = None  # with `elected`

    queue: list[Entry] = []
    holder: Entry | None = None
    closed: bool = False  # nobody is let in for now
    over: dict[Pid, int] = {}  # the tickets of each up to this one will not be used any more

    @property
    def chief(self) -> Pid | None:
        """Who coordinates."""
        if self.elected:
            return self.leader
        return min(self.members) if self.coordinator is None else self.coordinator

    @property
    def stay(self) -> int:
        """How long a grant lasts in the hands of its holder; 0: until it is released."""
        return self.lease or (LEASE if self.elected else 0)

    @property
    def delay_bound(self) -> int | None:
        return self.transmission if self.stay else None

    @property
    def validity(self) -> int:
        """How long after it was sent a grant may be in use; one tick more, for in its last tick the holder leaves."""
        return self.stay + self.transmission + 1

    @property
    def patience(self) -> int:
        """When to say again what was not answered; 0: never."""
        return self.retry or (self.validity if self.elected else 0)

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        if self.chief != self.id:
            return (self.chief,) if self.waiting and self.chief is not None else ()
        return (self.holder[0],) if self.holder is not None and self.holder[0] != self.id else ()

    # Participants

    @upon_command("acquire")
    def want_in(self) -> None:
        self.ask()
        self.apply()

    def apply(self) -> None:
        """Ask whoever coordinates, with a new ticket: no grant that is still on its way counts any more."""
        self.ticket += 1
        self.grantor = None  # a release that was not acknowledged need not be: the new ticket says as much
        self.request()

    def request(self) -> None:
        message = Request(self.ticket, self.token)
        if self.chief == self.id:
            self.line_up(self.id, message)
        elif self.chief is not None:  # else we shall ask when there is somebody to ask
            self.send(self.chief, message)
            self.expect_answer()

    def expect_answer(self) -> None:
        if self.patience:
            self.set_timer("answer", self.patience)

    @upon_timeout("answer")
    def say_again(self) -> None:
        if self.waiting:
            self.request()
        elif self.grantor is not None:
            self.give_back(self.grantor)

    @upon(Grant)
    def accept_grant(self, sender: Pid, message: Grant) -> None:
        if message.ticket == self.ticket and self.waiting:
            self.cancel_timer("answer")
            self.grantor = sender
            self.token = max(self.token, message.token)
            if self.stay:
                self.set_timer("lease", self.stay)
            self.enter(message.token if self.fencing else None)
        elif message.ticket != self.ticket or not self.inside:  # not the one in use: nobody is to wait for its release
            self.send(sender, Release(message.ticket))

    @upon_timeout("lease")
    def leave_in_time(self) -> None:
        self.go_outside()

    @upon_command("release")
    def go_outside(self) -> None:
        self.cancel_timer("lease")
        self.leave()
        if self.grantor is not None:
            self.give_back(self.grantor)

    def give_back(self, grantor: Pid) -> None:
        if grantor == self.id:
            self.grantor = None
            self.take_back(self.id, Release(self.ticket))
            return
        self.send(grantor, Release(self.ticket))
        if not self.acknowledged:
            self.grantor = None
        elif grantor == self.chief:  # else it need not know any more
            self.expect_answer()

    @upon(Released)
    def be_released(self, sender: Pid, message: Released) -> None:
        if message.ticket == self.ticket:
            self.grantor = None
            self.cancel_timer("answer")

    # The coordinator

    @upon(Request)
    def line_up(self, sender: Pid, message: Request) -> None:
        entry = (sender, message.ticket)
        self.token = max(self.token, message.token)
        if entry == self.holder:
            self.grant(entry)  # it seems that the grant was lost
        elif message.ticket > self.over.get(sender, 0) and entry not in self.queue:
            self.finish(sender, message.ticket - 1)  # who has a new ticket is not inside, nor wants in with an old one
            self.queue.append(entry)

    @whenever(lambda self: self.may_grant)
    def grant_next(self) -> None:
        self.grant(self.queue.pop(0))

    @property
    def may_grant(self) -> bool:
        return bool(self.queue) and self.holder is None and not self.closed and self.chief == self.id

    def grant(self, entry: Entry) -> None:
        self.holder = entry
        if self.stay:
            self.set_timer("expiry", self.validity)
        if self.fencing:
            self.token = self.next_token()
        process, ticket = entry
        if process == self.id:
            self.accept_grant(self.id, Grant(ticket, self.token))
        else:
            self.send(process, Grant(ticket, self.token))

    def next_token(self) -> int:
        """Larger than any seen, and than our own before a crash; different from those of all other coordinators."""
        if not self.elected:
            return self.token + 1
        place = len([process for process in self.members if process < self.id])
        return (self.token // self.n + 1) * self.n + place

    @upon(Release)
    def take_back(self, sender: Pid, message: Release) -> None:
        self.finish(sender, message.ticket)
        if self.acknowledged and sender != self.id:
            self.send(sender, Released(message.ticket))

    @upon_timeout("expiry")
    def time_out(self) -> None:
        self.be_free()

    def finish(self, process: Pid, ticket: int) -> None:
        """The process is not inside, and its tickets up to this one are over."""
        if ticket > self.over.get(process, 0):
            self.over[process] = ticket
        self.queue = [entry for entry in self.queue if entry[0] != process or entry[1] > ticket]
        if self.holder is not None and self.holder[0] == process and self.holder[1] <= ticket:
            self.be_free()

    def be_free(self) -> None:
        self.holder = None
        self.cancel_timer("expiry")
        if self.processing:
            self.closed = True
            self.set_timer("processing", self.processing)

    @upon_timeout("processing")
    def be_ready(self) -> None:
        self.closed = False

    # Coordinators come and go

    @upon_leader
    def follow(self, leader: Pid | None) -> None:
        if not self.elected:
            return
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

    @upon_recover
    def come_back(self) -> None:
        if self.chief == self.id:
            self.wait_for_old_grants()

    def wait_for_old_grants(self) -> None:
        """Nobody knows them all, but all are over when their time is up, our own from before a crash included."""
        self.closed = True
        self.set_timer("office", self.overlap + self.validity)

    @upon_timeout("office")
    def begin_to_grant(self) -> None:
        self.closed = False
        if self.fencing and self.elected:
            self.token += SKIPPED * self.n  # more than the old coordinator may have given unheard
            self.send(self.neighbours, Seen(self.token))  # what the next one will have to exceed

    def resign(self) -> None:
        self.holder = None
        self.closed = False
        for timer in ("office", "processing", "expiry", "answer"):
            self.cancel_timer(timer)

    @upon(Seen)
    def note_token(self, sender: Pid, message: Seen) -> None:
        self.token = max(self.token, message.token)
