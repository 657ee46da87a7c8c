"""A group of real processes on this machine.

    async with Cluster(Scenario("bully"), 5, traced=True) as cluster:
        cluster.step_listeners.append(print)        # every step of every process, causes first; and every fault
        cluster.kill(5); await cluster.restart(5)   # SIGKILL; and its next incarnation, with what it had on disk
        cluster.pause(4); cluster.resume(4)         # SIGSTOP, SIGCONT
        cluster.cut([(1, 2)]); cluster.heal()       # neither hears the other; all hear each other again
        cluster.command(3, "start")                 # or "acquire", "release", if it is a mutex
        cluster.pids, cluster.leader, cluster.members[3].status

Each node is a process of its own (child.py), which reports to the one that started it and dies with it. A cut is made
by the receiving ends: they stop reading what comes over the link. So it waits, as it would in the buffers of a broken
network. It arrives late if the cut is short, and is lost with the connection if the cut lasts.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from habemus.network.errors import NetworkError
from habemus.network.node.change import notify
from habemus.network.node.commands import check_command
from habemus.network.node.storage import open_private
from habemus.network.node.timing import complete_scenario
from habemus.network.operate.child import TRACED, TURN_OVER, ChildOptions, Order
from habemus.network.operate.options import NodeOptions
from habemus.network.operate.temporary import TemporaryFolder
from habemus.process import Machine, Pid
from habemus.scenario import Scenario
from habemus.scenario.placing import place_processes
from habemus.scenario.stack import build_stack
from habemus.trace import Event, trace_header
from habemus.trace.live_merging import LiveMerger

REPORT_EVERY = 0.5
LEAVING_TIME = 3.0  # seconds to leave before being killed
LONGEST_LINE = 1 << 20


class MemberState(StrEnum):
    """What the parent knows of the process."""

    RUNNING = "running"
    PAUSED = "paused"
    DEAD = "dead"


class Member:
    """One node of a cluster, and its last report."""

    def __init__(self, cluster: Cluster, options: NodeOptions) -> None:
        assert options.id is not None
        self.cluster = cluster
        self.options = options
        self.id: Pid = options.id
        self.state = MemberState.DEAD
        self.process: asyncio.subprocess.Process | None = None
        self.status: dict[str, Any] = {}
        self.last_error = ""
        self.leader_changed = 0.0  # seconds since 1970
        self.readers: list[asyncio.Task[None]] = []

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.returncode is None

    async def start(self) -> None:
        """Start its next incarnation, unless it is alive."""
        if self.alive:
            return
        await self.wait()  # until all reports of the last one have been read
        self.process = await asyncio.create_subprocess_exec(
            *self.command_line(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the parent, which then ends its children
            limit=LONGEST_LINE,
        )
        self.state = MemberState.RUNNING
        self.status = {}
        self.readers = [asyncio.ensure_future(self.read_reports()), asyncio.ensure_future(self.read_log())]
        self.cluster.send_cuts(self.id)

    def command_line(self) -> list[str]:
        options = ChildOptions(os.getpid(), self.options, self.cluster.traced)
        return [sys.executable, "-m", "habemus.network.operate.child", msgspec.json.encode(options).decode()]

    async def read_reports(self) -> None:
        process = self.process
        assert process is not None and process.stdout is not None
        turn: list[Event] = []  # a turn that a kill cuts short has not taken place for anybody else
        async for line in read_lines(process.stdout):
            with suppress(msgspec.DecodeError):
                if line.startswith(TRACED):
                    turn.append(msgspec.json.decode(line[len(TRACED) : -2], type=Event))
                elif line == TURN_OVER:
                    for event in turn:
                        self.cluster.add_step(self.id, event)
                    turn = []
                else:
                    self.update_status(msgspec.json.decode(line))
        status = await process.wait()
        await self.cluster.wait_for_causes(self.id)
        self.state = MemberState.DEAD
        if status == 0:
            self.cluster.tell(self, "left")
        else:
            self.cluster.tell(self, "dead", "crash")
        self.cluster.finish_death(self.id)

    def update_status(self, status: dict[str, Any]) -> None:
        if status.get("leader") != self.status.get("leader"):
            self.leader_changed = time.time()
        self.status = status
        self.cluster.tell(self, status.get("event", ""))

    async def read_log(self) -> None:
        """Keep the last line that is not JSON: the error that ended the process."""
        assert self.process is not None and self.process.stderr is not None
        async for line in read_lines(self.process.stderr):
            if not line.startswith(b"{"):
                self.last_error = line.decode(errors="replace").strip()

    def send_order(self, order: Order) -> None:
        if self.process is not None and self.alive and self.process.stdin is not None:
            self.process.stdin.write(msgspec.json.encode(order) + b"\n")

    def signal(self, number: signal.Signals) -> None:
        if self.process is not None and self.alive:
            self.process.send_signal(number)

    def kill(self) -> None:
        """SIGKILL: it dies at once."""
        if self.alive:
            self.cluster.dying[self.id] = milliseconds()
        self.signal(signal.SIGKILL)

    def pause(self) -> None:
        """SIGSTOP: it stops, and cannot know it."""
        if self.state == MemberState.RUNNING:
            self.signal(signal.SIGSTOP)
            self.state = MemberState.PAUSED
            self.cluster.tell(self, "paused", "pause")

    def resume(self) -> None:
        """SIGCONT: it goes on."""
        if self.state == MemberState.PAUSED:
            self.signal(signal.SIGCONT)
            self.state = MemberState.RUNNING
            self.cluster.tell(self, "resumed", "resume")

    async def end(self) -> None:
        """Have it leave the group; kill it if it does not."""
        if self.process is not None and self.alive:
            self.signal(signal.SIGTERM)
            self.signal(signal.SIGCONT)
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVING_TIME):
                    await self.process.wait()
            if self.alive:
                self.kill()
        await self.wait()

    async def wait(self) -> None:
        """Wait until it is dead and all its reports have been read."""
        await asyncio.gather(*self.readers)


class Cluster:
    """Several nodes of one group on free ports of this machine.

    `options` are those of `habemus node` (NodeOptions). Without a directory a temporary one is used, and removed by
    `end`.
    """

    def __init__(
        self,
        scenario: Scenario,
        n: int,
        directory: str | Path | None = None,
        *,
        traced: bool = False,
        **options: Any,
    ) -> None:
        if n < 1:
            raise NetworkError(f"-n {n}: expected at least one process")
        ids = list(range(1, n + 1))
        self.scenario = complete_scenario(scenario, ids)
        stack, parameters = build_stack(self.scenario)
        topology = place_processes(self.scenario, [anatomy.cls for anatomy in stack])
        self.header = trace_header(self.scenario, topology)  # of a trace of the steps that `step_listeners` see
        self.commands = Machine(stack, parameters, topology).commands
        self.traced = traced
        self.listeners: list[Callable[[Member, str], object]] = []  # are told of reports, deaths and other changes
        self.step_listeners: list[Callable[[Event], object]] = []  # are told of every step, if the cluster is traced
        self.merger = LiveMerger(milliseconds(), lambda event: notify(self.step_listeners, event))
        self.dying: dict[Pid, int] = {}  # killed, and when; their last reports may not have been read yet
        self.delayed: list[Event] = []  # steps of the others since then
        self.cuts: set[tuple[Pid, Pid]] = set()  # the second does not hear the first
        self.temporary = TemporaryFolder() if directory is None else None
        folder = self.temporary.path if self.temporary is not None else Path(directory or "")
        ports = free_ports(2 * n)
        key = folder / "key"
        with open(key, "w", opener=open_private) as file:
            file.write(secrets.token_hex(32))
        self.members = {
            id: self.make_member(
                NodeOptions(
                    scenario=scenario,
                    id=id,
                    peers=",".join(f"{id}=127.0.0.1:{ports[id - 1]}" for id in ids),
                    http=f"127.0.0.1:{ports[n + id - 1]}",
                    data=str(folder / str(id)),
                    key_file=str(key),
                    report_every=REPORT_EVERY,
                    log="json",
                    **options,
                )
            )
            for id in ids
        }

    def make_member(self, options: NodeOptions) -> Member:
        return Member(self, options)

    # Start and end

    async def __aenter__(self) -> Cluster:
        try:
            await self.start()
        except BaseException:
            await self.end()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.end()

    async def start(self) -> None:
        for member in self.members.values():
            await member.start()

    async def end(self) -> None:
        await asyncio.gather(*(member.end() for member in self.members.values()))
        if self.temporary is not None:
            self.temporary.remove()

    # Faults and commands

    def kill(self, id: Pid) -> None:
        """SIGKILL: it dies at once."""
        self.members[id].kill()

    def pause(self, id: Pid) -> None:
        """SIGSTOP: it stops, and cannot know it."""
        self.members[id].pause()

    def resume(self, id: Pid) -> None:
        """SIGCONT: it goes on."""
        self.members[id].resume()

    async def restart(self, id: Pid) -> None:
        """Start its next incarnation with what is on its disk; if it is alive, it is killed first."""
        member = self.members[id]
        member.kill()
        await member.wait()
        await member.start()

    def command(self, id: Pid, name: str) -> None:
        """Have it call an election ("start"), or acquire the lock ("acquire") and release it ("release")."""
        check_command(name, self.commands, self.scenario.algorithm)
        self.members[id].send_order(Order(command=name))

    def cut(self, links: Iterable[tuple[Pid, Pid]], one_way: bool = False) -> None:
        """Cut links; one way means that the second of each pair does not hear the first, but is heard."""
        links = list(links)
        self.note("cut", None, [list(link) for link in links])
        self.cuts.update(links)
        if not one_way:
            self.cuts.update((b, a) for a, b in links)
        for id in self.members:
            self.send_cuts(id)

    def heal(self) -> None:
        """Remove all partitions: every member reaches every other again."""
        self.note("heal", None, [])
        self.cuts.clear()
        for id in self.members:
            self.send_cuts(id)

    def send_cuts(self, id: Pid) -> None:
        """Tell a process which peers it does not hear."""
        self.members[id].send_order(Order(block=sorted(sender for sender, receiver in self.cuts if receiver == id)))

    # What happens

    def tell(self, member: Member, event: str, fault: str = "") -> None:
        """Something happened to a member."""
        if fault:
            self.note(fault, member.id, at=self.dying.get(member.id))
        notify(self.listeners, member, event)

    def note(self, kind: str, process: Pid | None, subject: Any = None, at: int | None = None) -> None:
        """Record a fault, now or at a given moment."""
        if self.traced:
            self.merger.note(milliseconds() if at is None else at, kind, process, subject)

    def add_step(self, id: Pid, event: Event) -> None:
        """A step of a member. While another is dying, it may be a consequence of that death, and is delayed."""
        if self.dying and id not in self.dying:
            self.delayed.append(event)
        else:
            self.merger.add(event)

    async def wait_for_causes(self, id: Pid) -> None:
        """Before a member is declared dead: its last steps may have causes that others have yet to report."""
        for _ in range(200):
            while self.delayed and self.merger.is_waiting(id):
                self.merger.add(self.delayed.pop(0))
            if not self.merger.is_waiting(id):
                return
            await asyncio.sleep(0.005)

    def finish_death(self, id: Pid) -> None:
        """A member is dead, and all its reports have been read."""
        self.dying.pop(id, None)
        if not self.dying:
            delayed, self.delayed = self.delayed, []
            for event in delayed:
                self.merger.add(event)

    @property
    def pids(self) -> dict[Pid, int]:
        """The process ids of the members that are alive."""
        return {id: member.process.pid for id, member in self.members.items() if member.alive and member.process}

    @property
    def leader(self) -> Pid | None:
        """The leader that all running members follow, if they agree."""
        named = [member.status.get("leader") for member in self.members.values() if member.state == MemberState.RUNNING]
        return named[0] if named and len(set(named)) == 1 else None


async def read_lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """All lines but those that are longer than LONGEST_LINE; of such a one the end may come, which is no JSON."""
    while True:
        try:
            line = await stream.readline()
        except ValueError:
            continue
        if not line:
            return
        yield line


def milliseconds() -> int:
    """The time since 1970, as nodes record it."""
    return time.time_ns() // 1_000_000


def free_ports(count: int) -> list[int]:
    """Ports of the loopback interface that nobody uses."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
