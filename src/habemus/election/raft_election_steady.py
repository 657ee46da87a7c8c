"""Steady Raft election: ask before standing, look round while leading, and do not wait for the dead.

What groups in service add to Raft's election, each an option that is on. `prevote`: who has lost patience first asks
whether a majority would vote for it, which nobody would who has heard of a leader within `low`; so who was cut off does
not come back with a newer term and disturb all. `check_quorum`: a leader that has not heard from a majority in `low`
steps down; so who is cut off does not believe for long that it leads. `eager`: if a detector reports the leader dead
nobody waits for the time-out. The next in the order of members stands at once, the one after it a heartbeat later, and
so on, so that they do not split the vote. Who is asked for a pre-vote before it has heard of the death itself gives it
when it hears.

Assumes   what raft-election does. The detector may be wrong.
Gives     what raft-election does; with `check_quorum` a leader that is cut off leads for at most 2 `low` longer.
Costs     with `prevote` n - 1 questions and at most n - 1 answers more an election.
Why safe  a pre-vote binds nobody, and a leader may step down at any time. A report that is wrong costs an election, and
          the votes keep it safe.

D. Ongaro. Consensus: Bridging Theory and Practice, 6.2 and 9.6. PhD thesis, Stanford, 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.election.raft_election import CANDIDATE, LEADER, Answer, LogEnd, RaftElection
from habemus.process import Message, Parameter, Pid, upon, upon_suspect, upon_timeout

ASKING = "asking"


@dataclass(frozen=True)
class RequestPreVote(Message):
    """Would you vote for me in this term?"""

    term: int
    log: LogEnd = (0, 0)


@dataclass(frozen=True)
class PreVote(Message):
    """I would vote for you in this term."""

    term: int


@mypyc_attr(allow_interpreted_subclasses=True)
class RaftElectionSteady(RaftElection):
    name = "raft-election-steady"

    prevote: Parameter[bool] = True
    check_quorum: Parameter[bool] = True
    eager: Parameter[bool] = True

    assured: bool = False  # with `prevote`: has heard from a leader within `low`
    prospect: tuple[Pid, int] | None = None  # the last one that asked meanwhile, and for which term

    @property
    def candidate(self) -> bool:
        return self.stage in (ASKING, CANDIDATE)

    # Asking before standing

    def lose_patience(self) -> None:
        if not self.prevote:
            super().lose_patience()
            return
        self.elect(None)
        self.be_patient()
        self.stage = ASKING
        self.supporters = {self.id}
        self.send(self.electors, RequestPreVote(self.term + 1, self.log_end()))
        if self.supported():
            self.stand()

    @upon(RequestPreVote)
    def weigh_prospect(self, sender: Pid, message: RequestPreVote) -> None:
        self.wake_up()
        if message.term <= self.term:
            self.send(sender, Answer(self.term))  # else who has the longest log, but an old term, would ask in vain
        elif self.stage != LEADER and self.is_eligible(message.log):
            if self.assured:
                self.prospect = (sender, message.term)
            else:
                self.send(sender, PreVote(message.term))

    @upon(PreVote)
    def count_prevote(self, sender: Pid, message: PreVote) -> None:
        if message.term == self.term + 1 and self.stage == ASKING:
            self.supporters.add(sender)
            if self.supported():
                self.stand()

    def heed(self, leader: Pid) -> None:
        super().heed(leader)
        if self.prevote:
            self.assured = True
            self.set_timer("assurance", self.low)

    @upon_timeout("assurance")
    def be_unsure(self) -> None:
        self.assured = False
        if self.prospect is not None:
            prospect, term = self.prospect
            self.prospect = None
            if term > self.term:
                self.send(prospect, PreVote(term))

    # Looking round while leading

    def lead(self) -> None:
        super().lead()
        if self.check_quorum:
            self.set_timer("quorum", self.low)

    @upon_timeout("quorum")
    def look_for_quorum(self) -> None:
        if self.supported():
            self.supporters = {self.id}
            self.set_timer("quorum", self.low)
        else:
            self.step_down()

    def step_down(self) -> None:
        super().step_down()
        self.cancel_timer("quorum")

    # Not waiting for the dead

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
