"""How large may a group's lock table be? Three real voters, sealed frames, in one process; a member that wants much.

    python bench/group_sizes.py                    100,000 locks, 1,000 sessions, a queue of 1,000
    python bench/group_sizes.py 1000 10 100        others, in this order

Prints processor time of all three voters and of all clients together, for each lock, session and hand-over. No step
depends on how many there are, except that a snapshot of the table is made after as many entries as there are locks.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from habemus.network.node.change import Change
from habemus.network.node.client import Client
from habemus.network.node.node import Node
from habemus.network.operate.cluster import free_ports
from habemus.network.wire.addresses import Address
from habemus.replication.leases import Exchange, Give, Held, Want
from habemus.replication.table import LockTable
from habemus.scenario import Scenario
from habemus.service.engines.joining import make_scenario

VOTERS = (1, 2, 3)
KEY = b"0123456789abcdef"
TTL = 600.0  # seconds: nothing is to expire while all of this happens in one process
TOGETHER = 1000  # wants in a request, and clients that connect at a time


class Program:
    """Uses a node. It gives back what it was told to, as soon as it has it."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.held = 0
        self.passing: set[int] = set()
        node.listeners.append(self.hear)

    def hear(self, change: Change) -> None:
        if isinstance(change.subject, Held):
            self.held += 1
            if change.subject.ticket in self.passing:
                self.node.command("release", Give(change.subject.ticket))

    def want(self, wants: list[Want]) -> None:
        for begin in range(0, len(wants), TOGETHER):
            self.node.command("exchange", Exchange((), tuple(wants[begin : begin + TOGETHER])))

    @property
    def table(self) -> LockTable:
        table: LockTable = self.node.stack.process.table  # type: ignore[attr-defined]
        return table


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


@asynccontextmanager
async def voters(folder: Path) -> AsyncIterator[tuple[list[Node], Scenario, dict[int, Address]]]:
    where: dict[int, Address] = {id: ("127.0.0.1", port) for id, port in zip(VOTERS, free_ports(3), strict=True)}
    scenario = make_scenario(list(VOTERS), TTL)
    nodes = [Node(scenario, id, where, folder / str(id), key=KEY) for id in VOTERS]
    try:
        await asyncio.gather(*(node.start() for node in nodes))
        await until(lambda: any(node.leads for node in nodes))
        yield nodes, scenario, where
    finally:
        for node in nodes:
            await node.stop()


async def measure(locks: int, sessions: int, queue: int) -> dict[str, float]:
    """Microseconds of processor time for each."""
    costs: dict[str, float] = {}
    begin = time.process_time()

    def note(what: str, count: int) -> None:
        nonlocal begin
        now = time.process_time()
        costs[what] = 1e6 * (now - begin) / max(1, count)
        begin = now

    with tempfile.TemporaryDirectory() as folder:
        async with voters(Path(folder)) as (nodes, scenario, where), AsyncExitStack() as clients:
            program = Program(next(node for node in nodes if node.leads))
            note("start", 1)
            program.want([Want(number, f"name {number}") for number in range(1, locks + 1)])
            await until(lambda: program.held == locks)
            note("a lock", locks)
            program.passing = set(range(locks + 1, locks + queue + 1))
            program.want([Want(ticket, "the same") for ticket in sorted(program.passing)])
            await until(lambda: program.held == locks + queue)
            note("a hand-over in the queue", queue)
            for _ in range(0, sessions, TOGETHER):
                others = [Client(scenario, where, key=KEY) for _ in range(min(TOGETHER, sessions))]
                for client in others:
                    await clients.enter_async_context(client)
                    client.command("acquire", Want(1, f"of {client.id}"))
            await until(lambda: len(program.table.sessions) == sessions + 1)
            await until(lambda: len(program.table.locks) == locks + sessions)
            note("a session with a lock", sessions)
    return costs


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or [100_000, 1000, 1000]
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for what, cost in asyncio.run(measure(*sizes)).items():
        print(f"{what}: {cost:,.0f} µs")


if __name__ == "__main__":
    main()
