"""Echo with extinction, broken."""

from __future__ import annotations

from habemus.election.echo_extinction import EchoExtinction
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid

PAIR = ((1, 2),)


@exhibit("echo-extinction-last-come", violates="termination", instance=Instance(n=2, edges=PAIR))
class LastComeDrowns(EchoExtinction):
    """Whatever wave comes last drowns the one before, stronger or not: two waves drown each other."""

    def drowns(self, wave: Pid, other: Pid) -> bool:
        return wave != other


@exhibit("echo-extinction-proud-starter", violates="termination", instance=Instance(n=2, edges=PAIR))
class ProudStarter(EchoExtinction):
    """Who has a wave of its own takes part in no other, so the strongest does not come home either."""

    def drowns(self, wave: Pid, other: Pid) -> bool:
        return wave < other and other != self.id
