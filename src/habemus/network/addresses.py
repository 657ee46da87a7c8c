"""Where processes are, as people write it.

127.0.0.1:7001    [::1]:7001    db1.example.org:7001          an address
1=10.0.0.1:7001,2=10.0.0.2:7001                               a list of members with their ids
10.0.0.1:7001,10.0.0.2:7001                                   without: each id is made of address and port
"""

from __future__ import annotations

import hashlib
import ipaddress
import socket

from habemus.network.errors import NetworkError
from habemus.process import Pid

Address = tuple[str, int]

HIGHEST_PORT = 65_535
ABOVE_IPV4 = 1 << 60
HIGHEST_ID = (1 << 63) - 1


def parse_address(text: str, option: str) -> Address:
    """`host:port`, with an IPv6 address in brackets."""
    host, colon, port = text.strip().rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if bracketed:
        host = host[1:-1]
    if not colon or not host or not port.isdecimal() or int(port) > HIGHEST_PORT or (":" in host and not bracketed):
        raise NetworkError(f"{option} {text}: expected HOST:PORT, as in 127.0.0.1:7001 or [::1]:7001")
    return host, int(port)


def parse_members(text: str, option: str = "--peers") -> dict[Pid, Address]:
    """A list of members, in the order of their ids."""
    members: dict[Pid, Address] = {}
    for word in filter(None, (word.strip() for word in text.split(","))):
        name, equals, where = word.partition("=")
        if equals and not name.strip().isdecimal():
            raise NetworkError(
                f"{option} {word}: expected ID=HOST:PORT with a number as the id, as in 1=127.0.0.1:7001"
            )
        address = parse_address(where if equals else word, option)
        id = int(name) if equals else id_of(address)
        if id > HIGHEST_ID:
            raise NetworkError(f"{option} {word}: ids go up to {HIGHEST_ID}")
        if id in members:
            raise NetworkError(f"{option}: process {id} is there twice; ids have to differ")
        if address in members.values():
            raise NetworkError(f"{option}: {shown(address)} is there twice; every process has an address of its own")
        members[id] = address
    if not members:
        raise NetworkError(f"{option}: expected at least one member, as in 1=127.0.0.1:7001,2=127.0.0.1:7002")
    return dict(sorted(members.items()))


def id_of(address: Address) -> Pid:
    """The id that an address and a port make: IPv4 in their own order, above them all others by a hash."""
    host, port = address
    try:
        known = ipaddress.ip_address(host)
    except ValueError:
        known = None
    if known is not None and known.version == 4:
        return int(known) << 16 | port
    name = f"{known or host}:{port}".encode()
    return ABOVE_IPV4 | int.from_bytes(hashlib.sha256(name).digest()[:7], "big")


def resolved(address: Address) -> set[str]:
    """What the host of an address stands for; nothing, if nobody knows."""
    try:
        return {str(where[4][0]).partition("%")[0] for where in socket.getaddrinfo(*address, type=socket.SOCK_STREAM)}
    except OSError:
        return set()


def same_place(one: Address, other: Address) -> bool:
    """Whether two addresses mean the same port, however they are written."""
    return one == other or (one[1] == other[1] and not resolved(one).isdisjoint(resolved(other)))


def is_unspecified(address: Address) -> bool:
    """Whether it stands for all addresses of a machine, and so for none that another could reach."""
    return any(ipaddress.ip_address(host).is_unspecified for host in resolved(address))


def on_loopback(address: Address) -> bool:
    """Whether only this machine can reach it."""
    found = resolved(address)
    return bool(found) and all(ipaddress.ip_address(host).is_loopback for host in found)


def shown(address: Address) -> str:
    """An address as people write it."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
