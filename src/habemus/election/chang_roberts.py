"""Chang & Roberts: the strongest candidate survives the circle.

Everyone who stands sends its id clockwise. A process passes on stronger ids and swallows weaker ones, so only the
strongest comes home; its owner is the leader and says so in one more round.

Assumes   a unidirectional ring, unique ids, reliable FIFO links, no crashes; no bound on delays.
Gives     termination, uniqueness, agreement, stability.
Costs     all start: n·H_n + n messages on average, n(n+1)/2 + n at worst (ids falling along the ring), 3n - 1 at best;
          one starts: 2n at best (it is the largest), 3n - 1 at worst (the largest is its predecessor).
Why safe  only the largest id passes every process, and links are FIFO, so no weaker id is left behind it.

E. Chang, R. Roberts. An improved algorithm for decentralized extrema-finding in circular configurations of
processes. CACM 22(5), 1979.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import MEAN, WORST, Bound, Election, Message, Pid, harmonic, upon, upon_start


@dataclass(frozen=True)
class Candidate(Message):
    """The strongest id met so far on the way round."""

    id: Pid


@dataclass(frozen=True)
class Elected(Message):
    """The outcome, on its way round."""

    leader: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class ChangRoberts(Election):
    name = "chang-roberts"
    topology = "ring"
    bounds = (
        Bound(WORST, "n(n+1)/2 + n", lambda n, m: n * (n + 1) / 2 + n),
        Bound(MEAN, "n·H_n + n", lambda n, m: n * harmonic(n) + n),
    )

    participant: bool = False

    @property
    def candidate(self) -> bool:
        return self.participant

    @upon_start
    def call_election(self) -> None:
        if not self.participant:
            self.take_part()
            self.send(self.successor, Candidate(self.id))

    @upon(Candidate)
    def weigh_candidate(self, sender: Pid, message: Candidate) -> None:
        if message.id > self.id:  # a stronger candidate: pass it on
            if not self.participant:
                self.take_part()
            self.send(self.successor, message)
        elif message.id < self.id:  # a weaker one: stand in its place, or swallow it if we stand already
            self.call_election()
        else:  # our own id came home, past everybody: nobody is stronger
            self.participant = False
            self.elect(self.id)
            self.send(self.successor, Elected(self.id))

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        if message.leader != self.id:  # else the news has reached everybody
            self.participant = False
            self.elect(message.leader)
            self.send(self.successor, message)

    def take_part(self) -> None:
        self.participant = True
        self.elect(None)
