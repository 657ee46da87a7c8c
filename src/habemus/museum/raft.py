"""Raft's log, broken. Small mistakes are found by the checker; where a run needs many steps, one is given."""

from __future__ import annotations

from typing import Any

from habemus.election.raft_election import LEADER, LogEnd
from habemus.museum.exhibit import Run, exhibit
from habemus.museum.leased_group import call, fault
from habemus.museum.leased_group import run as group_run
from habemus.process import Pid
from habemus.replication.messages import Lacks, Stored
from habemus.replication.raft import Raft

QUICK = {"low": 40, "high": 60, "heartbeat": 20}


def run(proposals: list[tuple[int, Pid]], faults: list[dict[str, Any]], until: int, **parameters: Any) -> Run:
    """A run of three processes in which 1 calls the first election."""
    seed, network = parameters.pop("seed", 1), parameters.pop("network", {})
    return Run(
        {
            "parameters": {**QUICK, **parameters},
            "topology": {"ids": [1, 2, 3]},
            "starters": [1],
            "workload": [{"at": at, "who": [who], "call": "propose"} for at, who in proposals],
            "faults": faults,
            "network": network,
            "seed": seed,
            "until": until,
        }
    )


FIGURE_8 = run(
    [(85, 1)],
    [
        fault(80, "cut", links=[[1, 2], [1, 3]]),  # 1 has an entry of term 1 alone
        fault(125, "cut", links=[[3, 2]], one_way=True),  # 3 has one of term 2 alone
        fault(127, "cut", links=[[2, 3]]),
        fault(127, "heal", links=[[1, 2]]),  # 1 leads again, in term 3; its old entry reaches 2
        fault(245, "cut", links=[[1, 2]]),
        fault(246, "heal", links=[[2, 3]]),  # 3 leads in term 4
    ],
    540,
    batch=1,
)
FORGETS = [
    fault(90, "cut", links=[[1, 3], [2, 3]]),
    fault(150, "cut", links=[[1, 2]]),
    fault(151, "crash", process=2),
    fault(153, "recover", process=2),
    fault(155, "heal", links=[[2, 3]]),
]


@exhibit(
    "raft-votes-for-a-shorter-log",
    violates="leader_completeness",
    run=run(
        [(100, 1)],
        [fault(90, "cut", links=[[1, 3], [2, 3]]), fault(150, "crash", process=1), fault(150, "heal")],
        400,
        seed=16,
    ),
)
class VotesForAShorterLog(Raft):
    """A voter does not look how far the log of a candidate reaches."""

    def is_eligible(self, log: LogEnd) -> bool:
        return self.may_vote


@exhibit(
    "raft-votes-though-it-forgot",
    violates="leader_completeness",
    run=run([(100, 1)], FORGETS, 400),
)
class VotesThoughItForgot(Raft):
    """A voter that restarted, and has lost its log, votes as before."""

    @property
    def may_vote(self) -> bool:
        return self.id in self.constituency


@exhibit(
    "raft-clears-at-once",
    violates="leader_completeness",
    run=run(
        [(100, 1)],
        [
            fault(90, "cut", links=[[1, 3], [2, 3]]),
            fault(116, "crash", process=2),
            fault(117, "recover", process=2),
            fault(162, "crash", process=1),
            fault(162, "heal", links=[[2, 3]]),
        ],
        400,
    ),
)
class ClearsAtOnce(Raft):
    """A leader goes by what a voter acknowledged before it restarted, and tells it that it is up to date."""

    def is_of_this_incarnation(self, sender: Pid, restarts: int, forgetful: bool) -> bool:
        """Whether an acknowledgement is to be heeded; a restart that is news takes back what was believed (rule 3)."""
        known = self.heard.get(sender, -1)
        if restarts < known:
            return False
        self.supporters.add(sender)
        if restarts > known:
            self.heard[sender] = restarts
        elif not forgetful:
            self.owed.pop(sender, None)
        return True


@exhibit(
    "raft-wiped-disk",
    violates="one_leader_a_term",
    run=run(
        [],
        [
            fault(57, "cut", links=[[1, 3], [2, 3]]),
            fault(100, "crash", process=2),
            fault(101, "recover", process=2),
            fault(101, "cut", links=[[1, 2]]),
            fault(102, "heal", links=[[2, 3]]),
        ],
        300,
        check_quorum=False,
    ),
    happened="PySyncObj kept neither its term nor its vote over a restart.",
    source="https://github.com/bakwc/PySyncObj/issues/84, https://github.com/bakwc/PySyncObj/pull/202",
)
class WipedDisk(Raft):
    """A voter that has lost its disk comes back under its old id, and votes again in a term in which it has voted."""

    def come_back(self) -> None:
        self.term, self.vote = 0, None
        super().come_back()


@exhibit("raft-counts-an-older-term", violates="leader_completeness", run=FIGURE_8)
class CountsAnOlderTerm(Raft):
    """An entry of an older term counts as committed because a majority has it, though it can still be overwritten."""

    def count_commits(self) -> None:
        stored = {voter: self.match[voter] for voter in self.counting()}
        stored[self.id] = self.entries.last
        for index in sorted(set(stored.values()), reverse=True):
            if index > self.commit and self.have_majority({voter for voter, match in stored.items() if match >= index}):
                self.commit_up_to(index)
                self.end_round()
                return


