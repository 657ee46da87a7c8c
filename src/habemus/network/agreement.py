"""Whether those who hear each other follow the same leader.

Bully and the ring of the living are right as long as the network keeps the times that they assume. A real one breaks
them now and then, and then a single answer that comes a moment too late can leave a process behind, for good, that
follows one who has long given way to another: nobody crashes, so nobody has a reason to call an election.

Therefore a node tells its neighbours whom it follows, whenever that changes. One that leads while a neighbour follows
another, or follows one that follows another, has waited long enough when that lasts, and calls an election. Algorithms
that number their leaders (terms) sort this out by themselves, and those that elect once and for all must not be called
again: both are left alone.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from habemus.process import Election, Pid

if TYPE_CHECKING:
    from habemus.network.node import Node

PASSING = 1.0  # seconds that a disagreement may last, as it does in every election
LONGEST = 60.0

log = logging.getLogger("habemus.network")


class Agreement:
    """Whom the neighbours follow, and what to do when that cannot be."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.followed: dict[Pid, Pid | None] = {}  # by whom we hear
        self.doubt: asyncio.TimerHandle | None = None
        self.patience = PASSING
        replaces = any(issubclass(a.cls, Election) and "suspect" in a.events for a in node.stack.stack)
        self.needed = replaces and node.term is None

    def hear(self, peer: Pid, leader: Pid | None) -> None:
        """A neighbour says whom it follows."""
        self.followed[peer] = leader
        self.consider()

    def forget(self, peer: Pid) -> None:
        """It is not heard any more."""
        self.followed.pop(peer, None)
        self.consider()

    @property
    def broken(self) -> bool:
        """Whether we lead and somebody alive follows another, or follow one that follows another."""
        mine = self.node.leader
        if mine is None:
            return False
        heard = self.followed.keys() - self.node.stack.suspected
        relevant = heard if mine == self.node.id else heard & {mine}
        return any(self.followed[peer] not in (None, mine) for peer in relevant)

    def consider(self) -> None:
        """Something has changed: see whether it lasts, or no longer."""
        if self.broken and self.needed:
            if self.doubt is None:
                self.doubt = asyncio.get_running_loop().call_later(self.patience, self.call)
        else:
            self.rest()
            self.patience = PASSING

    def call(self) -> None:
        """It lasts."""
        self.doubt = None
        log.warning("we follow %s, but of our neighbours %s: calling an election", self.node.leader, self.followed)
        self.node.counts["disagreements"] += 1
        self.node.command("start")
        self.patience = min(2 * self.patience, LONGEST)  # where the network is cut in one direction calling is in vain
        self.consider()

    def rest(self) -> None:
        """There is nothing to wait for."""
        if self.doubt is not None:
            self.doubt.cancel()
            self.doubt = None
