"""The member's side of a leased group: its session, its deadline, what it wants and what it holds.

Rules 1, 6 and 8 of leased-group, where the reasons are.
"""

from __future__ import annotations

from math import floor

from mypy_extensions import mypyc_attr

from habemus.process import (
    Durable,
    Message,
    Mutex,
    Parameter,
    Pid,
    upon,
    upon_command,
    upon_suspect,
    upon_timeout,
    upon_trust,
)
from habemus.replication.entries import (
    CLOSED,
    Acquire,
    Cancel,
    Describe,
    Described,
    Ended,
    EndSession,
    Entry,
    Event,
    Granted,
    Queued,
    Refused,
    Release,
    Released,
    Reserved,
    Wanted,
)
from habemus.replication.leases import (
    Alive,
    Denied,
    Description,
    Elsewhere,
    Exchange,
    Expected,
    Give,
    Gone,
    Held,
    KeepAlive,
    LeaseLost,
    Submit,
    Tell,
    Want,
)

NOBODY = -1  # no attempt counts
TIMERS = ("lease 0", "lease 1")  # one for the attempt that counts, one for the one that is under way
SEARCHING = 16  # who is no voter and has found no leader asks so many times between two renewals


@mypyc_attr(allow_interpreted_subclasses=True)
class Member(Mutex):
    deadlines = TIMERS
    admits_clients = True

    ttl: Parameter[int] = 600
    renew: Parameter[int] = 150
    rho: Parameter[float] = 0.01
    fencing: Parameter[bool] = True
    voters: Parameter[list[Pid]] = []
    witnesses: Parameter[list[Pid]] = []

    opening: Durable[int] = 0  # of sessions, so far
    active: bool = False  # whether a session is open, or is being opened
    session: int = 0  # its number; 0: not known yet
    attempt: int = 0
    pending: int = 0  # the attempt that is under way, if its answer would still count
    repeated: bool = False  # it was sent more than once
    counting: int = NOBODY  # which of the timers is the deadline
    requests: int = 0
    wants: dict[int, Want] = {}  # by request; also those that are held
    tickets: dict[int, int] = {}  # the request of each ticket
    open: dict[int, bool] = {}  # the requests that are not granted, the oldest first
    unanswered: dict[int, bool] = {}  # those of them that are not known to be queued
    grants: dict[int, Granted] = {}
    unwanted: dict[int, Entry] = {}  # what is given back, by token, or cancelled, by -request; until that is answered
    description: str = ""  # of this process, for the others
    described: bool = False  # the table has it
    leader: Pid | None = None  # as the election below names it; who is no voter hears of none
    guide: Pid | None = None  # whom we ask if we know of no leader
    guided: bool = False  # it has answered as a leader does
    asked: int = 0  # how many others were asked
    redirected: bool = False
    unreachable: set[Pid] = set()  # who is suspected

    @property
    def lease(self) -> int:
        """How long a member uses a session after it has first sent an attempt."""
        return floor(self.ttl * (1 - self.rho))

    # The member: asking and giving back

    @upon_command("acquire", Want)
    def want(self, want: Want) -> None:
        self.submit(self.begin(want))

    @upon_command("release", Give)
    def give(self, give: Give) -> None:
        self.submit(self.undo(give))

    @upon_command("exchange", Exchange)
    def exchange(self, exchange: Exchange) -> None:
        entries: list[Entry] = []
        for give in exchange.gives:
            entries += self.undo(give)
        for want in exchange.wants:
            entries += self.begin(want)
        self.submit(tuple(entries))

    def begin(self, want: Want) -> tuple[Entry, ...]:
        """A lock is wanted from here on. Says what is to be submitted for that, now."""
        if self.id in self.witnesses:
            return ()
        if want.ticket == 0:
            self.ask()
        self.requests += 1
        self.wants[self.requests] = want
        self.tickets[want.ticket] = self.requests
        self.open[self.requests] = self.unanswered[self.requests] = True
        if not self.active:
            self.open_session()
            return ()
        return (self.application(self.requests),) if self.session else ()

    def application(self, request: int) -> Entry:
        want = self.wants[request]
        answered = min(request, next(iter(self.unanswered), request)) - 1
        return Acquire(self.session, request, want.name, want.shared, want.slots, want.priority, want.wait, answered)

    def forget(self, request: int) -> Want | None:
        """A request is over."""
        want = self.wants.pop(request, None)
        self.open.pop(request, None)
        self.unanswered.pop(request, None)
        if want is not None and self.tickets[want.ticket] == request:
            del self.tickets[want.ticket]
        return want

    def undo(self, give: Give) -> tuple[Entry, ...]:
        """What was wanted is not wanted any more. Says what is to be submitted for that, now."""
        request = self.tickets.get(give.ticket, 0)
        want = self.forget(request)
        if want is None:
            return ()
        granted = self.grants.pop(request, None)
        if want.ticket == 0 and granted is not None:
            self.leave()
        if not self.session:
            return ()
        undone: Entry = Cancel(self.session, request)
        key = -request
        if granted is not None:
            undone, key = Release(self.session, granted.token), granted.token
        self.unwanted[key] = undone
        return (undone,)

    @upon_command("close")
    def close(self) -> None:
        """Give everything back, and end the session."""
        if self.inside:
            self.leave()
        if self.session:
            self.submit((EndSession(self.session, CLOSED),))
        self.wants, self.tickets, self.open, self.grants, self.description = {}, {}, {}, {}, ""
        self.forget_session()

    @upon_command("describe", Description)
    def describe(self, description: Description) -> None:
        """The others are to know of this process, also if it wants nothing."""
        self.description, self.described = description.metadata, False
        if not self.active:
            self.open_session()
        elif self.session:
            self.submit((Describe(self.session, self.description),))

    @upon_command("check")
    def transmit(self) -> None:
        """Ask for the session to be kept alive. Its time counts from now; if an attempt is under way, from then."""
        if not self.active:
            return
        self.repeated = self.pending != 0
        if not self.repeated:
            self.attempt += 1
            self.pending = self.attempt
            self.set_timer(TIMERS[1 - max(self.counting, 0)], self.lease)
        if self.searching:
            self.set_timer("search", max(1, self.renew // SEARCHING))
        guide = self.choose_guide()
        if guide is not None:
            self.say(guide, KeepAlive(self.opening, self.session, self.attempt))

    def open_session(self) -> None:
        self.opening += 1
        self.active = True
        self.set_timer("renew", self.renew)
        self.transmit()

    @upon_timeout("renew")
    def insist(self) -> None:
        """Renew the session, and say again what was not answered."""
        self.set_timer("renew", self.renew)
        if self.pending and self.voters:
            self.asked += 1
            self.leave_guide()  # no answer: try another one
        self.redirected = False
        self.transmit()
        self.repeat()

    def repeat(self) -> None:
        if self.session:
            about = [Describe(self.session, self.description)] if self.description and not self.described else []
            entries = (*about, *self.unwanted.values(), *[self.application(request) for request in self.open])
            self.submit(entries)

    def submit(self, entries: tuple[Entry, ...]) -> None:
        guide = self.choose_guide() if entries else None
        if guide is not None:
            self.say(guide, Submit(entries))

    # The member: whom to ask

    def choose_guide(self) -> Pid | None:
        """Whom to ask: the leader, if it is known; else one voter after the other, or whom they name."""
        if self.leader is not None:
            return self.leader
        if self.guide is None and self.voters:
            others = [voter for voter in self.voters if voter != self.id]
            reachable = [voter for voter in others if voter not in self.unreachable] or others
            self.guide = reachable[(self.attempt + self.asked) % len(reachable)] if reachable else None
        return self.guide

    @property
    def searching(self) -> bool:
        """Whether we are no voter, who would hear of a leader, and have found none."""
        return self.active and not self.guided and bool(self.voters) and self.id not in self.voters

    @upon_timeout("search")
    def ask_another(self) -> None:
        if self.searching:
            self.asked += 1
            self.redirected = False
            self.guide = None
            self.ask_again()

    def ask_again(self) -> None:
        """Say to a new guide what the last one has not answered."""
        self.transmit()
        self.repeat()

    def leave_guide(self) -> None:
        self.guide = None
        self.guided = False

    @upon_suspect
    def miss(self, subject: Pid) -> None:
        self.unreachable.add(subject)
        if self.leader is None and subject == self.guide:
            self.leave_guide()
            self.ask_again()

    @upon_trust
    def meet(self, subject: Pid) -> None:
        self.unreachable.discard(subject)
        if self.searching and subject in self.voters:
            self.guide = subject
            self.ask_again()

    @upon(Elsewhere)
    def ask_elsewhere(self, sender: Pid, message: Elsewhere) -> None:
        asked = sender == self.guide or self.searching
        if self.leader is None and asked and message.leader is not None and not self.redirected:
            self.redirected = True  # once until we ask another: two may each take the other for the leader
            self.leave_guide()
            self.guide = message.leader
            self.ask_again()

    # The member: its session

    @upon(Alive)
    def stay_alive(self, sender: Pid, message: Alive) -> None:
        if not self.active or message.opening != self.opening or message.attempt != self.pending:
            return  # of an older session, or of an attempt whose timer no longer runs (rule 1)
        if self.session not in (0, message.session):
            self.lose_session()
            return
        self.pending = 0
        self.guided = self.guided or sender == self.guide
        self.cancel_timer(TIMERS[max(self.counting, 0)])
        self.counting = 1 - max(self.counting, 0)
        if not self.session:
            self.session = message.session
            self.repeat()
        if self.repeated:
            self.transmit()  # what is left of that attempt's time may be short

    @upon_timeout("lease 0")
    def end_first_lease(self) -> None:
        self.end_lease(0)

    @upon_timeout("lease 1")
    def end_second_lease(self) -> None:
        self.end_lease(1)

    def end_lease(self, timer: int) -> None:
        if timer == self.counting:
            self.lose_session()
        else:
            self.pending = 0  # what is answered now comes too late

    @upon(Gone)
    def hear_of_end(self, sender: Pid, message: Gone) -> None:
        if self.active and message.opening == self.opening:
            self.lose_session()

    def lose_session(self) -> None:
        """All that is held is lost; who waits tries again with another session."""
        lost, self.grants = self.grants, {}
        self.forget_session()
        for request in sorted(lost):
            want = self.forget(request)
            assert want is not None
            if want.ticket == 0:
                self.leave()
            self.indicate(LeaseLost(want.ticket, lost[request].token))
        if (self.wants or self.description) and not self.active:
            self.open_session()

    def forget_session(self) -> None:
        self.active = False
        self.session = self.pending = 0
        self.counting = NOBODY
        self.unwanted = {}
        self.unanswered = dict(self.open)
        self.described = False
        for timer in (*TIMERS, "renew", "search"):
            self.cancel_timer(timer)

    @upon(Tell)
    def listen(self, sender: Pid, message: Tell) -> None:
        for event in message.events:
            if self.session and event.session == self.session:
                self.hear(event)

    def hear(self, event: Event) -> None:
        if isinstance(event, Granted):
            self.hold(event)
        elif isinstance(event, Refused):
            self.unwanted.pop(-event.request, None)
            want = self.forget(event.request)
            if want is not None:
                self.indicate(Denied(want.ticket, event.reason))
        elif isinstance(event, Queued):
            self.unanswered.pop(event.request, None)
        elif isinstance(event, Released):
            self.unwanted.pop(event.token, None)
        elif isinstance(event, Wanted):
            for request, granted in self.grants.items():
                if granted.token == event.token:
                    self.indicate(Expected(self.wants[request].ticket, event.to))
        elif isinstance(event, Reserved):
            self.indicate(event)
        elif isinstance(event, Described):
            self.described = event.metadata == self.description
        elif isinstance(event, Ended):
            self.lose_session()

    def hold(self, granted: Granted) -> None:
        """Go inside, if that is still wanted."""
        want = self.wants.get(granted.request)
        if want is None:
            if granted.token not in self.unwanted and -granted.request not in self.unwanted:
                self.submit((Release(self.session, granted.token),))  # a copy of what was given back long ago
        elif granted.request not in self.grants:
            self.grants[granted.request] = granted
            del self.open[granted.request]
            self.unanswered.pop(granted.request, None)
            if want.ticket == 0:
                self.enter(granted.token if self.fencing else None)
            self.indicate(Held(want.ticket, granted.token, granted.slot))

    def say(self, to: Pid, message: Message) -> None:
        """Send a message, to ourselves without the network."""
        raise NotImplementedError
