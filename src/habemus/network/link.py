"""The way to one other process.

Each process dials every neighbour and sends on the connection it dialled; what it receives comes on connections that
the others dialled. So a link has one writer, keeps the order, and needs no agreement on who connects whom.

Algorithms that assume reliable links get them: their messages are numbered, kept until the other end has acknowledged
them, and sent again, from where it says, on the next connection. That holds as long as both ends live. One that comes
back after a crash is a new instance: what was meant for the old one is dropped, as it would be by any crash. So is what
was meant for one that had not come yet, if the algorithm takes such a one for crashed; if it knows no crashes it waits.
Messages of layers that tolerate loss are sent once, if at that moment there is a connection that takes them.

Nothing piles up without end. Who lags behind by too many messages is given up: it counts as crashed, and is not heard
of again until it is a new instance.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections import deque
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

from habemus.network.addresses import Address, shown
from habemus.network.connection import Connection
from habemus.network.errors import NetworkError, WireError
from habemus.network.handshake import Secrets, accept_challenge, new_hello
from habemus.network.wire import Challenge, Farewell, Follows, Proof, Receipt, Refusal, Welcome, decoded, encoded
from habemus.process import Pid

if TYPE_CHECKING:
    from habemus.network.node import Node

MOST_UNACKNOWLEDGED = 20_000
MOST_BYTES = 1 << 24
FIRST_WAIT, LONGEST_WAIT = 0.02, 1.0
DIAL_TIME = 3.0

log = logging.getLogger("habemus.network")


class Dialler(Connection):
    """Our end of a connection that we dialled."""

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link
        self.hello = b""
        self.instance = b""
        self.shared: Secrets | None = None
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def greet(self) -> None:
        """Say who we are."""
        self.hello = encoded(new_hello(self.link.node.identity, self.link.peer))
        self.write(self.hello)

    def take(self, body: bytes) -> None:
        """Challenge, then welcome, then receipts."""
        match decoded(body):
            case Refusal() as refusal:
                self.link.refused(refusal, self.shared is not None)
                self.end(f"it refuses us: {refusal.reason[:300]!r}")
            case Challenge() as challenge if self.shared is None:
                self.shared = accept_challenge(challenge, self.link.node.key, self.hello)
                self.instance = challenge.instance
                self.say(Proof(self.shared.proof(b"habemus dialler")))
                self.outgoing, self.incoming = self.shared.seals()
            case Welcome() as welcome if self.shared is not None and not self.open:
                self.become_open(self.outgoing, self.incoming)
                self.link.opened(self, welcome.received)
            case Receipt() as receipt if self.open:
                self.link.acknowledged(receipt.number)
            case other:
                raise WireError(f"{type(other).__name__} is not expected here")

    def unclogged(self) -> None:
        """Go on with what had to wait."""
        if self.open:
            self.link.write_rest()

    def over(self, reason: str) -> None:
        """Let the link know."""
        if not self.finished.done():
            self.finished.set_result(None)
        self.link.closed(self, reason)


class Link:
    """What is to reach one other process, and the connection on which it does."""

    def __init__(self, node: Node, peer: Pid, address: Address, tls: ssl.SSLContext | None) -> None:
        self.node = node
        self.peer = peer
        self.address = address
        self.tls = tls
        self.connection: Dialler | None = None  # the open one
        self.their_instance: bytes | None = None  # whom the numbers are for
        self.abandoned: bytes | None = None  # an instance that lagged too far behind
        self.number = 0
        self.written = 0
        self.unacknowledged: deque[tuple[int, bytes]] = deque()
        self.bytes = 0
        self.dropped = 0
        self.redials = 0
        self.trouble = ""  # the last one that was logged
        self.nudged = asyncio.Event()
        self.jitter = Random()
        self.task: asyncio.Task[None] | None = None

    @property
    def up(self) -> bool:
        """Whether the other end is there."""
        return self.connection is not None

    # Sending

    def next_number(self) -> int:
        """The number of the next reliable parcel."""
        return self.number + 1

    def send_reliable(self, parcel: bytes) -> None:
        """Send a parcel that carries the next number, now or as soon as there is a way."""
        self.number += 1
        self.unacknowledged.append((self.number, parcel))
        self.bytes += len(parcel)
        if len(self.unacknowledged) > MOST_UNACKNOWLEDGED or self.bytes > MOST_BYTES:
            self.abandon()
        elif self.connection is not None and not self.connection.clogged and self.written == self.number - 1:
            self.written = self.number
            self.connection.write(parcel)

    def send_once(self, parcel: bytes) -> None:
        """Send a parcel if it can leave at once."""
        if self.connection is not None and not self.connection.clogged:
            self.connection.write(parcel)
        else:
            self.dropped += 1

    def tell_leader(self) -> None:
        """Let the other end know whom we follow."""
        if self.connection is not None and self.node.agreement.needed:
            self.connection.say(Follows(self.node.leader))

    def write_rest(self) -> None:
        """Write all that has not been written to this connection."""
        if self.connection is not None:
            rest = [parcel for number, parcel in self.unacknowledged if number > self.written]
            self.written = self.number
            for parcel in rest:
                self.connection.write(parcel)

    def acknowledged(self, number: int) -> None:
        """The other end has all up to this one."""
        if number > self.number:
            raise WireError(f"it acknowledges {number} parcels, but {self.number} were sent")
        while self.unacknowledged and self.unacknowledged[0][0] <= number:
            self.bytes -= len(self.unacknowledged.popleft()[1])

    def abandon(self) -> None:
        """The other end is hopelessly behind."""
        log.warning("process %s is given up: %s messages behind", self.peer, len(self.unacknowledged))
        self.abandoned = self.their_instance
        self.forget()
        if self.connection is not None:
            self.connection.cut("it lags too far behind")

    def forget(self) -> None:
        """Nobody is there any more who could be sent what was still to be sent."""
        self.dropped += len(self.unacknowledged)
        self.unacknowledged.clear()
        self.bytes = self.number = self.written = 0

    # The connection

    def meet(self, instance: bytes) -> None:
        """This is who is at the other end now, be it that it dialled us or that we dialled it."""
        if instance == self.their_instance:
            return
        if self.their_instance is not None or self.node.takes_missing_for_crashed:
            self.forget()
        self.their_instance = instance
        if self.connection is not None and self.connection.instance != instance:
            self.connection.cut("the process has come back as a new one")

    def nudge(self) -> None:
        """It is worth dialling at once."""
        self.nudged.set()

    def opened(self, connection: Dialler, received: int) -> None:
        """The other end welcomes us; it has all parcels up to that number."""
        self.meet(connection.instance)
        if connection.instance == self.abandoned:
            connection.end("it was given up, and is still the same instance")
            return
        if self.peer in self.node.deaf:
            connection.cut("the way there is cut")
            return
        if received > self.number:
            raise WireError(f"it says it has {received} parcels, but {self.number} were sent")
        self.acknowledged(received)
        self.written = received
        self.connection = connection
        self.trouble = ""
        self.write_rest()
        self.tell_leader()
        log.info("connected to process %s at %s", self.peer, shown(self.address))
        self.node.link_made(self.peer)

    def closed(self, connection: Dialler, reason: str) -> None:
        """A connection has ended, whether it was open or not."""
        if connection is self.connection:
            self.connection = None
            log.info("the connection to process %s has ended: %s", self.peer, reason)
            self.node.link_lost(self.peer)
        else:
            self.complain(reason)

    def refused(self, refusal: Refusal, known: bool) -> None:
        """The other end does not want us; a final word counts only from one that has proven to be a member."""
        if refusal.final and known:
            self.node.fail(NetworkError(f"process {self.peer} refuses us: {refusal.reason}"))

    def complain(self, reason: str) -> None:
        """Log why there is no connection, once for each reason."""
        if reason != self.trouble:
            self.trouble = reason
            log.info("no connection to process %s at %s: %s", self.peer, shown(self.address), reason)

    def depart(self) -> None:
        """The other end has said farewell, or we do not believe in it any more."""
        if self.connection is not None:
            self.connection.cut("it has left")

    async def keep_connected(self) -> None:
        """Dial, and dial again, ever more patiently and never in step with others."""
        loop = asyncio.get_running_loop()
        wait = FIRST_WAIT
        while True:
            self.nudged.clear()
            while self.peer in self.node.deaf:
                await self.nudged.wait()
                self.nudged.clear()
            try:
                host, port = self.address
                async with asyncio.timeout(DIAL_TIME):
                    _, connection = await loop.create_connection(lambda: Dialler(self), host, port, ssl=self.tls)
                await connection.finished
                if connection.open:
                    wait = FIRST_WAIT
            except TimeoutError:
                self.complain("no answer")
            except (OSError, ssl.SSLError) as error:
                self.complain(error.strerror or str(error))
            with suppress(TimeoutError):
                async with asyncio.timeout(wait * self.jitter.uniform(0.5, 1.0)):
                    await self.nudged.wait()
            wait = min(2 * wait, LONGEST_WAIT)
            self.redials += 1

    def start(self) -> None:
        """Begin to dial."""
        self.task = asyncio.get_running_loop().create_task(self.keep_connected())

    async def stop(self, farewell: bool) -> None:
        """Leave, in order or at once."""
        if self.task is not None:
            self.task.cancel()
            with suppress(asyncio.CancelledError):
                await self.task
        if self.connection is not None:
            connection, self.connection = self.connection, None
            self.trouble = "we leave"  # which is none to complain about
            if farewell:
                connection.say(Farewell())
            connection.end("we leave")
