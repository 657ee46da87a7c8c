"""What connections and links need of the process at this end."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from habemus.network.wire.codec import Codec
from habemus.network.wire.connection import Connection
from habemus.network.wire.frames import Hello, Origin
from habemus.network.wire.handshake import Identity
from habemus.process import Message, Pid

Arrival = tuple[Message, Origin | None]


class LocalProcess(Protocol):
    """The process that owns a link or accepts a connection."""

    identity: Identity
    key: bytes | None
    codec: Codec
    hosts: Collection[str]  # of its peers, as they are listed
    blocked: Collection[Pid]  # peers from which nothing is read, as if the network were cut

    @property
    def counts_missing_as_crashed(self) -> bool:
        """Whether a peer that has not connected so far counts as crashed."""

    def admit(self, hello: Hello, connection: Connection) -> int:
        """A peer has connected and proven its membership: how many of its reliable messages have arrived already?"""

    def meet_other_roll(self, peer: Pid, members: tuple[Pid, ...], founded: bool) -> None:
        """A peer of this group has other members; `founded`: they have met."""

    def meet_namesake(self, reason: str) -> None:
        """A peer is connected to another process with the id of this one."""

    def be_refused(self, reason: str) -> None:
        """A peer that has proven its membership will never admit this process."""

    def receive(self, hello: Hello, connection: Connection, batch: list[Arrival], received: int) -> bool:
        """Process messages that arrived together; says whether it did."""

    def hear(self, peer: Pid, batch: list[Arrival]) -> None:
        """Process messages that a member sent to this client."""

    def inbound_closed(self, peer: Pid, connection: Connection) -> None: ...

    def peer_leaves(self, peer: Pid) -> None: ...

    def peer_follows(self, peer: Pid, leader: Pid | None) -> None: ...

    def peer_promised(self, peer: Pid, promises: int) -> None: ...

    def link_made(self, peer: Pid) -> None: ...

    def link_lost(self, peer: Pid) -> None: ...
