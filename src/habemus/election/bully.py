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
Gives     termination, uniqueness, agreement; stability while nobody recovers.
Costs     everybody calls: n^2 - 1 messages, and never more. The strongest is dead and the weakest alone notices:
          n(n-1)/2 ELECTION, (n-1)(n-2)/2 ANSWER, n - 2 COORDINATOR; if the second strongest notices: n - 1 in all.
Why safe  T = 2 T_trans + T_process passes without an answer only if no stronger process was up when asked. An announced
          winner takes office T_trans later, when every weaker leader has heard of it and stepped down; at once, if the
          leader it followed is dead, for then there is none: whoever led before that one has stepped down for it, and
          nobody weaker could take over without asking. One that comes back is silent for T + T_trans: by then elections
          that took it for dead are over and their news has arrived.

Options   `brief`: the strongest, in office, tells a caller that it leads, and nobody else. Without it, it answers and
          holds an election, as the textbook says; that is n - 1 messages more for each such call.

H. Garcia-Molina. Elections in a distributed computing system. IEEE Transactions on Computers C-31(1), 1982; in the
form of Coulouris, Dollimore, Kindberg, Blair. Distributed Systems, 5th ed., section 15.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from mypy_extensions import mypyc_attr

from habemus.process import (
    WORST,
    Bound,
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

IDLE, SILENT, ASKING, WAITING, ANNOUNCED, SETTLING = "idle", "silent", "asking", "waiting", "announced", "settling"


@dataclass(frozen=True)
class ElectionCall(Message):
    """ELECTION: is anyone stronger alive?"""

    lacking: int = 0  # units of uptime that the caller lacks, where uptime counts


@dataclass(frozen=True)
class Answer(Message):
    """ANSWER: yes; leave it to me."""


@dataclass(frozen=True)
class Coordinator(Message):
    """COORDINATOR: I lead."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Bully(Election):
    name = "bully"
    topology = "complete"
    model = "synchronous"
    guarantees: ClassVar[tuple[str, ...]] = ("termination", "uniqueness", "agreement")  # and stability, see above
    bounds: ClassVar[tuple[Bound, ...]] = (Bound(WORST, "n² - 1", lambda n, m: n * n - 1),)
    positive: ClassVar[tuple[str, ...]] = ("transmission",)
    synchronous = True
    on_network: ClassVar[tuple[Mapping[str, Any], ...]] = ({"transmission": 50},)
    small_times = {"transmission": 1, "processing": 1}

    transmission: Parameter[int] = 10
    processing: Parameter[int] = 1
    brief: Parameter[bool] = False

    stage: str = IDLE
    followed: Pid | None = None  # the last leader that announced itself here
    dead: set[Pid] = set()  # as the detector says

    @property
    def candidate(self) -> bool:
        return self.stage not in (IDLE, SETTLING)

    @property
    def delay_bound(self) -> int | None:
        return self.transmission

    @property
    def detection_time(self) -> int | None:
        return self.round_trip

    @property
    def round_trip(self) -> int:
        """T = 2 T_trans + T_process: a question and its answer."""
        return 2 * self.transmission + self.processing

    @property
    def patience(self) -> int:
        """An answer that is not here by now will not come."""
        return self.round_trip

    def outranks(self, process: Pid) -> bool:
        return self.rank > self.rank_of(process)

    def stronger(self) -> list[Pid]:
        """Those whose answer would end this process's hopes."""
        return [process for process in self.neighbours if not self.outranks(process)]

    def audience(self) -> list[Pid]:
        """Those who are told who won."""
        return [process for process in self.neighbours if process in self.dead or self.outranks(process)]

    def all_stronger_are_dead(self) -> bool:
        return self.dead.issuperset(self.stronger())

    @property
    def irremovable(self) -> bool:
        """In office, and nobody who comes back can change that."""
        return self.leader == self.id and not self.stronger()

    # Calling

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
            self.send(self.stronger(), self.call())
            self.set_timer("answer", self.patience)

    def call(self) -> ElectionCall:
        return ElectionCall()

    @upon(ElectionCall)
    def answer_call(self, sender: Pid, message: ElectionCall) -> None:
        if self.brief and self.irremovable:
            self.send(sender, Coordinator())
        else:
            self.send(sender, Answer())
            if self.stage == IDLE:
                self.call_election()

    @upon(Answer)
    def yield_to_stronger(self, sender: Pid, message: Answer) -> None:
        if self.stage == ASKING:
            self.stage = WAITING
            self.cancel_timer("answer")
            # T': the stronger one may just be back; it is silent for T + T_trans, asks for T, and announces in T_trans.
            self.set_timer("coordinator", 2 * (self.patience + self.transmission))

    @upon_timeout("coordinator")
    def call_again(self) -> None:
        self.ask_stronger()

    # Taking over

    @upon_timeout("answer")
    def win(self) -> None:
        self.announce()

    def announce(self) -> None:
        self.stage = ANNOUNCED
        self.send(self.audience(), Coordinator())
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
        if not self.outranks(sender):
            self.follow(sender)
        elif self.stage != SILENT:  # taken for dead by mistake: object; who is just back will call anyhow
            self.ask_stronger()

    def follow(self, leader: Pid) -> None:
        for timer in ("answer", "coordinator", "seat", "silence"):
            self.cancel_timer(timer)
        self.followed = leader
        self.elect(leader)
        self.settle(2 * self.transmission)

    def settle(self, time: int) -> None:
        """Calls made before the news was everywhere are still to come; they are no reason for another round."""
        self.stage = SETTLING
        self.set_timer("settling", time)

    @upon_timeout("settling")
    def be_settled(self) -> None:
        if self.stage == SETTLING:
            self.stage = IDLE

    # Coming back

    @upon_recover
    def come_back(self) -> None:
        self.stage = SILENT
        self.set_timer("silence", self.patience + self.transmission)

    @upon_timeout("silence")
    def break_silence(self) -> None:
        self.ask_stronger()
