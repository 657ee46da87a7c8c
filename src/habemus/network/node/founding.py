"""A group is founded once, by all its members.

The roll of a process are the members that it knows. Two rolls can have a majority, or a strongest process, each, and so
a leader each. A roll is founded when its processes have met under it; each keeps that on disk. Then:

    a roll that was discovered    is founded by all, and does not begin before; who has met a founder has joined
    a roll that was listed        is founded by a majority, and begins without those that are missing: the operator has
                                  said who the members are
    two rolls meet                one that is not founded does not lead, nor do two that both are, or both are not; a
                                  founded roll goes on beside one that is not

A process that is refused because another one has its id does not begin; nor does it go on if nobody else hears it.

A process whose disk was wiped may be in somebody else's roll without knowing it. The others dial it all the time. So a
process that is about to found a group first listens for a while, and admits nobody until then.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from habemus.network.errors import NetworkError, WireError
from habemus.network.node.memory import Memory
from habemus.network.wire.handshake import format_ids
from habemus.process import Pid

LISTENING = 2.0  # seconds; a process dials its peers more often than that
DISPUTED = 25.0  # seconds after which another roll is forgotten; whoever is refused dials more often than that
LOOK = 0.05

log = logging.getLogger("habemus.network")


class Met(Protocol):
    """What is needed of the peers."""

    @property
    def missing(self) -> list[Pid]: ...

    @property
    def connected(self) -> list[Pid]: ...

    def introduce(self) -> None: ...


class Founder(Protocol):
    """What is needed of a node."""

    memory: Memory
    begun: bool

    @property
    def peers(self) -> Met: ...

    def fail(self, error: Exception) -> None: ...


class Founding:
    """Whether a process may begin with the roll that it has."""

    def __init__(self, node: Founder, members: tuple[Pid, ...], discovered: bool) -> None:
        self.node = node
        self.members = members
        self.discovered = discovered
        self.listens_until = 0.0
        self.disputed_until = 0.0
        self.dispute = ""

    def start(self) -> None:
        self.listens_until = asyncio.get_running_loop().time() + LISTENING

    @property
    def founded(self) -> bool:
        return self.node.memory.record.roll == list(self.members)

    def consider(self) -> None:
        """The roll is founded if all neighbours, or enough, are connected under it, and nobody has disputed it."""
        listens = self.discovered and asyncio.get_running_loop().time() < self.listens_until
        peers = self.node.peers
        majority = 2 * (len(peers.connected) + 1) > len(self.members) and not self.discovered
        if (majority or not peers.missing) and not listens and not self.disputed:
            self.confirm()

    def confirm(self) -> None:
        if not self.founded:
            self.node.memory.found(self.members)
            self.node.peers.introduce()

    def admit(self, founded: bool) -> None:
        """Refuse a peer of the same roll for now, if this process cannot found it yet; `founded`: the peer has."""
        if founded or self.founded or not self.discovered:
            return
        if asyncio.get_running_loop().time() < self.listens_until:
            raise WireError("not now: this process still listens whether it is a member of another group")
        if self.disputed:
            raise WireError(f"not now: {self.dispute}")

    def meet(self, peer: Pid, members: tuple[Pid, ...], founded: bool) -> None:
        """A peer has another roll."""
        self.dispute = (
            f"process {peer} has the members {format_ids(members)}, this one has {format_ids(self.members)}: the "
            f"group would have two leaders; start all members with the same list"
        )
        if self.founded and not founded:
            log.warning("process %s does not lead: %s", peer, self.dispute)
            return
        self.delay()
        if self.node.begun:
            self.node.fail(NetworkError(self.dispute))

    def meet_namesake(self, reason: str) -> None:
        """Another process has the id of this one; if both have peers, neither can know which of them is meant."""
        if not self.node.begun:
            self.dispute = reason
            self.delay()
        elif not self.node.peers.connected:
            self.node.fail(NetworkError(reason))

    def delay(self) -> None:
        self.disputed_until = asyncio.get_running_loop().time() + DISPUTED

    @property
    def disputed(self) -> bool:
        return asyncio.get_running_loop().time() < self.disputed_until

    @property
    def obstacle(self) -> str:
        """Why this process does not begin yet; empty: it may."""
        if self.disputed:
            return self.dispute
        if self.discovered and not self.founded:
            missing = format_ids(tuple(self.node.peers.missing))
            return f"the group is founded when all its members have met; missing: {missing}"
        return ""

    async def wait(self) -> None:
        """Wait until this process may begin."""
        logged = ""
        self.consider()
        while self.obstacle:
            if self.obstacle != logged:
                logged = self.obstacle
                log.warning("not begun: %s", logged)
            await asyncio.sleep(LOOK)
            self.consider()
