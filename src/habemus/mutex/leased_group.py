"""Leased group: voters keep a table of locks in a Raft log, and what a member holds ends with its session.

A member opens a session with the leader and keeps it alive by renewals; what it asks for goes through the log, and the
table, the same at every voter, says who holds what. A member that is not renewed in time leaves by itself, before the
leader may end its session and let the next one in. Nothing is written to disk for a lock: one majority round trip.

Assumes   raft below it; crash and recovery of anybody, loss, any delay. Where tokens are not compared, for exclusion:
          clocks whose rates are within `rho` of real time, and nobody standing still unnoticed.
Gives     one holder: while one believes to be inside, no other does. Tokens that grow with every grant. With a resource
          that compares tokens, mutual exclusion whatever clocks do. Freedom from deadlock and starvation, bounded
          waiting, while more than half of the voters are up and connected, and some time after they are back.
Costs     an entry: request, append, acknowledgements, grant; to a voter that is a majority with the leader: request and
          append. A release travels with the next request, if there is one (`Exchange`). A renewal: one round, for all
          who renew at that time.
Why safe  a session is over for its owner before the leader may end it, and only its end or its owner's release lets the
          next one in; see the numbered rules.

The rules, with their reasons. All times are in ticks of the clock of who counts them.

1. The member. Every attempt to renew (KeepAlive) has a number of its own, and its own timer of ttl(1 - rho), armed
   before it is sent. Only the answer to that very attempt makes that timer the deadline of the session. There is one
   attempt under way at a time: until it is answered, or its timer has run out, it is repeated with its number, and its
   time still counts from the first sending. (A new attempt in its place would make its answer void: who asks more often
   than answers take to come would never be renewed. But who has no session yet and hears of a new leader has nothing to
   lose, and begins anew: else its session could be over as soon as it is open.) When the deadline passes, the session
   is over for good: all that is held is lost, whatever arrives later is void (it names an older opening), and who still
   waits opens a new session. So by real time a session is used for at most ttl after the first sending of the last
   attempt that was answered.
2. The leader answers a KeepAlive after a round (raft, rule 5) that began after it came, and only if the session is then
   in its table. So a deposed leader renews nothing. And no session is renewed whose end is in the log: if it was there
   when the round began, the voters of the round hold it, so it is committed and applied before the round is confirmed.
   If it came later it was asked for by the owner, or it is an expiry, proposed when nothing of the session had been
   heard for longer than the attempt that the round was for is good (rules 1 and 3).
3. Expiry. The leader proposes the end of a session ttl(1 + rho), and two sweeps for rounding, after it received the
   last KeepAlive of it, or took office, or applied its opening, whichever is last. *Why.* A renewal answered by an
   older leader was acknowledged, after it came, by a majority that had not yet entered our term, and one of them then
   voted for us: so it was sent before we took office.
4. Grants. A grant is told after it is committed. Who keeps the table itself is not told what its own requests led to:
   it finds that there when it applies them, which is as good as being told late. All else, and all others, the leader
   tells; what no program waits for, it does not hurry to tell. The grant of a session that its owner has lost is void
   by rule 1. The end of a session, or the release by its owner, is the only way out of a lock. So while a deadline has
   not passed nobody else is granted: an end was proposed after it (3), or was asked for by the owner, or by who knows
   it to be dead.
5. Memory. Voters keep the log in memory; the rules of raft say who forgot, and how it is cleared. One that is not
   cleared counts again ttl(1 + rho) and two ticks after its restart (`WaitOut`). *Why that is enough.* Let S be renewed
   by a round of majority Q, all of whom then hold the leader's log up to its last entry at the start of that round; and
   a later leader be voted for by Q'. Some v is in both. If v remembers or was cleared, the new leader has that log: S,
   all that it holds, and all that it gave back and was told so. If v waited out, it restarted after it acknowledged,
   the attempt was sent before that, and S is over by rule 1.
   So a table that has lost its end knows no session that is still in use, and no member needs to say what it holds: the
   session that it might hold it with has ended for it. Such sessions expire, or end when their owner opens another.
6. A new opening of a process ends its older sessions: it opens a new one only after it lost the last one, by rule 1 or
   in a crash. `opening` is on disk, so no two sessions are confused.
7. Tokens are max(last + 1, term * 2^40), given by the table. Terms are on disk, so tokens grow even where a table
   begins anew. `fencing` shows them to the resource.
8. Repetition. What was not answered is said again every `renew` ticks, and to a new leader at once, with the same
   request number; the table answers it once. The low-water mark rises above requests that are known to be queued, so
   one that waits for long does not make the table keep all later answers. Who is no voter asks one after the other and
   follows the hints; until it has found the leader it asks often. On the network such a client is no member at all, and
   uses its id for one life only.
9. Pauses do not expire, so they are on disk. A voter that applies one keeps it, with its number, before it acknowledges
   anything more. The table is shown after a round that began after the last Pause was applied: so a Pause that anybody
   has seen is on the disks of a majority. A voter whose Pause is later than that of the log, since the log was
   forgotten (5), puts it in again (`RestorePause`), whenever something is committed: so it is there before a session
   that was opened since can have run out.

Options   `witnesses` host no application; `voters`, if not all, have to be those of the raft below; `keep` entries
          before a snapshot is made; `noted`: a voter tells its program who joins and leaves, and who gets and lets go
          of the locks whose names begin like this, so that programs can keep a history and pass it on.

C. G. Gray, D. R. Cheriton. Leases: an efficient fault-tolerant mechanism for distributed file cache consistency. SOSP
1989. M. Burrows. The Chubby lock service for loosely-coupled distributed systems. OSDI 2006. D. Ongaro. Consensus:
Bridging Theory and Practice. PhD thesis, Stanford, 2014, 6.3 and 6.4.
"""

