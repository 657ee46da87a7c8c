"""The link to one peer.

Each process dials every neighbour and sends on the connection it dialled; it receives on the connections that the
others dialled. So a link has one writer, keeps the order, and needs no agreement on who connects to whom. A client,
which nobody dials, receives on the connections that it dialled.

Algorithms that assume reliable links get them: their messages are numbered, kept until the peer has acknowledged them,
and sent again on the next connection, from the number that the peer names. That holds as long as both ends live. A peer
that restarts after a crash is a new instance: messages for the old one are dropped, as in any crash. So are messages
for a peer that has not connected yet, if the algorithm counts such a peer as crashed; an algorithm without crashes
keeps them. Messages of layers that tolerate loss are sent once, if there is a connection that takes them.

Memory is bounded. A peer that lags behind by too many messages counts as crashed, and is not connected to again until
it is a new instance.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections import deque
from contextlib import suppress
from random import Random

from habemus.network.errors import WireError
from habemus.network.wire.addresses import Address, format_address
from habemus.network.wire.connection import Connection
from habemus.network.wire.dialling import connect
from habemus.network.wire.frames import (
    LARGEST_FRAME,
    Acknowledgement,
    Body,
    Challenge,
    Farewell,
    MessageFrame,
    Proof,
    Refusal,
    Welcome,
    decode,
)
from habemus.network.wire.handshake import Secrets, accept_challenge, new_hello, new_knock
from habemus.network.wire.local import Arrival, LocalProcess
from habemus.process import Pid

MOST_UNACKNOWLEDGED = 20_000
MOST_BYTES = 1 << 24
FIRST_WAIT, LONGEST_WAIT = 0.02, 1.0  # seconds between two attempts to connect
LONGEST_REFUSED = 10.0  # the same with a peer that refuses this process

log = logging.getLogger("habemus.network")


class Dialler(Connection):
    """Our end of a connection that we dialled."""

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link
        self.knock = new_knock(link.node.identity.group)
        self.instance = b""
        self.shared: Secrets | None = None
        self.refused = False
        self.batch: list[Arrival] = []  # what a client was sent
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def on_connected(self) -> None:
        self.write(self.knock)

    def on_frame(self, body: bytes) -> None:
        """Challenge, then welcome, then acknowledgements; to a client also messages."""
        node = self.link.node
        match decode(body):
            case MessageFrame() as message if self.open and node.identity.client:
                self.batch.append((node.codec.decode(message), message.origin))
            case Refusal() as refusal:
                self.refused = True
                self.link.on_refusal(refusal, self.shared is not None)
                self.end(f"refused by the peer: {refusal.reason[:300]!r}")
            case Challenge() as challenge if self.shared is None:
                self.shared = accept_challenge(challenge, node.key, self.knock)
                self.send(Proof(self.shared.proof(b"habemus dialler")))
                self.outgoing, self.incoming = self.shared.seals()
                self.reader.limit = LARGEST_FRAME  # the peer has proven its membership
                self.send(new_hello(node.identity, self.link.peer))
            case Welcome() as welcome if self.shared is not None and not self.open:
                self.instance = welcome.instance
                self.become_open(self.outgoing, self.incoming)
                self.link.on_open(self, welcome.received)
            case Acknowledgement() as acknowledgement if self.open:
                self.link.on_acknowledgement(acknowledgement.number)
            case other:
                raise WireError(f"unexpected {type(other).__name__}")

    def on_batch_end(self) -> None:
        if self.batch and not self.ended:
            batch, self.batch = self.batch, []
            self.link.node.hear(self.link.peer, batch)

    def on_drained(self) -> None:
        if self.open:
            self.link.write_rest()

    def on_end(self, reason: str) -> None:
        if not self.finished.done():
            self.finished.set_result(None)
        self.link.on_close(self, reason)


class Link:
    """The messages for one peer, and the connection on which they are sent."""

    def __init__(self, node: LocalProcess, peer: Pid, address: Address, tls: ssl.SSLContext | None) -> None:
        self.node = node
        self.peer = peer
        self.address = address
        self.tls = tls
        self.connection: Dialler | None = None  # the open one
        self.peer_instance: bytes | None = None  # whose messages are numbered
        self.abandoned: bytes | None = None  # an instance that lagged too far behind
        self.number = 0
        self.written = 0
        self.unacknowledged: deque[tuple[int, bytes]] = deque()
        self.bytes = 0
        self.dropped = 0
        self.redials = 0
        self.logged_reason = ""
        self.dial_now = asyncio.Event()
        self.jitter = Random()
        self.task: asyncio.Task[None] | None = None

    @property
    def up(self) -> bool:
        return self.connection is not None

    # Sending

    def next_number(self) -> int:
        """The number that the next reliable message has to carry."""
        return self.number + 1

    def send_reliable(self, message: bytes) -> None:
        """Send a message that carries the next number, now or on the next connection."""
        self.number += 1
        self.unacknowledged.append((self.number, message))
        self.bytes += len(message)
        if len(self.unacknowledged) > MOST_UNACKNOWLEDGED or self.bytes > MOST_BYTES:
            self.abandon()
        elif self.connection is not None and not self.connection.congested and self.written == self.number - 1:
            self.written = self.number
            self.connection.put(message)

    def send_once(self, message: bytes) -> None:
        """Send a message if the connection takes it."""
        if self.connection is not None and not self.connection.congested:
            self.connection.put(message)
        else:
            self.dropped += 1

    def send_control(self, body: Body) -> None:
        """Send a frame of our own protocol, if there is a connection."""
        if self.connection is not None:
            self.connection.send(body)

    def write_rest(self) -> None:
        """Write all messages that have not been written to this connection."""
        if self.connection is not None:
            rest = [message for number, message in self.unacknowledged if number > self.written]
            self.written = self.number
            for message in rest:
                self.connection.put(message)
            self.connection.flush()

    def on_acknowledgement(self, number: int) -> None:
        if number > self.number:
            raise WireError(f"the peer acknowledges {number} messages, but only {self.number} were sent")
        while self.unacknowledged and self.unacknowledged[0][0] <= number:
            self.bytes -= len(self.unacknowledged.popleft()[1])

    def abandon(self) -> None:
        """The peer is too far behind."""
        log.warning("process %s counts as crashed: it is %s messages behind", self.peer, len(self.unacknowledged))
        self.abandoned = self.peer_instance
        self.drop_all()
        if self.connection is not None:
            self.connection.abort("the peer is too far behind")

    def drop_all(self) -> None:
        """Drop what was still to be sent: its receiver is gone."""
        self.dropped += len(self.unacknowledged)
        self.unacknowledged.clear()
        self.bytes = self.number = self.written = 0

    # The connection

    def meet(self, instance: bytes) -> None:
        """This instance is at the other end now, whether it dialled us or we dialled it."""
        if instance == self.peer_instance:
            return
        if self.peer_instance is not None or self.node.counts_missing_as_crashed:
            self.drop_all()
        self.peer_instance = instance
        if self.connection is not None and self.connection.instance != instance:
            self.connection.abort("the peer has restarted")

    def nudge(self) -> None:
        """Dial without waiting any longer."""
        self.dial_now.set()

    def on_open(self, connection: Dialler, received: int) -> None:
        """The peer welcomes us; it has all messages up to that number."""
        self.meet(connection.instance)
        if connection.instance == self.abandoned:
            connection.end("the peer counts as crashed until it restarts")
            return
        if self.peer in self.node.blocked:
            connection.abort("the link is cut")
            return
        self.on_acknowledgement(received)
        self.written = received
        self.connection = connection
        self.logged_reason = ""
        self.write_rest()
        log.info("connected to process %s at %s", self.peer, format_address(self.address))
        self.node.link_made(self.peer)

    def on_close(self, connection: Dialler, reason: str) -> None:
        """A connection has ended, whether it was open or not."""
        if connection is self.connection:
            self.connection = None
            log.info("the connection to process %s has ended: %s", self.peer, reason)
            self.node.link_lost(self.peer)
        else:
            self.log_failure(reason)

    def on_refusal(self, refusal: Refusal, authenticated: bool) -> None:
        """The peer refuses us; a final refusal counts only from an authenticated one."""
        if refusal.members and authenticated:
            self.node.meet_other_roll(self.peer, refusal.members, refusal.founded)
        if refusal.namesake and authenticated:
            self.node.meet_namesake(f"process {self.peer} refuses this process: {refusal.reason}")
        if refusal.final and authenticated:
            self.node.be_refused(f"process {self.peer} refuses this process: {refusal.reason}")

    def log_failure(self, reason: str) -> None:
        """Log why there is no connection, once for each reason."""
        if reason != self.logged_reason:
            self.logged_reason = reason
            log.info("no connection to process %s at %s: %s", self.peer, format_address(self.address), reason)

    def disconnect(self) -> None:
        """The peer has left."""
        if self.connection is not None:
            self.connection.abort("the peer has left")

    async def keep_connected(self) -> None:
        """Dial again and again, with growing and random pauses."""
        wait = FIRST_WAIT
        while True:
            longest = LONGEST_WAIT
            self.dial_now.clear()
            while self.peer in self.node.blocked:
                await self.dial_now.wait()
                self.dial_now.clear()
            try:
                connection = await connect(lambda: Dialler(self), self.address, self.tls)
                try:
                    await connection.finished
                finally:
                    connection.end("this process leaves")  # no effect unless it was cancelled in the handshake
                if connection.open:
                    wait = FIRST_WAIT
                elif connection.refused:
                    longest = LONGEST_REFUSED
            except OSError as error:
                self.log_failure(error.strerror or str(error))
            with suppress(TimeoutError):
                async with asyncio.timeout(wait * self.jitter.uniform(0.5, 1.0)):
                    await self.dial_now.wait()
            wait = min(2 * wait, longest)
            self.redials += 1

    def start(self) -> None:
        self.task = asyncio.get_running_loop().create_task(self.keep_connected())

    async def wait_closed(self) -> None:
        """Wait until nothing is dialled any more."""
        if self.task is not None:
            with suppress(asyncio.CancelledError):
                await self.task

    def close(self, farewell: bool) -> None:
        """Close the connection; with a farewell the peer knows that we leave on purpose."""
        if self.task is not None:
            self.task.cancel()
        if self.connection is not None:
            connection, self.connection = self.connection, None
            self.logged_reason = "this process leaves"  # not worth a line in the log
            if farewell:
                connection.send(Farewell())
            connection.end("this process leaves")
