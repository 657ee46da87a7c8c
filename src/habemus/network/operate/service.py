"""A node as a service: it joins, reports, reacts to signals, and leaves.

Reports go to stdout: who leads, at every change and at regular intervals. The log goes to stderr. Both are lines of
text, or of JSON for programs.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Coroutine, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from habemus.network.errors import NetworkError, system_says
from habemus.network.node.change import Change, ChangeKind
from habemus.network.node.customer import Customer, ElectionCaller
from habemus.network.node.loop import new_event_loop
from habemus.network.node.node import Node
from habemus.network.node.recording import Recording
from habemus.network.node.stack import TICK
from habemus.network.node.storage import open_private
from habemus.network.node.timing import REAL_TIME_BELOW, request_real_time_priority
from habemus.network.operate.discovery import MemberSearch, read_members, write_members
from habemus.network.operate.logs import log_to_stderr, tell_dropped
from habemus.network.operate.options import NodeOptions, check_options, listed_members, own_address, own_id
from habemus.network.operate.output import STDERR, STDOUT, Output, has_room, keep_standard_descriptors
from habemus.network.operate.signals import call_when_told_to_end
from habemus.network.operate.status import status, status_sentence
from habemus.network.wire.addresses import Address, Members, fails_for_now, format_address, parse_address, same_address
from habemus.network.wire.dialling import ask_in_thread
from habemus.network.wire.endpoint import Endpoint
from habemus.network.wire.security import Certificates, read_certificates, read_key, require_protection

Found = TypeVar("Found")
RESOLVE_AGAIN = 1.0  # seconds
LAST_WORDS = 0.5  # seconds that the reader of stderr has to take what was written before
FAILED = 2  # as an exit status
REPORTED = {ChangeKind.LEADER, ChangeKind.ENTER, ChangeKind.LEAVE}

log = logging.getLogger("habemus.network")


def run(options: NodeOptions) -> int:
    """Run the node until a signal or a failure ends it; its exit status."""
    keep_standard_descriptors()
    try:
        check_options(options)
        service = Service(options)
        with log_to_stderr(options.group, service.id, service.json):
            return run_loop(service.serve())
    except NetworkError:
        if has_room(STDERR, LAST_WORDS):
            raise
        return FAILED  # nobody reads why


def run_loop(main: Coroutine[Any, Any, int]) -> int:
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)


class Service:
    """Runs one node as its options say."""

    def __init__(self, options: NodeOptions) -> None:
        self.options = options
        self.listed = listed_members(options)
        self.own = own_address(options, self.listed)
        self.id = own_id(options, self.listed, self.own)
        self.json = options.log == "json"
        self.stopping = asyncio.Event()
        self.search: MemberSearch | None = None
        self.reports_read = True
        self.output = Output(STDOUT, tell_dropped(self.json))

    async def serve(self) -> int:
        """Join, run, leave; the exit status."""
        call_when_told_to_end(self.stopping.set)
        with ExitStack() as files:
            files.callback(self.output.close)
            return await self.run_node(self.open_recording(files))

    def open_recording(self, files: ExitStack) -> Recording | None:
        """The recording for --trace."""
        if self.options.trace is None:
            return None
        try:
            return Recording(files.enter_context(open(self.options.trace, "ab", buffering=0, opener=open_trace)))
        except OSError as error:
            raise NetworkError(f"--trace {self.options.trace} cannot be written: {error.strerror}") from None

    async def run_node(self, recording: Recording | None) -> int:
        options = self.options
        made = await self.make_node(recording)
        if made is None:
            return 0
        node = self.node = made
        node.listeners.append(self.hear)
        if node.stall < REAL_TIME_BELOW * TICK:
            request_real_time_priority()
        server = None
        if options.http is not None:
            from habemus.network.operate.http import HttpServer

            secret = options.http_token_file
            token = read_key(secret, "--http-token-file") if secret is not None else None
            names = options.http_host.split(",")
            server = HttpServer(node, parse_address(options.http, "--http"), token=token, names=names)
            await server.start()
            log.info("serving http://%s/status", format_address(server.address))
        call = ElectionCaller(node, options.call_after) if options.call_after is not None else None
        customer = Customer(node, options.think, options.hold) if options.think is not None else None
        helpers: list[asyncio.Future[None]] = []
        stop: asyncio.Future[Any] = asyncio.ensure_future(self.stopping.wait())
        ended: asyncio.Future[Any] = node.ended
        try:
            start: asyncio.Future[Any] = asyncio.ensure_future(node.start())
            await asyncio.wait([start, stop, ended], return_when=asyncio.FIRST_COMPLETED)
            if start.done():
                start.result()
                tasks = [self.report_regularly(), self.keep_registered(node)]
                if customer is not None:
                    tasks.append(customer.run())
                if call is not None:
                    tasks.append(call.run())
                helpers += [asyncio.ensure_future(task) for task in tasks]
                await asyncio.wait([stop, ended], return_when=asyncio.FIRST_COMPLETED)
            else:
                start.cancel()
            failed = node.failure
            if failed is None:
                log.info("leaving")
                await node.leave()
                return 0
            if isinstance(failed, NetworkError):
                raise failed
            raise NetworkError(f"{failed}")
        finally:
            for helper in [*helpers, stop]:
                helper.cancel()
            await node.stop()
            if server is not None:
                await server.stop()

    async def make_node(self, recording: Recording | None) -> Node | None:
        """The node, as soon as its members are known; None if a signal comes first."""
        options = self.options
        key = read_key(options.key_file, "--key-file") if options.key_file is not None else None
        certificates = read_certificates(*options.tls)
        bound = parse_address(options.listen, "--listen") if options.listen is not None else self.own
        registry = [parse_address(options.registry, "--registry")] if options.registry is not None else []
        reachable = [bound, self.own, *(self.listed or {}).values()]
        if await self.unless_stopped(wait_for_names([*registry, *reachable])) is None:
            return None
        await ask_in_thread(require_protection, reachable, key, certificates is not None)
        endpoint = Endpoint(*bound, certificates.accepting if certificates is not None else None)
        data = Path(options.data or Path.home() / ".local" / "state" / "habemus" / options.group / str(self.id))
        members = self.listed or await self.discover(data, key, endpoint, certificates)
        if members is None:
            endpoint.close()
            return None
        scenario = options.scenario
        if options.call_after is not None:
            scenario = msgspec.structs.replace(scenario, starters=[])
        return Node(
            scenario,
            self.id,
            members,
            data,
            group=options.group,
            key=key,
            endpoint=endpoint,
            dialling_tls=certificates.dialling if certificates is not None else None,
            stall=options.stall,
            wait=options.wait,
            recording=recording,
            discovered=self.listed is None,
        )

    # Discovery

    async def discover(
        self, data: Path, key: bytes | None, endpoint: Endpoint, certificates: Certificates | None
    ) -> Members | None:
        """The members that an earlier incarnation found, or that are found now; None if a signal comes first."""
        options, own = self.options, self.own
        search = MemberSearch(options.group, self.id, own, key, options.expect, options.wait, endpoint, certificates)
        members = read_members(data)
        if members is None:
            members = await self.unless_stopped(search.find_members(options))
            if members is None:
                return None
            write_members(data, members)
        elif await self.is_registry(own):
            search.serve_registry(members)
        search.members = members
        self.search = search
        return members

    async def is_registry(self, address: Address) -> bool:
        given = self.options.registry
        return given is not None and await ask_in_thread(same_address, parse_address(given, "--registry"), address)

    async def keep_registered(self, node: Node) -> None:
        """Stay registered, if the registry is another process."""
        registry = [link for link in node.peers.links.values() if await self.is_registry(link.address)]
        if self.search is not None and registry:
            await self.search.stay_registered(registry[0].address, lambda: registry[0].up)

    async def unless_stopped(self, search: Coroutine[Any, Any, Found]) -> Found | None:
        """The result of a search; None if a signal comes first."""
        searching: asyncio.Future[Any] = asyncio.ensure_future(search)
        stop: asyncio.Future[Any] = asyncio.ensure_future(self.stopping.wait())
        await asyncio.wait([searching, stop], return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if searching.done():
            found: Found = searching.result()
            return found
        searching.cancel()
        return None

    # Reports

    def hear(self, change: Change) -> None:
        if change.what in REPORTED:
            self.report(change.what)

    async def report_regularly(self) -> None:
        while self.options.report_every > 0:
            await asyncio.sleep(self.options.report_every)
            self.node.look()
            self.report("report")

    def report(self, event: str) -> None:
        """Print one line on stdout."""
        node = self.node
        if self.json:
            line = {"time": round(time.time(), 3), "event": event, **status(node)}
            text = msgspec.json.encode(line).decode()
        else:
            text = f"{time.strftime('%H:%M:%S')}  process {node.id}: {status_sentence(node)}"
        self.output.write(text.encode() + b"\n")
        if self.output.trouble is not None and self.reports_read:  # the node goes on if nobody reads its reports
            log.warning("reports cannot be written any more: %s", system_says(self.output.trouble))
            self.reports_read = False


def open_trace(path: str, flags: int) -> int:
    """Open a file for the trace. A pipe or a terminal is refused: a reader that stops would stop the node."""
    refusal = NetworkError(f"--trace {path}: expected a file, because whoever reads a pipe or a terminal may stop")
    if Path(path).is_fifo():
        raise refusal
    file = open_private(path, flags | os.O_NOCTTY)
    if os.isatty(file):
        os.close(file)
        raise refusal
    return file


async def wait_for_names(addresses: Iterable[Address]) -> bool:
    """Wait while the name server does not answer, as may be when a machine boots; True: it does."""
    for host in {host for host, _ in addresses}:
        while await ask_in_thread(fails_for_now, host):
            log.warning("the name %s cannot be resolved now: trying again", host)
            await asyncio.sleep(RESOLVE_AGAIN)
    return True
