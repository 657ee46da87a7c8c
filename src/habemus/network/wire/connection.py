"""One TCP connection: frames in, frames out, and an end with a reason.

A malformed frame ends the connection, and only that. So does a peer that does not finish the handshake within a few
seconds. While a peer does not read what it is sent, nothing more is written to it (`congested`); what to do with the
messages it should have got is up to the link.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any, cast

from habemus.network.errors import WireError
from habemus.network.wire.addresses import format_address
from habemus.network.wire.fork import keep_from_children
from habemus.network.wire.frames import LARGEST_FRAME, Body, FrameReader, decode, encode, make_frame
from habemus.network.wire.handshake import Seal

HANDSHAKE_TIMEOUT = 5.0  # seconds
UNSENT = 1 << 18  # bytes that the kernel has not taken yet, before the connection counts as congested
LONGEST_SILENCE = 5  # seconds until the kernel declares the connection to another machine broken
KEEPALIVE = (
    *(("TCP_KEEPIDLE", 2), ("TCP_KEEPINTVL", 1), ("TCP_KEEPCNT", LONGEST_SILENCE - 2)),
    ("TCP_USER_TIMEOUT", 1000 * LONGEST_SILENCE),
)


class Connection(asyncio.Protocol):
    """Either end of a connection."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.reader = FrameReader()
        self.frames: list[bytes] = []  # put, and not written yet
        self.outgoing = Seal(None)
        self.incoming = Seal(None)
        self.open = False  # the peer is authenticated
        self.congested = False
        self.ended = ""  # the reason, once it has ended
        self.handshake_timer: asyncio.TimerHandle | None = None
        self.blocked_timer: asyncio.TimerHandle | None = None  # while blocked: ends the connection when it expires

    def descriptors(self) -> list[int]:
        if self.transport is None or self.ended:
            return []
        connected: Any = self.transport.get_extra_info("socket")
        return [connected.fileno()] if connected is not None else []

    @property
    def peer_address(self) -> str:
        """Where the other end is."""
        name: Any = self.transport.get_extra_info("peername") if self.transport is not None else None
        return format_address(name[:2]) if name else "an unknown address"

    # From the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=UNSENT)
        keep_from_children(self)
        connected = transport.get_extra_info("socket")
        if connected is not None:
            detect_silence(connected)
        loop = asyncio.get_running_loop()
        self.handshake_timer = loop.call_later(HANDSHAKE_TIMEOUT, self.on_handshake_timeout)
        self.on_connected()

    def data_received(self, data: bytes) -> None:
        reason = ""
        try:
            for received in self.reader.feed(data):
                self.on_frame(self.incoming.verify(received))
                if self.ended:
                    return
        except WireError as error:
            reason = str(error)
        self.on_batch_end()  # the frames before the malformed one were sound
        if reason:
            self.refuse(reason)

    def eof_received(self) -> None:
        self.end("closed by the peer")

    def connection_lost(self, error: Exception | None) -> None:
        self.end(str(error) if error is not None else "closed by the peer")

    def pause_writing(self) -> None:
        self.congested = True

    def resume_writing(self) -> None:
        self.congested = False
        self.on_drained()

    # For both ends

    def put(self, body: bytes) -> None:
        """Have an encoded body sent under its seal with the next flush: each writing costs a system call."""
        self.frames.append(make_frame(self.outgoing.attach(body)))

    def flush(self) -> None:
        frames = self.frames
        if frames:
            self.frames = []
            if self.transport is not None and not self.ended and not self.transport.is_closing():
                self.transport.write(frames[0] if len(frames) == 1 else b"".join(frames))

    def write(self, body: bytes) -> None:
        self.put(body)
        self.flush()

    def send(self, body: Body) -> None:
        self.write(encode(body))

    def become_open(self, outgoing: Seal, incoming: Seal) -> None:
        """The peer is authenticated: from here on frames are sealed and may be large."""
        self.outgoing, self.incoming = outgoing, incoming
        self.open = True
        self.reader.limit = LARGEST_FRAME
        self.cancel_handshake_timer()

    def cancel_handshake_timer(self) -> None:
        if self.handshake_timer is not None:
            self.handshake_timer.cancel()
            self.handshake_timer = None

    def block(self, blocked: bool) -> None:
        """Stop reading, as if the network were cut, or read again; a block that lasts ends the connection."""
        if self.transport is None or blocked == (self.blocked_timer is not None) or self.ended:
            return
        if self.blocked_timer is None:
            self.transport.pause_reading()
            loop = asyncio.get_running_loop()
            self.blocked_timer = loop.call_later(LONGEST_SILENCE, self.abort, "the link is cut")
        else:
            self.blocked_timer.cancel()
            self.blocked_timer = None
            self.transport.resume_reading()

    def end(self, reason: str) -> None:
        """Close the connection after sending what has been written."""
        if not self.ended:
            self.flush()
            self.ended = reason
            self.cancel_handshake_timer()
            if self.blocked_timer is not None:
                self.blocked_timer.cancel()
            if self.transport is not None:
                self.transport.close()
            self.on_end(reason)

    def abort(self, reason: str) -> None:
        """Close the connection at once; what has not been sent is lost."""
        self.end(reason)
        if self.transport is not None:
            self.transport.abort()

    # What the two ends do differently

    def on_connected(self) -> None:
        """The connection has just been made."""

    def on_frame(self, body: bytes) -> None:
        """A frame has arrived, its seal checked."""
        raise WireError(f"unexpected {type(decode(body)).__name__}")

    def on_batch_end(self) -> None:
        """All frames that arrived together have been read."""

    def on_drained(self) -> None:
        """There is room for writing again."""

    def on_handshake_timeout(self) -> None:
        self.end(f"no handshake within {HANDSHAKE_TIMEOUT:g} seconds")

    def on_end(self, reason: str) -> None:
        """The connection has ended."""

    def refuse(self, reason: str, final: bool = False) -> None:
        """The peer sends what it may not send, or is not wanted; `final`: trying again will not help."""
        self.end(reason)


def detect_silence(connected: socket.socket) -> None:
    """Have the kernel detect within seconds that the other machine, or the network between, is gone."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE:
        option = getattr(socket, name, None)
        if option is not None:
            connected.setsockopt(socket.IPPROTO_TCP, option, value)
