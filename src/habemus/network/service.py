"""A node as a service: from what its operator wishes to a process that reports, listens to signals and leaves in order.

Reports go to stdout: who leads, at every change and every so often. All else that is worth knowing goes to stderr. Both
are lines of text, or of JSON for programs.
"""

from __future__ import annotations

import asyncio
import logging
import math
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import msgspec

from habemus.network.addresses import (
    HIGHEST_ID,
    Address,
    id_of,
    is_unspecified,
    parse_address,
    parse_members,
    same_place,
    shown,
)
from habemus.network.customer import Customer
from habemus.network.discovery import Members, Search, found_before, remember_members
from habemus.network.endpoint import Endpoint
from habemus.network.errors import NetworkError, system_says
from habemus.network.node import Change, Node
from habemus.network.recording import Recording
from habemus.network.security import Certificates, read_certificates, read_key, require_protection
from habemus.network.stack import TICK
from habemus.network.telling import sentence, status
from habemus.network.timing import HASTY, take_precedence
from habemus.process import Pid
from habemus.scenario import Scenario

REPORTED = {"leader", "enter", "leave"}

log = logging.getLogger("habemus.network")


class Wishes(msgspec.Struct, kw_only=True):
    """What the operator of a node wants; the options of `habemus node`."""

    scenario: Scenario
    id: Pid | None = None
    peers: str | None = None
    registry: str | None = None
    zeroconf: bool = False
    expect: int | None = None
    listen: str | None = None
    advertise: str | None = None
    http: str | None = None
    data: str | None = None
    group: str = "habemus"
    key_file: str | None = None
    tls: tuple[str | None, str | None, str | None] = (None, None, None)
    think: str | None = None
    hold: str = "constant:100"
    wait: float = 1.0
    stall: int | None = None
    report_every: float = 30.0
    log: str = "text"
    trace: str | None = None


def run(wishes: Wishes) -> int:
    """Run the node until a signal or a failure ends it; its exit status."""
    check_wishes(wishes)
    service = Service(wishes)
    set_up_logging(service)
    return run_loop(service.serve())


def run_loop(main: Coroutine[Any, Any, int]) -> int:
    """Run in uvloop where there is one."""
    factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    with suppress(ImportError):
        import uvloop

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(main)


