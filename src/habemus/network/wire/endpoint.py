"""A port that peers connect to.

A connection belongs to no node until its proof and its hello have been checked. The group that it names decides which
node it is for, so several groups can share a port. Whatever does not fit is refused, for a reason that is logged here;
the nodes do not notice. Until then it is a stranger, and the number of strangers is limited (listener.py).
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import Protocol

from habemus.network.errors import NamesakeError, NetworkError, WireError, system_says
from habemus.network.wire.addresses import format_address
from habemus.network.wire.connection import HANDSHAKE_TIMEOUT, Connection
from habemus.network.wire.frames import (
    VERSION,
    Acknowledgement,
    Farewell,
    Follows,
    Hello,
    Knock,
    MessageFrame,
    Promised,
    Proof,
    Refusal,
    Registration,
    Welcome,
    decode,
)
from habemus.network.wire.handshake import Secrets, check_addressee, check_hello, check_nonce, new_challenge
from habemus.network.wire.listener import Guest, Listener, open_sockets, share_descriptors
from habemus.network.wire.local import Arrival, LocalProcess
from habemus.process import Pid

ACKNOWLEDGE_EVERY = 64  # reliable messages, or
ACKNOWLEDGE_WITHIN = 0.01  # seconds, whichever comes first
LONGEST_REASON = 500  # characters
NOT_TOLD = "the log of the refusing process says why"
MOST_STRANGERS, PART = 256, 4  # connections without proof, and at most a quarter of the file descriptors


class Registrar(Protocol):
    """What an endpoint needs of a registry of members."""

    key: bytes | None

    def register(self, registration: Registration, connection: Connection) -> None:
        """An authenticated process wants to become a member."""


class Acceptor(Connection):
    """Our end of a connection that a peer dialled."""

    def __init__(self, endpoint: Endpoint, guest: Guest) -> None:
        super().__init__()
        self.endpoint = endpoint
        self.guest = guest
        self.group = ""
        self.shared: Secrets | None = None
        self.node: LocalProcess | None = None  # once it has admitted the peer, or the registry has
        self.hello: Hello | None = None
        self.other_roll: tuple[tuple[Pid, ...], bool] = ((), False)  # what the node has instead of the peer's members
        self.batch: list[Arrival] = []
        self.received = 0  # reliable messages
        self.processed = 0  # up to which the node has processed them
        self.acknowledged = 0
        self.acknowledgement: asyncio.TimerHandle | None = None

    def on_frame(self, body: bytes) -> None:
        """Knock, then proof, then hello or registration, then messages."""
        frame = decode(body)
        if type(frame) is MessageFrame and self.node is not None:
            self.collect(frame)
            return
        match frame:
            case Knock() as knock if self.shared is None:
                self.challenge(knock, body)
            case Proof() as proof if self.shared is not None and not self.open:
                self.shared.check(b"habemus dialler", proof.proof)
                incoming, outgoing = self.shared.seals()
                self.become_open(outgoing, incoming)
                self.endpoint.proven.add(self.guest.address[0])
            case Hello() as hello if self.open and self.hello is None:
                self.welcome(hello)
            case Registration() as registration if self.open and self.hello is None:
                self.register(registration)
            case Farewell() if self.node is not None and self.hello is not None:
                self.on_batch_end()
                self.node.peer_leaves(self.hello.sender)
            case Follows(leader) if self.node is not None and self.hello is not None:
                self.on_batch_end()
                self.node.peer_follows(self.hello.sender, leader)
            case Promised(promises) if self.node is not None and self.hello is not None:
                self.node.peer_promised(self.hello.sender, promises)
            case other:
                raise WireError(f"unexpected {type(other).__name__}")

    def challenge(self, knock: Knock, body: bytes) -> None:
        """Have the peer prove that it belongs to a group that is here."""
        if knock.version != VERSION:
            raise WireError(f"the peer speaks version {knock.version} of the protocol, not {VERSION}")
        check_nonce(knock.nonce)
        here: LocalProcess | Registrar | None
        here = self.endpoint.nodes.get(knock.group) or self.endpoint.registries.get(knock.group)
        if here is None:
            raise WireError(f"there is no group {knock.group[:100]!r} here")
        self.group = knock.group
        challenge, self.shared = new_challenge(here.key, body)
        self.send(challenge)

    def welcome(self, hello: Hello) -> None:
        """The peer has proven its membership: it gets in if it is one of the others and runs the same."""
        node = self.endpoint.nodes.get(self.group)
        if node is None:
            raise WireError(f"there is no process of the group {self.group!r} here yet")
        self.hello = hello
        check_addressee(hello, node.identity)
        if hello.members != node.identity.members and not hello.client:
            node.meet_other_roll(hello.sender, hello.members, hello.founded)
            self.other_roll = (node.identity.members, node.identity.founded)
        try:
            check_hello(hello, node.identity)
        except WireError as error:
            self.refuse(str(error), final=hello.client)  # a member may be replaced by one that fits
            return
        if hello.sender in node.blocked:
            self.abort("the link is cut")
            return
        try:
            self.received = self.processed = self.acknowledged = node.admit(hello, self)
        except NetworkError as error:
            self.refuse(str(error), final=True)
            return
        except NamesakeError as error:
            self.refuse(str(error), namesake=True)
            return
        self.node = node
        self.guest.leave()
        self.send(Welcome(self.received, node.identity.instance))

    def register(self, registration: Registration) -> None:
        """A process that has the key wants to become a member."""
        registry = self.endpoint.registries.get(self.group)
        if registry is None:
            raise WireError(f"there is no registry of the group {self.group!r} here")
        registry.register(registration, self)
        self.guest.leave()

    def collect(self, frame: MessageFrame) -> None:
        """Keep a message for the end of the batch."""
        assert self.node is not None
        message = self.node.codec.decode(frame)
        if frame.number:
            if frame.number != self.received + 1:
                raise WireError(f"message number {frame.number} after {self.received}")
            self.received += 1
        self.batch.append((message, frame.origin))

    def on_batch_end(self) -> None:
        """Hand over the messages that arrived together, and acknowledge them soon."""
        if self.batch and self.node is not None and self.hello is not None and not self.ended:
            batch, self.batch = self.batch, []
            if self.node.receive(self.hello, self, batch, self.received):
                self.processed = self.received
                if self.processed - self.acknowledged >= ACKNOWLEDGE_EVERY:
                    self.acknowledge()
                elif self.processed > self.acknowledged and self.acknowledgement is None:
                    loop = asyncio.get_running_loop()
                    self.acknowledgement = loop.call_later(ACKNOWLEDGE_WITHIN, self.acknowledge)

    def acknowledge(self) -> None:
        if self.acknowledgement is not None:
            self.acknowledgement.cancel()
            self.acknowledgement = None
        self.acknowledged = self.processed
        self.send(Acknowledgement(self.processed))

    def refuse(self, reason: str, final: bool = False, namesake: bool = False) -> None:
        """Log the reason and close. Only a peer that has proven its membership is told the reason."""
        reason = "".join(character if character.isprintable() else "?" for character in reason[:LONGEST_REASON])
        if not self.ended:
            who = f"process {self.hello.sender}" if self.open and self.hello is not None else ""
            self.endpoint.listener.refuse(self.guest.address, reason, who)
            if self.node is None:
                self.send(Refusal(reason, final, *self.other_roll, namesake) if self.open else Refusal(NOT_TOLD))
        self.end(reason)

    def on_end(self, reason: str) -> None:
        if self.acknowledgement is not None:
            self.acknowledgement.cancel()
        self.guest.leave()
        if self.node is not None and self.hello is not None:
            self.node.inbound_closed(self.hello.sender, self)


class Endpoint:
    """A port, and the nodes that are reached through it."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.host = host
        self.port = port
        self.tls = tls
        self.nodes: dict[str, LocalProcess] = {}  # by group
        self.registries: dict[str, Registrar] = {}  # by group
        self.proven: set[str] = set()  # hosts from which somebody has proven membership
        most = share_descriptors(MOST_STRANGERS, PART)
        self.listener = Listener("a connection", most, HANDSHAKE_TIMEOUT, self.make_acceptor, tls, self.knows)
        self.opening = asyncio.Lock()
        self.bound: list[socket.socket] = []  # sockets that have the address already

    def make_acceptor(self, guest: Guest) -> Acceptor:
        return Acceptor(self, guest)

    def knows(self, host: str) -> bool:
        """Whether peers are expected from this host."""
        return host in self.proven or any(host in node.hosts for node in self.nodes.values())

    async def open(self) -> None:
        """Listen, unless it does already; port 0 means any free port, which is known afterwards."""
        async with self.opening:  # several nodes may open it at the same time
            if not self.listener.sockets:
                await self.listen()

    async def listen(self) -> None:
        where = (self.host, self.port)
        try:
            sockets = self.bound or await open_sockets(where)
        except OSError as error:
            raise NetworkError(
                f"cannot listen on {format_address(where)}: {system_says(error)}; give another address or --listen"
            ) from None
        self.port = sockets[0].getsockname()[1]
        self.listener.start(sockets)

    def close(self) -> None:
        """Accept no more connections, and close those of strangers."""
        self.listener.close()
