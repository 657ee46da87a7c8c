"""Users of a node, for demonstrations: one of the lock, again and again, and one who calls an election."""

from __future__ import annotations

import asyncio
from random import Random

from habemus.network.errors import NetworkError
from habemus.network.node.change import Change, ChangeKind
from habemus.network.node.commands import START
from habemus.network.node.node import Node
from habemus.scenario.delays import Delay, parse_delay


class Customer:
    """Uses the lock of a node; times are in milliseconds, drawn from the given distributions."""

    def __init__(self, node: Node, think: str, hold: str, entries: int | None = None) -> None:
        if node.stack.mutex is None:
            raise NetworkError(f"--think: {node.scenario.algorithm} is not a mutex, so there is no lock to use")
        self.node = node
        self.think = parse_option(think, "--think")
        self.hold = parse_option(hold, "--hold")
        self.entries = entries
        self.inside = asyncio.Event()
        self.outside = asyncio.Event()
        node.listeners.append(self.hear)

    def hear(self, change: Change) -> None:
        if change.what == ChangeKind.ENTER:
            self.inside.set()
        elif change.what == ChangeKind.LEAVE:
            self.outside.set()

    async def run(self) -> None:
        """Enter as often as wanted."""
        entered = 0
        while self.entries is None or entered < self.entries:
            await asyncio.sleep(self.think.draw() / 1000)
            self.inside.clear()
            self.outside.clear()
            if not self.node.command("acquire"):
                continue
            await self.inside.wait()
            entered += 1
            await asyncio.sleep(self.hold.draw() / 1000)
            if not self.outside.is_set():  # a lease may have ended before
                self.node.command("release")


class ElectionCaller:
    """Calls an election once, after a random time in milliseconds."""

    def __init__(self, node: Node, after: str) -> None:
        if node.stack.election is None:
            raise NetworkError(f"--call-after: {node.scenario.algorithm} is not an election, so there is none to call")
        self.node = node
        self.after = parse_option(after, "--call-after")

    async def run(self) -> None:
        await asyncio.sleep(self.after.draw() / 1000)
        self.node.command(START)


def parse_option(text: str, option: str) -> Delay:
    try:
        return parse_delay(text, Random())
    except ValueError as error:
        raise NetworkError(f"{option} {text}: {error}") from None
