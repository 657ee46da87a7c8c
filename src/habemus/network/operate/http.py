"""A node over HTTP, for load balancers, dashboards and people.

    /leader     200 if this process leads, else 503: a load balancer can send its requests to the leader
    /follower   200 if it follows a leader, else 503
    /status     its id, leader, term and role
    /members    all processes, and which of them are connected or suspected
    /history    the changes of leader
    /healthz    200 while it works, else 503
    /metrics    for Prometheus
    /events     every change as it happens (server-sent events); with ?trace=1 every step, if the node records
    /election   POST, with the bearer token: call an election

Each answer comes after a look at the clock: a process that was stopped does not claim to lead because it did before.
What is read is unauthenticated; what acts needs the token (web_server.py).
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry, generate_latest

from habemus.network.errors import NetworkError, system_says
from habemus.network.node.change import Change
from habemus.network.node.commands import START
from habemus.network.node.node import Node
from habemus.network.operate.metrics import NodeMetrics
from habemus.network.operate.status import change_fields, status
from habemus.network.operate.web_server import Query, Response, Route, WebServer
from habemus.network.wire.addresses import Address, format_address
from habemus.network.wire.listener import open_sockets

OK, ACCEPTED, NOT_FOUND, CONFLICT, UNAVAILABLE = 200, 202, 404, 409, 503
KEEPALIVE = 15.0  # seconds without news, after which a stream sends a comment
BACKLOG = 1000  # changes that a slow reader may lag behind


class HttpServer:
    """Serves the endpoints of one node."""

    def __init__(self, node: Node, address: Address, *, token: bytes | None = None, names: Iterable[str] = ()) -> None:
        """`token`: what a request to act has to know. `names`: names of this server that the node does not know."""
        self.node = node
        self.address = address
        self.registry = CollectorRegistry()
        self.registry.register(NodeMetrics(node))
        routes: dict[str, Route] = {
            "/leader": self.leader,
            "/follower": self.follower,
            "/status": self.status,
            "/members": self.members,
            "/history": self.history,
            "/healthz": self.health,
            "/metrics": self.metrics,
            "/events": self.events,
        }
        own = {socket.gethostname(), address[0], node.addresses[node.id][0]}
        self.server = WebServer(routes, {"/election": self.election}, {*own, *names}, token)

    async def start(self) -> None:
        """Listen; port 0 means any free port, which is known afterwards."""
        try:
            listening = await open_sockets(self.address)
        except OSError as error:
            where = format_address(self.address)
            raise NetworkError(f"--http {where}: cannot listen there: {system_says(error)}") from None
        self.address = (self.address[0], listening[0].getsockname()[1])
        self.server.start(listening)

    async def stop(self) -> None:
        """Accept no more requests and end the streams."""
        await self.server.stop()

    async def leader(self, query: Query) -> Response:
        return json_response(status(self.node), OK if self.node.leads else UNAVAILABLE)

    async def follower(self, query: Query) -> Response:
        follows = self.node.leader not in (None, self.node.id)
        return json_response(status(self.node), OK if follows else UNAVAILABLE)

    async def status(self, query: Query) -> Response:
        return json_response(status(self.node))

    async def members(self, query: Query) -> Response:
        node, leader = self.node, self.node.leader
        suspected = node.stack.suspected
        return json_response(
            [
                {
                    "id": id,
                    "address": format_address(node.addresses[id]),
                    "connected": id == node.id or id in node.peers.connected,
                    "suspected": id in suspected,
                    "leader": id == leader,
                }
                for id in node.topology.ids
            ]
        )

    async def history(self, query: Query) -> Response:
        """The changes of leader, oldest first."""
        self.node.look()
        return json_response([change_fields(change) for change in self.node.history])

    async def health(self, query: Query) -> Response:
        self.node.look()
        healthy = not self.node.ended.done() and not self.node.trouble
        return json_response({"healthy": healthy, "trouble": self.node.trouble}, OK if healthy else UNAVAILABLE)

    async def metrics(self, query: Query) -> Response:
        return Response(generate_latest(self.registry), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def election(self, query: Query) -> Response:
        """Call an election."""
        node = self.node
        if START not in node.stack.machine.commands:
            return json_response({"error": f"{node.scenario.algorithm} has no elections"}, CONFLICT)
        sent = node.peers.messages_sent.total()
        if not node.command(START) or node.peers.messages_sent.total() == sent:
            return json_response({"error": f"{node.scenario.algorithm} does not call an election now"}, CONFLICT)
        return json_response(status(node), ACCEPTED)

    async def events(self, query: Query) -> Response:
        """The status, then every change, or every step."""
        self.node.look()
        if query.get("trace", "0") == "0":
            stream = self.stream(self.node.listeners, change_events)
        elif self.node.recording is not None:
            stream = self.stream(self.node.recording.listeners, step_events)
        else:
            return json_response({"error": "this process records no trace: start it with --trace FILE"}, NOT_FOUND)
        return Response(stream, media_type="text/event-stream")

    async def stream(self, listeners: list[Any], format: Callable[[Any], list[bytes]]) -> AsyncGenerator[bytes, None]:
        """What listeners hear, as it happens; a reader that lags too far behind loses the oldest."""
        queue: asyncio.Queue[bytes] = asyncio.Queue(BACKLOG)

        def hear(news: Any) -> None:
            for event in format(news):
                if queue.full():
                    queue.get_nowait()
                queue.put_nowait(event)

        listeners.append(hear)
        try:
            yield server_sent_event("status", msgspec.json.encode(status(self.node)))
            while not self.node.leaving:
                try:
                    async with asyncio.timeout(KEEPALIVE):
                        event = await queue.get()
                    yield event
                except TimeoutError:
                    yield b": keep-alive\n\n"
        finally:
            listeners.remove(hear)


def json_response(content: Any, status: int = OK) -> Response:
    return Response(msgspec.json.encode(content), status)


def change_events(change: Change) -> list[bytes]:
    return [server_sent_event(change.what, msgspec.json.encode(change_fields(change)))]


def step_events(lines: list[bytes]) -> list[bytes]:
    """The steps of a turn, each as its line of the trace."""
    return [server_sent_event("trace", line.rstrip()) for line in lines]


def server_sent_event(name: str, content: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), content)