@exhibit(
    "raft-round-without-the-log",
    violates="one_holder",
    run=group_run(
        [call(100, 4), call(300, 3)],
        [
            fault(90, "cut", links=[[1, 2], [2, 3]]),
            fault(150, "cut", links=[[1, 3]]),
            fault(150, "crash", process=3),
            fault(151, "recover", process=3),
            fault(240, "slow", links=[[1, 2]], delay="constant:30", one_way=True),
            fault(240, "heal", links=[[1, 2], [2, 3]]),
            fault(290, "crash", process=1),
            fault(290, "cut", links=[[1, 2], [2, 4], [3, 4]]),
        ],
        500,
        4,
        renew=150,
        check_quorum=False,
        above="leased-group",
    ),
)
class RoundWithoutTheLog(Raft):
    """A round counts a voter that answers but lacks the log, and that may then help to elect one who knows nothing."""

    def go_back(self, sender: Pid, message: Lacks) -> None:
        if not (self.is_current(message.term) and self.stage == LEADER):
            return
        if not self.is_of_this_incarnation(sender, message.restarts, message.forgetful):
            return
        self.round_acks.add(sender)
        self.end_round()
        if sender in self.probing and message.previous != self.next[sender] - 1:
            return  # an answer to what was sent before we went back
        if message.agreed >= self.match[sender]:  # else it was overtaken by a later acknowledgement
            self.probing.add(sender)
            self.next[sender] = message.agreed + 1
            self.send_log(sender)


@exhibit(
    "raft-commits-alone",
    violates="leader_completeness",
    run=run([(85, 1)], [fault(80, "cut", links=[[1, 2], [1, 3]])], 300),
)
class CommitsAlone(Raft):
    """A leader takes an entry for committed as soon as it has it itself."""

    def count_commits(self) -> None:
        """Rule 1."""
        self.commit_up_to(self.entries.last)


@exhibit("raft-stores-an-older-term", violates="leader_completeness", run=FIGURE_8)
class StoresAnOlderTerm(Raft):
    """A voter takes an entry of an older term for committed because it and the leader are a majority that has it."""

    def completes_majority(self, leader: Pid, index: int) -> bool:
        """Whether an entry is committed since we have stored it, too (rule 1)."""
        return index > self.commit and not self.forgetful and self.have_majority({leader, self.id})


@exhibit(
    "raft-stores-and-commits",
    violates="leader_completeness",
    run=run([(100, 1)], [fault(90, "cut", links=[[1, 3], [2, 3]])], 300, weight={1: 1, 2: 1, 3: 3}),
)
class StoresAndCommits(Raft):
    """A voter takes what it has stored for committed, though it and the leader are no majority."""

    def completes_majority(self, leader: Pid, index: int) -> bool:
        """Whether an entry is committed since we have stored it, too (rule 1)."""
        return index > self.commit and not self.forgetful and self.entries.term_at(index) == self.term


@exhibit(
    "raft-heeds-an-earlier-incarnation",
    violates="leader_completeness",
    run=run(
        [(100, 1)],
        [
            fault(90, "cut", links=[[1, 3], [2, 3]]),
            fault(95, "slow", links=[[2, 1]], delay="constant:60", one_way=True),  # 2 has the entry, and forgets it
            fault(103, "crash", process=2),
            fault(105, "recover", process=2),
            fault(110, "slow", links=[[2, 1]], delay="unit", one_way=True),  # that it forgot is heard before
            fault(120, "cut", links=[[1, 2]], one_way=True),
            fault(176, "heal", links=[[1, 2]]),
            fault(180, "cut", links=[[1, 2]]),
            fault(180, "heal", links=[[2, 3]]),
        ],
        400,
        network={"fifo": False},
    ),
)
class HeedsAnEarlierIncarnation(Raft):
    """What a voter acknowledged before it restarted counts, though the leader has heard of the restart."""

    def is_of_this_incarnation(self, sender: Pid, restarts: int, forgetful: bool) -> bool:
        """Whether an acknowledgement is to be heeded; a restart that is news takes back what was believed (rule 3)."""
        known = self.heard.get(sender, -1)
        self.supporters.add(sender)
        if restarts > known:
            self.heard[sender] = restarts
            self.match[sender] = 0
            self.round_acks.discard(sender)
            self.owed.pop(sender, None)
            if forgetful:
                self.owed[sender] = self.entries.last
        elif not forgetful:
            self.owed.pop(sender, None)
        return True


@exhibit(
    "raft-any-round",
    violates="one_holder",
    run=group_run(
        [call(100, 1), call(101, 2)],
        [
            fault(115, "slow", links=[[2, 1], [3, 1]], delay="constant:170", one_way=True),
            fault(150, "cut", links=[[1, 2], [1, 3]], one_way=True),
        ],
        520,
        check_quorum=False,
        above="leased-group",
    ),
)
class AnyRound(Raft):
    """A leader that was replaced confirms that it leads by acknowledgements of what it sent before it was asked."""

    def count_stored(self, sender: Pid, message: Stored) -> None:
        if not (self.is_current(message.term) and self.stage == LEADER):
            return
        if not self.is_of_this_incarnation(sender, message.restarts, message.forgetful):
            return
        match = self.match[sender] = max(self.match[sender], message.match)
        self.next[sender] = max(self.next[sender], match + 1)
        self.probing.discard(sender)
        cleared = self.owed.get(sender, match + 1) <= match
        if cleared:
            del self.owed[sender]
        if match >= self.round_end:
            self.round_acks.add(sender)
        if cleared or self.next[sender] <= self.entries.last:
            self.send_log(sender)
        self.count_commits()
        self.end_round()
        self.hand_over()
