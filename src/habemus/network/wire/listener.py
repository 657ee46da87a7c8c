"""Accepts connections, and never holds more than it has room for.

A guest is a connection that has been accepted. It waits until it has shown what it wants: a peer until it has proven
its membership, a browser until it has sent its request. A TLS handshake is part of the wait, and the wait is limited.
If there is no room for a newcomer, a waiting guest is dropped: one from an unknown address before one from a known
address, then one from the address with the most guests, then the one that has waited longest. So idle connections cost
a bounded number of file descriptors, and somebody who speaks at once gets in beside any number of them.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import resource
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from habemus.network.errors import system_says
from habemus.network.wire.addresses import Address, format_address
from habemus.network.wire.dialling import look_up
from habemus.network.wire.fork import keep_from_children

TURNS = 32  # of the event loop that a guest has at least before it is dropped for newcomers
BACKLOG = 1024  # connections that the kernel keeps until they are accepted
REST = 0.1  # seconds without accepting, when the system has no more descriptors or memory
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
LINES, LINES_WITHIN = 10, 10.0  # log lines about dropped and refused guests, in so many seconds

log = logging.getLogger("habemus.network")


def share_descriptors(connections: int, parts: int) -> int:
    """So many connections, but at most one part in `parts` of the file descriptors that this process may open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return connections if soft == resource.RLIM_INFINITY else max(1, min(connections, soft // parts))


class Guest:
    """An accepted connection."""

    def __init__(self, listener: Listener, connected: socket.socket, address: Address) -> None:
        self.listener = listener
        self.socket = connected
        self.address = address
        self.transport: asyncio.Transport | None = None
        self.timer: asyncio.TimerHandle | None = None

    async def begin(self) -> None:
        """Make the protocol, after the TLS handshake if there is one."""
        listener = self.listener
        timeout = listener.patience if listener.tls is not None else None
        try:
            self.transport, _ = await asyncio.get_running_loop().connect_accepted_socket(
                lambda: listener.make_protocol(self), self.socket, ssl=listener.tls, ssl_handshake_timeout=timeout
            )
        except OSError as error:
            if self in listener.guests:  # else it was dropped, and that ended the handshake
                listener.refuse(self.address, f"the TLS handshake failed: {system_says(error)}")
            self.leave()
        except BaseException:
            self.leave()
            raise
        finally:
            if self.transport is None:
                self.socket.close()

    def wait(self) -> None:
        """It has to show what it wants, within the listener's patience."""
        self.settle()
        self.listener.waiting.setdefault(self.address[0], {})[self] = None
        patience = self.listener.patience
        reason = f"it did not say within {patience:g} seconds what it wants"
        self.timer = asyncio.get_running_loop().call_later(patience, self.drop, reason)

    def settle(self) -> None:
        """It has shown what it wants, and is not dropped for others any more."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        host = self.address[0]
        waiting = self.listener.waiting.get(host, {})
        waiting.pop(self, None)
        if not waiting:
            self.listener.waiting.pop(host, None)

    def leave(self) -> None:
        """It is not counted any more: it has ended, or counts as something better than a guest."""
        self.settle()
        self.listener.guests.discard(self)

    def drop(self, reason: str) -> None:
        """Close the connection at once."""
        self.listener.refuse(self.address, reason)
        self.leave()
        if self.transport is not None:
            self.transport.abort()
        else:
            self.shut_down()

    def shut_down(self) -> None:
        """End a connection whose protocol is still being made: it will see the end of the stream."""
        # Not by cancelling the task: under uvloop the protocol would then be told of a connection that is closed.
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)


class Listener:
    """Some listening sockets, and the guests that came through them."""

    def __init__(
        self,
        name: str,
        most: int,
        patience: float,
        make_protocol: Callable[[Guest], asyncio.BaseProtocol],
        tls: ssl.SSLContext | None = None,
        knows: Callable[[str], bool] = lambda host: False,
        level: int = logging.WARNING,
    ) -> None:
        """`name`: of a guest, for the log. `most`: guests at a time. `level`: of log lines about refusals."""
        self.name = name
        self.most = most
        self.patience = patience
        self.make_protocol = make_protocol
        self.tls = tls
        self.knows = knows
        self.sockets: list[socket.socket] = []
        self.guests: set[Guest] = set()
        self.beginning: set[asyncio.Task[None]] = set()  # guests whose protocol is being made
        self.waiting: dict[str, dict[Guest, None]] = {}  # by host, the oldest first
        self.refusals = 0
        self.lines = LimitedLines(level)

    # Start and end

    def start(self, sockets: Iterable[socket.socket]) -> None:
        keep_from_children(self)
        for listening in sockets:
            listening.setblocking(False)
            self.sockets.append(listening)
            asyncio.get_running_loop().add_reader(listening, self.accept, listening)

    def descriptors(self) -> list[int]:
        sockets = [*self.sockets, *(guest.socket for guest in self.guests)]
        return [each.fileno() for each in sockets if each.fileno() >= 0]

    def close(self) -> None:
        """Accept no more, and drop those who still wait."""
        for listening in self.sockets:
            asyncio.get_running_loop().remove_reader(listening)
            listening.close()
        self.sockets = []
        self.lines.end()
        for guest in [guest for waiting in self.waiting.values() for guest in waiting]:
            guest.leave()
            if guest.transport is not None:
                guest.transport.close()
            else:
                guest.shut_down()

    # Guests

    def accept(self, listening: socket.socket) -> None:
        """Accept a few of those who have come."""
        for _ in range(max(1, self.most // TURNS)):
            try:
                connected, address = listening.accept()
            except OSError as error:
                if error.errno in EXHAUSTED:
                    self.rest(listening, error)
                return  # nobody has come, or has gone again
            self.admit(connected, address[:2])

    def rest(self, listening: socket.socket, error: OSError) -> None:
        """The system has nothing left: make room, and accept again a little later."""
        self.lines.write("cannot accept %s for a moment: %s", self.name, system_says(error))
        self.make_room()
        loop = asyncio.get_running_loop()
        loop.remove_reader(listening)
        loop.call_later(REST, self.accept_again, listening)

    def accept_again(self, listening: socket.socket) -> None:
        if listening in self.sockets:
            asyncio.get_running_loop().add_reader(listening, self.accept, listening)

    def admit(self, connected: socket.socket, address: Address) -> None:
        if len(self.guests) >= self.most and not self.make_room():
            connected.close()
            self.refuse(address, f"{self.most} others are being served")
            return
        guest = Guest(self, connected, address)
        self.guests.add(guest)
        guest.wait()
        task = asyncio.get_running_loop().create_task(guest.begin())
        self.beginning.add(task)
        task.add_done_callback(self.beginning.discard)

    def make_room(self) -> bool:
        """Drop the guest that is worth least; False: none of them waits."""
        if not self.waiting:
            return False
        host = max(self.waiting, key=lambda host: (not self.knows(host), len(self.waiting[host])))
        oldest = next(iter(self.waiting[host]))
        oldest.drop("others have come since, and it has not said what it wants")
        return True

    def refuse(self, address: Address, reason: str, who: str = "") -> None:
        """Count and log that a connection was refused or dropped; `who`: if that is proven."""
        self.refusals += 1
        where = format_address(address) + (f" ({who})" if who else "")
        self.lines.write("refused %s from %s: %s", self.name, where, reason)


class LimitedLines:
    """Log lines that strangers cause: the first few, then only how many there were."""

    def __init__(self, level: int) -> None:
        self.level = level
        self.began = -LINES_WITHIN
        self.written = 0
        self.timer: asyncio.TimerHandle | None = None

    def write(self, text: str, *arguments: Any) -> None:
        now = time.monotonic()
        if now - self.began >= LINES_WITHIN:
            self.summarise()
            self.began = now
        self.written += 1
        if self.written <= LINES:
            log.log(self.level, text, *arguments)
        elif self.timer is None:
            remaining = max(0.0, self.began + LINES_WITHIN - now)
            self.timer = asyncio.get_running_loop().call_later(remaining, self.summarise)

    def summarise(self) -> None:
        """Say how many lines were left out."""
        self.end()
        if self.written > LINES:
            log.log(self.level, "%s more lines like these were left out", self.written - LINES)
        self.written = 0

    def end(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


async def open_sockets(address: Address) -> list[socket.socket]:
    """Listen on all addresses that a host name has; port 0 means any free port."""
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, where in dict.fromkeys(await look_up(address, socket.AI_PASSIVE)):
            sockets.append(socket.create_server(where, family=family, backlog=BACKLOG))
    except OSError:
        for each in sockets:
            each.close()
        raise
    return sockets
