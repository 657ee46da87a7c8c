"""A registry: one of the members, which all others tell their addresses, and which tells all who the members are."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from habemus.network.errors import NetworkError, WireError
from habemus.network.wire.addresses import HIGHEST_ID, Address, Members, format_address, is_possible
from habemus.network.wire.connection import Connection
from habemus.network.wire.frames import Challenge, MemberList, Proof, Refusal, Registration, decode
from habemus.network.wire.handshake import accept_challenge, new_knock
from habemus.process import Pid

LONGEST_LIST = 12  # members that a sentence names


class Registry:
    """Collects registrations, and sends everybody the list when it is complete."""

    def __init__(self, key: bytes | None, id: Pid, own: Address, expect: int | None, members: Members | None) -> None:
        self.key = key
        self.id = id
        self.expect = expect
        self.members: Members = members or {id: own}
        self.waiting: list[Connection] = []
        self.complete: asyncio.Future[Members] = asyncio.get_running_loop().create_future()
        if members is not None or expect == 1:
            self.complete.set_result(self.members)

    def register(self, registration: Registration, connection: Connection) -> None:
        """An authenticated process wants to become a member."""
        ((id, address),) = read_list([(registration.id, registration.host, registration.port)]).items()
        earlier = read_list(registration.members)
        if self.id in earlier and not self.complete.done():  # this process has lost the list that it once sent
            self.members = earlier
            self.send_list()
        known = self.members.get(id)
        if known is not None and known != address:
            refusal = f"process {id} is registered at {format_address(known)} already"
        elif known is None and self.complete.done():
            refusal = f"the group is complete: {format_members(self.members)}"
        else:
            self.waiting.append(connection)
            self.add(id, address)
            return
        connection.refuse(refusal, final=True)

    def add(self, id: Pid, address: Address) -> None:
        self.members[id] = address
        if self.complete.done() or len(self.members) == self.expect:
            self.send_list()

    def send_list(self) -> None:
        """The group is complete: tell all who wait."""
        self.members = dict(sorted(self.members.items()))
        members = MemberList(list_members(self.members))
        for connection in self.waiting:
            connection.send(members)
            connection.end("the list of members has been sent")
        self.waiting = []
        if not self.complete.done():
            self.complete.set_result(self.members)


class Introduction:
    """Tells whoever has the key who this process is: a registry that knows one member."""

    def __init__(self, key: bytes | None, id: Pid, own: Address) -> None:
        self.key = key
        self.members: Members = {id: own}

    def register(self, registration: Registration, connection: Connection) -> None:
        connection.send(MemberList(list_members(self.members)))
        connection.end("this process has introduced itself")


class RegistryClient(Connection):
    """Registers a process, and waits for the list of members."""

    def __init__(self, group: str, id: Pid, own: Address, key: bytes | None, known: Members | None) -> None:
        super().__init__()
        self.key = key
        self.knock = new_knock(group)
        self.registration = Registration(id, *own, list_members(known or {}))
        self.answer: asyncio.Future[Members] = asyncio.get_running_loop().create_future()

    def on_connected(self) -> None:
        self.write(self.knock)

    def on_frame(self, body: bytes) -> None:
        """Challenge, then, perhaps much later, the list."""
        match decode(body):
            case Challenge() as challenge if not self.open:
                shared = accept_challenge(challenge, self.key, self.knock)
                self.send(Proof(shared.proof(b"habemus dialler")))
                self.become_open(*shared.seals())
                self.send(self.registration)
            case MemberList() as members if self.open:
                self.answer.set_result(read_list(members.members))
                self.end("the list of members has been received")
            case Refusal() as refusal:
                final = refusal.final and self.open
                kind = NetworkError if final else WireError
                self.answer.set_exception(kind(f"the registry refuses this process: {refusal.reason[:300]}"))
                self.end("refused by the registry")
            case other:
                raise WireError(f"unexpected {type(other).__name__}")

    def on_end(self, reason: str) -> None:
        if not self.answer.done():
            self.answer.set_exception(WireError(reason))


def list_members(members: Members) -> tuple[tuple[Pid, str, int], ...]:
    """The members as they are sent."""
    return tuple((id, host, port) for id, (host, port) in members.items())


def read_list(sent: Collection[tuple[Pid, str, int]]) -> Members:
    """The members that were sent."""
    for id, host, port in sent:
        if not 0 <= id <= HIGHEST_ID or not is_possible((host, port)):
            raise WireError(f"process {id} cannot be at {format_address((host, port))}")
    return {id: (host, port) for id, host, port in sent}


def format_members(members: Members) -> str:
    shown = list(members.items())[:LONGEST_LIST]
    return ", ".join(f"{id} at {format_address(address)}" for id, address in shown) or "none"
