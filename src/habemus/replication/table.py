"""The lock table: who may do what, as the outcome of one log.

Every process that applies the same entries in the same order has the same table and says the same to the same
sessions. There is no clock in it. Time is the leader's business: it proposes the end of a session as an entry.

Numbers     Sessions and grants get their numbers from one counter: max(last + 1, term · 2^40). The number of a grant is
            its token. So tokens grow, for every name, and a name that nobody uses costs nothing: one number stands for
            the last tokens of all names that were ever used. Terms are on disk. A table that lost its end, or all of
            it, continues in a higher term above every number that it ever gave, as long as no term uses up 2^40: see
            `numbers_left`.
Sessions    A session ends once: closed, expired, or dead. With it end all its requests and all that it holds; who
            waited for that is next. Its number never comes again. While a session is open, a repeated OpenSession finds
            it; a duplicate that comes after its end opens another one, which nobody renews, and which expires.
Requests    A session numbers its requests. Each is decided once; a repeated one gets the first answer again. An answer
            is kept until the session says, by its low-water mark, that it has heard it. Queued is an answer, so a
            request that waits for weeks does not hold up the mark; what waits or is held is never forgotten. A request
            at or below the mark that neither waits nor holds is over, and its duplicates are refused.
Cancel      undoes an Acquire, whichever comes first: a waiting request leaves the queue, a held lock is released, and
            a request that was not heard of is refused when it comes.
Modes       A name is exclusive, shared, or has a number of slots; 1 slot is exclusive. All that hold or wait for a name
            agree on its slots, others are refused. Slots are numbered, and a grant says its slot (0 otherwise), since
            a guard compares the tokens of a semaphore slot by slot.
Order       Rank, then arrival; only the first of the queue is granted. See lock.py: priorities age, nobody starves.
            After every entry no queue's first could be granted: whatever makes room serves the queue at once.
Transfer    reserves: one waiting request goes before all others, and the holders are asked to release. Nothing is taken
            from them; an exclusive lock passes on when it is released, as ever. If the request is cancelled or its
            session ends, the reservation is gone with it.
Pause       While paused, an EndSession with reason expired has no effect; other ends have. The leader that resumes
            counts all sessions as renewed at that moment. Each Pause gets a number, and names the one that it was meant
            to follow: so a copy that comes late changes nothing. The voters have the last one on disk; to a table that
            forgot it, it is a RestorePause.
Attach      In a new term a session says what it has: the tokens that it holds, its open requests, the last number that
            it has used. Up to that number, whatever it does not list is over for good, and the table lets go of it;
            what it lists and the table does not know, it is told to be lost. So a lock whose release was forgotten with
            the end of the log does not stay locked. A request with a higher number was made later than the list, and
            is left alone; so an Attach that comes late, or twice, or after such a request, takes nothing away that
            the session relies on. Open requests are answered once more. One that the table has never heard of is
            repeated by the session; one that it has forgotten below the mark is refused, and asked anew.

Why safe    A lock is granted in `serve` only, to the first of the queue, if the holders admit it; a holder leaves in
            `let_go` only, when its own session released, cancelled, did not list or ended it.
Costs       An entry costs O(log n) for queues of n, and O(log n) more for each lock it lets go and each it grants.

After C. G. Gray, D. R. Cheriton, SOSP 1989 (leases); M. Burrows, OSDI 2006 (sessions, sequencers); D. Ongaro,
dissertation 2014, 6.3 (each request takes effect once).
"""

from __future__ import annotations

from typing import Any, Final

from mypy_extensions import mypyc_attr

from habemus.process import MisuseError, Pid, State
from habemus.replication.entries import (
    CANCELLED,
    EXPIRED,
    INVALID,
    NOT_WAITING,
    SLOTS,
    TAKEN,
    UNKNOWN,
    Acquire,
    Attach,
    Attached,
    Cancel,
    Describe,
    Described,
    Ended,
    EndSession,
    Entry,
    Event,
    Granted,
    Lost,
    Opened,
    OpenSession,
    Pause,
    Paused,
    Queued,
    Refused,
    Release,
    Released,
    Reserved,
    RestorePause,
    SessionEntry,
    TableImage,
    Transfer,
    Waiter,
    Wanted,
)
from habemus.replication.lock import MAX_PRIORITY, Lock, thaw_lock
from habemus.replication.session import Session, thaw_session

