"""Raft's election, broken. It promises one leader a term, and one term is enough to see two.

Only `raft-leader-lingers` goes on to a second one. There messages take one tick and none is lost: so an old leader
hears of a new term before anybody can be elected in it, and two at once are as wrong as two in a term.
"""

from __future__ import annotations

from habemus.election.raft_election import CANDIDATE, LEADER, RaftElection, RequestVote, Vote
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid

BRISK = {"low": 1, "high": 1, "heartbeat": 1}
FIRST_TERM = {"alarms": 1, "bounds": {"term": 1}}


@exhibit(
    "raft-forgets-its-vote",
    violates="one_leader_a_term",
    instance=Instance(n=3, starters=(1, 2), parameters=BRISK, limits={**FIRST_TERM, "crashes": 1, "recoveries": 1}),
    happened="PySyncObj kept neither its term nor its vote over a restart.",
    source="https://github.com/bakwc/PySyncObj/issues/84, https://github.com/bakwc/PySyncObj/pull/202",
)
class ForgetsItsVote(RaftElection):
    """The vote is not on disk, so a voter that restarts votes again in the same term."""

    def come_back(self) -> None:
        self.vote = None
        self.wake_up()


@exhibit(
    "raft-counts-copies",
    violates="one_leader_a_term",
    instance=Instance(n=4, starters=(1, 2), parameters=BRISK, limits={**FIRST_TERM, "doubles": 2}),
    happened="xraft counted vote messages, which do not say whose they are, and not voters.",
    source="https://github.com/xnnyygn/xraft/issues/27",
)
class CountsCopies(RaftElection):
    """A vote that is delivered twice counts twice."""

    def count_vote(self, sender: Pid, message: Vote) -> None:
        if self.is_current(message.term) and self.stage == CANDIDATE:
            self.supporters.add(sender if sender not in self.supporters else -sender)
            if self.supported():
                self.lead()


@exhibit(
    "raft-half-is-enough",
    violates="one_leader_a_term",
    instance=Instance(n=2, parameters=BRISK, limits=FIRST_TERM),
    happened="leifdb took half of an even number of nodes for a majority.",
    source="https://github.com/btmorr/leifdb/pull/73",
)
class HalfIsEnough(RaftElection):
    """Half of the weight elects, and there are two halves."""

    def supported(self) -> bool:
        """Whether the supporters have more than half of the weight of all."""
        if not self.weight:
            return 2 * len(self.supporters) >= self.n
        return 2 * self.weight_together(sorted(self.supporters)) >= self.weight_together(list(self.members))


@exhibit(
    "raft-votes-for-everybody",
    violates="one_leader_a_term",
    instance=Instance(n=3, starters=(1, 2), parameters=BRISK, limits=FIRST_TERM),
    happened="A broker of Zeebe voted for 1, and a few milliseconds later for 2, in term 1195: two leaders.",
    source="https://github.com/camunda/camunda/issues/5356",
)
class VotesForEverybody(RaftElection):
    """A voter does not look whether it has voted in this term already."""

    def weigh_candidate(self, sender: Pid, message: RequestVote) -> None:
        if self.is_current(message.term) and self.is_eligible(message.log):
            self.vote = sender
            self.be_patient()
            self.cast_vote(sender)


@exhibit(
    "raft-leader-lingers",
    violates="uniqueness",
    instance=Instance(
        n=3,
        starters=(1,),
        parameters={"low": 2, "high": 3, "heartbeat": 9},
        timing="bounded",
        limits={"bounds": {"term": 2}},
    ),
    happened="In verdi-raft, proven safe, a leader ignored the newer term in a reply, and went on leading.",
    source="https://github.com/uwplse/verdi-raft/issues/29",
)
class Lingers(RaftElection):
    """An old leader that has lost its majority to a newer term does not step down."""

    def is_current(self, term: int) -> bool:
        """Whether what is of this term is to be heeded; a newer term is entered."""
        if term > self.term and self.stage != LEADER:
            self.term, self.vote = term, None
            self.step_down()
        self.wake_up()
        return term == self.term
