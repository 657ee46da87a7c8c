"""Itai & Rodeh, broken."""

from __future__ import annotations

from habemus.election.itai_rodeh import Elected, ItaiRodeh, Lot
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid

TWO_ROUNDS = {"bounds": {"round": 2}}


@exhibit("itai-rodeh-without-hops", violates="uniqueness", instance=Instance(n=2, limits=TWO_ROUNDS))
class CountsNoHops(ItaiRodeh):
    """Without the hop counter every lot that equals its own is taken for its own."""

    def weigh_lot(self, sender: Pid, message: Lot) -> None:
        self.stand()  # whoever is reached takes part
        theirs, mine = (message.round, message.number), (self.round, self.number)
        if not self.active or theirs > mine:
            self.active = False
            self.send(self.successor, Lot(message.round, message.number, message.hops + 1, message.unique))
        elif theirs == mine and message.unique:  # ours came home, and nobody drew the same
            self.elect(self.id)
            self.send(self.successor, Elected(self.id, 1))
        elif theirs == mine:
            self.draw()


@exhibit("itai-rodeh-without-unique-bit", violates="uniqueness", instance=Instance(n=2, limits=TWO_ROUNDS))
class AsksNotWhetherUnique(ItaiRodeh):
    """Without the bit a process leads when its lot comes home, though another may have drawn the same."""

    def weigh_lot(self, sender: Pid, message: Lot) -> None:
        self.stand()  # whoever is reached takes part
        theirs, mine = (message.round, message.number), (self.round, self.number)
        if not self.active or theirs > mine:
            self.active = False
            self.send(self.successor, Lot(message.round, message.number, message.hops + 1, message.unique))
        elif theirs == mine and message.hops < self.n:
            self.send(self.successor, Lot(message.round, message.number, message.hops + 1, False))
        elif theirs == mine:  # ours came home
            self.elect(self.id)
            self.send(self.successor, Elected(self.id, 1))
