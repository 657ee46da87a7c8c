"""A group of real processes on this machine.

    cluster = Cluster(Scenario("bully"), 5, directory, traced=True)
    cluster.onlookers.append(print)             # every step of every process, causes first; and every fault
    await cluster.start()
    cluster.kill(5); await cluster.restart(5)   # SIGKILL; and its next life, with what it had on disk
    cluster.pause(4); cluster.resume(4)         # SIGSTOP, SIGCONT
    cluster.cut([(1, 2)]); cluster.heal()       # neither hears the other; all hear each other again
    cluster.command(3, "start")                 # or "acquire", "release", if it is a mutex
    cluster.pids, cluster.leader, cluster.members[3].status
    await cluster.end()

Each node is a process of its own (child.py), which reports to the one that started it and dies with it. A cut is made
by the receiving ends: they read nothing of what comes from there, so that it waits, as it would in the buffers of a
broken network, arrives late if the cut is short, and is lost with the connection if it lasts.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from habemus.network.child import TRACED, Errand, Order
from habemus.network.errors import NetworkError
from habemus.network.service import Wishes
from habemus.network.timing import settled
from habemus.network.weaving import Weaver
from habemus.process import Pid
from habemus.scenario import Scenario
from habemus.simulation.outcome import trace_header
from habemus.simulation.placing import place_processes
from habemus.simulation.run import build_stack
from habemus.trace import Event, Header

REPORT_EVERY = 0.5
LAST_WORDS = 3.0  # seconds to leave in order before being killed
LONGEST_LINE = 1 << 20

RUNNING, PAUSED, DEAD = "running", "paused", "dead"


class Member:
    """One node and what it last said."""

    def __init__(self, cluster: Cluster, wishes: Wishes) -> None:
        assert wishes.id is not None
        self.cluster = cluster
        self.wishes = wishes
        self.id: Pid = wishes.id
        self.state = DEAD
        self.process: asyncio.subprocess.Process | None = None
        self.status: dict[str, Any] = {}
        self.complaint = ""
        self.changed = 0.0  # when its leader last changed
        self.readers: list[asyncio.Task[None]] = []

    @property
    def alive(self) -> bool:
        """Whether there is a process."""
        return self.process is not None and self.process.returncode is None

    async def start(self) -> None:
        """Begin its next life."""
        if self.alive:
            return
        await self.wait()  # until all that the last one said has been read
        errand = Errand(os.getpid(), self.wishes, self.cluster.traced)
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "habemus.network.child", msgspec.json.encode(errand).decode()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the parent, which then tells its children
            limit=LONGEST_LINE,
        )
        self.state = RUNNING
        self.status = {}
        self.readers = [asyncio.ensure_future(self.read_reports()), asyncio.ensure_future(self.read_log())]
        self.cluster.tell_cuts(self.id)

    async def read_reports(self) -> None:
        """Keep what it says about itself."""
        process = self.process
        assert process is not None and process.stdout is not None
        async for line in process.stdout:
            with suppress(msgspec.DecodeError):
                if line.startswith(TRACED):
                    self.cluster.take(self.id, msgspec.json.decode(line[len(TRACED) : -2], type=Event))
                else:
                    self.hear(msgspec.json.decode(line))
        status = await process.wait()
        await self.cluster.hear_causes(self.id)
        self.state = DEAD
        if status == 0:
            self.cluster.tell(self, "left")
        else:
            self.cluster.tell(self, "dead", "crash")
        self.cluster.buried(self.id)

    def hear(self, status: dict[str, Any]) -> None:
        """It says how it is."""
        if status.get("leader") != self.status.get("leader"):
            self.changed = time.time()
        self.status = status
        self.cluster.tell(self, status.get("event", ""))

    async def read_log(self) -> None:
        """Keep the last line of its log, for when it dies of something."""
        assert self.process is not None and self.process.stderr is not None
        async for line in self.process.stderr:
            if not line.startswith(b"{"):
                self.complaint = line.decode(errors="replace").strip()

    def obey(self, order: Order) -> None:
        """Have it do something."""
        if self.process is not None and self.alive and self.process.stdin is not None:
            self.process.stdin.write(msgspec.json.encode(order) + b"\n")

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        if self.process is not None and self.alive:
            self.process.send_signal(number)

    def kill(self) -> None:
        """SIGKILL: it dies on the spot."""
        if self.alive:
            self.cluster.dying[self.id] = milliseconds()
        self.signal(signal.SIGKILL)

    def pause(self) -> None:
        """SIGSTOP: it stands still and does not know it."""
        if self.state == RUNNING:
            self.signal(signal.SIGSTOP)
            self.state = PAUSED
            self.cluster.tell(self, "paused", "pause")

    def resume(self) -> None:
        """SIGCONT: it goes on."""
        if self.state == PAUSED:
            self.signal(signal.SIGCONT)
            self.state = RUNNING
            self.cluster.tell(self, "resumed", "resume")

    async def end(self) -> None:
        """Have it leave in order, or kill it."""
        if self.process is not None and self.alive:
            self.signal(signal.SIGTERM)
            self.signal(signal.SIGCONT)
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORDS):
                    await self.process.wait()
            if self.alive:
                self.kill()
        await self.wait()

    async def wait(self) -> None:
        """Wait until it is no more and all that it said has been heard."""
        await asyncio.gather(*self.readers)


class Cluster:
    """Several nodes of one group on free ports of this machine."""

    def __init__(
        self, scenario: Scenario, n: int, directory: str | Path, *, traced: bool = False, **wishes: Any
    ) -> None:
        if n < 1:
            raise NetworkError(f"-n {n}: expected at least one process")
        ids = list(range(1, n + 1))
        ports = free_ports(2 * n)
        peers = ",".join(f"{id}=127.0.0.1:{ports[id - 1]}" for id in ids)
        key = Path(directory) / "key"
        key.write_text(secrets.token_hex(32))
        self.scenario = settled(scenario, ids)
        self.traced = traced
        self.listeners: list[Callable[[Member, str], None]] = []  # hear of reports, deaths and other changes
        self.onlookers: list[Callable[[Event], None]] = []  # see every step, if it is traced
        self.weaver = Weaver(milliseconds(), self.show)
        self.dying: dict[Pid, int] = {}  # killed, and when; what they said last may still have to be read
        self.later: list[Event] = []  # what the others have done since
        self.cuts: set[tuple[Pid, Pid]] = set()  # the second does not hear the first
        self.members = {
            id: Member(
                self,
                Wishes(
                    scenario=scenario,
                    id=id,
                    peers=peers,
                    http=f"127.0.0.1:{ports[n + id - 1]}",
                    data=str(Path(directory) / str(id)),
                    key_file=str(key),
                    report_every=REPORT_EVERY,
                    log="json",
                    **wishes,
                ),
            )
            for id in ids
        }

    @property
    def header(self) -> Header:
        """The first line of a trace, to which the steps that onlookers see belong."""
        stack, _ = build_stack(self.scenario)
        return trace_header(self.scenario, place_processes(self.scenario, [anatomy.cls for anatomy in stack]))

    def tell(self, member: Member, event: str, fault: str = "") -> None:
        """Something happened to a member."""
        if fault:
            self.note(fault, member.id, at=self.dying.get(member.id))
        for listener in list(self.listeners):
            listener(member, event)

    def take(self, id: Pid, event: Event) -> None:
        """A step of a member. What others do while one is dying may be because of that, and waits until it is dead."""
        if self.dying and id not in self.dying:
            self.later.append(event)
        else:
            self.weaver.take(event)

    async def hear_causes(self, id: Pid) -> None:
        """Before a member is declared dead: what it did last may have causes that others have yet to tell."""
        for _ in range(200):
            while self.later and self.weaver.owes(id):
                self.weaver.take(self.later.pop(0))
            if not self.weaver.owes(id):
                return
            await asyncio.sleep(0.005)

    def buried(self, id: Pid) -> None:
        """A member is dead, and all that it said has been read."""
        self.dying.pop(id, None)
        if not self.dying:
            later, self.later = self.later, []
            for event in later:
                self.weaver.take(event)

    def note(self, kind: str, process: Pid | None, subject: Any = None, at: int | None = None) -> None:
        """Write down what was done to the processes or to the network between them, now or at a moment."""
        if self.traced:
            self.weaver.note(milliseconds() if at is None else at, kind, process, subject)

    def show(self, event: Event) -> None:
        """A step, causes first."""
        for onlooker in list(self.onlookers):
            onlooker(event)

    # Beginning and end

    async def start(self) -> None:
        """Start them all."""
        for member in self.members.values():
            await member.start()

    async def end(self) -> None:
        """End them all."""
        await asyncio.gather(*(member.end() for member in self.members.values()))

    # What can be done to them

    def kill(self, id: Pid) -> None:
        """SIGKILL: it dies on the spot."""
        self.members[id].kill()

    def pause(self, id: Pid) -> None:
        """SIGSTOP: it stands still and does not know it."""
        self.members[id].pause()

    def resume(self, id: Pid) -> None:
        """SIGCONT: it goes on."""
        self.members[id].resume()

    async def restart(self, id: Pid) -> None:
        """Begin its next life with what is on its disk; if it still lives, it is killed first."""
        member = self.members[id]
        member.kill()
        await member.wait()
        await member.start()

    def command(self, id: Pid, name: str) -> None:
        """Have it call an election ("start"), or ask for the lock ("acquire") and give it back ("release")."""
        self.members[id].obey(Order(command=name))

    def cut(self, links: Iterable[tuple[Pid, Pid]], one_way: bool = False) -> None:
        """Cut links; one way means that the second of each pair does not hear the first, but is heard."""
        links = list(links)
        self.note("cut", None, [list(link) for link in links])
        self.cuts.update(links)
        if not one_way:
            self.cuts.update((b, a) for a, b in links)
        for id in self.members:
            self.tell_cuts(id)

    def heal(self) -> None:
        """All hear each other again."""
        self.note("heal", None, [])
        self.cuts.clear()
        for id in self.members:
            self.tell_cuts(id)

    def tell_cuts(self, id: Pid) -> None:
        """Let a process know whom it does not hear."""
        self.members[id].obey(Order(deaf=sorted(sender for sender, receiver in self.cuts if receiver == id)))

    # How they are

    @property
    def pids(self) -> dict[Pid, int]:
        """The process id of each that lives."""
        return {id: member.process.pid for id, member in self.members.items() if member.alive and member.process}

    @property
    def leader(self) -> Pid | None:
        """Whom all who run name, if they agree."""
        named = [member.status.get("leader") for member in self.members.values() if member.state == RUNNING]
        return named[0] if named and len(set(named)) == 1 else None


def milliseconds() -> int:
    """The time since 1970, as nodes write it down."""
    return time.time_ns() // 1_000_000


def free_ports(count: int) -> list[int]:
    """Ports of the loopback interface that nobody uses."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
