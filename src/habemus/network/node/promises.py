"""How many promises a process has made, as its peers know it.

Writing the durable fields is a promise. A process counts them on disk, and tells its peers the number: whoever gets a
message that may depend on a promise before that message, all others at once or soon. So they recognise a process that
restarts with a copy of its directory that was made before, even if it was made while the process ran: the list of its
incarnations (memory.py) shows only copies that are older than its last start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from habemus.network.node.memory import Memory
from habemus.network.wire.frames import Promised, encode
from habemus.network.wire.link import Link
from habemus.process import Pid

TELL_EVERY = 0.1  # seconds; where promises are frequent, few frames are sent for them


class Promises:
    """Tells the peers of a process how many promises it has made."""

    def __init__(self, memory: Memory, links: Mapping[Pid, Link]) -> None:
        self.memory = memory
        self.links = links
        self.told: dict[Pid, int] = {}
        self.told_to_all = 0
        self.last_told = -TELL_EVERY
        self.timer: asyncio.TimerHandle | None = None

    def tell(self, receivers: Iterable[Pid]) -> None:
        """Put the number before what is sent to these peers, and tell the others."""
        if self.memory.promises == self.told_to_all:
            return
        for peer in receivers:
            self.put(peer)
        loop = asyncio.get_running_loop()
        if loop.time() >= self.last_told + TELL_EVERY:
            self.tell_all()
        elif self.timer is None:
            self.timer = loop.call_at(self.last_told + TELL_EVERY, self.tell_all)

    def tell_all(self) -> None:
        self.stop()
        self.last_told = asyncio.get_running_loop().time()
        self.told_to_all = self.memory.promises
        for peer in self.links:
            self.tell_now(peer)

    def tell_now(self, peer: Pid) -> None:
        self.put(peer)
        connection = self.links[peer].connection
        if connection is not None:
            connection.flush()

    def put(self, peer: Pid) -> None:
        """Have the number sent with what is written next, unless the peer knows it."""
        promises = self.memory.promises
        link = self.links.get(peer)
        if link is not None and link.connection is not None and self.told.get(peer, 0) != promises:
            self.told[peer] = promises
            link.connection.put(encode(Promised(promises)))

    def begin_with(self, peer: Pid) -> None:
        """There is a new connection to this peer."""
        self.told.pop(peer, None)
        self.tell_now(peer)

    def stop(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