from __future__ import annotations

from math import ceil
from typing import ClassVar

from mypy_extensions import mypyc_attr

from habemus.process import (
    Durable,
    Message,
    Mutex,
    Parameter,
    Pid,
    upon,
    upon_indication,
    upon_leader,
    upon_recover,
    upon_timeout,
)
from habemus.replication.entries import (
    DEAD,
    ENTRIES,
    EVENTS,
    EXPIRED,
    Describe,
    Described,
    Ended,
    EndSession,
    Entry,
    Event,
    Opened,
    OpenSession,
    Paused,
    Queued,
    Released,
    RestorePause,
    SessionEntry,
    TableImage,
)
from habemus.replication.leases import (
    Alive,
    Asked,
    Elsewhere,
    Glance,
    Gone,
    Introduced,
    KeepAlive,
    Look,
    Recall,
    Recalled,
    Renewal,
    Seen,
    Submit,
    Tell,
)
from habemus.replication.notes import Witness, concerns
from habemus.replication.operator import Operator
from habemus.replication.requests import Committed, Compact, Confirm, Confirmed, Propose, Restored, WaitOut
from habemus.replication.session import Session
from habemus.replication.table import LockTable

UNHURRIED = (Queued, Released, Described)  # events that no program waits for
OF_SESSIONS = (Opened, Ended, Paused)


