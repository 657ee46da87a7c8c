"""A node that a cluster has started as a process of its own.

It reports on stdout, as every node does, and takes orders from its parent on stdin, one line of JSON each. It dies with
its parent (parent.py).
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import ExitStack

import msgspec

from habemus.network.errors import NetworkError
from habemus.network.node.node import Node
from habemus.network.node.recording import Recording
from habemus.network.operate.logs import log_to_stderr
from habemus.network.operate.options import NodeOptions
from habemus.network.operate.output import Output
from habemus.network.operate.parent import die_with_parent
from habemus.network.operate.service import Service, run_loop
from habemus.process import Pid

TRACED = b'{"trace":'
TURN_OVER = b'{"turn":"over"}\n'  # after the steps of a turn: who is killed before this has sent nothing of it
LOOK = 0.01  # seconds
MOST_STEPS = 1 << 26  # bytes that wait for a parent that is busy


class ChildOptions(msgspec.Struct):
    """How to run a child; its only argument, as JSON."""

    parent: int  # process id
    options: NodeOptions
    traced: bool  # whether it reports every step


class Order(msgspec.Struct, omit_defaults=True):
    """What the parent wants a child to do."""

    block: list[Pid] | None = None  # read nothing from these peers
    command: str | None = None  # "start", "acquire", "release"


class Child(Service):
    """A node that takes orders."""

    def __init__(self, options: ChildOptions) -> None:
        super().__init__(options.options)
        self.traced = options.traced
        self.obeying: asyncio.Task[None] | None = None

    def open_recording(self, files: ExitStack) -> Recording | None:
        recording = super().open_recording(files)
        if self.traced:
            recording = recording or Recording()
            recording.listeners.append(self.print_steps)
            self.output.most = MOST_STEPS
        return recording

    def print_steps(self, lines: list[bytes]) -> None:
        print_turn(self.output, lines)

    async def make_node(self, recording: Recording | None) -> Node | None:
        node = await super().make_node(recording)
        if node is not None:
            self.obeying = asyncio.ensure_future(self.obey(node))
        return node

    async def obey(self, node: Node) -> None:
        """Follow the orders of the parent until it closes the pipe."""
        orders = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin.buffer)
        async for line in orders:
            order = msgspec.json.decode(line, type=Order)
            if order.block is not None:
                node.peers.block(order.block)
            if order.command is not None:
                while not node.begun and not node.ended.done():  # else a command that comes early would be dropped
                    await asyncio.sleep(LOOK)
                node.command(order.command)
        os._exit(1)


def print_turn(output: Output, lines: list[bytes]) -> None:
    """Print each line of the trace of a turn, marked, and that the turn is over."""
    for line in lines:
        output.write(TRACED + line.rstrip() + b"}\n")
    output.write(TURN_OVER)


def main() -> int:
    options = msgspec.json.decode(sys.argv[1], type=ChildOptions)
    die_with_parent(options.parent)
    try:
        child = Child(options)
        with log_to_stderr(options.options.group, child.id, child.json):
            return run_loop(child.serve())
    except NetworkError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
