"""The follower's side of Raft: storing, voting, forgetting. The rules and the reasons are at the head of raft."""

from __future__ import annotations

from typing import ClassVar

from mypy_extensions import mypyc_attr

from habemus.election.raft_election import FOLLOWER, Answer, LogEnd
from habemus.election.raft_election_steady import RaftElectionSteady
from habemus.process import Durable, Parameter, Pid, upon, upon_request, upon_timeout
from habemus.replication.log import Log
from habemus.replication.messages import Append, Install, Lacks, Stored, TakeOver
from habemus.replication.requests import Committed, Compact, Restored, WaitOut


@mypyc_attr(allow_interpreted_subclasses=True)
class Follower(RaftElectionSteady):
    forgets: ClassVar[bool] = True  # the log is lost in a crash

    voters: Parameter[list[Pid]] = []
    learners: Parameter[list[Pid]] = []

    restarts: Durable[int] = 0
    forgetful: bool = False
    entries: Log = Log()
    commit: int = 0
    agreed: int = 0  # the last term in whose leader's log we found our committed entries

    # Who takes part

    @property
    def constituency(self) -> list[Pid]:
        """All whose votes count."""
        return self.voters or [member for member in self.members if member not in self.learners]

    @property
    def electors(self) -> tuple[Pid, ...]:
        return tuple([voter for voter in self.constituency if voter != self.id])

    @property
    def followers(self) -> list[Pid]:
        return [*self.electors, *self.learners]

    def have_majority(self, processes: set[Pid]) -> bool:
        voters = self.constituency
        some = [voter for voter in voters if voter in processes]
        return 2 * self.weight_together(some) > self.weight_together(voters)

    def supported(self) -> bool:
        """Whether the supporters have more than half of the weight of all voters."""
        return self.have_majority(self.supporters)

    def log_end(self) -> LogEnd:
        return self.entries.last_term, self.entries.last

    @property
    def may_vote(self) -> bool:
        return not self.forgetful and self.id in self.constituency

    # Electing: only who remembers (rule 2)

    def is_eligible(self, log: LogEnd) -> bool:
        return self.may_vote and super().is_eligible(log)

    def be_patient(self) -> None:
        if self.id in self.constituency:  # nobody else ever stands
            super().be_patient()

    def lose_patience(self) -> None:
        if self.may_vote:
            super().lose_patience()
        else:
            self.elect(None)
            self.be_patient()

    def come_back(self) -> None:
        self.restarts += 1
        if self.forgets and self.term > 0:  # who was in no term has promised nothing
            self.forgetful = True
        super().come_back()

    @upon_request(WaitOut)
    def wait(self, request: WaitOut) -> None:
        if self.forgetful:
            self.set_timer("wait out", request.ticks)

    @upon_timeout("wait out")
    def be_forgiven(self) -> None:
        self.forgetful = False
        self.host.indicate(self, "amnesty", None)
        self.be_patient()

    def be_cleared(self, restart: int) -> None:
        if self.forgetful and restart == self.restarts:
            self.forgetful = False
            self.cancel_timer("wait out")

    # Following

    @upon(Append)
    def store(self, sender: Pid, message: Append) -> None:
        if not self.is_current(message.term):
            self.send(sender, Answer(self.term))
            return
        self.heed(sender)
        self.be_cleared(message.cleared)
        log, previous = self.compare(message), message.previous
        if self.agreed == self.term and log.holds(previous, message.previous_term):
            changed = log.store(previous, message.entries)
            if changed:
                self.announce_log(changed - 1)
            match = previous + len(message.entries)
            self.send(sender, Stored(self.term, match, message.round, self.restarts, self.forgetful))
            self.commit_up_to(match if self.completes_majority(sender, match) else min(message.commit, match))
        else:
            agreed = log.last if previous > log.last else log.before_term_of(max(previous, log.base))
            agreed = max(agreed, self.commit)
            self.send(sender, Lacks(self.term, previous, agreed, self.restarts, self.forgetful))

    def completes_majority(self, leader: Pid, index: int) -> bool:
        """Whether an entry is committed since we have stored it, too (rule 1)."""
        counts = index > self.commit and not self.forgetful and self.entries.term_at(index) == self.term
        return counts and self.have_majority({leader, self.id})

    def compare(self, message: Append) -> Log:
        """Find our last committed entry in the leader's log; if it is not there, drop our log (rule 6)."""
        log, commit, previous = self.entries, self.commit, message.previous
        if self.agreed == self.term:
            return log
        if previous < commit:  # then the message may bring that entry itself
            brought = message.entries[commit - previous - 1 : commit - previous]
            same = [entry.term == log.term_at(commit) for entry in brought]
        else:  # who shares an entry shares all before it
            same = [True] if log.holds(previous, message.previous_term) else [False] * (previous == commit)
        if message.last < commit or same == [False]:
            self.begin_anew(Log())
        elif same == [True]:
            self.agreed = self.term
        return self.entries

    @upon(Install)
    def install(self, sender: Pid, message: Install) -> None:
        if not self.is_current(message.term):
            self.send(sender, Answer(self.term))
            return
        self.heed(sender)
        self.be_cleared(message.cleared)
        lost = self.agreed != self.term and message.last < self.commit
        if message.index > self.commit and self.entries.holds(message.index, message.index_term):
            self.entries.compact(message.index, message.snapshot)  # what follows may be committed, and stays
            self.begin_anew(self.entries)
        elif message.index > self.commit or lost:
            self.begin_anew(Log((), message.index, message.index_term, message.snapshot))
        if self.agreed == self.term:
            self.send(sender, Stored(self.term, message.index, message.round, self.restarts, self.forgetful))
        else:
            self.send(sender, Lacks(self.term, message.index, self.commit, self.restarts, self.forgetful))

    def begin_anew(self, log: Log) -> None:
        self.entries = log
        self.agreed = self.term
        self.tell_restored()

    @upon(TakeOver)
    def take_over(self, sender: Pid, message: TakeOver) -> None:
        if self.is_current(message.term) and self.stage == FOLLOWER and self.may_vote:
            self.be_patient()
            self.elect(None)
            self.stand()

    def commit_up_to(self, index: int) -> None:
        if index > self.commit:
            first = self.commit + 1
            self.commit = index
            self.host.indicate(self, "commit", (index, self.term))
            self.indicate(Committed(first, self.entries.between(first, index)))

    # The layers above

    @upon_request(Compact)
    def compact(self, request: Compact) -> None:
        """The layer above has made a snapshot of what is committed up to an index."""
        if request.index <= self.commit:
            self.entries.compact(request.index, request.snapshot)

    def tell_restored(self) -> None:
        """The layer above has to begin anew with the snapshot, or with nothing."""
        log = self.entries
        self.commit = log.base
        self.host.indicate(self, "restore", (log.base, log.base_term))
        self.announce_log(log.base)
        self.indicate(Restored(log.base, log.snapshot))

    def announce_log(self, previous: int) -> None:
        """Observers see what is stored after an entry."""
        log = self.entries
        self.host.indicate(self, "log", (previous, log.between(previous + 1, log.last)))
