"""Random histories of a lock table: clients that keep the rules, over a network that keeps none.

A client numbers its requests, repeats what was not answered, says its low-water mark, cancels, releases, attaches. What
it sends may be lost, come late, and come again at any time. What it is told may be lost or come late, in any order.
"""

from random import Random

from habemus.replication.entries import (
    DEAD,
    EXPIRED,
    Acquire,
    Attach,
    Cancel,
    Describe,
    Ended,
    EndSession,
    Granted,
    Lost,
    Opened,
    OpenSession,
    Pause,
    Queued,
    Refused,
    Release,
    Reserved,
    RestorePause,
    Transfer,
)

NAMES = ("a", "b", "c")


class Client:
    """One session as its owner knows it."""

    def __init__(self, opening: int, random: Random) -> None:
        self.opening = opening
        self.session = None  # until it is told
        self.random = random
        self.latest = 0
        self.requests = {}  # the entries that it may have to repeat, by request
        self.unheard = set()  # requests without an answer: these hold up the low-water mark
        self.wanted = set()  # requests that are open: unanswered or queued
        self.undone = set()  # requests that it cancels, without an answer yet
        self.held = {}  # Granted, by token
        self.ended = False

    @property
    def answered(self) -> int:
        return min(self.unheard, default=self.latest + 1) - 1

    def open(self):
        return OpenSession(self.opening % 7, self.opening, ttl=10)

    def ask(self, entry):
        self.requests[self.latest] = entry
        self.unheard.add(self.latest)
        self.wanted.add(self.latest)
        return entry

    def acquire(self, name=None, slots=None, **options):
        random = self.random
        kind = random.choice(["exclusive", "exclusive", "shared", "slots"])
        name = name or random.choice(NAMES)
        options.setdefault("shared", kind == "shared")
        if slots is None:
            slots = 3 if name == "c" and not options["shared"] else 1
            slots = random.choice([slots] * 9 + [0, 2])
        options.setdefault("priority", random.choice([0, 0, 0, 1, -1, 50, 5000]))
        options.setdefault("wait", random.random() < 0.8)
        mark = self.answered
        self.latest += 1
        return self.ask(Acquire(self.session, self.latest, name, slots=slots, answered=mark, **options))

    def transfer(self, others):
        mark = self.answered
        self.latest += 1
        to = self.random.choice(others).session
        return self.ask(Transfer(self.session, self.latest, self.random.choice(NAMES), to, answered=mark))

    def release(self):
        token = self.random.choice(sorted(self.held))
        del self.held[token]
        return Release(self.session, token)

    def cancel(self):
        request = self.random.choice(sorted(self.wanted))
        self.wanted.discard(request)
        self.unheard.add(request)  # until it is told that the request is gone
        self.undone.add(request)
        return Cancel(self.session, request)

    def repeat(self):
        return self.random.choice(self.everything_unanswered())

    def everything_unanswered(self):
        cancels = [Cancel(self.session, request) for request in sorted(self.undone)]
        return cancels + [self.requests[request] for request in sorted(self.wanted)]

    def attach(self):
        return Attach(self.session, self.latest, tuple(self.held), tuple(sorted(self.wanted)), self.answered)

    def hear(self, event) -> None:
        if self.ended:
            return
        match event:
            case Ended():
                self.ended = True
                self.held.clear()
            case Granted(request=request, token=token) if request in self.wanted:
                self.settle(request)
                self.held[token] = event
            case Queued(request=request) if request in self.wanted:
                self.unheard.discard(request)
            case Refused(request=request) | Reserved(request=request):
                self.settle(request)
            case Lost(token=token):
                self.held.pop(token, None)

    def settle(self, request) -> None:
        for requests in (self.unheard, self.wanted, self.undone):
            requests.discard(request)


class History:
    """One history, step by step: `next_entry` says what reaches the log; `tell` what came out of it."""

    def __init__(self, seed: int, clients: int = 4) -> None:
        self.random = Random(seed)
        self.clients = []
        self.by_session = {}
        self.limit = clients
        self.term = 1
        self.late = []  # entries on their way, or once more
        self.news = []  # events on their way

    def live(self):
        """The clients whose session has not ended as far as they know, or that have none yet."""
        return [client for client in self.clients if not client.ended]

    def next_entry(self):
        """An entry fresh from a client, or one that comes late."""
        random = self.random
        if random.random() < 0.03:
            self.term += random.randint(1, 3)
        if self.late and random.random() < 0.35:
            position = random.randrange(len(self.late))
            again = random.random() < 0.3
            return self.late[position] if again else self.late.pop(position)
        entry = self.create()
        if random.random() < 0.3:
            self.late.append(entry)
        return entry

    def create(self):
        random, live = self.random, self.live()
        if len(live) < self.limit and (not live or random.random() < 0.2):
            live.append(Client(len(self.clients) + 1, random))
            self.clients.append(live[-1])
        client = random.choice(live)
        if client.session is None:
            return client.open()
        draw = random.random()
        if draw < 0.03:
            return EndSession(client.session, random.choice(["closed", EXPIRED, EXPIRED, DEAD]))
        if draw < 0.05:
            if random.random() < 0.2:
                return RestorePause(random.randrange(4 * 2**40), random.random() < 0.5)
            return Pause(client.session, random.random() < 0.5, random.choice([-1, -1, 0, 2**40]))
        if draw < 0.06:
            return Describe(client.session, f"of {client.opening}")
        if draw < 0.10:
            return client.attach()
        if draw < 0.14:
            return client.transfer([client for client in live if client.session])
        if draw < 0.25 and client.wanted:
            return client.cancel()
        if draw < 0.35 and client.wanted | client.undone:
            return client.repeat()
        if draw < 0.65 and client.held:
            return client.release()
        return client.acquire()

    def tell(self, events) -> None:
        """Most of what is said is heard, some of it later than other things, some never."""
        random = self.random
        self.news += events
        while self.news and random.random() < 0.8:
            event = self.news.pop(0 if random.random() < 0.7 else random.randrange(len(self.news)))
            if random.random() < 0.9:
                self.hear(event)

    def hear(self, event) -> None:
        if isinstance(event, Opened):
            client = self.clients[event.opening - 1]
            if client.session is None:
                client.session = event.session
                self.by_session[event.session] = client
        elif event.session in self.by_session:  # not in one that a late duplicate opened
            self.by_session[event.session].hear(event)
