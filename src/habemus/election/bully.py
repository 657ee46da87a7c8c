"""Bully: whoever outranks all who answer takes over, and says so.

A process that misses the leader calls an election: it asks everyone who outranks it. No answer within T: it is the
strongest alive and announces itself to those it outranks. An answer: a stronger one has taken the matter up, and it
waits T' for the announcement, else it calls again. A process that comes back calls an election, too, and so bullies
a weaker leader out of office even though that one is well.

Assumes   a complete graph, unique ids, reliable links, crash and recovery; synchrony: a message takes at most T_trans
          (`transmission`) and an answer at most T_process (`processing`); a crash is noticed after T, not before.
Gives     termination, uniqueness, agreement; stability while nobody recovers, and always with `stable`.
Costs     everybody calls: n^2 - 1 messages. The strongest is dead and the weakest alone notices: n(n-1)/2 ELECTION,
          (n-1)(n-2)/2 ANSWER, n - 2 COORDINATOR; if the second strongest notices: n - 1 in all.
Why safe  T = 2 T_trans + T_process passes without an answer only if no stronger process is up. An announced winner
          takes office T_trans later, when every weaker leader has heard of it and stepped down. One that comes back
          holds its peace T_trans longer, until elections that took it for dead have been announced.

Options   `weight` ranks by more than the id (memory, bandwidth; the id breaks ties); `candidates` may lead, others only
          call; `stable` counts failures against the rank, and who comes back asks for the leader before it calls.

H. Garcia-Molina. Elections in a distributed computing system. IEEE Transactions on Computers C-31(1), 1982; in the
form of Coulouris, Dollimore, Kindberg, Blair. Distributed Systems, 5th ed., section 15.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mypy_extensions import mypyc_attr

from habemus.process import (
    WORST,
    Bound,
    Durable,
    Election,
    Message,
    Parameter,
    Pid,
    upon,
    upon_recover,
    upon_start,
    upon_suspect,
    upon_timeout,
)

Rank: TypeAlias = tuple[bool, int, int, Pid]

IDLE, ASKING, WAITING, ANNOUNCED = "idle", "asking", "waiting", "announced"


@dataclass(frozen=True)
class ElectionCall(Message):
    """ELECTION: is anyone stronger alive?"""

    failures: int


@dataclass(frozen=True)
class Answer(Message):
    """ANSWER: yes; leave it to me."""


@dataclass(frozen=True)
class Coordinator(Message):
    """COORDINATOR: I lead."""


@dataclass(frozen=True)
class WhoLeads(Message):
    """With `stable`: I am back; is there a leader?"""

    failures: int


@mypyc_attr(allow_interpreted_subclasses=True)
class Bully(Election):
    """Whoever outranks all who answer takes over, and says so."""

    name = "bully"
    topology = "complete"
    model = "synchronous"
    bounds = (Bound(WORST, "n² - 1", lambda n, m: n * n - 1),)

    transmission: Parameter[int] = 10
    processing: Parameter[int] = 1
    weight: Parameter[dict[Pid, int]] = {}
    candidates: Parameter[tuple[Pid, ...]] = ()
    stable: Parameter[bool] = False

    stage: str = IDLE
    failures: Durable[int] = 0
    failures_of: dict[Pid, int] = {}

    @property
    def candidate(self) -> bool:
        return self.stage != IDLE

    @property
    def patience(self) -> int:
        """T: an answer that is not here by now will not come."""
        return 2 * self.transmission + self.processing

    def rank_of(self, process: Pid) -> Rank:
        failures = self.failures if process == self.id else self.failures_of.get(process, 0)
        eligible = not self.candidates or process in self.candidates
        return eligible, -failures if self.stable else 0, self.weight.get(process, 0), process

    @upon_start
    def call_election(self) -> None:
        stronger = self.ask_stronger()
        if stronger:
            self.set_timer("answer", self.patience)
        else:
            self.announce()

    @upon_suspect
    def miss_leader(self, subject: Pid) -> None:
        if subject == self.leader:
            self.call_election()

    @upon(ElectionCall)
    def answer_call(self, sender: Pid, message: ElectionCall) -> None:
        self.failures_of[sender] = message.failures
        if self.rank_of(self.id) > self.rank_of(sender):
            self.send(sender, Answer())
            if self.leader == self.id:
                self.announce()
            elif self.stage == IDLE:
                self.call_election()

    @upon(Answer)
    def yield_to_stronger(self, sender: Pid, message: Answer) -> None:
        if self.stage == ASKING:
            self.stage = WAITING
            self.cancel_timer("answer")
            # T': the strongest asked may itself just be back, and then waits T + T_trans before it announces.
            self.set_timer("coordinator", self.patience + 3 * self.transmission + self.processing)

    @upon_timeout("answer")
    def win(self) -> None:
        if self.rank_of(self.id)[0]:
            self.announce()
        else:
            self.stage = IDLE  # no candidate is up: there is nobody to lead

    @upon_timeout("coordinator")
    def call_again(self) -> None:
        self.call_election()

    def ask_stronger(self) -> list[Pid]:
        self.elect(None)
        self.stage = ASKING
        mine = self.rank_of(self.id)
        stronger = [p for p in self.neighbours if self.rank_of(p) > mine and self.rank_of(p)[0]]
        self.send(stronger, ElectionCall(self.failures))
        return stronger

    def announce(self) -> None:
        self.stage = ANNOUNCED
        mine = self.rank_of(self.id)
        self.send([p for p in self.neighbours if self.rank_of(p) < mine], Coordinator())
        self.set_timer("seat", self.transmission)

    @upon_timeout("seat")
    def take_office(self) -> None:
        self.stage = IDLE
        self.elect(self.id)

    @upon(Coordinator)
    def accept_coordinator(self, sender: Pid, message: Coordinator) -> None:
        self.stage = IDLE
        for timer in ("answer", "coordinator", "seat"):
            self.cancel_timer(timer)
        self.elect(sender)

    @upon_recover
    def come_back(self) -> None:
        self.failures += 1
        if self.stable:
            self.stage = ASKING
            self.send(self.neighbours, WhoLeads(self.failures))
            self.set_timer("no leader", self.patience)
        else:
            self.ask_stronger()
            self.set_timer("answer", self.patience + self.transmission)

    @upon(WhoLeads)
    def reassure(self, sender: Pid, message: WhoLeads) -> None:
        self.failures_of[sender] = message.failures
        if self.leader == self.id:
            self.send(sender, Coordinator())

    @upon_timeout("no leader")
    def find_no_leader(self) -> None:
        if self.leader is None:
            self.call_election()
