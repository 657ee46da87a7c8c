"""Itai & Rodeh: where processes have no names, let them draw lots until one is alone with its number.

Each active process draws a number from 1 to n and sends it clockwise with the round, a hop counter and a bit that says
"unique so far". A larger (round, number) makes an active process passive; a smaller one is swallowed; an equal one is
another's, and its bit is cleared. A message with n hops is the process's own: with the bit set it leads, without it it
draws again for the next round.

Assumes   a unidirectional ring, no ids, n known to all, coins, reliable FIFO links, no crashes.
Gives     uniqueness always; termination with probability 1: the answer to `anonymous-ring`.
Costs     O(n log n) messages expected, n of them to announce it.
Why safe  the largest (round, number) of a round is never swallowed; if it comes home unique no other process holds it,
          and all others have become passive.

A. Itai, M. Rodeh. Symmetry breaking in distributive networks. FOCS 1981; in the form of W. Fokkink, J. Pang. Variations
on Itai-Rodeh leader election for anonymous rings. Journal of Universal Computer Science 12(8), 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Lot(Message):
    """A number drawn in a round, how far it has come, and whether it met its equal."""

    round: int
    number: int
    hops: int
    unique: bool


@dataclass(frozen=True)
class Elected(Message):
    """Somebody leads. The name is for observers: no decision depends on it."""

    by: Pid
    hops: int


@mypyc_attr(allow_interpreted_subclasses=True)
class ItaiRodeh(Election):
    name = "itai-rodeh"
    small_n = 3
    small_bounds = {"round": 2}
    topology = "ring"

    active: bool = True
    round: int = 0
    number: int = 0

    @property
    def candidate(self) -> bool:
        return self.active and self.round > 0 and self.leader is None

    @upon_start
    def stand(self) -> None:
        if self.active and self.round == 0:
            self.draw()

    def draw(self) -> None:
        self.round += 1
        self.number = self.choose(range(1, self.n + 1))
        self.send(self.successor, Lot(self.round, self.number, 1, True))

    @upon(Lot)
    def weigh_lot(self, sender: Pid, message: Lot) -> None:
        self.stand()  # whoever is reached takes part
        theirs, mine = (message.round, message.number), (self.round, self.number)
        if not self.active or theirs > mine:
            self.active = False
            self.send(self.successor, Lot(message.round, message.number, message.hops + 1, message.unique))
        elif theirs == mine and message.hops < self.n:
            self.send(self.successor, Lot(message.round, message.number, message.hops + 1, False))
        elif theirs == mine and message.unique:  # ours came home, and nobody drew the same
            self.elect(self.id)
            self.send(self.successor, Elected(self.id, 1))
        elif theirs == mine:
            self.draw()

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        if message.hops < self.n:
            self.elect(message.by)
            self.send(self.successor, Elected(message.by, message.hops + 1))
