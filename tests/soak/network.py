"""A network that can fail: each node has a network namespace of its own, and a switch of ours carries the frames.

A namespace has one Ethernet device, a tap whose other end is a file in this process. So whatever one node sends to
another passes through `Switch.forward`, which may lose or delay it, each direction by itself. The kernel removes
namespaces and devices when this process ends, however it ends.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import fcntl
import os
import socket
import struct
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random

CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000
TUNSETIFF = 0x400454CA
TAP, WITHOUT_HEADER = 0x0002, 0x1000
LONGEST_FRAME = 2048

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def isolate_mounts() -> None:
    """What this process mounts from now on is seen by it and its children alone, and gone with them."""
    check(libc.unshare(CLONE_NEWNS))
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def current_namespace() -> int:
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


class Namespace:
    """A machine as far as the network goes; its device is `eth0`, its address 10.77.0.NUMBER."""

    def __init__(self, number: int) -> None:
        self.address = f"10.77.0.{number}"
        self.home = current_namespace()
        check(libc.unshare(CLONE_NEWNET))
        try:
            self.file = current_namespace()
            self.tap = open_tap("eth0")
            for command in (
                f"link set eth0 address {mac_address(number).hex(':')}",
                f"addr add {self.address}/24 dev eth0",
                "link set lo up",
                "link set eth0 up",
            ):
                subprocess.run(["ip", *command.split()], check=True)
        finally:
            check(libc.setns(self.home, CLONE_NEWNET))

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Sockets and processes that are made now belong to this namespace."""
        check(libc.setns(self.file, CLONE_NEWNET))
        try:
            yield
        finally:
            check(libc.setns(self.home, CLONE_NEWNET))

    async def connect(self, host: str, port: int) -> socket.socket:
        """A connection to a server of this machine, past the switch."""
        with self.entered():
            connection = socket.socket()
        connection.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(connection, (host, port))
        except BaseException:
            connection.close()
            raise
        return connection


def open_tap(name: str) -> int:
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH", name.encode(), TAP | WITHOUT_HEADER))
    return tap


def mac_address(number: int) -> bytes:
    return bytes([2, 0, 0, 0, 0, number])


Link = tuple[int, int]  # from, to


@dataclass(frozen=True)
class Disturbance:
    links: frozenset[Link]
    loss: float  # the share of frames that is lost; 1: the link is cut
    delay: float  # the longest, in seconds


class Switch:
    """Carries frames between namespaces, through all disturbances that are in force."""

    def __init__(self, namespaces: dict[int, Namespace], chance: Random) -> None:
        self.taps = {number: namespace.tap for number, namespace in namespaces.items()}
        self.numbers = {mac_address(number): number for number in namespaces}
        self.chance = chance
        self.disturbances: list[Disturbance] = []

    def open(self) -> None:
        for number in self.taps:
            asyncio.get_running_loop().add_reader(self.taps[number], self.read, number)

    def read(self, sender: int) -> None:
        with suppress(BlockingIOError):
            while True:
                frame = os.read(self.taps[sender], LONGEST_FRAME)
                receiver = self.numbers.get(frame[:6])
                for to in self.taps if receiver is None else (receiver,):  # broadcasts ask who has an address
                    if to != sender:
                        self.forward(sender, to, frame)

    def forward(self, sender: int, to: int, frame: bytes) -> None:
        delay = 0.0
        for disturbance in self.disturbances:
            if (sender, to) in disturbance.links:
                if self.chance.random() < disturbance.loss:
                    return
                delay += self.chance.uniform(0, disturbance.delay)
        if delay:
            asyncio.get_running_loop().call_later(delay, self.write, to, frame)
        else:
            self.write(to, frame)

    def write(self, to: int, frame: bytes) -> None:
        try:
            os.write(self.taps[to], frame)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EIO):  # a full queue loses frames, as on any network
                raise

    @contextmanager
    def disturbed(self, links: Iterable[Link], loss: float = 0.0, delay: float = 0.0) -> Iterator[None]:
        disturbance = Disturbance(frozenset(links), loss, delay)
        self.disturbances.append(disturbance)
        try:
            yield
        finally:
            self.disturbances.remove(disturbance)

    def close(self) -> None:
        for tap in self.taps.values():
            asyncio.get_running_loop().remove_reader(tap)


def between(some: Iterable[int], others: Iterable[int]) -> list[Link]:
    """The links from the ones to the others, and back."""
    there = [(a, b) for a in some for b in others]
    return there + [(b, a) for a, b in there]
