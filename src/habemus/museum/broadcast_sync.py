"""Broadcast in lock-step, broken."""

from __future__ import annotations

from habemus.election.broadcast_sync import BroadcastSync, Candidacy
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Inbox


@exhibit("broadcast-sync-takes-the-first", violates="agreement", instance=Instance(n=2))
class TakesTheFirst(BroadcastSync):
    """Everybody decides on the first candidate it has heard of, and not on the largest."""

    def speak_then_decide(self, pulse: int, inbox: Inbox) -> None:
        if pulse == 0 and self.standing:
            self.send(self.neighbours, Candidacy(self.id))
        elif pulse == 1:
            candidates = [message.id for _, message in inbox if isinstance(message, Candidacy)]
            if self.standing:
                candidates.append(self.id)
            if candidates:
                self.elect(candidates[0])
            self.standing = False


@exhibit(
    "broadcast-sync-with-a-crash",
    violates="agreement",
    instance=Instance(n=2, limits={"crashes": 1}),
    mended=Instance(n=2),
)
class MayCrash(BroadcastSync):
    """All decide in one pulse, so nobody notices that the winner is dead by then."""