@mypyc_attr(allow_interpreted_subclasses=True)
class LeasedGroup(Operator):
    name = "leased-group"
    topology = "complete"
    model = "partially synchronous, crash-recovery, loss"
    guarantees = (*Mutex.guarantees, "one_holder", "tokens_grow")
    default_election = "raft"
    horizon = 4000
    positive = ("ttl", "renew", "sweep", "keep")
    tolerates_loss = True
    has_heartbeats = True
    carries: ClassVar[tuple[type[Message], ...]] = (*ENTRIES, *EVENTS, TableImage)
    on_network = ({"ttl": 10_000, "renew": 2500, "sweep": 1000}, {"keep": 10_000})
    small_parameters = {"ttl": 2, "renew": 1, "sweep": 1, "rho": 0.0}
    small_bounds = {"attempt": 1}
    small_limits = {"alarms": 1}
    small_n = 2

    sweep: Parameter[int] = 75
    keep: Parameter[int] = 1000
    noted: Parameter[str] = ""

    # The voter
    table: LockTable = LockTable()
    applied: int = 0
    compacted: int = 0
    pause: Durable[tuple[int, bool]] = (0, False)  # the last Pause, by its number

    # The leader
    leads: bool = False
    idle: dict[int, int] = {}  # sweeps since each session was last heard of
    newcomers: dict[tuple[Pid, int], int] = {}  # sessions that we are about to open, and the last attempt

    @property
    def validity(self) -> int:
        """How long a session may be used after something happened, by another clock."""
        return ceil(self.ttl * (1 + self.rho)) + 2

    # The voter

    @upon_recover
    def come_back(self) -> None:
        self.pass_down(WaitOut(self.validity))

    @upon_indication(Restored)
    def begin_anew(self, restored: Restored) -> None:
        snapshot = restored.snapshot
        self.table = LockTable.thaw(snapshot) if isinstance(snapshot, TableImage) else LockTable()
        self.applied = self.compacted = restored.index
        self.pause = max(self.pause, (self.table.pause, self.table.paused))

    @upon_indication(Committed)
    def apply(self, committed: Committed) -> None:
        news: dict[Pid, list[Event]] = {}  # for whom
        for entry in committed.entries:
            self.applied += 1
            if isinstance(entry.value, Entry):
                for event in self.apply_entry(entry.value, entry.term):
                    session = self.table.sessions.get(event.session)
                    if session is not None and self.is_to_tell(session.owner, event, entry.value):
                        news.setdefault(session.owner, []).append(event)
        for owner, events in news.items():
            self.tell(owner, events)
        if self.table.pause < self.pause[0]:
            self.submit((RestorePause(*self.pause),))  # the log has forgotten it (rule 9)
        self.pause = max(self.pause, (self.table.pause, self.table.paused))
        if self.applied - self.compacted >= max(self.keep, len(self.table.locks)):  # so it costs O(1) an entry
            self.compacted = self.applied
            self.pass_down(Compact(self.applied, self.table.freeze()))

    def apply_entry(self, entry: Entry, term: int) -> list[Event]:
        """Carry an entry out. Says what is left to be told, to sessions that are open."""
        ending = self.table.sessions.get(entry.session) if isinstance(entry, EndSession) else None
        observed = self.noted != "" and concerns(entry, self.table, self.noted)
        witness = Witness(self.table, entry, self.noted) if observed else None
        events = self.change_table(entry, term)
        if witness is not None:
            for note in witness.tell(events, term):
                self.indicate(note)
        if isinstance(entry, Describe) and entry.session in self.table.sessions:
            self.indicate(Introduced(entry.session, entry.metadata))
        return [event for event in events if not self.note_session(event, ending)]

    def change_table(self, entry: Entry, term: int) -> list[Event]:
        return self.table.apply(entry, term)

    def note_session(self, event: Event, ending: Session | None) -> bool:
        """Whether an event is about sessions themselves, which concerns the leader."""
        if isinstance(event, Opened) and self.leads:
            self.greet(event)
        elif isinstance(event, Ended) and self.leads:
            self.idle.pop(event.session, None)
            if ending is not None:
                self.tell(ending.owner, [event])
        elif isinstance(event, Paused):
            self.count_from_now()
        return isinstance(event, OF_SESSIONS)

    def is_to_tell(self, owner: Pid, event: Event, entry: Entry) -> bool:
        """Whether we tell the owner of a session: who keeps the table itself finds the answers to its own requests."""
        finds_itself = isinstance(entry, SessionEntry) and entry.session == event.session and self.keeps_table(owner)
        return owner == self.id if finds_itself else self.leads

    def keeps_table(self, process: Pid) -> bool:
        return process in (self.voters or self.members)

    def tell(self, owner: Pid, events: list[Event]) -> None:
        message = Tell(tuple(events))
        if owner != self.id and all(isinstance(event, UNHURRIED) for event in events):
            self.send_unhurried(owner, message)
        else:
            self.say(owner, message)

    # The leader

    @upon_leader
    def follow(self, leader: Pid | None) -> None:
        self.leads = leader == self.id
        self.newcomers = {}
        self.count_from_now()
        if self.leads:
            self.set_timer("sweep", self.sweep)
        else:
            self.cancel_timer("sweep")
        self.leader = leader
        self.leave_guide()
        if leader is not None and self.active:
            if not self.session:
                self.pending = 0  # a session that is being opened does not begin with time that has passed in vain
            self.transmit()
            self.repeat()

    def count_from_now(self) -> None:
        self.idle = dict.fromkeys(self.table.sessions, 0) if self.leads else {}

    @upon(KeepAlive)
    def keep_alive(self, sender: Pid, message: KeepAlive) -> None:
        if not self.leads:
            self.say(sender, Elsewhere(self.leader))
            return
        session = self.table.openings.get((sender, message.opening), 0)
        if session:
            self.idle[session] = 0
        elif not message.session:
            self.admit(sender, message)
            return
        self.pass_down(Confirm(Renewal(sender, message.opening, message.attempt)))

    def admit(self, owner: Pid, message: KeepAlive) -> None:
        """A session is to be opened; it will be answered when it is."""
        older = sorted([number for number, session in self.table.sessions.items() if session.owner == owner])
        if any(self.table.sessions[number].opening > message.opening for number in older):
            return  # a copy from long ago
        self.newcomers[(owner, message.opening)] = message.attempt
        ends = [EndSession(number, DEAD) for number in older]
        self.pass_down(Propose((*ends, OpenSession(owner, message.opening, self.ttl))))

    def greet(self, opened: Opened) -> None:
        """A session is open: confirm it as any renewal."""
        self.idle[opened.session] = 0
        attempt = self.newcomers.pop((opened.owner, opened.opening), 0)
        if attempt:
            self.pass_down(Confirm(Renewal(opened.owner, opened.opening, attempt)))

    @upon_indication(Confirmed)
    def answer(self, confirmed: Confirmed) -> None:
        for renewal in confirmed.tickets:
            if isinstance(renewal, Glance):
                self.show_table(renewal)
                continue
            assert isinstance(renewal, Renewal)
            session = self.table.openings.get((renewal.owner, renewal.opening), 0)
            if session:
                self.say(renewal.owner, Alive(renewal.opening, session, renewal.attempt))
            else:
                self.say(renewal.owner, Gone(renewal.opening))

    @upon(Submit)
    def take_entries(self, sender: Pid, message: Submit) -> None:
        if self.leads:
            self.pass_down(Propose(message.entries, sender))
        else:
            self.say(sender, Elsewhere(self.leader))

    @upon(Look)
    def show(self, sender: Pid, message: Look) -> None:
        if self.leads:
            self.pass_down(Confirm(Glance(sender, self.table.pause)))
        else:
            self.say(sender, Elsewhere(self.leader))

    def show_table(self, glance: Glance) -> None:
        if glance.pause == self.table.pause:
            self.say(glance.viewer, Seen(self.table.freeze()))
        else:
            self.show(glance.viewer, Look())  # that Pause may not be on the disks of a majority yet (rule 9)

    @upon_timeout("sweep")
    def end_the_silent(self) -> None:
        self.set_timer("sweep", self.sweep)
        longest = 2 + ceil(self.ttl * (1 + self.rho) / self.sweep)
        silent = []
        for session in sorted(self.idle):
            self.idle[session] += 1
            if self.idle[session] >= longest and not self.table.paused:
                self.idle[session] = 0  # if the end is not committed, it will be proposed again
                silent.append(EndSession(session, EXPIRED))
        if silent:
            self.pass_down(Propose(tuple(silent)))

    @upon(Recall)
    def pass_on(self, sender: Pid, message: Recall) -> None:
        if self.leads:
            self.indicate(Asked(sender, message.since))
        else:
            self.say(sender, Elsewhere(self.leader))

    def say(self, to: Pid, message: Message) -> None:
        """Send a message; to ourselves without the network."""
        if to != self.id:
            self.send(to, message)
        elif isinstance(message, KeepAlive):
            self.keep_alive(to, message)
        elif isinstance(message, Submit):
            self.take_entries(to, message)
        elif isinstance(message, Alive):
            self.stay_alive(to, message)
        elif isinstance(message, Gone):
            self.hear_of_end(to, message)
        elif isinstance(message, Tell):
            self.listen(to, message)
        elif isinstance(message, Look):
            self.show(to, message)
        elif isinstance(message, Seen):
            self.see(to, message)
        elif isinstance(message, Recall):
            self.pass_on(to, message)
        elif isinstance(message, Recalled):
            self.remember(to, message)
