"""Maekawa, broken."""

from __future__ import annotations

from habemus.museum.exhibit import Instance, exhibit
from habemus.mutex.maekawa import Failed, Inquire, Maekawa, Request, Yield
from habemus.process import Pid


class TwoVoters(Maekawa):
    """Maekawa where all have the same quorum, of two: so three processes are enough to be in each other's way."""

    @property
    def quorum(self) -> list[Pid]:
        """Those whose votes we need."""
        return list(self.members[-2:])


@exhibit(
    "maekawa-without-repair",
    violates="deadlock_freedom",
    instance=Instance(n=2, fifo=False, parameters={"repaired": False}),
    mended=Instance(n=2, fifo=False, parameters={"repaired": True}),
)
class Unrepaired(Maekawa):
    """Each has the vote that the other needs, and nobody asks for a vote back."""


@exhibit(
    "maekawa-as-printed",
    violates="deadlock_freedom",
    instance=Instance(n=3),
    happened="As printed: M. Maekawa. A sqrt(N) algorithm for mutual exclusion. ACM TOCS 3(2), 1985.",
)
class AsPrinted(TwoVoters):
    """A request that was a voter's earliest, and is overtaken while it waits, is not told that it has failed."""

    def weigh_request(self, sender: Pid, message: Request) -> None:
        self.highest = max(self.highest, message.number)
        claim = (message.number, sender)
        if self.choice is None:
            self.vote(claim)
            return
        first = min(self.queue | {self.choice})
        self.queue.add(claim)
        if not self.repaired:
            return
        if claim > first:
            self.tell(sender, Failed(message.number), self.note_failure)
        elif first == self.choice:
            self.tell(first[1], Inquire(first[0]), self.note_inquiry)


@exhibit("maekawa-yields-and-hopes", violates="deadlock_freedom", instance=Instance(n=3))
class YieldsAndHopes(TwoVoters):
    """A vote that was yielded does not count as a failure, so its former owner keeps the others for itself."""

    def yield_votes(self) -> None:
        for voter in sorted(self.inquirers - self.missing):  # an inquiry that overtook its vote waits for it
            self.inquirers.remove(voter)
            self.missing.add(voter)
            self.tell(voter, Yield(self.number), self.take_back_vote)
