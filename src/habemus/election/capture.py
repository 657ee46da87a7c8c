"""Capture: a candidate takes the others over one by one; who owns more outweighs who owns less.

A candidate's level is floor(log(owned + 1)), and candidates are compared by (level, id). A process yields to a stronger
captor than the last it yielded to. If it has an owner already it names it in a check: the captor then has to eliminate
that owner first, and captures again. Who meets a stronger one gives up. Who owns all n - 1 others leads, and says so.

Assumes   a complete graph, unique ids, reliable links, no crashes; no bound on delays.
Gives     termination, uniqueness, agreement, stability. Not always the largest id wins: being early counts for more.
Costs     at most 2n floor(log n) + n capture attempts of at most 6 messages each, and n - 1 to announce it.
          At most floor(n / (2^k - 1)) candidates are at level k at any moment (theorem 5.3).
Why safe  a process changes hands only after its owner has given up, so no two candidates own the same one. Who gives up
          has met a larger (level, id); so the owner of the largest never does, and goes on.

What the printed listing leaves open: a candidate is its own first prospect and owner; one that is captured records its
captor as owner; who is owned by nobody else yields without a check; an ack counts only for who still stands.

V. C. Barbosa. An Introduction to Distributed Algorithms, chapter 5, A_Elect_Leader_C. MIT Press, 1996; after Y. Afek,
E. Gafni. Time and message bounds for election in synchronous and asynchronous complete networks. PODC 1985.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import CANDIDATES, SUM, WORST, Bound, Count, Election, Message, Pid, upon, upon_start

NOBODY = -1


@dataclass(frozen=True)
class Capture(Message):
    """Be mine: I am that strong."""

    level: int
    id: Pid


@dataclass(frozen=True)
class Ack(Message):
    """I am yours."""


@dataclass(frozen=True)
class Nack(Message):
    """No: I know a stronger one."""


@dataclass(frozen=True)
class Check(Message):
    """I would be yours, but this one owns me."""

    owner: Pid


@dataclass(frozen=True)
class Eliminate(Message):
    """Give up what you own: I am that strong."""

    level: int
    id: Pid


@dataclass(frozen=True)
class Eliminated(Message):
    """I have given up."""


@dataclass(frozen=True)
class Elected(Message):
    """The outcome."""

    leader: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class CaptureElection(Election):
    name = "capture"
    topology = "complete"
    shown_field = "level"
    counts = (
        Count(CANDIDATES, "level", "candidates at level k", "⌊n/(2^k - 1)⌋", lambda n, k: n // (2**k - 1)),
        Count(SUM, "tried", "attempts to capture", "2n⌊log n⌋ + n", lambda n, k: 2 * n * (n.bit_length() - 1) + n),
    )
    bounds = (Bound(WORST, "6(2n⌊log n⌋ + n) + n - 1", lambda n, m: 6 * (2 * n * (n.bit_length() - 1) + n) + n - 1),)

    standing: bool = False
    level: int = 0  # its own while it stands; then that of the strongest captor so far
    owner: Pid = NOBODY
    prospect: Pid = NOBODY  # the strongest captor so far: the owner, or who is about to be
    owns: int = 0
    place: int = 0
    tried: int = 0  # how many of the others it has tried to capture: port by port, from one that its id gives

    @property
    def candidate(self) -> bool:
        return self.standing

    @upon_start
    def stand(self) -> None:
        if self.owner == NOBODY and self.prospect == NOBODY:
            self.standing = True
            self.owner = self.prospect = self.id
            self.place = self.members.index(self.id)
            self.capture_next()

    def capture_next(self) -> None:
        if self.tried < self.n - 1:
            self.tried += 1
            self.capture()
        else:  # none is left to try, and all that were tried are its own
            self.elect(self.id)
            self.send(self.neighbours, Elected(self.id))

    def capture(self) -> None:
        port = (self.id + self.tried) % (self.n - 1)
        self.send(self.members[port if port < self.place else port + 1], Capture(self.level, self.id))

    @upon(Capture)
    def weigh_captor(self, sender: Pid, message: Capture) -> None:
        if message.id == self.prospect:  # back, after the owner has given up
            self.owner = message.id
            self.send(sender, Ack())
        elif (message.level, message.id) > (self.level, self.prospect):
            free = self.owner in (NOBODY, self.id)
            self.standing = False
            self.level, self.prospect = message.level, message.id
            if free:  # nobody else to ask
                self.owner = message.id
                self.send(sender, Ack())
            else:
                self.send(sender, Check(self.owner))
        else:
            self.send(sender, Nack())

    @upon(Nack)
    def give_up(self, sender: Pid, message: Nack) -> None:
        self.standing = False

    @upon(Check)
    def confront_owner(self, sender: Pid, message: Check) -> None:
        if self.standing:
            self.send(message.owner, Eliminate(self.level, self.id))

    @upon(Eliminate)
    def defend(self, sender: Pid, message: Eliminate) -> None:
        if self.standing and (message.level, message.id) < (self.level, self.id):
            self.send(sender, Nack())
        else:
            self.standing = False
            self.send(sender, Eliminated())

    @upon(Eliminated)
    def capture_again(self, sender: Pid, message: Eliminated) -> None:
        if self.standing:
            self.capture()

    @upon(Ack)
    def own(self, sender: Pid, message: Ack) -> None:
        if self.standing:
            self.owns += 1
            self.level = (self.owns + 1).bit_length() - 1
            self.capture_next()

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        self.elect(message.leader)
