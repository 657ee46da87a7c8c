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
          shorter; `prevote`: ask first whether a majority would vote, which nobody would who has heard of a leader
          within `low`, so that who was cut off disturbs nobody; `check_quorum`: a leader that has not heard from a
          majority in `low` steps down; `eager`: if a detector reports the leader dead nobody waits for the time-out.
          The next in the order of members stands at once, the one after it a heartbeat later, and so on, so that they
          do not split the vote. A report may be wrong: it costs an election, and the votes keep it safe.

D. Ongaro, J. Ousterhout. In search of an understandable consensus algorithm. USENIX ATC 2014, sections 5.1, 5.2, 5.4.1;
pre-vote and check-quorum: D. Ongaro. Consensus: Bridging Theory and Practice, 6.2 and 9.6. Stanford, 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    upon_suspect,
    upon_timeout,
)

ASLEEP, FOLLOWER, ASKING, CANDIDATE, LEADER = "asleep", "follower", "asking", "candidate", "leader"


@dataclass(frozen=True)
class RequestVote(Message):
    """Vote for me in this term; my log is that long."""

    term: int
    log: int = 0


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


@dataclass(frozen=True)
class RequestPreVote(Message):
    """With `prevote`: would you vote for me in this term?"""

    term: int
    log: int = 0


@dataclass(frozen=True)
class PreVote(Message):
    """I would vote for you in this term."""

    term: int


@mypyc_attr(allow_interpreted_subclasses=True)
class RaftElection(Election):
    """Time is cut into terms, and in each term everybody votes once."""

    name = "raft-election"
    topology = "complete"
    model = "partially synchronous, crash-recovery, loss"
    guarantees = ("termination", "agreement", "one_leader_a_term")
    term_field = "term"
    horizon = 2000
    positive = ("low", "high", "heartbeat")

    low: Parameter[int] = 150
    high: Parameter[int] = 300
    heartbeat: Parameter[int] = 75
    weight: Parameter[dict[Pid, int]] = {}
    log: Parameter[dict[Pid, int]] = {}
    prevote: Parameter[bool] = False
    check_quorum: Parameter[bool] = False
    eager: Parameter[bool] = False

    term: Durable[int] = 0
    vote: Durable[Pid | None] = None
    stage: str = ASLEEP
    supporters: set[Pid] = set()  # who votes, would vote, or has answered a heartbeat: whom this stage needs
    assured: bool = False  # with `prevote`: has heard from a leader within `low`

    @property
    def candidate(self) -> bool:
        return self.stage in (ASKING, CANDIDATE)

    def supported(self) -> bool:
        """Whether the supporters have more than half of the weight of all."""
        if not self.weight:
            return 2 * len(self.supporters) > self.n
        return 2 * self.weight_of(sorted(self.supporters)) > self.weight_of(list(self.members))

    def weight_of(self, processes: list[Pid]) -> int:
        return sum([self.weight.get(process, 1) for process in processes])

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
        self.cancel_timer("quorum")

    def be_patient(self) -> None:
        self.set_timer("election", self.choose(range(self.low, max(self.low, self.high) + 1)))

    # Standing

    @upon_timeout("election")
    def lose_patience(self) -> None:
        self.elect(None)
        self.be_patient()
        self.supporters = {self.id}
        if not self.prevote:
            self.stand()
        else:
            self.stage = ASKING
            self.send(self.neighbours, RequestPreVote(self.term + 1, self.log.get(self.id, 0)))
            if self.supported():
                self.stand()

    @upon_suspect
    def miss_leader(self, subject: Pid) -> None:
        if self.eager and subject == self.leader:
            self.elect(None)
            self.be_unsure()
            wait = self.turn_after(subject) * self.heartbeat
            if wait == 0:
                self.lose_patience()
            elif wait < self.low:  # else the time-out that runs anyhow is as good
                self.set_timer("election", wait)

    def turn_after(self, leader: Pid) -> int:
        """How many stand before this process when the leader is dead."""
        members = self.members
        return (members.index(self.id) - members.index(leader) - 1) % self.n

    def stand(self) -> None:
        self.stage = CANDIDATE
        self.term += 1
        self.vote = self.id
        self.supporters = {self.id}
        self.request_votes()
        if self.supported():
            self.lead()

    def request_votes(self) -> None:
        self.send(self.neighbours, RequestVote(self.term, self.log.get(self.id, 0)))

    @upon(RequestVote)
    def weigh_candidate(self, sender: Pid, message: RequestVote) -> None:
        if self.is_current(message.term) and self.vote in (None, sender) and message.log >= self.log.get(self.id, 0):
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
        if self.check_quorum:
            self.set_timer("quorum", self.low)
        self.beat()

    @upon_timeout("heartbeat")
    def beat(self) -> None:
        self.send(self.neighbours, Heartbeat(self.term))
        self.set_timer("heartbeat", self.heartbeat)

    @upon(Heartbeat)
    def follow(self, sender: Pid, message: Heartbeat) -> None:
        if self.is_current(message.term):  # a term has one leader: the sender is it
            self.stage = FOLLOWER
            self.elect(sender)
            self.be_patient()
            if self.prevote:
                self.assured = True
                self.set_timer("assurance", self.low)
        self.send(sender, Answer(self.term))  # a leader of an older term learns of the newer one

    @upon(Answer)
    def note_answer(self, sender: Pid, message: Answer) -> None:
        if self.is_current(message.term) and self.stage == LEADER:
            self.supporters.add(sender)

    @upon_timeout("quorum")
    def look_for_quorum(self) -> None:
        if self.supported():
            self.supporters = {self.id}
            self.set_timer("quorum", self.low)
        else:
            self.step_down()

    # Asking before standing

    @upon_timeout("assurance")
    def be_unsure(self) -> None:
        self.assured = False

    @upon(RequestPreVote)
    def weigh_prospect(self, sender: Pid, message: RequestPreVote) -> None:
        self.wake_up()
        content = self.assured or self.stage == LEADER
        if message.term <= self.term:
            self.send(sender, Answer(self.term))  # else who has the longest log, but an old term, would ask in vain
        elif not content and message.log >= self.log.get(self.id, 0):
            self.send(sender, PreVote(message.term))

    @upon(PreVote)
    def count_prevote(self, sender: Pid, message: PreVote) -> None:
        if message.term == self.term + 1 and self.stage == ASKING:
            self.supporters.add(sender)
            if self.supported():
                self.stand()
