"""Gallager, Humblet & Spira, broken."""

from __future__ import annotations

from habemus.election.ghs import BRANCH, FIND, GHS, Initiate, weight
from habemus.museum.exhibit import Instance, exhibit
from habemus.process import Pid


@exhibit("ghs-absorbs-equals", violates="termination", instance=Instance(n=2, edges=((1, 2),)))
class AbsorbsEquals(GHS):
    """A fragment absorbs others of its own level, too; so two of them absorb each other, and neither has a core."""

    def admit(self, caller: Pid) -> None:
        if self.callers[caller] <= self.level:  # absorb it
            del self.callers[caller]
            self.links[caller] = BRANCH
            self.send(caller, Initiate(self.level, self.fragment, self.stage))
            if self.stage == FIND:
                self.searching += 1
        elif self.links[caller] == BRANCH:  # both chose this link: merge, and it is the core
            del self.callers[caller]
            self.send(caller, Initiate(self.level + 1, weight(self.id, caller), FIND))
