"""A member of a group, as a process of its own: it joins as any program does, and is a voter.

It reports on stdout and takes orders on stdin, as every child of a cluster does (network/operate/child.py). All that it
prints, it prints in the thread of the protocol, which never waits for a reader.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from typing import Any

import msgspec

from habemus.network.node.recording import Recording
from habemus.network.operate.child import MOST_STEPS, Order, print_turn
from habemus.network.operate.logs import log_to_stderr, tell_dropped
from habemus.network.operate.output import STDOUT, Output
from habemus.network.operate.parent import die_with_parent
from habemus.network.operate.service import run_loop
from habemus.network.operate.signals import call_when_told_to_end
from habemus.process import Pid
from habemus.scenario import Scenario
from habemus.service.engines.embedded import EmbeddedEngine
from habemus.service.engines.joining import Joiner, make_scenario
from habemus.service.errors import GroupError
from habemus.service.group import Group
from habemus.service.membership import Membership
from habemus.service.options import JoinOptions
from habemus.service.view import view_fields
from habemus.trace import Header

LOOK = 0.1  # seconds between two looks at what is to be reported
GRACE = 0.5
KEEP = 20  # entries before a snapshot is made: a step that changes the log is reported with the whole log


def make_demo_scenario(voters: list[Pid], ttl: float) -> Scenario:
    scenario = make_scenario(voters, ttl)
    return msgspec.structs.replace(scenario, parameters={**scenario.parameters, "keep": KEEP})


class MemberOptions(msgspec.Struct):
    """How to run a member; its only argument, as JSON."""

    parent: int  # process id
    id: Pid
    place: Pid  # the id of its node: a voter keeps its own, a client has another one in every life
    voter: bool
    group: str
    where: str
    ttl: float
    key_file: str
    data: str
    http: str
    traced: bool


class PlacedRecording(Recording):
    """Of a member whose place is known: the number of a client's life is its place, which is used once."""

    def __init__(self, options: MemberOptions) -> None:
        super().__init__()
        self.options = options

    def begin(self, header: Header, incarnation: int) -> None:
        super().begin(header, incarnation if self.options.voter else self.options.place)


class PlacedEngine(EmbeddedEngine):
    """The engine of a member whose place is known."""

    def __init__(self, joining: JoinOptions, options: MemberOptions, recording: Recording | None) -> None:
        super().__init__(joining, options.where)
        self.place = options.place
        self.recording = recording

    async def begin(self, joiner: Joiner) -> None:
        joiner.place, joiner.recording = self.place, self.recording
        joiner.scenario = make_demo_scenario(sorted(joiner.members), self.options.ttl)
        await super().begin(joiner)


class Child:
    """A member that reports and takes orders."""

    def __init__(self, options: MemberOptions) -> None:
        self.options = options
        self.output = Output(STDOUT, tell_dropped(True), MOST_STEPS)
        recording = PlacedRecording(options) if options.traced else None
        if recording is not None:
            recording.listeners.append(self.print_steps)
        joining = JoinOptions(
            options.group,
            options.where,
            id=str(options.id),
            ttl=options.ttl,
            grace=GRACE,
            key_file=options.key_file,
            data=options.data,
            voter=options.voter,
            http=options.http,
        )
        self.engine = PlacedEngine(joining, options, recording)
        self.group = Group(Membership(joining, self.engine))

    async def serve(self) -> int:
        stopping = asyncio.Event()
        call_when_told_to_end(stopping.set)
        async with self.group:
            jobs: list[Coroutine[Any, Any, Any]] = [stopping.wait(), self.obey(), self.report_changes(), *self.jobs()]
            tasks = [asyncio.ensure_future(job) for job in jobs]
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        self.output.close()
        return 0

    def jobs(self) -> list[Coroutine[Any, Any, None]]:
        """What it does besides."""
        return []

    async def obey(self) -> None:
        """Follow the orders of the parent until it closes the pipe."""
        orders = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin.buffer)
        async for line in orders:
            order = msgspec.json.decode(line, type=Order)
            if order.block is not None:
                self.engine.thread.call_soon(self.engine.node.peers.block, order.block)
        os._exit(1)

    async def report_changes(self) -> None:
        known: dict[str, Any] = {}
        while True:
            status = await asyncio.wrap_future(self.engine.thread.run_coroutine(self.look()))
            if status != known:
                self.report({"event": "leader" if status["leader"] != known.get("leader") else "report", **status})
                known = status
            await asyncio.sleep(LOOK)

    async def look(self) -> dict[str, Any]:
        """What is reported; a voter that leads shows its table. It runs in the thread of the protocol."""
        node, member = self.engine.node, self.engine.member
        view = view_fields(await self.engine.lookout.recall_view()) if member.leads else None
        return {"leader": node.leader, "term": node.term, "role": node.role, "view": view}

    def report(self, content: dict[str, Any]) -> None:
        self.engine.thread.call_soon(self.output.write, msgspec.json.encode(content) + b"\n")

    def print_steps(self, lines: list[bytes]) -> None:
        print_turn(self.output, lines)


def run_child(kind: type[Child]) -> int:
    options = msgspec.json.decode(sys.argv[1], type=MemberOptions)
    die_with_parent(options.parent)
    try:
        with log_to_stderr(options.group, options.id, json=True):
            return run_loop(kind(options).serve())
    except GroupError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(run_child(Child))
