"""Somebody who wants the lock again and again: thinks, asks, stays inside for a while, leaves."""

from __future__ import annotations

import asyncio
from random import Random

from habemus.network.errors import NetworkError
from habemus.network.node import Change, Node
from habemus.simulation.delays import Delay, parse_delay


class Customer:
    """Uses the lock of a node; times are in milliseconds, drawn from the given distributions."""

    def __init__(self, node: Node, think: str, hold: str, entries: int | None = None) -> None:
        if node.stack.mutex is None:
            raise NetworkError(f"--think: {node.scenario.algorithm} is not a mutex, so nobody can enter")
        self.node = node
        self.think = delay_named(think, "--think")
        self.hold = delay_named(hold, "--hold")
        self.entries = entries
        self.inside = asyncio.Event()
        self.outside = asyncio.Event()
        node.listeners.append(self.hear)

    def hear(self, change: Change) -> None:
        """The process is inside, or outside again."""
        if change.what == "enter":
            self.inside.set()
        elif change.what == "leave":
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
            if not self.outside.is_set():  # a lease may have ended it before
                self.node.command("release")


def delay_named(text: str, option: str) -> Delay:
    """The distribution that an option names."""
    try:
        return parse_delay(text, Random())
    except ValueError as error:
        raise NetworkError(f"{option} {text}: {error}") from None
