"""A process that uses a group and is none of its members.

It runs the same stack as they do, with an id of its own that it uses once, so that nothing has to survive it. It dials
the members, and they answer on the same connections: it needs no port, and nobody needs to know of it before.
"""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Mapping
from typing import ClassVar

from habemus.network.node.node import DEFAULT_WAIT, Node
from habemus.network.node.recording import Recording
from habemus.network.wire.addresses import HIGHEST_ID, Address
from habemus.network.wire.dialling import ask_in_thread
from habemus.network.wire.security import require_protection
from habemus.process import Pid
from habemus.scenario import Scenario


class Client(Node):
    """A node without a port and without a memory."""

    client: ClassVar[bool] = True

    def __init__(
        self,
        scenario: Scenario,
        addresses: Mapping[Pid, Address],
        *,
        group: str = "habemus",
        key: bytes | None = None,
        dialling_tls: ssl.SSLContext | None = None,
        wait: float = DEFAULT_WAIT,
        id: Pid | None = None,
        recording: Recording | None = None,
    ) -> None:
        """`addresses`: of the members. `id`: one that nobody has used before; otherwise a random one."""
        super().__init__(
            scenario,
            secrets.randbelow(HIGHEST_ID) + 1 if id is None else id,
            addresses,
            None,
            group=group,
            key=key,
            dialling_tls=dialling_tls,
            wait=wait,
            recording=recording,
        )

    async def open(self) -> None:
        await ask_in_thread(require_protection, self.addresses.values(), self.key, self.dialling_tls is not None)
        self.begin_incarnation()
        self.peers.start()
        self.turn(self.start_layers)

    async def meet(self) -> None:
        """Begin when a majority of the members is connected, or no more seem to come."""
        await self.peers.wait_for_most(self.wait)
        self.turn(self.begin)
