"""A cluster in the terminal: a live table with keys, or a line for every change where there is no terminal."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from habemus.cli.lab import open_browser
from habemus.lab.server import Lab
from habemus.network.cluster import Cluster, Member

REFRESH = 0.1
STYLES = {"leader": "#E69F00", "candidate": "#56B4E9", "inside": "#009E73"}
MARKS = {"leader": "♛", "candidate": "⚑", "inside": "🔒"}
KEYS = "1-9 or ↑↓ choose · k kill · p pause · r resume · s start again · q quit"
HEADINGS = ("", "process", "state", "role", "leader", "term", "messages", "last change", "http")
NUMBERS = ("process", "leader", "term", "messages", "last change")


class Show:
    """A cluster in the terminal: a live table with keys, or a line for every change where there is no terminal."""

    def __init__(self, cluster: Cluster, title: str) -> None:
        self.cluster = cluster
        self.title = title
        self.lab = Lab(cluster=cluster) if cluster.traced else None
        self.page = "There is no page: so many processes would tell it more than it can show."
        self.chosen = 1
        self.over = asyncio.Event()
        self.tasks: set[asyncio.Task[None]] = set()

    async def run(self, seconds: float | None, port: int | None, open: bool) -> int:
        """Start, show, end; with the page, which is opened in the browser if that is wanted."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.over.set)
        if seconds is not None:
            loop.call_later(seconds, self.over.set)
        if self.lab is not None:
            address = await self.lab.start(port)
            self.page = f"The page is at {address}"
            if open:
                open_browser(address)
        try:
            if sys.stdout.isatty():
                await self.show_table()
            else:
                await self.show_lines()
        finally:
            if self.lab is not None:
                await self.lab.stop()
            await self.cluster.end()
        return 0

    # Without a terminal

    async def show_lines(self) -> None:
        """A line for every change."""
        print(self.page, flush=True)
        self.cluster.listeners.append(self.print_change)
        await self.cluster.start()
        await self.over.wait()

    def print_change(self, member: Member, event: str) -> None:
        """One line."""
        if event != "report":
            print(f"{time.strftime('%H:%M:%S')}  process {member.id}: {told(member, event)}", flush=True)

    # In a terminal

    async def show_table(self) -> None:
        """The live table."""
        console = Console()
        with keys_one_by_one(self.press), Live(console=console, auto_refresh=False, transient=False) as live:
            await self.cluster.start()
            while not self.over.is_set():
                live.update(self.table(), refresh=True)
                try:
                    async with asyncio.timeout(REFRESH):
                        await self.over.wait()
                except TimeoutError:
                    continue
        console.print("ending ...", style="dim", end="\r")

    def table(self) -> RenderableType:
        """How they all are."""
        grid = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for heading in HEADINGS:
            grid.add_column(heading, justify="right" if heading in NUMBERS else "left")
        for member in self.cluster.members.values():
            grid.add_row(*self.row(member), style="dim" if member.state != "running" else "")
        leader = self.cluster.leader
        title = f"{self.title}, {len(self.cluster.members)} processes"
        verdict = f"all follow {leader}" if leader is not None else "they do not agree, or not yet"
        head = Text.assemble((title, "bold"), f"   {verdict}")
        return Group(head, Text(self.page, "dim"), Text(), grid, Text(), Text(KEYS, "dim"))

    def row(self, member: Member) -> list[RenderableType]:
        """One process."""
        status = member.status if member.state != "dead" else {}
        role = str(status.get("role", "")) if member.state == "running" else ""
        leader, term = status.get("leader"), status.get("term")
        ago = f"{time.time() - member.changed:,.1f} s ago" if member.changed and status else ""
        state = member.state if member.state != "dead" or not member.complaint else f"dead: {member.complaint[:60]}"
        return [
            Text("›" if member.id == self.chosen else " ", "bold"),
            str(member.id),
            state,
            Text(f"{MARKS.get(role, ' ')} {role}", STYLES.get(role, "")),
            "" if leader is None else str(leader),
            "" if term is None else str(term),
            f"{status.get('messages', 0):,}" if status else "",
            ago,
            str(member.wishes.http) if status else "",
        ]

    def press(self, key: str) -> None:
        """Do what a key stands for to the chosen process."""
        n = len(self.cluster.members)
        member = self.cluster.members[self.chosen]
        if key.isdecimal() and 1 <= int(key) <= n:
            self.chosen = int(key)
        elif key in ("\x1b[A", "\x1b[B"):
            self.chosen = (self.chosen - 1 + (1 if key.endswith("B") else -1)) % n + 1
        elif key == "k":
            member.kill()
        elif key == "p":
            member.pause()
        elif key == "r":
            member.resume()
        elif key == "s":
            task = asyncio.ensure_future(member.start())
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        elif key in ("q", "\x03"):
            self.over.set()


def told(member: Member, event: str) -> str:
    """What happened to a process, in a few words."""
    if event == "dead" and member.complaint:
        return f"dead: {member.complaint}"
    if event != "leader":
        return {"enter": "inside", "leave": "outside again", "left": "has left"}.get(event, event)
    leader, term = member.status.get("leader"), member.status.get("term")
    who = "leads" if leader == member.id else f"follows {leader}" if leader is not None else "knows of no leader"
    return who if term is None else f"{who} in term {term}"


@contextmanager
def keys_one_by_one(press: Callable[[str], None]) -> Iterator[None]:
    """Have each key reported as it is pressed, if there is a keyboard."""
    if not sys.stdin.isatty():
        yield
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    loop = asyncio.get_running_loop()

    def read() -> None:
        pressed = os.read(descriptor, 64).decode(errors="replace")
        for key in [pressed] if pressed.startswith("\x1b") else pressed:
            press(key)

    try:
        tty.setcbreak(descriptor)
        loop.add_reader(descriptor, read)
        yield
    finally:
        loop.remove_reader(descriptor)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
