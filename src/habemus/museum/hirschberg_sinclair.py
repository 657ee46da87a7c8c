"""Hirschberg & Sinclair, broken."""

from __future__ import annotations

from habemus.election.hirschberg_sinclair import Echo, Elected, HirschbergSinclair
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid


@exhibit("hirschberg-sinclair-local-hero", violates="uniqueness", instance=Instance(n=4, ids=(1, 3, 2, 4)))
class LocalHero(HirschbergSinclair):
    """Takes the strongest within reach for the strongest of all: with both echoes home, it leads."""

    def hear_echo(self, sender: Pid, message: Echo) -> None:
        if message.id != self.id:
            self.send(self.towards(message.heading), message)
        elif message.phase == self.phase:
            self.echoes += 1
            if self.echoes == 2 and not self.defeated:
                self.elect(self.id)
                self.send(self.successor, Elected(self.id))


@exhibit("hirschberg-sinclair-never-further", violates="termination", instance=Instance(n=2))
class NeverFurther(HirschbergSinclair):
    """The distance does not double, so a candidate conquers the same neighbourhood again and again."""

    def hear_echo(self, sender: Pid, message: Echo) -> None:
        if message.id != self.id:
            self.send(self.towards(message.heading), message)
        elif message.phase == self.phase:
            self.echoes += 1
            if self.echoes == 2 and not self.defeated:
                self.echoes = 0
                self.probe()
