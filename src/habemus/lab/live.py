"""A cluster of real processes, watched and disturbed from the page.

`habemus up` has its own cluster; in `habemus lab` a page may start one. Every page that watches gets the events of all
processes in the trace format, faults included. The latest events are kept for pages that connect later; older ones are
dropped, but counted. What is kept, and what waits for a page that is slow, is bounded in bytes: an event that changes a
long field carries all of it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from habemus.catalogue import find_algorithm
from habemus.demo.group import ROUTINE, DemoGroup
from habemus.lab.running import count_bits, describe_types, read_initial_states
from habemus.lab.workers import RefusedError
from habemus.network.operate.cluster import Cluster, Member
from habemus.network.operate.temporary import TemporaryFolder
from habemus.process import Mutex
from habemus.scenario import Scenario
from habemus.service.engines.joining import MOST_VOTERS
from habemus.simulation.run import build_simulation
from habemus.trace import Event, Recorder

MOST_PROCESSES = 30
KEPT_EVENTS = 20_000
KEPT_BYTES = 32 << 20
SENT_BYTES = 1 << 20  # that one page is sent before it is looked what is still kept
BATCH_SECONDS = 0.03  # events within this time are sent together
PIECE = 1 << 16  # bytes
KEEPALIVE_SECONDS = 15.0  # a stream without events sends a comment after this time
MISSING, CONFLICT, UNPROCESSABLE = 404, 409, 422
GROUP = "orders"
COMMANDS = {"election": "start", "acquire": "acquire", "release": "release"}
DEMAND = {"think": "exponential:1500", "hold": "constant:400"}


class DroppedEvents(msgspec.Struct):
    """Counts the events that are no longer kept, and what they sent."""

    events: int = 0
    messages_by_type: dict[str, int] = {}
    bits: int = 0

    def add(self, event: Event) -> None:
        self.events += 1
        for message in event.sent:
            self.messages_by_type[message.type] = self.messages_by_type.get(message.type, 0) + 1
            self.bits += count_bits(message.fields)


class Live:
    """The cluster, if there is one, and the streams of the pages that watch it."""

    def __init__(self, cluster: Cluster | None = None) -> None:
        self.cluster: Cluster | None = None
        self.directory: TemporaryFolder | None = None  # of a cluster that was started from a page
        self.events: deque[bytes] = deque()
        self.size = 0  # of all of them, in bytes
        self.dropped = DroppedEvents()
        self.generation = 0  # the number of the cluster: the lab may start several, one after another
        self.watchers: set[asyncio.Event] = set()
        self.closed = False
        if cluster is not None:
            self.watch(cluster)

    def watch(self, cluster: Cluster) -> None:
        """Follow the events of a cluster; it must be traced."""
        self.cluster = cluster
        self.events.clear()
        self.size = 0
        self.dropped = DroppedEvents()
        self.generation += 1
        cluster.step_listeners.append(self.on_event)
        cluster.listeners.append(self.on_status)

    async def start(self, scenario: Scenario, n: int) -> None:
        """Start a cluster."""
        if not 1 <= n <= MOST_PROCESSES:
            raise RefusedError(UNPROCESSABLE, f"n: expected 1 to {MOST_PROCESSES} processes on one machine, got {n}")
        demand: dict[str, Any] = DEMAND if issubclass(find_algorithm(scenario.algorithm), Mutex) else {}
        await self.start_cluster(lambda folder: Cluster(scenario, n, folder, traced=True, **demand))

    async def start_group(self, voters: int) -> None:
        """Start a service group."""
        if not 1 <= voters <= MOST_VOTERS:
            raise RefusedError(UNPROCESSABLE, f"n: expected 1 to {MOST_VOTERS} voters, got {voters}")
        await self.start_cluster(lambda folder: DemoGroup(GROUP, voters, directory=folder, traced=True))

    async def start_cluster(self, make: Callable[[Path], Cluster]) -> None:
        if self.cluster is not None:
            raise RefusedError(CONFLICT, f"a cluster of {self.cluster.scenario.algorithm} is running; stop it first")
        directory = TemporaryFolder()
        try:
            cluster = make(directory.path)
        except BaseException:
            directory.remove()
            raise
        self.watch(cluster)
        self.directory = directory
        await cluster.start()
        self.wake()

    async def stop(self) -> None:
        """End the cluster; refused if it was not started from a page."""
        if self.cluster is None:
            return
        if self.directory is None:
            raise RefusedError(CONFLICT, "this cluster was started by `habemus up`, and ends with it")
        cluster, directory, self.cluster, self.directory = self.cluster, self.directory, None, None
        await cluster.end()
        directory.remove()
        self.wake()

    async def close(self) -> None:
        """End all streams, and the cluster if it was started from a page."""
        self.closed = True
        self.wake()
        if self.directory is not None:
            await self.stop()

    # Watching

    def on_event(self, event: Event) -> None:
        encoded = msgspec.json.encode(event)
        self.events.append(encoded)
        self.size += len(encoded)
        while len(self.events) > KEPT_EVENTS or self.size > KEPT_BYTES:
            oldest = self.events.popleft()
            self.size -= len(oldest)
            self.dropped.add(msgspec.json.decode(oldest, type=Event))
        self.wake()

    def on_status(self, member: Member, what: str) -> None:
        self.wake()

    def wake(self) -> None:
        """Tell all streams that there is something to send."""
        for watcher in self.watchers:
            watcher.set()

    async def stream(self) -> AsyncIterator[bytes]:
        """Server-sent events: the kept events, then new ones as they happen; `status` whenever it changes.

        `before` counts the events before the next one that were dropped before this stream could send them.
        """
        news = asyncio.Event()
        self.watchers.add(news)
        position, generation, known = 0, self.generation, b""
        try:
            while not self.closed:
                news.clear()  # before reading, so that what happens while this is sent wakes the stream again
                if generation != self.generation:
                    position, generation = 0, self.generation
                said = []
                if position < self.dropped.events:
                    position = self.dropped.events
                    said.append(b"event: before\ndata: %b\n\n" % msgspec.json.encode(self.dropped))
                fresh = self.events_from(position)
                position += len(fresh)
                said += [b"event: event\ndata: %b\n\n" % event for event in fresh]
                behind = position < self.dropped.events + len(self.events)
                status = msgspec.json.encode({"kind": "status", **self.describe_status()})
                if status != known and (known or not behind):  # the first one says that the past has been told
                    known = status
                    said.append(b"event: status\ndata: %b\n\n" % status)
                for piece in in_pieces(said):
                    yield piece
                if behind:
                    continue
                try:
                    async with asyncio.timeout(KEEPALIVE_SECONDS):
                        await news.wait()
                except TimeoutError:
                    yield b": still here\n\n"
                await asyncio.sleep(BATCH_SECONDS)
        finally:
            self.watchers.discard(news)

    def events_from(self, position: int) -> list[bytes]:
        """The kept events from this one on: at least one, and so many as fit into SENT_BYTES."""
        fresh: list[bytes] = []
        size = 0
        for event in islice(self.events, position - self.dropped.events, None):
            size += len(event)
            if fresh and size > SENT_BYTES:
                break
            fresh.append(event)
        return fresh

    # Describing

    def describe_status(self) -> dict[str, Any]:
        cluster = self.cluster
        if cluster is None:
            return {"algorithm": None, "leader": None, "nodes": [], "cuts": [], "mine": False, "group": None}
        return {
            "algorithm": cluster.scenario.algorithm,
            "leader": cluster.leader,
            "nodes": [describe_member(member, cluster.pids.get(id)) for id, member in cluster.members.items()],
            "cuts": sorted(cluster.cuts),
            "mine": self.directory is not None,
            "group": cluster.describe() if isinstance(cluster, DemoGroup) else None,
        }

    def describe_run(self) -> dict[str, Any] | None:
        """Describe the run without its events, which the stream sends."""
        if self.cluster is None:
            return None
        scenario = self.cluster.scenario
        recorder = Recorder(0)
        simulation = build_simulation(scenario, recorder)
        topology, stack = simulation.topology, simulation.stack
        return {
            "digest": "",
            "scenario": scenario,
            "algorithm": scenario.algorithm,
            "ids": topology.ids,
            "topology": topology.kind,
            "edges": self.cluster.header.edges,
            "kind": stack[-1].cls.kind,
            "layers": [anatomy.cls.__name__ for anatomy in stack],
            "initial": read_initial_states(recorder, stack),
            **describe_types(stack),
            "durable": {anatomy.cls.__name__: anatomy.durable for anatomy in stack},
            "began": self.cluster.merger.start,
            "routine": ROUTINE if isinstance(self.cluster, DemoGroup) else (),
        }

    # Disturbing

    async def disturb(self, what: str, id: int) -> None:
        """Kill, pause, resume or restart a process, or send it a command."""
        cluster = self.require_cluster()
        if id not in cluster.members:
            raise RefusedError(MISSING, f"there is no process {id}; there are 1 to {len(cluster.members)}")
        if what == "kill":
            cluster.kill(id)
        elif what == "pause":
            cluster.pause(id)
        elif what == "resume":
            cluster.resume(id)
        elif what == "restart":
            await cluster.restart(id)
        else:
            cluster.command(id, COMMANDS[what])

    def cut(self, links: list[tuple[int, int]], one_way: bool) -> None:
        cluster = self.require_cluster()
        for a, b in links:
            if a not in cluster.members or b not in cluster.members or a == b:
                raise RefusedError(MISSING, f"links: there is no link {a}-{b}")
        cluster.cut(links, one_way)
        self.wake()

    def heal(self) -> None:
        self.require_cluster().heal()
        self.wake()

    def require_cluster(self) -> Cluster:
        if self.cluster is None:
            raise RefusedError(CONFLICT, "no cluster is running; start one")
        return self.cluster


def in_pieces(said: list[bytes]) -> Iterator[bytes]:
    """A page has some seconds to take a piece; so one that is slow gets a long list, too."""
    piece = bytearray()
    for each in said:
        piece += each
        if len(piece) >= PIECE:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


def describe_member(member: Member, pid: int | None) -> dict[str, Any]:
    status = member.status if member.state != "dead" else {}
    reported = {name: status.get(name) for name in ("leader", "term", "role", "messages")}
    return {
        "id": member.id,
        "pid": pid,
        "state": member.state,
        **reported,
        "address": member.options.http,
        "complaint": member.last_error if member.state == "dead" else "",
    }
