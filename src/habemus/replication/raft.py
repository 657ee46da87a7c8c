"""Raft: a leader puts entries into a log, and an entry that a majority has stored is there to stay.

The leader of a term (`raft-election-steady` chooses it) appends what it is asked to propose, and sends it on. A
follower stores entries only behind an entry that it shares with the leader, and drops what conflicts. What a majority
has stored, in the leader's own term, is committed: every later leader has it. The layers above are told in the order of
the log, at every process.

Assumes   what raft-election-steady does: a complete graph, crash and recovery; messages may be lost, doubled or
          overtaken. Partial synchrony, for progress only.
Gives     one leader a term, log matching, leader completeness, state machine safety; always, unless voters wait out
          (rule 6). Progress while more than half of the weight is up, connected and not forgetful.
Costs     undisturbed, 2(n - 1) messages an entry, or fewer: what is proposed together travels together, and the next
          entries are sent before the last ones are acknowledged. Half of the followers wake up for every entry, the
          others for many at a time.
Why safe  two majorities share a voter; see the numbered rules.

The log is in memory (raft-durable keeps it on disk); term, vote and `restarts` are on disk. So a voter that restarts
has forgotten what it acknowledged, and must not help to elect one who never knew. The rules, with their reasons:

1. Commit. A leader commits the largest index that voters of more than half of the weight have acknowledged, and only
   if that entry is of its own term (Fig. 8): an older one could still be overwritten. Where the leader and one voter
   are a majority, as in a group of three, that voter commits such an entry by itself when it stores it, unless it is
   forgetful. *Why.* The leader had the entry before it sent it. So these two have it, whether or not the leader ever
   hears of it: it is as if the acknowledgement had been counted where it was sent.
2. Restarts. A voter counts its restarts, on disk, before it speaks; every acknowledgement says the number. A voter that
   has ever been in a term and restarts is *forgetful*: it stores, acknowledges and is led as others are, but does not
   stand, vote or pre-vote, and says in each acknowledgement that it is forgetful.
3. Clearing. When a leader first hears of a restart, it takes back all that it believes of that voter, drops what
   earlier incarnations still say and, if the voter is forgetful, notes its own last index L. The voter counts, for
   commits and for rounds, once this incarnation has acknowledged L in this term; then the leader tells it that it is
   cleared. It counts for check-quorum at once, else the only full log would step down while it repairs the others.
   *Why.* Let v have acknowledged entry e in term T, in an earlier incarnation. v's term is on disk, so only a leader of
   a term T' >= T can clear it. T' = T: that leader had e before it could hear of the restart, so e <= L. T' > T: if e
   was committed, the leader of T' has e (rule 4), and had it when it noted L. So who is cleared has all committed
   entries that its forgotten acknowledgements helped to commit.
4. Leader completeness. e was committed by acknowledgements of a majority Q of voters that counted, in term T; a later
   leader is voted for by a majority Q' of voters that are not forgetful. Some v is in both. If v still runs in that
   incarnation its log has e; if it restarted it was cleared (3), so its log has e. Then Raft's own argument holds: the
   candidate's log ends no earlier than v's, so it has e. A restarted leader stands, if at all, in a new term, so no
   two entries have the same index and term.
5. Rounds (dissertation 6.4). A leader confirms that it leads by a round that begins after it was asked: voters of more
   than half of the weight have each acknowledged a message sent in that round, and hold the log up to the leader's last
   index at the round's start; and the first entry of its own term is committed. The commit index would not be enough:
   an acknowledgement on its way may commit more, and its voter may have forgotten it since.
6. Waiting out. If the layer above says so (`WaitOut`), a voter is no longer forgetful so many ticks after its restart,
   cleared or not. Then committed entries may be lost: those whose majority needed it. This is sound only if they are
   void by then (see leased-group). So a leader may lack entries that others have committed, and may put others in their
   places. Therefore a follower acknowledges nothing in a term before it has found its last committed entry in the
   leader's log. If the leader has another in that place, or none, the follower drops its own log whole, and tells the
   layer above. Where nobody waits out, that cannot be, by rule 4. It drops its log at most once in a term, and before
   its first acknowledgement; so late messages do no harm, and no acknowledgement is ever taken back.
7. Whom to wake. Entries go at once to as many followers as a majority needs: to who asked for them, then to those who
   have stored most. The others get them a little later (`send_unhurried`), one message at a time. Who asked for an
   entry and cannot commit it by itself is told as soon as the leader has. This is about time only: a message may be
   late on any link, and if those who come first are silent, another one has soon stored more than they.
8. A voter that has lost its disk is none of this: it does not know which terms it has voted in. It has to come back
   under another id.

Transfer  no more proposals; the heir is brought up to date and told to stand at once (3.10).
Options   `batch`, the most entries in a message.
Members   `voters` (all, if not given) vote and store; `learners` store; all others hear nothing of the log. `weight` of
          a vote as in raft-election. Snapshots are made by the layer above (`Compact`), and sent to who is behind.

D. Ongaro, J. Ousterhout. In search of an understandable consensus algorithm. USENIX ATC 2014. D. Ongaro. Consensus:
Bridging Theory and Practice. PhD thesis, Stanford, 2014: 3, 4.2, 6.4, 9.6, 10.2.
"""

