"""Raft's election: time is cut into terms, and in each term everybody votes once.

Who hears of no leader for a random while stands: it begins a new term, votes for itself and asks for the others' votes.
More than half of the weight of all elects it; heartbeats tell the others so, and keep them from standing. What is of an
older term is dropped at sight; who learns of a newer one enters it and leads, or stands, no longer. If the vote is
split nobody is elected, and whoever loses patience first tries again.

Assumes   a complete graph, crash and recovery; messages may be lost, doubled, overtaken. Partial synchrony, for
          termination only: a broadcast takes much less time than `low`. It never comes to rest.
Gives     at most one leader a term, always; termination and agreement while more than half of the weight is up and
          connected. Not uniqueness: a leader that is cut off goes on in its old term until it hears of a newer one.
Costs     undisputed: n - 1 requests, at most n - 1 votes; then n - 1 heartbeats and as many answers every `heartbeat`.
Why safe  two majorities share a voter, and nobody votes twice in a term: the vote is on disk before it leaves.

Options   `weight` of a vote, 1 if not given; `log`, how far each one's log reaches: no vote for one whose log is
          shorter.

D. Ongaro, J. Ousterhout. In search of an understandable consensus algorithm. USENIX ATC 2014, sections 5.1, 5.2, 5.4.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from mypy_extensions import mypyc_attr

from habemus.process import (
    Durable,
    Election,
    Message,
    Parameter,
    Pid,
    upon,
    upon_recover,
    upon_start,
    upon_timeout,
)

ASLEEP, FOLLOWER, CANDIDATE, LEADER = "asleep", "follower", "candidate", "leader"


LogEnd: TypeAlias = tuple[int, int]
"""How far a log reaches: the term of its last entry and its index. No vote for one whose log ends before ours."""


@dataclass(frozen=True)
class RequestVote(Message):
    """Vote for me in this term; my log reaches that far."""

    term: int
    log: LogEnd = (0, 0)


@dataclass(frozen=True)
class Vote(Message):
    """You have my vote in this term."""

    term: int


@dataclass(frozen=True)
class Heartbeat(Message):
    """I lead in this term."""

    term: int


@dataclass(frozen=True)
class Answer(Message):
    """I hear you, and this is my term."""

    term: int


@mypyc_attr(allow_interpreted_subclasses=True)
class RaftElection(Election):
    name = "raft-election"
    topology = "complete"
    shown_field = "term"
    model = "partially synchronous, crash-recovery, loss"
    guarantees: ClassVar[tuple[str, ...]] = ("termination", "agreement", "one_leader_a_term")
    term_field = "term"
    horizon = 2000
    positive: ClassVar[tuple[str, ...]] = ("low", "high", "heartbeat")
    tolerates_loss = True
    has_heartbeats = True
    on_network: ClassVar[tuple[Mapping[str, Any], ...]] = ({"low": 1000, "high": 2000, "heartbeat": 250},)
    chosen_between: ClassVar[tuple[str, ...]] = ("low", "high")
    network_variant = "raft-election-steady"  # else a leader that is cut off would lead until it hears of a newer term
    small_parameters = {"low": 1, "high": 1, "heartbeat": 1}
    small_bounds = {"term": 2}
    small_limits = {"alarms": 1}

    low: Parameter[int] = 150
    high: Parameter[int] = 300
    heartbeat: Parameter[int] = 75
    weight: Parameter[dict[Pid, int]] = {}
    log: Parameter[dict[Pid, int]] = {}

    term: Durable[int] = 0
    vote: Durable[Pid | None] = None
    stage: str = ASLEEP
    supporters: set[Pid] = set()  # who votes, or has answered a heartbeat: whom this stage needs

    @property
    def gives_up_after(self) -> int | None:
        return self.low - self.heartbeat

    @property
    def candidate(self) -> bool:
        return self.stage == CANDIDATE

    @property
    def electors(self) -> tuple[Pid, ...]:
        """The others whose votes count."""
        return self.neighbours

    def log_end(self) -> LogEnd:
        return 0, self.log.get(self.id, 0)

    def supported(self) -> bool:
        """Whether the supporters have more than half of the weight of all."""
        if not self.weight:
            return 2 * len(self.supporters) > self.n
        return 2 * self.weight_together(sorted(self.supporters)) > self.weight_together(list(self.members))

    def weight_of(self, process: Pid) -> int:
        return self.weight.get(process, 1)

    def weight_together(self, processes: list[Pid]) -> int:
        return sum([self.weight_of(process) for process in processes]) if self.weight else len(processes)

    # Terms

    def is_current(self, term: int) -> bool:
        """Whether what is of this term is to be heeded; a newer term is entered."""
        if term > self.term:
            self.term, self.vote = term, None
            self.step_down()
        self.wake_up()
        return term == self.term

    @upon_start
    def wake_up(self) -> None:
        if self.stage == ASLEEP:
            self.step_down()

    @upon_recover
    def come_back(self) -> None:
        self.wake_up()

    def step_down(self) -> None:
        if self.stage in (ASLEEP, LEADER):  # all others have the timer running
            self.be_patient()
        self.stage = FOLLOWER
        self.elect(None)
        self.cancel_timer("heartbeat")

    def be_patient(self) -> None:
        self.set_timer("election", self.choose(range(self.low, max(self.low, self.high) + 1)))

    # Standing

    @upon_timeout("election")
    def lose_patience(self) -> None:
        self.elect(None)
        self.be_patient()
        self.stand()

    def stand(self) -> None:
        self.stage = CANDIDATE
        self.term += 1
        self.vote = self.id
        self.supporters = {self.id}
        self.request_votes()
        if self.supported():
            self.lead()

    def request_votes(self) -> None:
        self.send(self.electors, RequestVote(self.term, self.log_end()))

    def is_eligible(self, log: LogEnd) -> bool:
        """Whether we may vote for one whose log ends there."""
        return log >= self.log_end()

    @upon(RequestVote)
    def weigh_candidate(self, sender: Pid, message: RequestVote) -> None:
        if self.is_current(message.term) and self.vote in (None, sender) and self.is_eligible(message.log):
            self.vote = sender
            self.be_patient()
            self.cast_vote(sender)

    def cast_vote(self, candidate: Pid) -> None:
        self.send(candidate, Vote(self.term))

    @upon(Vote)
    def count_vote(self, sender: Pid, message: Vote) -> None:
        if self.is_current(message.term) and self.stage == CANDIDATE:
            self.supporters.add(sender)
            if self.supported():
                self.lead()

    # Leading

    def lead(self) -> None:
        self.stage = LEADER
        self.cancel_timer("election")
        self.elect(self.id)
        self.supporters = {self.id}
        self.beat()

    @upon_timeout("heartbeat")
    def beat(self) -> None:
        self.send(self.neighbours, Heartbeat(self.term))
        self.set_timer("heartbeat", self.heartbeat)

    @upon(Heartbeat)
    def follow(self, sender: Pid, message: Heartbeat) -> None:
        if self.is_current(message.term):  # a term has one leader: the sender is it
            self.heed(sender)
        self.send(sender, Answer(self.term))  # a leader of an older term learns of the newer one

    def heed(self, leader: Pid) -> None:
        """The leader of this term gives a sign of life."""
        self.stage = FOLLOWER
        self.elect(leader)
        self.be_patient()

    @upon(Answer)
    def note_answer(self, sender: Pid, message: Answer) -> None:
        if self.is_current(message.term) and self.stage == LEADER:
            self.supporters.add(sender)
