"""LCR, broken."""

from __future__ import annotations

from habemus.election.lcr import LCR, Candidate
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid


@exhibit("lcr-greater-or-equal", violates="termination", instance=Instance(n=2))
class PassesItsOwnOn(LCR):
    """The largest id comes home, is passed on like any that is not smaller, and goes round for ever."""

    def pass_larger(self, sender: Pid, message: Candidate) -> None:
        self.send(self.successor, message if message.id >= self.id else Candidate(self.id))
