"""The rules of the lock table once more, as plainly as they can be said: one list, searched from end to end."""

from dataclasses import dataclass, field

from habemus.replication.entries import (
    Acquire,
    Attach,
    Attached,
    Cancel,
    Describe,
    Described,
    Ended,
    EndSession,
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
    Transfer,
    Wanted,
)

PLACES_PER_PRIORITY = 16


@dataclass
class Wish:
    """A request for a lock, from its arrival to its end."""

    session: int
    request: int
    name: str
    shared: bool
    slots: int
    priority: int
    arrival: int
    reservation: int = 0  # the latest one goes first
    granted: Granted | None = None

    def key(self):
        if self.reservation:
            return (0, -self.reservation, 0)
        return (1, self.arrival - PLACES_PER_PRIORITY * self.priority, self.arrival)


@dataclass
class NaiveTable:
    open: dict = field(default_factory=dict)  # low-water mark of each session
    openings: dict = field(default_factory=dict)
    answers: dict = field(default_factory=dict)  # of requests that are over, by session and request
    wishes: list = field(default_factory=list)  # those that wait or hold
    arrivals: dict = field(default_factory=dict)
    reservations: int = 0
    last: int = 0
    paused: bool = False
    pause: int = 0

    def apply(self, entry, term):
        match entry:
            case OpenSession():
                key = (entry.owner, entry.opening)
                if key not in self.openings:
                    self.openings[key] = self.fresh(term)
                    self.open[self.last] = 0
                return [Opened(self.openings[key], *key)]
            case Pause() if entry.after in (-1, self.pause):
                self.pause, self.paused = self.fresh(term), entry.paused
                return [Paused(0, entry.paused)]
            case RestorePause() if entry.number > self.pause:
                self.pause, self.paused = entry.number, entry.paused
                return [Paused(0, entry.paused)]
            case Pause() | RestorePause():
                return []
        if entry.session not in self.open:
            return [Ended(entry.session, "unknown")]
        match entry:
            case Acquire():
                return self.acquire(entry, term)
            case Release():
                return self.release(entry, term)
            case Cancel():
                return self.cancel(entry, term)
            case EndSession():
                return self.end(entry, term)
            case Describe():
                return [Described(entry.session, entry.metadata)]
            case Attach():
                return self.attach(entry, term)
            case Transfer():
                return self.transfer(entry, term)

    def fresh(self, term):
        self.last = max(self.last + 1, term * 2**40)
        return self.last

    def find(self, session, request):
        return next((wish for wish in self.wishes if (wish.session, wish.request) == (session, request)), None)

    def decided(self, entry):
        if not 0 <= entry.answered < entry.request:
            return [Refused(entry.session, entry.request, "invalid")]
        self.heard(entry.session, entry.answered)
        answer = self.known(entry.session, entry.request)
        return None if answer is None else [answer]

    def heard(self, session, answered):
        self.open[session] = max(self.open[session], answered)

    def known(self, session, request):
        wish = self.find(session, request)
        if wish is not None:
            return wish.granted or Queued(session, request)
        if request <= self.open[session]:
            return Refused(session, request, "forgotten")
        return self.answers.get((session, request))

    def refuse(self, session, request, reason):
        self.answers[session, request] = Refused(session, request, reason)
        return [self.answers[session, request]]

    def acquire(self, entry, term):
        known = self.decided(entry)
        if known is not None:
            return known
        valid = (
            entry.name and abs(entry.priority) <= 1000 and entry.slots > 0 and (not entry.shared or entry.slots == 1)
        )
        if not valid:
            return self.refuse(entry.session, entry.request, "invalid")
        if any(wish.slots != entry.slots for wish in self.wishes if wish.name == entry.name):
            return self.refuse(entry.session, entry.request, "slots")
        self.arrivals[entry.name] = arrival = self.arrivals.get(entry.name, 0) + 1
        wish = Wish(entry.session, entry.request, entry.name, entry.shared, entry.slots, entry.priority, arrival)
        self.wishes.append(wish)
        events = self.serve(entry.name, term)
        if wish.granted:
            return events
        if entry.wait:
            return [Queued(entry.session, entry.request)]
        self.wishes.remove(wish)
        return self.refuse(entry.session, entry.request, "taken")

    def release(self, entry, term):
        events = [Released(entry.session, entry.token)]
        for wish in list(self.wishes):
            if wish.session == entry.session and wish.granted and wish.granted.token == entry.token:
                self.wishes.remove(wish)
                self.answers[wish.session, wish.request] = wish.granted
                events += self.serve(wish.name, term)
        return events

    def cancel(self, entry, term):
        key = (entry.session, entry.request)
        earlier = self.answers.get(key) if entry.request > self.open[entry.session] else None
        if earlier is not None and not isinstance(earlier, Granted):
            return [earlier]
        wish = self.find(*key)
        events = self.refuse(*key, "cancelled")
        if wish is None:
            return events
        self.wishes.remove(wish)
        return events + self.serve(wish.name, term)

    def end(self, entry, term):
        if self.paused and entry.reason == "expired":
            return []
        own = [wish for wish in self.wishes if wish.session == entry.session]
        events = [Ended(entry.session, entry.reason), *self.remove(own, term)]
        del self.open[entry.session]
        self.openings = {key: session for key, session in self.openings.items() if session != entry.session}
        self.answers = {key: answer for key, answer in self.answers.items() if key[0] != entry.session}
        return events

    def remove(self, wishes, term):
        """Held ones first; each name is served once, when all are gone."""
        wishes = sorted(wishes, key=lambda wish: (wish.granted is None, wish.request))
        self.wishes = [wish for wish in self.wishes if wish not in wishes]
        return [event for name in dict.fromkeys(wish.name for wish in wishes) for event in self.serve(name, term)]

    def attach(self, entry, term):
        self.heard(entry.session, min(entry.answered, entry.latest))
        own = [wish for wish in self.wishes if wish.session == entry.session]
        over = [
            wish
            for wish in own
            if wish.request <= entry.latest
            and wish.request not in entry.open
            and not (wish.granted and wish.granted.token in entry.held)
        ]
        tokens = {wish.granted.token for wish in own if wish.granted and wish not in over}
        events = [Attached(entry.session)]
        events += [Lost(entry.session, token) for token in sorted(set(entry.held) - tokens)]
        known = [self.known(entry.session, request) for request in sorted(set(entry.open))]
        events += [answer for answer in known if answer is not None]
        for wish in over:
            self.refuse(wish.session, wish.request, "cancelled")
        return events + self.remove(over, term)

    def transfer(self, entry, term):
        known = self.decided(entry)
        if known is not None:
            return known
        waiting = [w for w in self.wishes if (w.session, w.name) == (entry.to, entry.name) and not w.granted]
        if not waiting:
            return self.refuse(entry.session, entry.request, "not waiting")
        self.reservations += 1
        min(waiting, key=lambda wish: wish.arrival).reservation = self.reservations
        answer = self.answers[entry.session, entry.request] = Reserved(entry.session, entry.request)
        asked = [Wanted(held.session, held.name, held.token, entry.to) for held in self.holders(entry.name)]
        return [answer, *asked, *self.serve(entry.name, term)]

    def holders(self, name):
        held = [wish.granted for wish in self.wishes if wish.name == name and wish.granted]
        return sorted(held, key=lambda granted: granted.token)

    def queue(self, name):
        return sorted([wish for wish in self.wishes if wish.name == name and not wish.granted], key=Wish.key)

    def serve(self, name, term):
        events = []
        while queue := self.queue(name):
            wish, holders = queue[0], self.holders(name)
            if wish.shared:
                fits = all(holder.shared for holder in holders)
            else:
                fits = len(holders) < wish.slots and not any(holder.shared for holder in holders)
            if not fits:
                break
            taken = {holder.slot for holder in holders}
            slot = 0 if wish.shared else min(set(range(wish.slots)) - taken)
            wish.granted = Granted(wish.session, wish.request, name, self.fresh(term), slot, wish.shared)
            events.append(wish.granted)
        return events
