"""Groups of nodes for the tests: several in one process, each with its own port and directory."""

import asyncio
import socket
from contextlib import ExitStack, asynccontextmanager

from habemus.checking.answer.validation import validate
from habemus.network.node.node import Node
from habemus.network.node.recording import Recording
from habemus.scenario import Scenario
from habemus.trace import read_trace
from habemus.trace.merging import merge


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def addresses(n):
    return {place + 1: ("127.0.0.1", port) for place, port in enumerate(free_ports(n))}


async def until(condition, seconds=60.0):
    """Wait for something to become true, however busy the machine is; a test that waits in vain fails."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < deadline, "it never came true"
        await asyncio.sleep(0.005)


def agreed(nodes):
    leaders = {node.leader for node in nodes}
    return len(leaders) == 1 and None not in leaders


def validated(folder, n):
    """The traces of a group make one, and every step of it is a step of the algorithm."""
    return validate(merge([read_trace(folder / f"{id}.jsonl") for id in range(1, n + 1)]))


@asynccontextmanager
async def traced_group(scenario, n, folder, **options):
    """Nodes 1 ... n of a group, started, with a trace of each beside its directory."""
    where = addresses(n)
    with ExitStack() as files:
        nodes = [
            Node(
                scenario,
                id,
                where,
                folder / str(id),
                recording=Recording(files.enter_context(open(folder / f"{id}.jsonl", "ab"))),
                **options,
            )
            for id in where
        ]
        try:
            await asyncio.gather(*(node.start() for node in nodes))
            yield nodes
        finally:
            for node in nodes:
                await node.stop()


@asynccontextmanager
async def group(scenario, n, folder, where=None, **options):
    """Nodes 1 ... n of a group, started."""
    if isinstance(scenario, str):
        scenario = Scenario(scenario)
    where = where or addresses(n)
    nodes = [Node(scenario, id, where, folder / str(id), **options) for id in where]
    try:
        await asyncio.gather(*(node.start() for node in nodes))
        yield nodes
    finally:
        for node in nodes:
            await node.stop()
            if node.ended.done() and not node.ended.cancelled():
                node.ended.exception()
