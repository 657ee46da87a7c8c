"""A joined process over HTTP, for load balancers, dashboards and people: `join(..., http="127.0.0.1:8080")`.

    /leader         200 if this process leads a role at this moment, else 503; ?role=NAME asks for one role
    /lock/NAME      200 if this process holds the lock at this moment, else 503
    /status         the group: leaders, locks, members
    /members        its members
    /history        what happened lately
    /healthz        200 while this process can use the group, else 503
    /metrics        for Prometheus
    /transfer       POST ?role=NAME&to=MEMBER: a member that waits for the role leads next
    /pause          POST: nobody is replaced until /resume

/leader and /lock/NAME look at the lease and at the clock. The headers Fencing-Token and Lease-Remaining (in seconds)
say more about it. What is read is unauthenticated; what acts (POST) needs the bearer token of `http_token_file`.
"""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import msgspec
from prometheus_client import CollectorRegistry, generate_latest

from habemus.network.errors import NetworkError, system_says
from habemus.network.operate.web_server import Query, Response, WebServer
from habemus.network.wire.addresses import Address, format_address, parse_address
from habemus.network.wire.listener import open_sockets
from habemus.network.wire.security import read_key
from habemus.service.engine import Engine
from habemus.service.engines.loop_thread import LoopThread
from habemus.service.errors import GroupError, NoQuorum
from habemus.service.lease import BaseLease
from habemus.service.membership import Membership
from habemus.service.metrics import GroupMetrics
from habemus.service.view import LOCK, ROLE, Event, View, event_fields, member_fields, view_fields

OK, ACCEPTED, MALFORMED, CONFLICT, UNAVAILABLE = 200, 202, 400, 409, 503
T = TypeVar("T")


class GroupServer:
    """Answers for one joined process, in a thread of its own: an application that blocks does not silence it."""

    def __init__(self, membership: Membership, address: str) -> None:
        self.membership = membership
        options = membership.options
        try:
            self.address: Address = parse_address(address, "http")
            secret = options.http_token_file
            token = read_key(str(secret), "http_token_file") if secret is not None else None
        except NetworkError as error:
            raise GroupError(str(error)) from None
        self.registry = CollectorRegistry()
        self.registry.register(GroupMetrics(membership))
        routes = {
            "/leader": self.leader,
            "/lock/": self.lock,
            "/status": self.status,
            "/members": self.members,
            "/history": self.history,
            "/healthz": self.health,
            "/metrics": self.metrics,
        }
        actions = {"/transfer": self.transfer, "/pause": self.pause, "/resume": self.resume}
        names = {socket.gethostname(), self.address[0], *options.http_host.split(",")}
        self.server = WebServer(routes, actions, names, token)
        self.thread = LoopThread("habemus http")
        try:
            self.thread.run_coroutine(self.listen()).result()
        except OSError as error:
            self.thread.stop()
            raise GroupError(f"http {address}: cannot listen there: {system_says(error)}") from None

    async def listen(self) -> None:
        listening = await open_sockets(self.address)
        self.address = (self.address[0], listening[0].getsockname()[1])
        self.server.start(listening)

    def close(self) -> None:
        self.thread.run_coroutine(self.server.stop()).result()
        self.thread.stop()

    @property
    def url(self) -> str:
        return f"http://{format_address(self.address)}"

    async def leader(self, query: Query) -> Response:
        return lease_response(self.membership.telemetry.leases(ROLE, query.get("role")))

    async def lock(self, query: Query) -> Response:
        return lease_response(self.membership.telemetry.leases(LOCK, query["name"]))

    async def status(self, query: Query) -> Response:
        return await self.tell(lambda engine: engine.fetch_view(), view_fields)

    async def members(self, query: Query) -> Response:
        def fields(view: View) -> list[Any]:
            return [member_fields(member) for member in view.members]

        return await self.tell(lambda engine: engine.fetch_view(), fields)

    async def history(self, query: Query) -> Response:
        def fields(events: list[Event]) -> list[Any]:
            return [event_fields(event) for event in events]

        return await self.tell(lambda engine: engine.fetch_history(), fields)

    async def health(self, query: Query) -> Response:
        return await self.tell(lambda engine: engine.fetch_view(), lambda view: {"healthy": True})

    async def metrics(self, query: Query) -> Response:
        text = await asyncio.to_thread(generate_latest, self.registry)  # the view may have to be asked for
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def transfer(self, query: Query) -> Response:
        role, to = query.get("role", ""), query.get("to", "")
        if not role or not to:
            return json_response({"error": "expected ?role=NAME&to=MEMBER"}, MALFORMED)
        return await self.act(lambda engine: engine.transfer(role, to), {"role": role, "next": to}, ACCEPTED)

    async def pause(self, query: Query) -> Response:
        return await self.act(lambda engine: engine.pause(True), {"paused": True})

    async def resume(self, query: Query) -> Response:
        return await self.act(lambda engine: engine.pause(False), {"paused": False})

    async def tell(self, ask: Callable[[Engine], Future[T]], fields: Callable[[T], Any]) -> Response:
        try:
            return json_response(fields(await asyncio.wrap_future(ask(self.membership.joined))))
        except GroupError as error:
            return json_response({"error": str(error)}, UNAVAILABLE)

    async def act(self, ask: Callable[[Engine], Future[None]], done: Any, status: int = OK) -> Response:
        try:
            await asyncio.wrap_future(ask(self.membership.joined))
        except GroupError as error:
            return json_response({"error": str(error)}, UNAVAILABLE if isinstance(error, NoQuorum) else CONFLICT)
        return json_response(done, status)


def open_server(membership: Membership) -> GroupServer | None:
    """The server that `join(http=...)` asked for; without it the group is left again."""
    if membership.options.http is None:
        return None
    try:
        return GroupServer(membership, membership.options.http)
    except BaseException:
        membership.engine.close()
        raise


def lease_response(leases: list[BaseLease]) -> Response:
    """What is held, the lease that lasts longest in the headers."""
    told = [
        {
            "name": lease.name,
            "token": str(lease.token),
            "slot": lease.slot,
            "remaining": None if lease.deadline == math.inf else round(lease.remaining(), 3),
        }
        for lease in leases
    ]
    headers = []
    if leases:
        last = max(leases, key=lambda lease: lease.deadline)
        headers.append(f"fencing-token: {last.token}")
        if last.deadline != math.inf:
            headers.append(f"lease-remaining: {last.remaining():.3f}")
    return Response(msgspec.json.encode(told), OK if leases else UNAVAILABLE, headers=headers)


def json_response(content: Any, status: int = OK) -> Response:
    return Response(msgspec.json.encode(content), status)
