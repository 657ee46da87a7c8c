"""A port that others connect to.

A connection belongs to nobody until its hello has been read and its proof checked. The group that the hello names
decides which node it is for, so that several groups can share a port. What does not fit is refused with a reason, which
is logged here and told to the other end; the nodes do not notice.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from typing import TYPE_CHECKING, Any

from habemus.network.addresses import shown
from habemus.network.connection import GREETING_TIME, Connection
from habemus.network.errors import NetworkError, WireError, system_says
from habemus.network.handshake import Secrets, check_hello, new_challenge
from habemus.network.wire import (
    VERSION,
    Enlist,
    Farewell,
    Follows,
    Hello,
    Parcel,
    Proof,
    Receipt,
    Refusal,
    Welcome,
    decoded,
)
from habemus.process import Message, Pid

if TYPE_CHECKING:
    from habemus.network.discovery import Registry
    from habemus.network.node import Node

RECEIPT_EVERY = 64  # reliable parcels, or
RECEIPT_WITHIN = 0.01  # seconds, whichever comes first
LONGEST_REASON = 500  # characters
MOST_STRANGERS = 256  # connections at a time whose other end is not known yet

log = logging.getLogger("habemus.network")

Arrival = tuple[Message, tuple[int, int, int] | None]


class Acceptor(Connection):
    """Our end of a connection that another process dialled."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__()
        self.endpoint = endpoint
        self.node: Node | None = None
        self.hello: Hello | None = None
        self.enlist: Enlist | None = None
        self.shared: Secrets | None = None
        self.batch: list[Arrival] = []
        self.received = 0  # reliable parcels
        self.done = 0  # up to which they have been dealt with
        self.acknowledged = 0
        self.receipt: asyncio.TimerHandle | None = None  # the next one

    @property
    def peer(self) -> Pid:
        """Who is at the other end."""
        assert self.hello is not None  # it is asked of known ones only
        return self.hello.sender

    def greet(self) -> None:
        """Whoever dials speaks first."""
        if len(self.endpoint.strangers) >= MOST_STRANGERS:
            self.cut("too many connections whose other end is not known")
        else:
            self.endpoint.strangers[self] = None

    def take(self, body: bytes) -> None:
        """Hello, then proof, then parcels."""
        match decoded(body):
            case Parcel() as parcel if self.open and self.node is not None:
                self.unpack(parcel)
            case Hello() as hello if self.shared is None:
                self.challenge(hello, body)
            case Enlist() as enlist if self.shared is None:
                self.challenge_newcomer(enlist, body)
            case Proof() as proof if self.shared is not None and not self.open:
                self.shared.check(b"habemus dialler", proof.proof)
                self.let_in()
            case Farewell() if self.open and self.node is not None:
                self.finish_batch()
                self.node.peer_leaves(self.peer)
            case Follows(leader) if self.open and self.node is not None:
                self.finish_batch()
                self.node.agreement.hear(self.peer, leader)
            case other:
                raise WireError(f"{type(other).__name__} is not expected here")

    def challenge(self, hello: Hello, body: bytes) -> None:
        """Is it one of ours? Then let it prove it."""
        node = self.endpoint.nodes.get(hello.group)
        if node is None:
            spoken = f"there is no group {hello.group[:100]!r} here"
            raise WireError(spoken if hello.version == VERSION else f"it speaks version {hello.version}, not {VERSION}")
        check_hello(hello, node.identity)
        if hello.sender in node.deaf:
            self.cut("we do not hear it")
            return
        self.node, self.hello = node, hello
        me = node.identity
        challenge, self.shared = new_challenge(me.incarnation, me.instance, node.key, body)
        self.say(challenge)

    def challenge_newcomer(self, enlist: Enlist, body: bytes) -> None:
        """Somebody wants to be a member: let it prove that it may."""
        registry = self.endpoint.registries.get(enlist.group)
        if registry is None or enlist.version != VERSION:
            raise WireError(f"there is no registry of the group {enlist.group[:100]!r} here, or not of its version")
        self.enlist = enlist
        challenge, self.shared = new_challenge(0, b"", registry.key, body)
        self.say(challenge)

    def let_in(self) -> None:
        """The other end has proven what it had to prove."""
        if self.enlist is None:
            self.welcome()
            return
        assert self.shared is not None
        incoming, outgoing = self.shared.seals()
        self.become_open(outgoing, incoming)
        self.endpoint.strangers.pop(self, None)
        self.endpoint.registries[self.enlist.group].enlist(self.enlist, self)

    def welcome(self) -> None:
        """It has proven to be a member."""
        assert self.node is not None and self.hello is not None and self.shared is not None
        incoming, outgoing = self.shared.seals()
        self.become_open(outgoing, incoming)
        self.endpoint.strangers.pop(self, None)
        try:
            self.received = self.done = self.acknowledged = self.node.admit(self.hello, self)
        except NetworkError as error:
            self.say(Refusal(str(error), final=True))
            self.end(str(error))
            return
        self.say(Welcome(self.received))

    def unpack(self, parcel: Parcel) -> None:
        """Keep a message for the end of the batch."""
        assert self.node is not None
        message = self.node.codec.message(parcel)
        if parcel.number:
            if parcel.number != self.received + 1:
                raise WireError(f"parcel {parcel.number} after {self.received}")
            self.received += 1
        self.batch.append((message, parcel.origin))

    def finish_batch(self) -> None:
        """Hand over what came together, then acknowledge it, by and by."""
        if self.batch and self.node is not None and not self.ended:
            batch, self.batch = self.batch, []
            if self.node.receive(self, batch, self.received):
                self.done = self.received
                if self.done - self.acknowledged >= RECEIPT_EVERY:
                    self.acknowledge()
                elif self.done > self.acknowledged and self.receipt is None:
                    self.receipt = asyncio.get_running_loop().call_later(RECEIPT_WITHIN, self.acknowledge)

    def acknowledge(self) -> None:
        """Tell the other end what it can forget."""
        if self.receipt is not None:
            self.receipt.cancel()
            self.receipt = None
        self.acknowledged = self.done
        self.say(Receipt(self.done))

    def refuse(self, reason: str) -> None:
        """Log it, tell the other end, and close; what it is told may hold words of a stranger."""
        reason = "".join(character if character.isprintable() else "?" for character in reason[:LONGEST_REASON])
        if not self.ended:
            who = f"process {self.hello.sender}" if self.hello is not None else self.address
            log.warning("refused a connection from %s: %s", who, reason)
            self.endpoint.refusals += 1
            if not self.open:
                self.say(Refusal(reason))
        self.end(reason)

    @property
    def address(self) -> str:
        """Where the other end is."""
        name: Any = self.transport.get_extra_info("peername") if self.transport is not None else None
        return shown(name[:2]) if name else "somewhere"

    def over(self, reason: str) -> None:
        """Forget it."""
        if self.receipt is not None:
            self.receipt.cancel()
        self.endpoint.strangers.pop(self, None)
        if self.node is not None and self.open:
            self.node.inbound_closed(self)
        elif "did not say who" in reason:
            log.info("a connection from %s was closed: %s", self.address, reason)


