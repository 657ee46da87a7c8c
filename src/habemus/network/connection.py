"""One TCP connection: frames in, frames out, and an end with a reason.

What is not a proper frame ends the connection, and only that. Whoever does not say who it is within a few seconds is
shown out. A reader that does not keep up is not written to any more until it does (`clogged`): what to do with what it
should have got is the link's business.
"""

from __future__ import annotations

import asyncio
import socket
from typing import cast

from habemus.network.errors import WireError
from habemus.network.handshake import Seal
from habemus.network.wire import LARGEST_FRAME, Body, Frames, decoded, encoded, framed

GREETING_TIME = 5.0  # seconds until the other end must be known
UNSENT = 1 << 18  # bytes that the kernel did not take yet, before the connection counts as clogged
LONGEST_SILENCE = 5  # seconds until the kernel takes the way to another machine for broken
SILENCE = (
    *(("TCP_KEEPIDLE", 2), ("TCP_KEEPINTVL", 1), ("TCP_KEEPCNT", LONGEST_SILENCE - 2)),
    ("TCP_USER_TIMEOUT", 1000 * LONGEST_SILENCE),
)


class Connection(asyncio.Protocol):
    """Either end of a connection."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.frames = Frames()
        self.outgoing = Seal(None)
        self.incoming = Seal(None)
        self.open = False  # the other end is known
        self.clogged = False
        self.ended = ""  # why, once it has
        self.patience: asyncio.TimerHandle | None = None
        self.silence: asyncio.TimerHandle | None = None  # we read nothing, and when it runs out it is over

    # From the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The kernel has connected us."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=UNSENT)
        connected = transport.get_extra_info("socket")
        if connected is not None:
            notice_silence(connected)
        self.patience = asyncio.get_running_loop().call_later(
            GREETING_TIME, self.end, f"it did not say who it is within {GREETING_TIME:g} seconds"
        )
        self.greet()

    def data_received(self, data: bytes) -> None:
        """Some bytes have arrived."""
        reason = ""
        try:
            for frame in self.frames.feed(data):
                self.take(self.incoming.open(frame))
                if self.ended:
                    return
        except WireError as error:
            reason = str(error)
        self.finish_batch()  # what came before the mistake was sound
        if reason:
            self.refuse(reason)

    def eof_received(self) -> None:
        """The other end has closed its side, and so do we."""
        self.end("closed by the other end")

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is no more."""
        self.end(str(error) if error is not None else "closed by the other end")

    def pause_writing(self) -> None:
        """The other end does not read what we write."""
        self.clogged = True

    def resume_writing(self) -> None:
        """It does again."""
        self.clogged = False
        self.unclogged()

    # For both ends

    def write(self, body: bytes) -> None:
        """Send an encoded body under its seal."""
        if self.transport is not None and not self.ended:
            self.transport.write(framed(self.outgoing.close(body)))

    def say(self, body: Body) -> None:
        """Send one structure."""
        self.write(encoded(body))

    def become_open(self, outgoing: Seal, incoming: Seal) -> None:
        """The other end is known: from here on frames are sealed and may be large."""
        self.outgoing, self.incoming = outgoing, incoming
        self.open = True
        self.frames.limit = LARGEST_FRAME
        self.calm()

    def calm(self) -> None:
        """There is nothing to wait for any more."""
        if self.patience is not None:
            self.patience.cancel()
            self.patience = None

    def hold(self, deaf: bool) -> None:
        """Read nothing, as if nothing came, or read again; a silence that lasts ends it, as the kernel would."""
        if self.transport is None or deaf == (self.silence is not None) or self.ended:
            return
        if self.silence is None:
            self.transport.pause_reading()
            self.silence = asyncio.get_running_loop().call_later(LONGEST_SILENCE, self.cut, "the way there is cut")
        else:
            self.silence.cancel()
            self.silence = None
            self.transport.resume_reading()

    def end(self, reason: str) -> None:
        """Close it, for this reason."""
        if not self.ended:
            self.ended = reason
            self.calm()
            if self.silence is not None:
                self.silence.cancel()
            if self.transport is not None:
                self.transport.close()
            self.over(reason)

    def cut(self, reason: str) -> None:
        """Close it without sending what is still to be sent."""
        self.end(reason)
        if self.transport is not None:
            self.transport.abort()

    # What the two ends do differently

    def greet(self) -> None:
        """The connection has just been made."""

    def take(self, body: bytes) -> None:
        """A frame has arrived, its seal checked."""
        raise WireError(f"{decoded(body)!r} is not expected here")

    def finish_batch(self) -> None:
        """All frames that came together have been taken."""

    def refuse(self, reason: str) -> None:
        """The other end sends what it may not."""
        self.end(reason)

    def unclogged(self) -> None:
        """There is room again."""

    def over(self, reason: str) -> None:
        """The connection has ended."""


def notice_silence(connected: socket.socket) -> None:
    """Have the kernel notice within seconds that the other machine, or the way there, is gone."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in SILENCE:
        option = getattr(socket, name, None)
        if option is not None:
            connected.setsockopt(socket.IPPROTO_TCP, option, value)
