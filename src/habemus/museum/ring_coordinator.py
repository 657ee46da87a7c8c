"""Ring coordinator, broken."""

from __future__ import annotations

from habemus.election.ring_coordinator import Coordinator, RingCoordinator
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid

CRASH = {"crashes": 1}


@exhibit("ring-coordinator-sends-once", violates="termination", instance=Instance(n=3, starters=(1,), limits=CRASH))
class SendsOnce(RingCoordinator):
    """A dead successor is skipped from now on, but what it took with it is not sent again."""

    def skip(self, subject: Pid) -> None:
        self.suspected.add(subject)
        if subject == self.leader or self.next_alive() == self.id:
            self.call_election()


@exhibit("ring-coordinator-elects-the-dead", violates="agreement", instance=Instance(n=3, limits=CRASH))
class ElectsTheDead(RingCoordinator):
    """A coordinator is accepted that has crashed while the list went round."""

    def accept_coordinator(self, sender: Pid, message: Coordinator) -> None:
        if message.leader < self.id:
            self.call_election()
        elif self.participant or self.leader != message.leader:  # else it has been here before
            self.participant = False
            self.elect(message.leader)
            self.entrusted.clear()  # the lists have served
            self.pass_on(message)
