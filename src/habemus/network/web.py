"""A node over HTTP, for load balancers, dashboards and people.

    /leader     200 if this process leads, else 503; so a load balancer sends its requests to the leader
    /follower   200 if it follows a leader, else 503
    /status     who it is, whom it follows, in which term and role
    /members    all processes, which of them are connected and which suspected
    /history    the changes of leader
    /healthz    200 while it works
    /metrics    for Prometheus
    /events     every change as it happens (server-sent events); with ?trace=1 every step, if the node records

Each answer comes after a look at the clock, so that a process that was stopped does not claim to lead because it did
before.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import msgspec
import uvicorn
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from habemus.network.addresses import Address, shown
from habemus.network.errors import NetworkError, system_says
from habemus.network.node import Change, Node
from habemus.network.telling import described, status

OK, NOT_FOUND, UNAVAILABLE = 200, 404, 503
QUIET = 15.0  # seconds after which a stream without news says that it is still there
BACKLOG = 1000  # changes that a slow listener may lag behind


class Web:
    """Serves a node."""

    def __init__(self, node: Node, address: Address) -> None:
        self.node = node
        self.address = address
        self.registry = CollectorRegistry()
        self.registry.register(Figures(node))
        routes: dict[str, Callable[[Request], Any]] = {
            "/leader": self.leader,
            "/follower": self.follower,
            "/status": self.status,
            "/members": self.members,
            "/history": self.history,
            "/healthz": self.health,
            "/metrics": self.metrics,
            "/events": self.events,
        }
        self.app = Starlette(routes=[Route(path, answer, methods=["GET"]) for path, answer in routes.items()])
        self.config = uvicorn.Config(self.app, log_level="warning", access_log=False, lifespan="off")
        self.server = uvicorn.Server(self.config)
        self.sockets: list[socket.socket] = []

    async def start(self) -> None:
        """Listen; port 0 means any free one, which is known afterwards."""
        host, port = self.address
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            listening = socket.create_server((host, port), family=family)
        except OSError as error:
            raise NetworkError(f"--http {shown(self.address)}: cannot listen there: {system_says(error)}") from None
        self.address = (host, listening.getsockname()[1])
        self.sockets = [listening]
        # Not `serve`: it captures signals, which are the node's business, and wakes up ten times a second.
        self.config.load()
        self.server.lifespan = self.config.lifespan_class(self.config)
        await self.server.startup(self.sockets)

    async def stop(self) -> None:
        """Take no more requests and end the streams."""
        self.server.should_exit = self.server.force_exit = True
        await self.server.shutdown(self.sockets)

    # Answers

    async def leader(self, request: Request) -> Response:
        """Whether this process leads."""
        self.node.look()
        return self.verdict(self.node.leads)

    async def follower(self, request: Request) -> Response:
        """Whether this process follows a leader."""
        self.node.look()
        return self.verdict(self.node.leader is not None and not self.node.leads)

    def verdict(self, yes: bool) -> Response:
        """200 or 503, and the status."""
        return answer(status(self.node), OK if yes else UNAVAILABLE)

    async def status(self, request: Request) -> Response:
        """All in one."""
        self.node.look()
        return answer(status(self.node))

    async def members(self, request: Request) -> Response:
        """All processes as this one sees them."""
        self.node.look()
        suspected = self.node.stack.suspected
        return answer(
            [
                {
                    "id": id,
                    "address": shown(self.node.addresses[id]),
                    "connected": id == self.node.id or (id in self.node.links and self.node.links[id].up),
                    "suspected": id in suspected,
                    "leader": id == self.node.leader,
                }
                for id in self.node.topology.ids
            ]
        )

    async def history(self, request: Request) -> Response:
        """The changes of leader, oldest first."""
        self.node.look()
        return answer([described(change) for change in self.node.history])

    async def health(self, request: Request) -> Response:
        """Whether it works."""
        self.node.look()
        well = not self.node.ended.done()
        return answer({"healthy": well}, OK if well else UNAVAILABLE)

    async def metrics(self, request: Request) -> Response:
        """Figures for Prometheus."""
        self.node.look()
        return Response(generate_latest(self.registry), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def events(self, request: Request) -> Response:
        """The status, then every change, or every step."""
        self.node.look()
        if request.query_params.get("trace", "0") == "0":
            stream = self.stream(self.node.listeners, told_change)
        elif self.node.recording is not None:
            stream = self.stream(self.node.recording.listeners, told_steps)
        else:
            return answer({"error": "this process does not record what it does: start it with --trace FILE"}, NOT_FOUND)
        return StreamingResponse(stream, media_type="text/event-stream", headers={"cache-control": "no-store"})

    async def stream(self, listeners: list[Any], told: Callable[[Any], list[bytes]]) -> AsyncIterator[bytes]:
        """What listeners hear, as it happens; a reader that lags too far behind loses the oldest."""
        news: asyncio.Queue[bytes] = asyncio.Queue(BACKLOG)

        def hear(heard: Any) -> None:
            for said in told(heard):
                if news.full():
                    news.get_nowait()
                news.put_nowait(said)

        listeners.append(hear)
        try:
            yield event("status", msgspec.json.encode(status(self.node)))
            while not self.server.should_exit and not self.node.leaving:
                try:
                    async with asyncio.timeout(QUIET):
                        said = await news.get()
                    yield said
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            listeners.remove(hear)


class Figures(Collector):
    """A node's figures, read when they are asked for."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def collect(self) -> Iterator[Metric]:
        """All of them."""
        node = self.node
        labels = {"group": node.group, "process": str(node.id)}
        for name, text, value in (
            ("leader", "1 if this process leads", int(node.leads)),
            ("leader_id", "whom it takes for the leader; -1: nobody", -1 if node.leader is None else node.leader),
            ("term", "the term it is in; -1: there are none", -1 if node.term is None else node.term),
            ("members", "how many processes there are", node.stack.n),
            ("connected", "how many of them it is connected to", sum(link.up for link in node.links.values())),
            ("suspected", "how many of them it suspects", len(node.stack.suspected)),
            (
                "inside",
                "1 if it is inside the critical section",
                int(node.stack.mutex is not None and node.stack.mutex.inside),
            ),
            (
                "unacknowledged",
                "reliable messages under way",
                sum(len(link.unacknowledged) for link in node.links.values()),
            ),
        ):
            gauge = GaugeMetricFamily(f"habemus_{name}", text, labels=list(labels))
            gauge.add_metric(list(labels.values()), value)
            yield gauge
        for name, text, total in (
            ("leader_changes", "how often it took another for the leader", node.counts["leader"]),
            ("suspicions", "how often its detector suspected somebody", node.counts["suspect"]),
            ("entries", "how often it was inside the critical section", node.counts["enter"]),
            ("stalls", "how often it found that it had stood still", node.counts["stalls"]),
            ("disagreements", "how often it called since the leader could not be right", node.counts["disagreements"]),
            ("disk_writes", "how often its state went to disk", node.memory.storage.writes),
            ("refused_connections", "how often what came to its port was none of its group", node.endpoint.refusals),
            ("dropped_messages", "messages that could not be sent", sum(link.dropped for link in node.links.values())),
        ):
            counter = CounterMetricFamily(f"habemus_{name}", text, labels=list(labels))
            counter.add_metric(list(labels.values()), total)
            yield counter
        for name, text, counts in (
            ("messages_sent", "messages sent", node.sent),
            ("messages_received", "messages received", node.heard),
        ):
            counter = CounterMetricFamily(f"habemus_{name}", text, labels=[*labels, "type"])
            for kind, count in sorted(counts.items()):
                counter.add_metric([*labels.values(), kind], count)
            yield counter


def answer(content: Any, status: int = OK) -> Response:
    """Something as JSON."""
    return Response(
        msgspec.json.encode(content), status, media_type="application/json", headers={"cache-control": "no-store"}
    )


def told_change(change: Change) -> list[bytes]:
    """A change as an event."""
    return [event(change.what, msgspec.json.encode(described(change)))]


def told_steps(lines: list[bytes]) -> list[bytes]:
    """The steps of a turn, each as its line of the trace."""
    return [event("trace", line.rstrip()) for line in lines]


def event(name: str, content: bytes) -> bytes:
    """One server-sent event."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), content)
