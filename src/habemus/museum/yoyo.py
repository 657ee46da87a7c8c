"""YoYo, broken."""

from __future__ import annotations

from habemus.election.yoyo import DOWN, Vote, YoYo
from habemus.museum.exhibit import Instance, exhibit


class UncountedYoYo(YoYo):
    """YoYo without the count of iterations, which is for observers: so a run in circles comes back to where it was."""

    def begin(self) -> None:
        self.iteration = 0
        super().begin()


@exhibit("yoyo-keeps-repetitions", violates="termination", instance=Instance(n=3, edges=((1, 2), (2, 3), (1, 3))))
class KeepsRepetitions(UncountedYoYo):
    """Half of the pruning is left out: links that tell the same id twice stay, and ids go up and down for ever."""

    def cut_repetitions(self) -> None:
        """The same id over several links came from the same source: one of them is enough."""


@exhibit("yoyo-keeps-leaves", violates="termination", instance=Instance(n=2, edges=((1, 2),)))
class KeepsLeaves(UncountedYoYo):
    """The other half of the pruning is left out: a leaf goes on agreeing to whatever comes, for ever."""

    def leave(self) -> None:
        """A sink with one link agrees to whatever comes; it can go."""
        self.stage = DOWN
        self.send(sorted(self.above), Vote(True))
        self.ids.clear()


@exhibit("yoyo-turns-nothing", violates="termination", instance=Instance(n=3, edges=((1, 3), (2, 3))))
class TurnsNothing(UncountedYoYo):
    """A no does not turn its link round, so a source that was outbid is a source again."""

    def vote_up(self) -> None:
        if self.awaited:
            return
        if not self.above and not self.below:
            self.win()
            return
        smallest = self.smallest()
        self.cut_repetitions()
        if len(self.above) == 1 and not self.below:
            self.leave()
            return
        for q in self.in_order(self.above):
            yes = self.ids.pop(q) == smallest and not self.hears_no()
            self.send(q, Vote(yes))
        self.refused.clear()
        self.begin()
