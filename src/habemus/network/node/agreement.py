"""Whether peers that hear each other follow the same leader.

Bully and the ring coordinator are right as long as the network keeps the delays that they assume. A real network breaks
them now and then. Then a single late answer can leave a process behind for good: it follows a leader that has long been
replaced, or none. Nobody has crashed, so nobody has a reason to call an election.

Therefore a node tells its neighbours which leader it follows, whenever that changes. These states cannot last:

    it leads             and a neighbour follows another
    it follows another   that follows a third one, or is suspected: its announcement came after the news of its crash
    it follows nobody    and a neighbour follows one that is not suspected here

When such a state lasts, the node calls an election, unless it is a candidate already. Where the network is cut between
some nodes but not all, calling does not help, and each side would undo what the other has done. So a node calls less
and less often, until it has had no reason to call for a long time. The waiting times are random, so that two nodes do
not call at the same time and give way to each other. Algorithms that number their leaders (terms) resolve this by
themselves, and algorithms that elect only once must not be called again: both are left alone.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from random import Random
from typing import Protocol

from habemus.network.node.commands import START
from habemus.network.node.stack import Stack
from habemus.process import Election, Pid

FIRST_WAIT = 1.0  # seconds that a disagreement may last, as it does in every election
LONGEST_WAIT = 60.0
FORGET_AFTER = 8  # times the last wait without a call, after which the wait is short again

log = logging.getLogger("habemus.network")


class Follower(Protocol):
    """What is needed of a node."""

    id: Pid
    known_leader: Pid | None
    begun: bool
    leaving: bool
    stack: Stack
    counts: Counter[str]

    @property
    def term(self) -> int | None: ...

    def look(self) -> None: ...

    def command(self, name: str) -> bool: ...


class Agreement:
    """The leaders that the neighbours follow, and what to do when they cannot be right."""

    def __init__(self, node: Follower) -> None:
        self.node = node
        self.followed: dict[Pid, Pid | None] = {}  # neighbour -> its leader
        self.timer: asyncio.TimerHandle | None = None
        self.wait = FIRST_WAIT
        self.last_call = -math.inf
        self.jitter = Random()
        replaces = any(issubclass(a.cls, Election) and "suspect" in a.events for a in node.stack.stack)
        self.needed = replaces and node.term is None

    def hear(self, peer: Pid, leader: Pid | None) -> None:
        """A neighbour says which leader it follows."""
        self.followed[peer] = leader
        self.consider()

    def forget(self, peer: Pid) -> None:
        """A neighbour is not connected any more."""
        self.followed.pop(peer, None)
        self.consider()

    @property
    def broken(self) -> bool:
        """Whether our leader and those of the neighbours that we do not suspect contradict each other."""
        node, mine = self.node, self.node.known_leader
        if not self.needed or not node.begun or node.leaving:
            return False
        suspected = set(node.stack.suspected)
        followed = {peer: leader for peer, leader in self.followed.items() if peer not in suspected}
        if mine is None or mine == node.id:
            named = set(followed.values()) - {None, mine}
            return bool(named if mine is not None else named - suspected)
        return mine in suspected or followed.get(mine) not in (None, mine)

    def consider(self) -> None:
        """Something has changed: start the timer of a contradiction, or stop it."""
        if not self.broken:
            self.stop()
        elif self.timer is None:
            loop = asyncio.get_running_loop()
            if loop.time() - self.last_call > FORGET_AFTER * self.wait:
                self.wait = FIRST_WAIT
            self.timer = loop.call_later(self.wait * self.jitter.uniform(1.0, 1.5), self.on_timeout)

    def on_timeout(self) -> None:
        """The contradiction lasts; but messages that have reached this machine by now come first."""
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self.call_election)  # in between the loop reads its sockets

    def call_election(self) -> None:
        """Call an election if the contradiction still exists."""
        self.stop()
        self.node.look()  # this process may have stalled in the meantime
        election = self.node.stack.election
        if self.broken and election is not None and not election.candidate:
            mine, suspected = self.node.known_leader, self.node.stack.suspected
            others = {peer: leader for peer, leader in self.followed.items() if leader != mine}
            log.warning(
                "this process follows %s and suspects %s, its peers follow %s: calling an election",
                *(mine, suspected, others),
            )
            self.node.counts["disagreements"] += 1
            self.last_call = asyncio.get_running_loop().time()
            self.wait = min(2 * self.wait, LONGEST_WAIT)
            self.node.command(START)
        self.consider()

    def stop(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