class Service:
    """A node and all around it."""

    def __init__(self, wishes: Wishes) -> None:
        self.wishes = wishes
        self.listed = members_listed(wishes)
        self.own = own_address(wishes, self.listed)
        self.id = own_id(wishes, self.listed, self.own)
        self.json = wishes.log == "json"
        self.stopping = asyncio.Event()
        self.search: Search | None = None
        self.heeded = True  # somebody reads the reports

    async def serve(self) -> int:
        """Join, run, leave."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stopping.set)
        with ExitStack() as files:
            return await self.run_node(self.recording(files))

    def recording(self, files: ExitStack) -> Recording | None:
        """Where its trace goes, if one is wanted."""
        if self.wishes.trace is None:
            return None
        try:
            return Recording(files.enter_context(open(self.wishes.trace, "ab", buffering=0)))
        except OSError as error:
            raise NetworkError(f"--trace {self.wishes.trace} cannot be written: {error.strerror}") from None

    async def run_node(self, recording: Recording | None) -> int:
        """The life of the node."""
        wishes = self.wishes
        made = await self.make_node(recording)
        if made is None:
            return 0
        node = self.node = made
        node.listeners.append(self.hear)
        if node.stall < HASTY * TICK:
            take_precedence()
        web = None
        if wishes.http is not None:
            from habemus.network.web import Web

            web = Web(node, parse_address(wishes.http, "--http"))
            await web.start()
            log.info("serving http://%s/status", shown(web.address))
        customer = Customer(node, wishes.think, wishes.hold) if wishes.think is not None else None
        helpers: list[asyncio.Future[None]] = []
        stop: asyncio.Future[Any] = asyncio.ensure_future(self.stopping.wait())
        ended: asyncio.Future[Any] = node.ended
        try:
            start: asyncio.Future[Any] = asyncio.ensure_future(node.start())
            await asyncio.wait([start, stop, ended], return_when=asyncio.FIRST_COMPLETED)
            if start.done():
                start.result()
                tasks = [self.report_regularly(), *self.reenlistment(node)]
                if customer is not None:
                    tasks.append(customer.run())
                helpers += [asyncio.ensure_future(task) for task in tasks]
                await asyncio.wait([stop, ended], return_when=asyncio.FIRST_COMPLETED)
            else:
                start.cancel()
            failed = ended.exception() if ended.done() else None
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
            if web is not None:
                await web.stop()

    async def make_node(self, recording: Recording | None) -> Node | None:
        """The node that is wanted, when its members are known; None if a signal came before."""
        wishes = self.wishes
        key = read_key(wishes.key_file) if wishes.key_file is not None else None
        certificates = read_certificates(*wishes.tls)
        bound = parse_address(wishes.listen, "--listen") if wishes.listen is not None else self.own
        require_protection([bound, self.own, *(self.listed or {}).values()], key, certificates is not None)
        endpoint = Endpoint(*bound, certificates.accepting if certificates is not None else None)
        data = Path(wishes.data or Path.home() / ".local" / "state" / "habemus" / wishes.group / str(self.id))
        members = self.listed or await self.found(data, key, endpoint, certificates)
        if members is None:
            endpoint.close()
            return None
        return Node(
            wishes.scenario,
            self.id,
            members,
            data,
            group=wishes.group,
            key=key,
            endpoint=endpoint,
            dialling_tls=certificates.dialling if certificates is not None else None,
            stall=wishes.stall,
            quiet=wishes.wait,
            recording=recording,
        )

    async def found(
        self, data: Path, key: bytes | None, endpoint: Endpoint, certificates: Certificates | None
    ) -> Members | None:
        """The members that are not listed: found in an earlier life, or now; None if a signal came first."""
        wishes, own = self.wishes, self.own
        search = Search(wishes.group, self.id, own, key, wishes.expect, wishes.wait, endpoint, certificates)
        members = found_before(data)
        if members is None:
            members = await self.unless_stopped(search.members(wishes))
            if members is None:
                return None
            remember_members(data, members)
        elif wishes.registry is not None and same_place(parse_address(wishes.registry, "--registry"), own):
            search.serve_roll(members)
        self.search = search
        return members

    def reenlistment(self, node: Node) -> list[Coroutine[Any, Any, None]]:
        """What keeps the registry informed, if there is one and it is another process."""
        if self.search is None or self.wishes.registry is None:
            return []
        where = parse_address(self.wishes.registry, "--registry")
        registrar = next((id for id, address in node.addresses.items() if same_place(address, where)), node.id)
        if registrar == node.id:
            return []
        return [self.search.stay_enlisted(where, lambda: registrar in node.links and node.links[registrar].up)]

    async def unless_stopped(self, search: Coroutine[Any, Any, Members]) -> Members | None:
        """What a search finds, unless a signal ends it."""
        searching: asyncio.Future[Any] = asyncio.ensure_future(search)
        stop: asyncio.Future[Any] = asyncio.ensure_future(self.stopping.wait())
        await asyncio.wait([searching, stop], return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if searching.done():
            found: Members = searching.result()
            return found
        searching.cancel()
        return None

    # Reports

    def hear(self, change: Change) -> None:
        """Something has changed that people want to know."""
        if change.what in REPORTED:
            self.report(change.what)

    async def report_regularly(self) -> None:
        """Say who leads, again and again."""
        while self.wishes.report_every > 0:
            await asyncio.sleep(self.wishes.report_every)
            self.node.look()
            self.report("report")

    def report(self, event: str) -> None:
        """One line on stdout."""
        node = self.node
        if self.json:
            line = {"time": round(time.time(), 3), "event": event, **status(node)}
            text = msgspec.json.encode(line).decode()
        else:
            text = f"{time.strftime('%H:%M:%S')}  process {node.id}: {sentence(node)}"
        try:
            print(text, flush=True)
        except OSError as error:  # the group must not notice that somebody stopped reading
            if self.heeded:
                log.warning("reports cannot be written any more: %s", system_says(error))
            self.heeded = False


def check_wishes(wishes: Wishes) -> None:
    """Refuse numbers that mean nothing."""
    if wishes.log not in ("text", "json"):
        raise NetworkError(f"--log {wishes.log}: expected text or json")
    if not 0 <= wishes.report_every < math.inf:
        raise NetworkError(f"--report-every {wishes.report_every:g}: expected seconds, or 0 for changes only")
    if not 0 < wishes.wait < math.inf:
        raise NetworkError(f"--wait {wishes.wait:g}: expected seconds, as in --wait 1")
    if wishes.id is not None and not 0 <= wishes.id <= HIGHEST_ID:
        raise NetworkError(f"--id {wishes.id}: expected a number from 0 to {HIGHEST_ID}")
    if wishes.stall is not None and wishes.stall < 1:
        raise NetworkError(f"--stall {wishes.stall}: expected milliseconds, as in --stall 1000")


def members_listed(wishes: Wishes) -> Members | None:
    """The members, if they are listed; None if they have to be found."""
    ways = [bool(wishes.peers), wishes.registry is not None, wishes.zeroconf]
    if sum(ways) != 1:
        raise NetworkError(
            "--peers: say who the members are, as in 1=127.0.0.1:7001,2=127.0.0.1:7002; or --registry, or --zeroconf; "
            "one of the three"
        )
    if wishes.peers is None or wishes.peers.startswith("dns:"):
        return None
    if wishes.expect is not None:
        raise NetworkError(f"--expect {wishes.expect}: --peers lists all members, so there is nobody to search for")
    return parse_members(wishes.peers)


def own_address(wishes: Wishes, listed: Members | None) -> Address:
    """Where others reach this process."""
    if listed is not None and wishes.id is not None:
        if wishes.id not in listed:
            raise NetworkError(f"--id {wishes.id}: not among the members in --peers, which are {names(listed)}")
        return listed[wishes.id]
    option, given = ("--advertise", wishes.advertise) if wishes.advertise is not None else ("--listen", wishes.listen)
    if given is None:
        if listed is not None:
            raise NetworkError(f"--id: say which of the members this is: {names(listed)}")
        raise NetworkError("--listen: say where this process can be reached, as in --listen 10.0.0.1:7001")
    own = parse_address(given, option)
    if listed is None and (own[1] == 0 or is_unspecified(own)):
        raise NetworkError(
            f"{option} {given}: others could not reach this process there; give its own address and port, as in "
            f"--advertise 10.0.0.1:7001"
        )
    return own


def own_id(wishes: Wishes, listed: Members | None, own: Address) -> Pid:
    """Which member this is: the one that was named, or the one whose address it has."""
    by_name = listed is None and wishes.peers is not None
    if by_name and wishes.id is not None and wishes.id != id_of(own):
        raise NetworkError(
            f"--id {wishes.id}: the addresses of a name say no ids, so others could not know it; leave it out, and it "
            f"is made of address and port"
        )
    if wishes.id is not None:
        return wishes.id
    if listed is None:
        return id_of(own)
    for id, address in listed.items():
        if address == own:
            return id
    raise NetworkError(f"{shown(own)} is not among the members; give --id, which is one of {names(listed)}")


def names(members: Members) -> str:
    """The ids of members."""
    return ", ".join(map(str, members))


class JsonLines(logging.Formatter):
    """A log line as a JSON object that says whose it is."""

    def __init__(self, group: str, id: Pid) -> None:
        super().__init__()
        self.whose = {"group": group, "id": id}

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, Any] = {"time": round(record.created, 3), "level": record.levelname.lower(), **self.whose}
        line["message"] = record.getMessage()
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


def set_up_logging(service: Service) -> None:
    """Log to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s  %(message)s", "%H:%M:%S")
    handler.setFormatter(JsonLines(service.wishes.group, service.id) if service.json else plain)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
