"""A cluster of real processes, watched and disturbed from the page.

`habemus up` brings its own cluster; in `habemus lab` a page may start one. Every step of every process is told to
whoever watches, in the one trace format, with what was done to them in between; the last ones are kept, so that a page
that comes later sees how it came about, and those before them are counted.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from itertools import islice
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from habemus.catalogue import find_algorithm
from habemus.lab.running import bits, initial_state
from habemus.lab.workers import RefusedError
from habemus.network.cluster import Cluster, Member
from habemus.process import Mutex
from habemus.scenario import Scenario
from habemus.simulation.run import build_simulation
from habemus.trace import Event, Recorder

MOST = 30
KEPT_EVENTS = 20_000
TOGETHER = 0.03  # seconds in which what happens is told at once
QUIET = 15.0  # seconds after which a stream without news says that it is still there
MISSING, CONFLICT, UNPROCESSABLE = 404, 409, 422
COMMANDS = {"election": "start", "acquire": "acquire", "release": "release"}
DEMAND = {"think": "exponential:1500", "hold": "constant:400"}


class Forgotten(msgspec.Struct):
    """The events that are no longer kept: how many, and what they sent."""

    events: int = 0
    messages_by_type: dict[str, int] = {}
    bits: int = 0

    def add(self, event: Event) -> None:
        """One more."""
        self.events += 1
        for letter in event.sent:
            self.messages_by_type[letter.type] = self.messages_by_type.get(letter.type, 0) + 1
            self.bits += bits(letter.fields)


class Live:
    """A cluster, if there is one, and who watches it."""

    def __init__(self, cluster: Cluster | None = None) -> None:
        self.cluster: Cluster | None = None
        self.directory: TemporaryDirectory[str] | None = None  # of a cluster that was started from a page
        self.events: deque[bytes] = deque()
        self.forgotten = Forgotten()
        self.life = 0  # how many clusters there were
        self.watchers: set[asyncio.Event] = set()
        self.closed = False
        if cluster is not None:
            self.watch(cluster)

    def watch(self, cluster: Cluster) -> None:
        """Follow what happens in a cluster, which has to be traced."""
        self.cluster = cluster
        self.events.clear()
        self.forgotten = Forgotten()
        self.life += 1
        cluster.onlookers.append(self.see)
        cluster.listeners.append(self.hear)

    async def start(self, scenario: Scenario, n: int) -> None:
        """Start a cluster from a page."""
        if self.cluster is not None:
            raise RefusedError(CONFLICT, f"a cluster of {self.cluster.scenario.algorithm} is running; stop it first")
        if not 1 <= n <= MOST:
            raise RefusedError(UNPROCESSABLE, f"n: expected 1 to {MOST} processes on one machine, got {n}")
        demand: dict[str, Any] = DEMAND if issubclass(find_algorithm(scenario.algorithm), Mutex) else {}
        directory = TemporaryDirectory(prefix="habemus-")
        try:
            cluster = Cluster(scenario, n, directory.name, traced=True, **demand)
        except BaseException:
            directory.cleanup()
            raise
        self.watch(cluster)
        self.directory = directory
        await cluster.start()
        self.wake()

    async def stop(self) -> None:
        """End a cluster that was started from a page."""
        if self.cluster is None:
            return
        if self.directory is None:
            raise RefusedError(CONFLICT, "this cluster belongs to `habemus up`, and ends with it")
        cluster, directory, self.cluster, self.directory = self.cluster, self.directory, None, None
        await cluster.end()
        directory.cleanup()
        self.wake()

    async def close(self) -> None:
        """End all streams, and the cluster if it was started from a page."""
        self.closed = True
        self.wake()
        if self.directory is not None:
            await self.stop()

    # Watching

    def see(self, event: Event) -> None:
        """A process takes a step, or something is done to it."""
        self.events.append(msgspec.json.encode(event))
        if len(self.events) > KEPT_EVENTS:
            self.forgotten.add(msgspec.json.decode(self.events.popleft(), type=Event))
        self.wake()

    def hear(self, member: Member, what: str) -> None:
        """A process says how it is."""
        self.wake()

    def wake(self) -> None:
        """There are news."""
        for watcher in self.watchers:
            watcher.set()

    async def stream(self) -> AsyncIterator[bytes]:
        """What is kept, then what happens, as server-sent events; `status` whenever it has changed.

        Where events are missing, as they are no longer kept, `before` says what came before the next one.
        """
        news = asyncio.Event()
        self.watchers.add(news)
        position, life, known = 0, self.life, b""
        try:
            while not self.closed:
                news.clear()  # before looking: what happens while this is sent is news again
                if life != self.life:
                    position, life = 0, self.life
                said = []
                if position < self.forgotten.events:
                    position = self.forgotten.events
                    said.append(b"event: before\ndata: %b\n\n" % msgspec.json.encode(self.forgotten))
                end = self.forgotten.events + len(self.events)
                fresh = list(islice(reversed(self.events), end - position))[::-1]
                position = end
                said += [b"event: event\ndata: %b\n\n" % event for event in fresh]
                status = msgspec.json.encode({"kind": "status", **self.status()})
                if status != known:
                    known = status
                    said.append(b"event: status\ndata: %b\n\n" % status)
                if said:
                    yield b"".join(said)
                try:
                    async with asyncio.timeout(QUIET):
                        await news.wait()
                except TimeoutError:
                    yield b": still here\n\n"
                await asyncio.sleep(TOGETHER)
        finally:
            self.watchers.discard(news)

    # How they are

    def status(self) -> dict[str, Any]:
        """Who is in the cluster and how each of them is."""
        cluster = self.cluster
        if cluster is None:
            return {"algorithm": None, "leader": None, "nodes": [], "cuts": [], "mine": False}
        return {
            "algorithm": cluster.scenario.algorithm,
            "leader": cluster.leader,
            "nodes": [described(member, cluster.pids.get(id)) for id, member in cluster.members.items()],
            "cuts": sorted(cluster.cuts),
            "mine": self.directory is not None,
        }

    def run(self) -> dict[str, Any] | None:
        """What a run is told by besides its events, which the stream carries."""
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
            "edges": topology.edges(),
            "kind": stack[-1].cls.kind,
            "layers": [anatomy.cls.__name__ for anatomy in stack],
            "initial": initial_state(recorder, stack),
            "durable": {anatomy.cls.__name__: anatomy.durable for anatomy in stack},
            "began": self.cluster.weaver.start,
        }

    # What can be done to them

    async def disturb(self, what: str, id: int) -> None:
        """Kill, pause, resume or restart a process, or have it call an election, ask for the lock or give it back."""
        cluster = self.there()
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
        """Cut links."""
        cluster = self.there()
        for a, b in links:
            if a not in cluster.members or b not in cluster.members or a == b:
                raise RefusedError(MISSING, f"links: there is no link {a}-{b}")
        cluster.cut(links, one_way)
        self.wake()

    def heal(self) -> None:
        """All links work again."""
        self.there().heal()
        self.wake()

    def there(self) -> Cluster:
        """The cluster; refused if there is none."""
        if self.cluster is None:
            raise RefusedError(CONFLICT, "no cluster is running; start one")
        return self.cluster


def described(member: Member, pid: int | None) -> dict[str, Any]:
    """One process of a cluster."""
    status = member.status if member.state != "dead" else {}
    told = {name: status.get(name) for name in ("leader", "term", "role", "messages")}
    return {
        "id": member.id,
        "pid": pid,
        "state": member.state,
        **told,
        "address": member.wishes.http,
        "complaint": member.complaint if member.state == "dead" else "",
    }
