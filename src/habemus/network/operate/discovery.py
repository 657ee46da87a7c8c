"""How the members of a group find each other if nobody lists them.

    dns         a name whose addresses are the members, such as a headless service of Kubernetes
    registry    one of the members: all others register there, and it tells all who the members are (registry.py)
    zeroconf    every member announces itself on the local network, and listens; anybody may announce anything there, so
                who is announced is asked, and who has the key says under seal who it is

A search ends when the expected number of members is found: a group is founded once, and whoever founded it with fewer
would found another one (node/founding.py). What was found is kept with the state of the process: after a restart the
group is the same, whoever is down at that moment. A registry that restarts sends the same list again; if it has lost
it, the others find it disconnected, register again, and tell it the list. Whoever is found still has to prove its
membership.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from habemus.extras import require
from habemus.network.errors import NetworkError, WireError, system_says
from habemus.network.node.storage import make_private_directory, replace_file
from habemus.network.operate.options import NodeOptions
from habemus.network.operate.registry import Introduction, Registry, RegistryClient, format_members
from habemus.network.wire.addresses import (
    Address,
    Members,
    derive_id,
    format_address,
    parse_address,
    same_address,
)
from habemus.network.wire.dialling import ask_in_thread, connect, look_up
from habemus.network.wire.endpoint import Endpoint
from habemus.network.wire.security import Certificates
from habemus.process import Pid

SERVICE = "_habemus._tcp.local."
RETRY = 0.2
MOST_ASKED = 16  # at a time, who they are
REGISTER_AGAIN = 2.0  # seconds between two attempts, while the registry is not connected

log = logging.getLogger("habemus.network")


class MemberSearch:
    """One process that looks for the others."""

    def __init__(
        self,
        group: str,
        id: Pid,
        own: Address,
        key: bytes | None,
        expect: int | None,
        wait: float,
        endpoint: Endpoint,
        certificates: Certificates | None = None,
    ) -> None:
        if expect is not None and expect < 1:
            raise NetworkError(f"--expect {expect}: expected at least 1, because this process counts as well")
        self.group = group
        self.id = id
        self.own = own
        self.key = key
        self.expect = expect
        self.wait = wait
        self.endpoint = endpoint
        self.tls = certificates.dialling if certificates is not None else None
        self.logged_reason = ""
        self.members: Members | None = None  # as soon as they are known

    def log_failure(self, reason: str) -> None:
        """Log why nothing is found, once for each reason."""
        if reason != self.logged_reason:
            self.logged_reason = reason
            log.info("%s", reason)

    async def find_members(self, options: NodeOptions) -> Members:
        """Find all members in the way that the options name."""
        if options.registry is not None:
            found = await self.find_by_registry(parse_address(options.registry, "--registry"))
        elif options.zeroconf:
            found = await self.find_by_zeroconf()
        else:
            name, port = parse_address((options.peers or "").removeprefix("dns:"), "--peers dns:")
            found = await self.find_by_dns(name, port)
        if self.id not in found:
            raise NetworkError(
                f"{format_address(self.own)} is not among the members found ({format_members(found)}); give --advertise"
            )
        log.info("found %s members: %s", len(found), format_members(found))
        return found

    async def repeat_until_complete(self, look: Callable[[], Awaitable[Members]]) -> Members:
        """Look again and again until the expected number is there."""
        expect = self.require_expect()
        while True:
            found = dict(sorted((await look()).items()))
            if len(found) > expect:
                raise NetworkError(f"--expect {expect}: there are {len(found)} members ({format_members(found)})")
            if len(found) == expect:
                return found
            await asyncio.sleep(min(RETRY, self.wait / 4))

    def require_expect(self) -> int:
        """The number of members, which whoever founds a group has to know."""
        if self.expect is None:
            raise NetworkError(
                "--expect: say how many members the group has, this one included, as in --expect 3; a group is founded "
                "once, by all of them"
            )
        return self.expect

    # DNS

    async def find_by_dns(self, name: str, port: int) -> Members:
        async def look() -> Members:
            try:
                answers = await look_up((name, port))
            except OSError as error:
                self.log_failure(f"the name {name} cannot be resolved: {system_says(error)}")
                return {}
            addresses = [(str(where[4][0]), port) for where in answers]
            return {(self.id if address == self.own else derive_id(address)): address for address in addresses}

        return await self.repeat_until_complete(look)

    # A registry

    async def find_by_registry(self, where: Address) -> Members:
        """The list of the registry, which may be this process itself."""
        if await ask_in_thread(same_address, where, self.own):
            self.require_expect()
            registry = self.serve_registry(None)
            await self.endpoint.open()
            return await registry.complete
        while True:
            try:
                return await self.register(where)
            except (OSError, WireError) as error:
                why = system_says(error) if isinstance(error, OSError) else str(error)
                self.log_failure(f"no list of members from the registry at {format_address(where)}: {why}")
                await asyncio.sleep(RETRY)

    def serve_registry(self, members: Members | None) -> Registry:
        """Be the registry: of these members, or of those that will register."""
        registry = self.endpoint.registries[self.group] = Registry(self.key, self.id, self.own, self.expect, members)
        return registry

    async def register(self, where: Address) -> Members:
        """Register this process, and wait for the list of members."""
        known = (self.group, self.id, self.own, self.key, self.members)
        client = await connect(lambda: RegistryClient(*known), where, self.tls)
        try:
            return await client.answer
        finally:
            client.end("no longer needed")

    async def stay_registered(self, where: Address, connected: Callable[[], bool]) -> None:
        """Register again while the registry is not connected: it may have restarted without its memory."""
        while True:
            await asyncio.sleep(REGISTER_AGAIN)
            if not connected():
                with suppress(OSError, WireError, NetworkError):
                    async with asyncio.timeout(REGISTER_AGAIN):
                        await self.register(where)

    # Zeroconf

    async def find_by_zeroconf(self) -> Members:
        """The members that announce themselves on the local network."""
        require("--zeroconf", "zeroconf")
        self.require_expect()

        from zeroconf import ServiceStateChange, Zeroconf
        from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

        seen: Members = {}
        resolving: set[asyncio.Task[None]] = set()
        asking = asyncio.Semaphore(MOST_ASKED)
        self.endpoint.registries[self.group] = Introduction(self.key, self.id, self.own)
        await self.endpoint.open()
        try:
            network = AsyncZeroconf(interfaces=[str(ipaddress.ip_address(self.own[0]))])
        except (ValueError, OSError):
            raise NetworkError(
                f"--zeroconf: {self.own[0]} is not an IP address of this machine; give --advertise with one, as in "
                f"--advertise 10.0.0.1:7001"
            ) from None

        async def resolve(kind: str, name: str) -> None:
            info = AsyncServiceInfo(kind, name)
            if await info.async_request(network.zeroconf, 1000):
                with suppress(ValueError, KeyError):
                    said = {key.decode(): (value or b"").decode() for key, value in info.properties.items()}
                    if said.get("group") == self.group:
                        await ask(parse_address(said["address"], "zeroconf"))

        async def ask(where: Address) -> None:
            while where != self.own:
                with suppress(OSError, WireError):
                    async with asking:
                        seen.update(await self.register(where))
                    return
                await asyncio.sleep(RETRY)

        def on_change(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
            task = asyncio.ensure_future(resolve(service_type, name))
            resolving.add(task)
            task.add_done_callback(resolving.discard)

        async def look() -> Members:
            return {**seen, self.id: self.own}

        info = AsyncServiceInfo(
            *(SERVICE, f"{self.group}-{self.id}.{SERVICE}"),
            parsed_addresses=[self.own[0]],
            port=self.own[1],
            properties={"group": self.group, "address": format_address(self.own)},
        )
        try:
            await network.async_register_service(info)
            browser = AsyncServiceBrowser(network.zeroconf, SERVICE, handlers=[on_change])
            found = await self.repeat_until_complete(look)
            await asyncio.sleep(self.wait)  # others may not have found this process yet
            await browser.async_cancel()
            return found
        finally:
            for task in resolving:
                task.cancel()
            await network.async_close()


def read_members(directory: Path) -> Members | None:
    """The members that an earlier incarnation of this process found; None if there are none."""
    file = directory / "members.json"
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=dict[int, tuple[str, int]])
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NetworkError(f"{file} cannot be read: {system_says(error)}") from None
    except msgspec.DecodeError as error:
        raise NetworkError(f"{file} is damaged ({error}); remove it to search for the members again") from None
    log.info("%s members were found earlier: %s", len(kept), format_members(kept))
    return kept


def write_members(directory: Path, members: Members) -> None:
    file = directory / "members.json"
    try:
        make_private_directory(directory)
        replace_file(file, msgspec.json.encode(members))
    except OSError as error:
        raise NetworkError(f"{file} cannot be written: {system_says(error)}") from None
