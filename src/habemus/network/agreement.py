"""Whether those who hear each other follow the same leader.

Bully and the ring of the living are right as long as the network keeps the times that they assume. A real one breaks
them now and then, and then a single answer that comes a moment too late can leave a process behind, for good, that
follows one who has long given way to another, or nobody: nobody crashes, so nobody has a reason to call an election.

Therefore a node tells its neighbours whom it follows, whenever that changes. These cannot be right for long:

    it leads             and a neighbour follows another
    it follows another   which follows a third one, or is suspected: its last word came after the news of its death
    it follows nobody    and a neighbour follows one that is not suspected here

It calls an election when that lasts, unless it is just choosing. Where the network is cut between some, but not all,
calling is in vain, and each side would undo what the other has done: so it calls ever more rarely, until it has had no
reason to for a long time. Nor do two call in step, for each might give way to the other. Algorithms that number their
leaders (terms) sort this out by themselves, and those that elect once and for all must not be called again: both are
left alone.
"""

from __future__ import annotations

import asyncio
import logging
import math
from random import Random
from typing import TYPE_CHECKING

from habemus.process import Election, Pid

if TYPE_CHECKING:
    from habemus.network.node import Node

PASSING = 1.0  # seconds that a disagreement may last, as it does in every election
LONGEST = 60.0
FORGIVEN = 8  # times as long as it last waited: if it did not have to call for that long, it is not in vain any more

log = logging.getLogger("habemus.network")


class Agreement:
    """Whom the neighbours follow, and what to do when that cannot be."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.followed: dict[Pid, Pid | None] = {}  # by whom we hear
        self.doubt: asyncio.TimerHandle | None = None
        self.patience = PASSING
        self.called = -math.inf  # when we last did
        self.jitter = Random()
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
        """Whether what we follow, and what those follow whom we hear and do not suspect, cannot be right for long."""
        node, mine = self.node, self.node.leader
        if not self.needed or not node.begun or node.leaving:
            return False
        suspected = set(node.stack.suspected)
        followed = {peer: leader for peer, leader in self.followed.items() if peer not in suspected}
        if mine is None or mine == node.id:
            named = set(followed.values()) - {None, mine}
            return bool(named if mine is not None else named - suspected)
        return mine in suspected or followed.get(mine) not in (None, mine)

    def consider(self) -> None:
        """Something has changed: see whether it lasts, or no longer."""
        if not self.broken:
            self.rest()
        elif self.doubt is None:
            loop = asyncio.get_running_loop()
            if loop.time() - self.called > FORGIVEN * self.patience:
                self.patience = PASSING
            self.doubt = loop.call_later(self.patience * self.jitter.uniform(1.0, 1.5), self.time_is_up)

    def time_is_up(self) -> None:
        """It seems to last; but what has reached this machine by now comes first, so the loop looks at its sockets."""
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self.call)

    def call(self) -> None:
        """It lasts."""
        self.rest()
        self.node.look()  # we may have stood still all the while
        election = self.node.stack.election
        if self.broken and election is not None and not election.candidate:
            mine, suspected = self.node.leader, self.node.stack.suspected
            others = {peer: leader for peer, leader in self.followed.items() if leader != mine}
            log.warning("we follow %s and suspect %s, others follow %s: calling an election", mine, suspected, others)
            self.node.counts["disagreements"] += 1
            self.called = asyncio.get_running_loop().time()
            self.patience = min(2 * self.patience, LONGEST)
            self.node.command("start")
        self.consider()

    def rest(self) -> None:
        """There is nothing to wait for."""
        if self.doubt is not None:
            self.doubt.cancel()
            self.doubt = None