class Endpoint:
    """A port, and the nodes that are reached through it."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.host = host
        self.port = port
        self.tls = tls
        self.nodes: dict[str, Node] = {}  # by group
        self.registries: dict[str, Registry] = {}
        self.strangers: dict[Acceptor, None] = {}
        self.refusals = 0
        self.server: asyncio.Server | None = None
        self.opening = asyncio.Lock()

    async def open(self) -> None:
        """Listen, if it does not yet; port 0 means any free one, which is known afterwards."""
        async with self.opening:  # several nodes may come at the same time
            if self.server is None:
                await self.listen()

    async def listen(self) -> None:
        """Have the kernel accept connections."""
        loop = asyncio.get_running_loop()
        try:
            self.server = await loop.create_server(
                lambda: Acceptor(self),
                self.host,
                self.port,
                ssl=self.tls,
                ssl_handshake_timeout=GREETING_TIME if self.tls is not None else None,
                reuse_address=True,
            )
        except OSError as error:
            where = shown((self.host, self.port))
            raise NetworkError(
                f"cannot listen on {where}: {system_says(error)}; give another address or --listen"
            ) from None
        self.port = self.server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Take no more connections, and close those that are not known yet."""
        if self.server is not None:
            self.server.close()
        for stranger in list(self.strangers):
            stranger.cut("we leave")
