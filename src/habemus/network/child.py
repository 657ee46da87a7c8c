"""A node that another process has started and watches: one of a cluster.

It reports on stdout, as every node does, and takes orders on stdin, a line of JSON each; nobody else can give it any.
It dies with its parent (children.py).
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import ExitStack

import msgspec

from habemus.network.children import die_with_parent
from habemus.network.errors import NetworkError
from habemus.network.node import Node
from habemus.network.recording import Recording
from habemus.network.service import Service, Wishes, run_loop, set_up_logging
from habemus.process import Pid

TRACED = b'{"trace":'


class Errand(msgspec.Struct):
    """What a child is started for; its only argument."""

    parent: int  # its process id
    wishes: Wishes
    traced: bool  # whether it tells every step


class Order(msgspec.Struct, omit_defaults=True):
    """What a child is told to do."""

    deaf: list[Pid] | None = None  # hear nothing of these
    command: str | None = None  # as a workload would give it: "start", "acquire", "release"


class Child(Service):
    """A node that obeys."""

    def __init__(self, errand: Errand) -> None:
        super().__init__(errand.wishes)
        self.traced = errand.traced
        self.obeying: asyncio.Task[None] | None = None

    def recording(self, files: ExitStack) -> Recording | None:
        """A trace goes to the parent."""
        recording = super().recording(files)
        if self.traced:
            recording = recording or Recording()
            recording.listeners.append(tell_steps)
        return recording

    async def make_node(self, recording: Recording | None) -> Node | None:
        """The node, which takes orders from now on."""
        node = await super().make_node(recording)
        if node is not None:
            self.obeying = asyncio.ensure_future(self.obey(node))
        return node

    async def obey(self, node: Node) -> None:
        """Do as the parent says, as long as there is one."""
        orders = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin.buffer)
        async for line in orders:
            order = msgspec.json.decode(line, type=Order)
            if order.deaf is not None:
                node.turn_deaf(order.deaf)
            if order.command is not None:
                node.command(order.command)
        os._exit(1)


def tell_steps(lines: list[bytes]) -> None:
    """Each line of the trace as a line of stdout."""
    sys.stdout.buffer.writelines(TRACED + line.rstrip() + b"}\n" for line in lines)
    sys.stdout.buffer.flush()


def main() -> int:
    """Do what the argument says."""
    errand = msgspec.json.decode(sys.argv[1], type=Errand)
    die_with_parent(errand.parent)
    try:
        child = Child(errand)
        set_up_logging(child)
        return run_loop(child.serve())
    except NetworkError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
