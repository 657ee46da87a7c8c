"""Addresses of processes, and lists of members.

127.0.0.1:7001    [::1]:7001    db1.example.org:7001          an address
1=10.0.0.1:7001,2=10.0.0.2:7001                               members with their ids
10.0.0.1:7001,10.0.0.2:7001                                   members whose ids are derived from address and port
"""

from __future__ import annotations

import hashlib
import ipaddress
import socket

from habemus.network.errors import NetworkError
from habemus.process import Pid

Address = tuple[str, int]
Members = dict[Pid, Address]

HIGHEST_PORT = 65_535
ABOVE_IPV4 = 1 << 60
HIGHEST_ID = (1 << 63) - 1


def parse_address(text: str, option: str) -> Address:
    """Parse HOST:PORT; an IPv6 address is in brackets. Errors name the option."""
    host, colon, port = text.strip().rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if bracketed:
        host = host[1:-1]
    known = colon and port.isdecimal() and (bracketed or ":" not in host) and is_possible((host, int(port)))
    if not known:
        raise NetworkError(f"{option} {text}: expected HOST:PORT, as in 127.0.0.1:7001 or [::1]:7001")
    return host, int(port)


def is_possible(address: Address) -> bool:
    """Whether a host could have this name, and a server this port."""
    host, port = address
    try:
        host.encode("idna")
    except UnicodeError:  # a label is empty or too long
        return False
    return bool(host) and "\0" not in host and 0 <= port <= HIGHEST_PORT


def is_numeric(host: str) -> bool:
    """Whether it is an IP address, not a name that has to be looked up."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def parse_members(text: str, option: str = "--peers") -> Members:
    """Parse a list of members; sorted by id."""
    members: Members = {}
    for word in filter(None, (word.strip() for word in text.split(","))):
        name, equals, where = word.partition("=")
        if equals and not name.strip().isdecimal():
            raise NetworkError(
                f"{option} {word}: expected ID=HOST:PORT with a number as the id, as in 1=127.0.0.1:7001"
            )
        address = parse_address(where if equals else word, option)
        id = int(name) if equals else derive_id(address)
        if id > HIGHEST_ID:
            raise NetworkError(f"{option} {word}: the highest id is {HIGHEST_ID}")
        if id in members:
            raise NetworkError(f"{option}: process {id} is listed twice; ids have to differ")
        if address in members.values():
            raise NetworkError(f"{option}: {format_address(address)} is listed twice; every process needs its own")
        members[id] = address
    if not members:
        raise NetworkError(f"{option}: expected at least one member, as in 1=127.0.0.1:7001,2=127.0.0.1:7002")
    return dict(sorted(members.items()))


def derive_id(address: Address) -> Pid:
    """An id made of address and port: IPv4 addresses in their own order; above them all others, by a hash."""
    host, port = address
    try:
        known = ipaddress.ip_address(host)
    except ValueError:
        known = None
    if known is not None and known.version == 4:
        return int(known) << 16 | port
    name = f"{known or host}:{port}".encode()
    return ABOVE_IPV4 | int.from_bytes(hashlib.sha256(name).digest()[:7], "big")


def resolve(address: Address) -> set[str]:
    """The IP addresses of a host; empty if it is unknown."""
    try:
        return {str(where[4][0]).partition("%")[0] for where in socket.getaddrinfo(*address, type=socket.SOCK_STREAM)}
    except OSError:
        return set()


def fails_for_now(host: str) -> bool:
    """Whether a name may be resolved later: the name server does not answer."""
    try:
        socket.getaddrinfo(host, None)
    except socket.gaierror as error:
        return error.errno == socket.EAI_AGAIN
    return False


def same_address(one: Address, other: Address) -> bool:
    """Whether two addresses mean the same port, however they are written."""
    return one == other or (one[1] == other[1] and not resolve(one).isdisjoint(resolve(other)))


def is_unspecified(address: Address) -> bool:
    """Whether it means all addresses of a machine (0.0.0.0, ::), and so none that a peer could dial."""
    return any(ipaddress.ip_address(host).is_unspecified for host in resolve(address))


def is_loopback(address: Address) -> bool:
    found = resolve(address)
    return bool(found) and all(ipaddress.ip_address(host).is_loopback for host in found)


def format_address(address: Address) -> str:
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