from __future__ import annotations

from typing import ClassVar

from mypy_extensions import mypyc_attr

from habemus.election.raft_election import LEADER
from habemus.process import Message, Parameter, Pid, upon, upon_command, upon_request, upon_timeout
from habemus.replication.follower import Follower
from habemus.replication.log import LogEntry
from habemus.replication.messages import Append, Forward, Install, Lacks, Stored, TakeOver, Value
from habemus.replication.requests import Confirm, Confirmed, Propose, Transfer

WINDOW = 16  # entries sent and not acknowledged, above which the next ones wait for an acknowledgement, and go together


@mypyc_attr(allow_interpreted_subclasses=True)
class Raft(Follower):
    name = "raft"
    model = "partially synchronous, crash-recovery, loss"
    guarantees = (
        *("termination", "agreement", "one_leader_a_term"),
        *("log_matching", "leader_completeness", "state_machine_safety"),
    )
    positive = (*Follower.positive, "batch")
    keeps_log = True
    carries: ClassVar[tuple[type[Message], ...]] = (LogEntry, Value)
    small_parameters = {"low": 1, "high": 1, "heartbeat": 1, "prevote": False, "check_quorum": False}
    small_bounds = {"term": 2}
    batch: Parameter[int] = 512

    # Of a leader, about the others
    next: dict[Pid, int] = {}  # the first entry to send
    match: dict[Pid, int] = {}  # up to where the log is known to be stored
    probing: set[Pid] = set()  # where `next` is a guess, so that nothing is sent ahead
    heard: dict[Pid, int] = {}  # how often each has restarted
    owed: dict[Pid, int] = {}  # who is forgetful, and what it has to acknowledge before it counts
    awaited: dict[Pid, int] = {}  # who asked for an entry, and cannot tell by storing it that it is committed
    first: int = 0  # the index of the first entry of this term
    round: int = 0
    round_end: int = 0  # the last index at its start
    round_acks: set[Pid] = set()
    asked: list[Message] = []  # to be confirmed by the round under way
    asked_later: list[Message] = []  # by the next one
    heir: Pid | None = None

    # Leading

    def lead(self) -> None:
        others = self.followers
        self.next = dict.fromkeys(others, self.entries.last + 1)
        self.match = dict.fromkeys(others, 0)
        self.probing = set(others)
        self.first = self.entries.last + 1
        self.extend_log((LogEntry(self.term),))
        super().lead()
        self.count_commits()

    def step_down(self) -> None:
        super().step_down()
        self.next, self.match, self.probing, self.heard, self.owed = {}, {}, set(), {}, {}
        self.awaited = {}
        self.first = self.round = self.round_end = 0
        self.round_acks, self.asked, self.asked_later = set(), [], []
        self.heir = None
        self.cancel_timer("transfer")

    def extend_log(self, entries: tuple[LogEntry, ...]) -> None:
        previous = self.entries.last
        self.entries.append(entries)
        self.announce_log(previous)

    def beat(self) -> None:
        for follower in self.followers:
            self.send_log(follower)
        self.set_timer("heartbeat", self.heartbeat)

    def send_log(self, to: Pid, hurried: bool = True) -> None:
        """Send what comes next, or nothing but a sign of life."""
        log, next = self.entries, self.next[to]
        cleared = self.heard.get(to, 0) if to not in self.owed else 0
        if next <= log.base:
            self.probing.add(to)
            self.next[to] = log.base + 1
            self.send(to, Install(self.term, log.last, log.base, log.base_term, log.snapshot, self.round, cleared))
            return
        last = min(log.last, next + self.batch - 1)
        entries = log.between(next, last)
        term = log.term_at(next - 1)
        message = Append(self.term, log.last, next - 1, term, entries, self.commit, self.round, cleared)
        if hurried:
            self.send(to, message)
        else:
            self.send_unhurried(to, message)
        if to not in self.probing:
            self.next[to] = last + 1  # the next ones are sent before these are acknowledged

    @upon_request(Propose)
    def propose(self, request: Propose) -> None:
        if self.stage == LEADER and self.heir is None:
            self.extend_log(tuple([LogEntry(self.term, value) for value in request.values]))
            asker = request.asker
            if asker in self.next and not self.have_majority({self.id, asker}):
                self.awaited[asker] = self.entries.last
            for follower in self.followers:
                near = self.is_near(follower, asker)
                ahead = self.next[follower] - self.match[follower]
                if follower not in self.probing and ahead <= (WINDOW if near else 1):
                    self.send_log(follower, near)
            self.count_commits()

    def is_near(self, follower: Pid, asker: Pid | None = None) -> bool:
        """Whether a majority needs this one, if who asks comes first, and then those who have stored most.

        The others get what comes together, one message after the other: to wake them costs more than it brings.
        """
        rank = (follower == asker, self.match[follower], follower)
        nearer = {other for other in self.counting() if (other == asker, self.match[other], other) > rank}
        return not self.have_majority(nearer | {self.id})

    @upon_command("propose", Value)
    def propose_value(self, value: Value) -> None:
        if self.stage != LEADER and self.leader is not None:
            self.send(self.leader, Forward(value))
        self.propose(Propose((value,)))

    @upon(Forward)
    def propose_for(self, sender: Pid, message: Forward) -> None:
        self.propose(Propose((message.value,)))

    # Counting what is stored

    def is_of_this_incarnation(self, sender: Pid, restarts: int, forgetful: bool) -> bool:
        """Whether an acknowledgement is to be heeded; a restart that is news takes back what was believed (rule 3)."""
        known = self.heard.get(sender, -1)
        if restarts < known:
            return False
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

    @upon(Stored)
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
        if message.round == self.round and match >= self.round_end:
            self.round_acks.add(sender)
        if cleared or self.next[sender] <= self.entries.last:
            self.send_log(sender, self.is_near(sender))
        self.count_commits()
        self.end_round()
        self.hand_over()

    @upon(Lacks)
    def go_back(self, sender: Pid, message: Lacks) -> None:
        if not (self.is_current(message.term) and self.stage == LEADER):
            return
        if not self.is_of_this_incarnation(sender, message.restarts, message.forgetful):
            return
        if sender in self.probing and message.previous != self.next[sender] - 1:
            return  # an answer to what was sent before we went back
        self.probing.add(sender)
        self.next[sender] = max(message.agreed, self.match[sender]) + 1  # what was acknowledged is agreed, too
        self.send_log(sender)

    def counting(self) -> set[Pid]:
        """The voters whose acknowledgements count: those that are not forgetful (rule 3)."""
        return {voter for voter in self.heard if voter not in self.owed}

    def count_commits(self) -> None:
        """Rule 1."""
        stored = {voter: self.match[voter] for voter in self.counting()}
        stored[self.id] = self.entries.last
        for index in sorted(set(stored.values()), reverse=True):
            if index <= self.commit or self.entries.term_at(index) != self.term:
                return
            if self.have_majority({voter for voter, match in stored.items() if match >= index}):
                self.commit_up_to(index)
                self.end_round()
                return

    def commit_up_to(self, index: int) -> None:
        super().commit_up_to(index)
        for asker in [asker for asker, index in self.awaited.items() if index <= self.commit]:
            del self.awaited[asker]
            self.send_log(asker)

    # Confirming that we lead (rule 5)

    @upon_request(Confirm)
    def confirm(self, request: Confirm) -> None:
        if self.stage == LEADER:
            self.asked_later.append(request.ticket)
            if not self.asked:
                self.begin_round()

    def begin_round(self) -> None:
        self.asked, self.asked_later = self.asked_later, []
        self.round += 1
        self.round_end = self.entries.last
        self.round_acks = set()
        for voter in self.electors:
            self.send_log(voter)
        self.end_round()

    def end_round(self) -> None:
        confirming = {voter for voter in self.round_acks if voter not in self.owed} | {self.id}
        if self.asked and self.commit >= self.first and self.have_majority(confirming):
            self.indicate(Confirmed(tuple(self.asked)))
            self.asked = []
            if self.asked_later:
                self.begin_round()

    # Handing over

    @upon_request(Transfer)
    def transfer(self, request: Transfer) -> None:
        if self.stage == LEADER and request.to in self.electors:
            self.heir = request.to
            self.set_timer("transfer", self.low)
            self.hand_over()

    @upon_command("transfer", Transfer)
    def transfer_at_once(self, request: Transfer) -> None:
        self.transfer(request)

    def hand_over(self) -> None:
        if self.heir is not None and self.match[self.heir] == self.entries.last:
            self.send(self.heir, TakeOver(self.term))

    @upon_timeout("transfer")
    def give_up_transfer(self) -> None:
        self.heir = None