TERM_BITS: Final = 40
LONGEST_NAME: Final = 1000


@mypyc_attr(allow_interpreted_subclasses=True)
class LockTable(State):
    """The state machine; see the head of this file."""

    def __init__(self) -> None:
        self.sessions: dict[int, Session] = {}
        self.openings: dict[tuple[Pid, int], int] = {}  # the number of a session, by owner and opening
        self.locks: dict[str, Lock] = {}  # those in use
        self.last = 0  # the largest number given to a session or a grant
        self.paused = False
        self.notes = 0  # the number of the last note (notes.py)
        self.pause = 0  # the number of the last Pause
        self.image: TableImage | None = None  # what `freeze` gave last, while nothing has changed

    def apply(self, entry: Entry, term: int) -> list[Event]:
        """Carry out the next entry of the log. Says what the sessions are to be told, in this order."""
        self.image = None
        if isinstance(entry, Pause):
            current = entry.after in (-1, self.pause)
            return self.set_pause(self.next_number(term), entry.paused) if current else []
        if isinstance(entry, SessionEntry):
            session = self.sessions.get(entry.session)
            return [Ended(entry.session, UNKNOWN)] if session is None else self.serve_session(session, entry, term)
        if isinstance(entry, OpenSession):
            return self.open_session(entry, term)
        if isinstance(entry, RestorePause):
            return self.set_pause(entry.number, entry.paused) if entry.number > self.pause else []
        raise MisuseError(f"{type(entry).__name__} is no entry of a lock table")

    def serve_session(self, session: Session, entry: SessionEntry, term: int) -> list[Event]:
        if isinstance(entry, Acquire):
            return self.acquire(session, entry, term)
        if isinstance(entry, Release):
            return self.release(session, entry.token, term)
        if isinstance(entry, Cancel):
            return self.cancel(session, entry.request, term)
        if isinstance(entry, EndSession):
            return self.end_session(session, entry.reason, term)
        if isinstance(entry, Describe):
            session.metadata = entry.metadata
            return [Described(session.number, session.metadata)]
        if isinstance(entry, Attach):
            return self.attach(session, entry, term)
        if isinstance(entry, Transfer):
            return self.transfer(session, entry, term)
        raise MisuseError(f"{type(entry).__name__} is no entry of a lock table")

    def set_pause(self, number: int, paused: bool) -> list[Event]:
        self.pause, self.paused = number, paused
        return [Paused(0, paused)]

    def open_session(self, entry: OpenSession, term: int) -> list[Event]:
        number = self.openings.get((entry.owner, entry.opening))
        if number is None:
            number = self.next_number(term)
            self.admit(Session(number, entry.owner, entry.opening, entry.ttl, entry.metadata))
        return [Opened(number, entry.owner, entry.opening)]

    def admit(self, session: Session) -> None:
        self.sessions[session.number] = session
        self.openings[session.owner, session.opening] = session.number

    def next_number(self, term: int) -> int:
        self.last = max(self.last + 1, term << TERM_BITS)
        return self.last

    def next_note(self, term: int) -> int:
        self.notes = max(self.notes + 1, term << TERM_BITS)
        return self.notes

    def acquire(self, session: Session, entry: Acquire, term: int) -> list[Event]:
        if not 0 <= entry.answered < entry.request:
            return [Refused(session.number, entry.request, INVALID)]
        session.raise_mark(entry.answered)
        repeated = session.repeat(entry.request)
        if repeated is not None:
            return [repeated]
        if not is_valid(entry):
            return self.refuse(session, entry.request, INVALID)
        lock = self.locks.get(entry.name)
        if lock is None:
            lock = self.locks[entry.name] = Lock(entry.name, entry.slots)
        elif lock.slots != entry.slots:
            return self.refuse(session, entry.request, SLOTS)
        ticket = lock.enqueue(session.number, entry.request, entry.shared, entry.priority)
        session.waiting[entry.request] = (entry.name, ticket)
        granted = self.serve(lock, term)  # it alone, if at all: for all others nothing has changed
        if granted:
            return granted
        if entry.wait:
            return [Queued(session.number, entry.request)]
        self.withdraw(session, entry.request)
        return self.refuse(session, entry.request, TAKEN)

    def refuse(self, session: Session, request: int, reason: str) -> list[Event]:
        refused = Refused(session.number, request, reason)
        session.remember(request, refused)
        return [refused]

    def release(self, session: Session, token: int, term: int) -> list[Event]:
        events: list[Event] = [Released(session.number, token)]
        if token in session.held:
            granted = session.held[token]
            lock = self.let_go(session, token)
            session.remember(granted.request, granted)
            events += self.serve(lock, term)
        return events

    def cancel(self, session: Session, request: int, term: int) -> list[Event]:
        refused: Event = Refused(session.number, request, CANCELLED)
        earlier = session.answers.get(request)
        if earlier is not None and not isinstance(earlier, Granted):
            return [earlier]
        lock = self.drop(session, request)
        session.remember(request, refused)
        return [refused] if lock is None else [refused, *self.serve(lock, term)]

    def end_session(self, session: Session, reason: str, term: int) -> list[Event]:
        if self.paused and reason == EXPIRED:
            return []
        events: list[Event] = [Ended(session.number, reason)]
        requests = [*sorted(session.tokens), *sorted(session.waiting)]
        events += self.serve_all([self.drop(session, request) for request in requests], term)
        del self.sessions[session.number]
        del self.openings[session.owner, session.opening]
        return events

    def attach(self, session: Session, entry: Attach, term: int) -> list[Event]:
        session.raise_mark(min(entry.answered, entry.latest))
        open, held = set(entry.open), set(entry.held)
        over = [request for request, token in sorted(session.tokens.items()) if token not in held]
        over += sorted(session.waiting)
        touched: list[Lock | None] = []
        for request in over:
            if request <= entry.latest and request not in open:
                touched.append(self.drop(session, request))
                session.remember(request, Refused(session.number, request, CANCELLED))
        events: list[Event] = [Attached(session.number)]
        events += [Lost(session.number, token) for token in sorted(held) if token not in session.held]
        answers = [session.repeat(request) for request in sorted(open)]  # what is new to the table is asked again
        events += [answer for answer in answers if answer is not None]
        return events + self.serve_all(touched, term)

    def transfer(self, session: Session, entry: Transfer, term: int) -> list[Event]:
        if not 0 <= entry.answered < entry.request:
            return [Refused(session.number, entry.request, INVALID)]
        session.raise_mark(entry.answered)
        repeated = session.repeat(entry.request)
        if repeated is not None:
            return [repeated]
        target = self.sessions.get(entry.to)
        tickets = [] if target is None else [ticket for name, ticket in target.waiting.values() if name == entry.name]
        if not tickets:
            return self.refuse(session, entry.request, NOT_WAITING)
        lock = self.locks[entry.name]
        lock.reserve(min(tickets))
        reserved = Reserved(session.number, entry.request)
        session.remember(entry.request, reserved)
        events: list[Event] = [reserved]
        for token in sorted(lock.holders):
            events.append(Wanted(lock.holders[token].session, entry.name, token, entry.to))
        return events + self.serve(lock, term)

    # The only ways into a lock and out of it

    def serve(self, lock: Lock, term: int) -> list[Event]:
        """Grant a lock to the first in its queue, as long as the holders leave room; forget it if nobody uses it."""
        events: list[Event] = []
        waiter = lock.next_admitted()
        while waiter is not None:
            granted = lock.grant(waiter, self.next_number(term))
            self.sessions[granted.session].hold(granted)
            events.append(granted)
            waiter = lock.next_admitted()
        if lock.is_idle:
            self.locks.pop(lock.name, None)
        return events

    def serve_all(self, locks: list[Lock | None], term: int) -> list[Event]:
        """Serve several locks, each once, in the order of their first mention."""
        events: list[Event] = []
        for lock in {lock.name: lock for lock in locks if lock is not None}.values():
            events += self.serve(lock, term)
        return events

    def let_go(self, session: Session, token: int) -> Lock:
        lock = self.locks[session.give_back(token).name]
        lock.release(token)
        return lock

    def withdraw(self, session: Session, request: int) -> Lock:
        name, ticket = session.waiting.pop(request)
        lock = self.locks[name]
        lock.withdraw(ticket)
        return lock

    def drop(self, session: Session, request: int) -> Lock | None:
        """End what a request has led to. Says which lock has to be served now."""
        token = session.tokens.get(request)
        if token is not None:
            return self.let_go(session, token)
        return self.withdraw(session, request) if request in session.waiting else None

    # What is known

    def holders(self, name: str) -> list[Granted]:
        """Who holds a name, by token."""
        lock = self.locks.get(name)
        return [] if lock is None else [lock.holders[token] for token in sorted(lock.holders)]

    def waiters(self, name: str) -> list[Waiter]:
        """Who waits for a name, the next one first."""
        lock = self.locks.get(name)
        return [] if lock is None else lock.in_order()

    def numbers_left(self, term: int) -> int:
        """How many numbers are left below those of the next term. A leader that runs short begins a new term."""
        return (term + 1 << TERM_BITS) - 1 - max(self.last, (term << TERM_BITS) - 1)

    # State

    def freeze(self) -> TableImage:
        if self.image is None:
            sessions = [self.sessions[number].freeze() for number in sorted(self.sessions)]
            locks = [self.locks[name].freeze() for name in sorted(self.locks)]
            self.image = TableImage(self.last, self.paused, tuple(sessions), tuple(locks), self.notes, self.pause)
        return self.image

    @classmethod
    def thaw(cls, frozen: TableImage) -> LockTable:
        table = cls()
        table.last = frozen.last
        table.paused, table.pause = frozen.paused, frozen.pause
        table.notes = frozen.notes
        for session in frozen.sessions:
            table.admit(thaw_session(session))
        for lock in frozen.locks:
            table.locks[lock.name] = thaw_lock(lock)
            for granted in lock.holders:
                table.sessions[granted.session].hold(granted)
            for waiter in lock.waiters:
                table.sessions[waiter.session].waiting[waiter.request] = (lock.name, waiter.ticket)
        return table

    def to_plain(self) -> dict[str, Any]:
        """For people and pages; large numbers are strings, since they outgrow those of JavaScript."""
        return {
            "last": str(self.last),
            "paused": self.paused,
            "sessions": {
                str(number): {"owner": session.owner, "ttl": session.ttl, "metadata": session.metadata}
                for number, session in sorted(self.sessions.items())
            },
            "locks": {name: describe(self.locks[name]) for name in sorted(self.locks)},
        }


def is_valid(entry: Acquire) -> bool:
    return (
        0 < len(entry.name) <= LONGEST_NAME
        and (entry.slots == 1 if entry.shared else entry.slots >= 1)
        and -MAX_PRIORITY <= entry.priority <= MAX_PRIORITY
    )


def describe(lock: Lock) -> dict[str, Any]:
    """A lock as JSON knows it."""
    holders = [lock.holders[token] for token in sorted(lock.holders)]
    return {
        "slots": lock.slots,
        "holders": [
            {"session": str(holder.session), "token": str(holder.token), "slot": holder.slot, "shared": holder.shared}
            for holder in holders
        ],
        "waiters": [
            {"session": str(waiter.session), "request": waiter.request, "shared": waiter.shared}
            for waiter in lock.in_order()
        ],
    }
