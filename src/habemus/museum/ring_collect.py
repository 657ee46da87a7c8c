"""Ring collect, broken."""

from __future__ import annotations

from habemus.election.ring_collect import RingCollect, Seen
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid


@exhibit("ring-collect-stops-early", violates="uniqueness", instance=Instance(n=3, ids=(3, 2, 1)))
class ChoosesOnTheWay(RingCollect):
    """Everybody chooses from the list as it comes by, before all are on it."""

    def extend_list(self, sender: Pid, message: Seen) -> None:
        if self.id not in message.ids:
            self.send(self.successor, Seen((self.id, *message.ids)))
        self.elect(min(self.id, *message.ids))
