"""How a process becomes a part of an embedded group: a voter at one of its addresses, or a client.

A voter is an address and a directory: whichever process of the host has both is that voter. So three processes that
join with the same list on one host are its three voters, a fourth one is a client, and one that is started again takes
the place that has become free.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Container
from contextlib import suppress
from itertools import chain, count
from pathlib import Path

from habemus.network.errors import InUseError, NetworkError
from habemus.network.node.client import Client
from habemus.network.node.node import Node
from habemus.network.node.recording import Recording
from habemus.network.wire.addresses import Address, Members, format_address, parse_members
from habemus.network.wire.endpoint import Endpoint
from habemus.network.wire.listener import open_sockets
from habemus.network.wire.security import Certificates, read_certificates, read_key
from habemus.process import Pid
from habemus.scenario import Layer, Scenario
from habemus.service.engines.files import default_directory
from habemus.service.errors import GroupError
from habemus.service.options import JoinOptions
from habemus.service.view import ROLE

ELECTION = {"low": 500, "high": 1000, "heartbeat": 100}  # milliseconds
MOST_VOTERS = 9
RENEWALS, SWEEPS = 4, 20  # in a ttl
TRIES, BETWEEN = 10, 0.05  # a predecessor may be about to leave its directory


def read_peers(text: str) -> Members:
    try:
        members = parse_members(text, "where")
    except NetworkError as error:
        raise GroupError(str(error)) from None
    if len(members) > MOST_VOTERS:
        raise GroupError(
            f"where lists {len(members)} voters: 3 or 5 are usual, {MOST_VOTERS} the most; all others are clients"
        )
    return members


def name_process(taken: Container[str]) -> str:
    """A name for a member that was given none; the second member of a process has another one than the first."""
    name = f"{socket.gethostname()}-{os.getpid()}"
    others = (f"{name}.{number}" for number in count(2))
    return next(each for each in chain([name], others) if each not in taken)


def make_scenario(voters: list[int], ttl: float) -> Scenario:
    """What all members of the group run. A tick is a millisecond."""
    milliseconds = round(1000 * ttl)
    times = {"ttl": milliseconds, "renew": milliseconds // RENEWALS, "sweep": max(1, milliseconds // SWEEPS)}
    raft = Layer("raft", {"voters": voters, **ELECTION})
    return Scenario("leased-group", parameters={"voters": voters, "noted": f"{ROLE}/", **times}, layers=[raft])


class Joiner:
    """Makes the node of a process."""

    def __init__(self, options: JoinOptions, members: Members) -> None:
        self.options = options
        self.members = members
        self.scenario = make_scenario(sorted(members), options.ttl)
        self.place: Pid | None = None  # if it is given: the voter that it is to be, or the id of the client
        self.recording: Recording | None = None
        self.key = read_key(str(options.key_file), "key_file") if options.key_file is not None else None
        self.certificates: Certificates | None = None
        if options.tls is not None:
            self.certificates = read_certificates(*map(str, options.tls))

    async def join(self) -> Node:
        """A node that is open: a voter if there is room for one on this host, else a client."""
        if self.options.voter is not False:
            for place, address in self.members.items():
                if self.place not in (None, place):
                    continue
                voter = await self.become_voter(place, address)
                if voter is not None:
                    return voter
        if self.options.voter:
            voters = ", ".join(map(format_address, self.members.values()))
            raise GroupError(
                f"cannot be a voter on this host: none of {voters} is an address of this host that is free"
            )
        tls = self.certificates.dialling if self.certificates is not None else None
        client = Client(
            self.scenario,
            self.members,
            group=self.options.name,
            key=self.key,
            dialling_tls=tls,
            id=self.place,
            recording=self.recording,
        )
        await self.open(client)
        return client

    async def become_voter(self, place: int, address: Address) -> Node | None:
        """The voter at this address; None if it is not of this host, or taken."""
        tls = self.certificates
        endpoint = Endpoint(*address, tls.accepting if tls is not None else None)
        try:
            endpoint.bound = await open_sockets(address)  # who connects waits until there is a node to answer
        except OSError:
            return None
        directory = self.directory(address)
        for _ in range(TRIES):
            node = Node(
                self.scenario,
                place,
                self.members,
                directory,
                group=self.options.name,
                key=self.key,
                endpoint=endpoint,
                dialling_tls=tls.dialling if tls is not None else None,
                recording=self.recording,
            )
            with suppress(InUseError):
                await self.open(node)
                return node
            await asyncio.sleep(BETWEEN)
        for each in endpoint.bound:
            each.close()
        return None

    async def open(self, node: Node) -> None:
        try:
            await node.open()
        except InUseError:
            raise
        except BaseException:
            await node.stop()
            raise

    def directory(self, address: Address) -> Path:
        base = Path(self.options.data) if self.options.data is not None else default_directory(self.options.name)
        host, port = address
        return base / f"voter-{host.replace(':', '.')}-{port}"
