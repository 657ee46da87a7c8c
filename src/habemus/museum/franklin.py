"""Franklin, broken."""

from __future__ import annotations

from habemus.election.franklin import Elected, Franklin
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid


@exhibit("franklin-greater-or-equal", violates="termination", instance=Instance(n=2))
class LosesToItself(Franklin):
    """Who meets an id that is not smaller than its own is passive; so the last one left is beaten by itself."""

    def compare(self, left: Pid, right: Pid) -> None:
        strongest = max(left, right)
        if strongest < self.id:
            self.begin_round()
        elif strongest >= self.id:
            self.active = False
            self.pass_through()
        elif self.leader is None:  # both are our own: nobody else is active
            self.elect(self.id)
            self.send(self.successor, Elected(self.id))


@exhibit("franklin-drops-what-waits", violates="termination", instance=Instance(n=3))
class DropsWhatWaits(Franklin):
    """Who becomes passive drops the challenges that faster neighbours sent for a round that it takes no part in."""

    def compare(self, left: Pid, right: Pid) -> None:
        strongest = max(left, right)
        if strongest < self.id:
            self.begin_round()
        elif strongest > self.id:
            self.active = False
        elif self.leader is None:  # both are our own: nobody else is active
            self.elect(self.id)
            self.send(self.successor, Elected(self.id))
