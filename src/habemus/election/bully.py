"""Bully: whoever outranks all who answer takes over, and says so.

A process that misses the leader calls an election: it asks everyone who outranks it. No answer within T: it is the
strongest alive and announces itself to those it outranks. An answer: a stronger one has taken the matter up, and it
waits T' for the announcement, else it calls again. Nobody is waited for whom the detector has reported dead: if that is
all who are stronger, a process takes over at once. It tells them, too; one that was reported by mistake objects with an
election of its own. A process that comes back calls an election, and so bullies a weaker leader out of office even
though that one is well.

Assumes   a complete graph, unique ids, reliable links, crash and recovery; synchrony: a message takes at most T_trans
          (`transmission`) and an answer at most T_process (`processing`); the detector, if there is one, reports a
          crash after T_trans, not before, and that a process is back within T.
Gives     termination, uniqueness, agreement; stability while nobody recovers, and always with `stable`.
Costs     everybody calls: n^2 - 1 messages, and never more. The strongest is dead and the weakest alone notices:
          n(n-1)/2 ELECTION, (n-1)(n-2)/2 ANSWER, n - 2 COORDINATOR; if the second strongest notices: n - 1 in all.
Why safe  T = 2 T_trans + T_process passes without an answer only if no stronger process was up when asked. An announced
          winner takes office T_trans later, when every weaker leader has heard of it and stepped down; at once, if the
          leader it followed is dead, for then there is none: whoever led before that one has stepped down for it, and
          nobody weaker could take over without asking. One that comes back is silent for T + T_trans: by then elections
          that took it for dead are over and their news has arrived.

Options   `weight` ranks by more than the id (memory, bandwidth; the id breaks ties); `candidates` may lead, others only
          call; `stable` counts failures against the rank. Nobody can know the failures of all others, so everyone is
          asked and told, a leader stops even a stronger caller, and who comes back looks for a leader before it calls.

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
    upon_trust,
)

Rank: TypeAlias = tuple[bool, int, int, Pid]

IDLE, SILENT, ASKING, WAITING, ANNOUNCED, SETTLING = "idle", "silent", "asking", "waiting", "announced", "settling"


@dataclass(frozen=True)
class ElectionCall(Message):
    """ELECTION: is anyone stronger alive?"""

    failures: int = 0


@dataclass(frozen=True)
class Answer(Message):
    """ANSWER: yes; leave it to me."""


@dataclass(frozen=True)
class Coordinator(Message):
    """COORDINATOR: I lead."""


@dataclass(frozen=True)
class WhoLeads(Message):
    """With `stable`: I am back; is there a leader?"""


@mypyc_attr(allow_interpreted_subclasses=True)
class Bully(Election):
    """Whoever outranks all who answer takes over, and says so."""

    name = "bully"
    topology = "complete"
    model = "synchronous"
    guarantees = ("termination", "uniqueness", "agreement")  # and stability with `stable`, or while nobody recovers
    bounds = (Bound(WORST, "n² - 1", lambda n, m: n * n - 1),)
    positive = ("transmission",)

    transmission: Parameter[int] = 10
    processing: Parameter[int] = 1
    weight: Parameter[dict[Pid, int]] = {}
    candidates: Parameter[tuple[Pid, ...]] = ()
    stable: Parameter[bool] = False

    stage: str = IDLE
    followed: Pid | None = None  # the last leader that announced itself here
    dead: set[Pid] = set()  # as the detector says
    failures: Durable[int] = 0

    @property
    def candidate(self) -> bool:
        return self.stage not in (IDLE, SETTLING)

    @property
    def patience(self) -> int:
        """T: an answer that is not here by now will not come."""
        return 2 * self.transmission + self.processing

    @property
    def irremovable(self) -> bool:
        """In office, and nobody who comes back can change that."""
        if self.stable:
            return self.leader == self.id or self.stage == ANNOUNCED
        return self.leader == self.id and not self.stronger()

    def may_lead(self, process: Pid) -> bool:
        return not self.candidates or process in self.candidates

    def rank_of(self, process: Pid, failures: int) -> Rank:
        return self.may_lead(process), -failures if self.stable else 0, self.weight.get(process, 0), process

    def outranks(self, process: Pid, failures: int) -> bool:
        return self.rank_of(self.id, self.failures) > self.rank_of(process, failures)

    def stronger(self) -> list[Pid]:
        """Those whose answer would end this process's hopes; with `stable` anyone's might."""
        return [p for p in self.neighbours if self.may_lead(p) and (self.stable or not self.outranks(p, 0))]

    def all_stronger_are_dead(self) -> bool:
        return self.dead.issuperset(self.stronger())

    @upon_start
    def call_election(self) -> None:
        if self.irremovable:
            self.announce()
        elif self.stage in (IDLE, SETTLING):
            self.ask_stronger()

    @upon_suspect
    def miss_leader(self, subject: Pid) -> None:
        self.dead.add(subject)
        if subject == self.leader or (self.stage in (ASKING, WAITING) and self.all_stronger_are_dead()):
            self.ask_stronger()

    @upon_trust
    def miss_no_longer(self, subject: Pid) -> None:
        self.dead.discard(subject)

    def ask_stronger(self) -> None:
        if self.leader != self.id:  # in office one asks again before announcing again: a stronger one may be back
            self.elect(None)
        self.stage = ASKING
        if self.all_stronger_are_dead():
            for timer in ("answer", "coordinator"):
                self.cancel_timer(timer)
            self.win()
        else:  # the dead are asked, too: one that is back already answers, though it is silent otherwise
            self.send(self.stronger(), ElectionCall(self.failures if self.stable else 0))
            self.set_timer("answer", self.patience)

    @upon(ElectionCall)
    def answer_call(self, sender: Pid, message: ElectionCall) -> None:
        if self.irremovable:
            self.send(sender, Coordinator())
        elif self.outranks(sender, message.failures):
            self.send(sender, Answer())
            if self.stage == IDLE:
                self.ask_stronger()
        elif self.stage == ASKING:  # with `stable`: a stronger one calls, which is as good as its answer
            self.yield_to_stronger(sender, Answer())

    @upon(Answer)
    def yield_to_stronger(self, sender: Pid, message: Answer) -> None:
        if self.stage == ASKING:
            self.stage = WAITING
            self.cancel_timer("answer")
            # T': the stronger one may just be back; it is silent for T + T_trans, asks for T, and announces in T_trans.
            self.set_timer("coordinator", 2 * (self.patience + self.transmission))

    @upon_timeout("answer")
    def win(self) -> None:
        if self.may_lead(self.id):
            self.announce()
        else:
            self.stage = IDLE  # no candidate is up: there is nobody to lead

    @upon_timeout("coordinator")
    def call_again(self) -> None:
        self.ask_stronger()

    def announce(self) -> None:
        self.stage = ANNOUNCED
        self.send([p for p in self.neighbours if self.stable or p in self.dead or self.outranks(p, 0)], Coordinator())
        if self.followed in self.dead:  # nobody is in office who would have to step down first
            self.elect(self.id)
            self.settle(2 * self.transmission)
        else:
            self.set_timer("seat", self.transmission)

    @upon_timeout("seat")
    def take_office(self) -> None:
        self.elect(self.id)
        self.settle(self.transmission)

    @upon(Coordinator)
    def accept_coordinator(self, sender: Pid, message: Coordinator) -> None:
        if not self.stable and self.outranks(sender, 0):
            self.object()
            return
        for timer in ("answer", "coordinator", "seat", "silence"):
            self.cancel_timer(timer)
        self.followed = sender
        self.elect(sender)
        self.settle(2 * self.transmission)

    def object(self) -> None:
        """A weaker one took this process for dead: because it was until just now, or the detector is mistaken."""
        if self.stage != SILENT:  # else it will call anyhow, when the others are done
            self.ask_stronger()

    def settle(self, time: int) -> None:
        """Calls made before the news was everywhere are still to come; they are no reason for another round."""
        self.stage = SETTLING
        self.set_timer("settling", time)

    @upon_timeout("settling")
    def be_settled(self) -> None:
        if self.stage == SETTLING:
            self.stage = IDLE

    @upon_recover
    def come_back(self) -> None:
        self.failures += 1
        self.stage = SILENT
        self.set_timer("silence", self.patience + self.transmission)
        if self.stable:
            self.send(self.neighbours, WhoLeads())

    @upon(WhoLeads)
    def reassure(self, sender: Pid, message: WhoLeads) -> None:
        if self.irremovable:
            self.send(sender, Coordinator())

    @upon_timeout("silence")
    def break_silence(self) -> None:
        self.ask_stronger()
