"""Who the others are, where nobody has listed them.

    dns         a name whose addresses are the members, as a headless service of Kubernetes has it
    registry    any one of them: all others tell it where they are, and it tells all who is there
    zeroconf    everybody announces itself on the local network, and listens

A search ends when the wanted number is there or, if no number is wanted, when nothing new has come for a while. Members
that found different sets would refuse each other when they meet, so a wrong end of a search does no harm; a registry
makes sure that all get the same. What was found is kept with the state of the process: after a restart the group is the
same, whoever is down just then. A registry that comes back tells the same roll again; if it has lost it, the others
find that it is gone and enlist again. Whoever is found still has to prove that it is a member.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from habemus.network.addresses import Address, id_of, parse_address, same_place, shown
from habemus.network.connection import Connection
from habemus.network.endpoint import Acceptor, Endpoint
from habemus.network.errors import NetworkError, WireError, system_says
from habemus.network.handshake import NONCE, accept_challenge
from habemus.network.security import Certificates
from habemus.network.wire import VERSION, Challenge, Enlist, Proof, Refusal, Roll, decoded, encoded
from habemus.process import Pid

if TYPE_CHECKING:
    from habemus.network.service import Wishes

Members = dict[Pid, Address]

SERVICE = "_habemus._tcp.local."
RETRY = 0.2
ENLIST_AGAIN = 2.0  # seconds after which one asks whether the registry still knows it

log = logging.getLogger("habemus.network")


class Search:
    """One process on the look-out for the others."""

    def __init__(
        self,
        group: str,
        id: Pid,
        own: Address,
        key: bytes | None,
        expect: int | None,
        quiet: float,
        endpoint: Endpoint,
        certificates: Certificates | None = None,
    ) -> None:
        if expect is not None and expect < 1:
            raise NetworkError(f"--expect {expect}: expected at least 1, for this process counts, too")
        self.group = group
        self.id = id
        self.own = own
        self.key = key
        self.expect = expect
        self.quiet = quiet
        self.endpoint = endpoint
        self.tls = certificates.dialling if certificates is not None else None
        self.trouble = ""  # the last one that was logged

    def complain(self, trouble: str) -> None:
        """Log why nothing is found, once for each reason."""
        if trouble != self.trouble:
            self.trouble = trouble
            log.info("%s", trouble)

    async def members(self, wishes: Wishes) -> Members:
        """All members, found in the way that is wished."""
        if wishes.registry is not None:
            found = await self.by_registry(parse_address(wishes.registry, "--registry"))
        elif wishes.zeroconf:
            found = await self.by_zeroconf()
        else:
            found = await self.by_dns(*parse_address((wishes.peers or "").removeprefix("dns:"), "--peers dns:"))
        if self.id not in found:
            raise NetworkError(f"{shown(self.own)} is not among those found ({listed(found)}); give --advertise")
        log.info("found %s members: %s", len(found), listed(found))
        return found

    async def until_complete(self, look: Callable[[], Awaitable[Members]]) -> Members:
        """Look again and again until the wanted number is there, or nothing new has come for a while."""
        loop = asyncio.get_running_loop()
        found: Members = {}
        last_news = loop.time()
        while True:
            seen = await look()
            if seen.keys() - found.keys():
                last_news = loop.time()
            found = dict(sorted(seen.items()))
            if self.expect is not None and len(found) > self.expect:
                raise NetworkError(f"--expect {self.expect}: there are {len(found)} members ({listed(found)})")
            if len(found) == self.expect or (self.expect is None and loop.time() - last_news >= self.quiet):
                return found
            await asyncio.sleep(min(RETRY, self.quiet / 4))

    # DNS

    async def by_dns(self, name: str, port: int) -> Members:
        """The addresses of a name."""

        async def look() -> Members:
            loop = asyncio.get_running_loop()
            try:
                answers = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
            except OSError as error:
                self.complain(f"no answer for the name {name}: {system_says(error)}")
                return {}
            addresses = [(str(where[4][0]), port) for where in answers]
            return {(self.id if address == self.own else id_of(address)): address for address in addresses}

        return await self.until_complete(look)

    # A registry

    async def by_registry(self, where: Address) -> Members:
        """What the registry says; it may be this process itself."""
        if same_place(where, self.own):
            registry = self.serve_roll(None)
            await self.endpoint.open()
            registry.add(self.id, self.own)
            return await registry.complete
        while True:
            try:
                return await self.enlist(where)
            except (OSError, WireError) as error:
                why = system_says(error) if isinstance(error, OSError) else str(error)
                self.complain(f"no roll from the registry at {shown(where)}: {why}")
                await asyncio.sleep(RETRY)

    def serve_roll(self, members: Members | None) -> Registry:
        """Be the registry: of these members, or of those who will come."""
        registry = self.endpoint.registries[self.group] = Registry(self.key, self.expect, self.quiet, members)
        return registry

    async def enlist(self, where: Address) -> Members:
        """Tell the registry where we are, and wait for the roll."""
        newcomer = Newcomer(self)
        await asyncio.get_running_loop().create_connection(lambda: newcomer, *where, ssl=self.tls)
        try:
            return await newcomer.answer
        finally:
            newcomer.end("that was all")

    async def stay_enlisted(self, where: Address, connected: Callable[[], bool]) -> None:
        """As long as the registry is not to be reached as a member, it may have come back without its memory."""
        while True:
            await asyncio.sleep(ENLIST_AGAIN)
            if not connected():
                with suppress(OSError, WireError, NetworkError):
                    async with asyncio.timeout(ENLIST_AGAIN):
                        await self.enlist(where)

    # Zeroconf

    async def by_zeroconf(self) -> Members:
        """Those who announce themselves on the local network."""
        from zeroconf import ServiceStateChange, Zeroconf
        from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

        seen: Members = {self.id: self.own}
        asking: set[asyncio.Task[None]] = set()
        try:
            network = AsyncZeroconf(interfaces=[str(ipaddress.ip_address(self.own[0]))])
        except (ValueError, OSError):
            raise NetworkError(
                f"--zeroconf: {self.own[0]} is no IP address of this machine, from which to look around; give "
                f"--advertise with one, as in --advertise 10.0.0.1:7001"
            ) from None

        async def resolve(kind: str, name: str) -> None:
            info = AsyncServiceInfo(kind, name)
            if await info.async_request(network.zeroconf, 1000):
                said = {key.decode(): (value or b"").decode() for key, value in info.properties.items()}
                with suppress(ValueError, NetworkError):
                    if said.get("group") == self.group:
                        seen[int(said["id"])] = parse_address(said["address"], "zeroconf")

        def notice(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
            task = asyncio.ensure_future(resolve(service_type, name))
            asking.add(task)
            task.add_done_callback(asking.discard)

        async def look() -> Members:
            return dict(seen)

        said = {"group": self.group, "id": str(self.id), "address": shown(self.own)}
        info = AsyncServiceInfo(
            *(SERVICE, f"{self.group}-{self.id}.{SERVICE}"),
            parsed_addresses=[self.own[0]],
            port=self.own[1],
            properties=said,
        )
        try:
            await network.async_register_service(info)
            browser = AsyncServiceBrowser(network.zeroconf, SERVICE, handlers=[notice])
            found = await self.until_complete(look)
            await asyncio.sleep(self.quiet)  # others may have yet to hear of us
            await browser.async_cancel()
            return found
        finally:
            await network.async_close()


class Registry:
    """Knows who has come, and tells everybody when all have."""

    def __init__(self, key: bytes | None, expect: int | None, quiet: float, members: Members | None) -> None:
        self.key = key
        self.expect = expect
        self.quiet = quiet
        self.members: Members = members or {}
        self.waiting: list[Acceptor] = []
        self.complete: asyncio.Future[Members] = asyncio.get_running_loop().create_future()
        self.patience: asyncio.TimerHandle | None = None
        if members is not None:
            self.complete.set_result(members)

    def enlist(self, enlist: Enlist, acceptor: Acceptor) -> None:
        """Somebody who has proven that it may be a member wants to be one."""
        address = (enlist.host, enlist.port)
        known = self.members.get(enlist.id)
        if known is not None and known != address:
            refusal = f"process {enlist.id} is at {shown(known)} already"
        elif known is None and self.complete.done():
            refusal = f"the group is complete: {listed(self.members)}"
        else:
            self.waiting.append(acceptor)
            self.add(enlist.id, address)
            return
        acceptor.say(Refusal(refusal, final=True))
        acceptor.refuse(refusal)

    def add(self, id: Pid, address: Address) -> None:
        """One more is there; perhaps the last."""
        self.members[id] = address
        if self.patience is not None:
            self.patience.cancel()
        if self.complete.done() or len(self.members) == self.expect:
            self.tell_all()
        elif self.expect is None:
            self.patience = asyncio.get_running_loop().call_later(self.quiet, self.tell_all)

    def tell_all(self) -> None:
        """The group is complete."""
        self.members = dict(sorted(self.members.items()))
        roll = Roll(tuple((id, host, port) for id, (host, port) in self.members.items()))
        for acceptor in self.waiting:
            acceptor.say(roll)
            acceptor.end("it has been told who the members are")
        self.waiting = []
        if not self.complete.done():
            self.complete.set_result(self.members)


class Newcomer(Connection):
    """Asks a registry for the roll."""

    def __init__(self, search: Search) -> None:
        super().__init__()
        self.search = search
        self.request = b""
        self.answer: asyncio.Future[Members] = asyncio.get_running_loop().create_future()

    def greet(self) -> None:
        """Say who and where we are."""
        me = self.search
        self.request = encoded(Enlist(VERSION, me.group, me.id, *me.own, secrets.token_bytes(NONCE)))
        self.write(self.request)

    def take(self, body: bytes) -> None:
        """Challenge, then, perhaps much later, the roll."""
        match decoded(body):
            case Challenge() as challenge if not self.open:
                shared = accept_challenge(challenge, self.search.key, self.request)
                self.say(Proof(shared.proof(b"habemus dialler")))
                self.become_open(*shared.seals())
            case Roll() as roll if self.open:
                self.answer.set_result({id: (host, port) for id, host, port in roll.members})
                self.end("the registry has told us who the members are")
            case Refusal() as refusal:
                final = refusal.final and self.open
                kind = NetworkError if final else WireError
                self.answer.set_exception(kind(f"the registry refuses us: {refusal.reason[:300]}"))
                self.end("refused")
            case other:
                raise WireError(f"{type(other).__name__} is not expected here")

    def over(self, reason: str) -> None:
        """Without a roll the search goes on."""
        if not self.answer.done():
            self.answer.set_exception(WireError(reason))


def found_before(directory: Path) -> Members | None:
    """The members that an earlier life of this process found, if there was one."""
    file = directory / "members.json"
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=dict[int, tuple[str, int]])
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NetworkError(f"{file} cannot be read: {system_says(error)}") from None
    except msgspec.DecodeError as error:
        raise NetworkError(
            f"{file} cannot be used ({error}); remove it to have the members searched for again"
        ) from None
    log.info("found %s members in an earlier life: %s", len(kept), listed(kept))
    return kept


def remember_members(directory: Path, members: Members) -> None:
    """Keep what was found for the next life."""
    directory.mkdir(parents=True, exist_ok=True)
    beside = directory / "members.new"
    beside.write_bytes(msgspec.json.encode(members))
    os.replace(beside, directory / "members.json")


def listed(members: Members) -> str:
    """Members as a sentence has them."""
    return ", ".join(f"{id} at {shown(address)}" for id, address in list(members.items())[:12]) or "nobody"
