"""Franklin: in every round, only who beats both active neighbours goes on.

All processes are active at first. An active one sends its id both ways; passive ones pass it through. When it has the
ids of its nearest active neighbours on both sides it goes on to the next round if its own beats both, and is passive
from then on if not. One that receives its own id is alone: it is the leader, and tells everybody.

Assumes   a bidirectional ring, unique ids, reliable FIFO links, no crashes.
Gives     termination, uniqueness, agreement, stability.
Costs     at most floor(log n) + 1 rounds of 2n messages, and n to announce it. Passive processes relay and send nothing
          of their own: where they do, as in the lecture notes' listing (franklin-listing), it costs about 3n^2.
Why safe  of two neighbouring active processes at least one becomes passive, so at least half go each round; the largest
          is never beaten.

W. R. Franklin. On an improved algorithm for decentralized extrema finding in circular configurations of processors.
CACM 25(5), 1982.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Pid, upon, upon_start

LEFT, RIGHT = "left", "right"


@dataclass(frozen=True)
class Challenge(Message):
    """An active process's id on its way to the next active one, going left or right round the ring."""

    id: Pid
    heading: str


@dataclass(frozen=True)
class Elected(Message):
    """The outcome, on its way round."""

    leader: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class Franklin(Election):
    name = "franklin"
    topology = "ring"
    bounds = (Bound(WORST, "2n(⌊log n⌋ + 1) + n", lambda n, m: 2 * n * n.bit_length() + n),)

    active: bool = True
    round: int = 0
    from_left: list[Pid] = []  # a fast neighbour may be a round ahead: links are FIFO, so its ids wait in order
    from_right: list[Pid] = []

    @property
    def candidate(self) -> bool:
        return self.round > 0 and self.active and self.leader is None

    @upon_start
    def stand(self) -> None:
        if self.round == 0:
            self.begin_round()

    def begin_round(self) -> None:
        self.round += 1
        self.send(self.predecessor, Challenge(self.id, LEFT))
        self.send(self.successor, Challenge(self.id, RIGHT))

    @upon(Challenge)
    def meet_challenge(self, sender: Pid, message: Challenge) -> None:
        if not self.active:
            self.send(self.predecessor if message.heading == LEFT else self.successor, message)
            return
        self.stand()  # whoever is reached takes part
        (self.from_right if message.heading == LEFT else self.from_left).append(message.id)
        if self.from_left and self.from_right:
            self.compare(self.from_left.pop(0), self.from_right.pop(0))

    def compare(self, left: Pid, right: Pid) -> None:
        strongest = max(left, right)
        if strongest < self.id:
            self.begin_round()
        elif strongest > self.id:
            self.active = False
            self.pass_through()
        elif self.leader is None:  # both are our own: nobody else is active
            self.elect(self.id)
            self.send(self.successor, Elected(self.id))

    def pass_through(self) -> None:
        """What waited for a round that we take no part in goes its way."""
        for id in self.from_left:
            self.send(self.successor, Challenge(id, RIGHT))
        for id in self.from_right:
            self.send(self.predecessor, Challenge(id, LEFT))
        self.from_left.clear()
        self.from_right.clear()

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        if message.leader != self.id:
            self.elect(message.leader)
            self.send(self.successor, message)
