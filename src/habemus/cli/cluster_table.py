"""A cluster in the terminal: a live table with keys, or a line for every change where there is no terminal."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from habemus.cli.lab import open_browser
from habemus.extras import MissingExtraError, require
from habemus.network.operate.cluster import Cluster, Member
from habemus.network.operate.signals import call_when_told_to_end

REFRESH = 0.1
STYLES = {"leader": "#E69F00", "candidate": "#56B4E9", "inside": "#009E73"}
MARKS = {"leader": "♛", "candidate": "⚑", "inside": "🔒"}
KEYS = "1-9 or ↑↓ select · k kill · p pause · r resume · s restart · c cut off · h heal · q quit"
HEADINGS = ("", "process", "state", "role", "leader", "term", "messages", "last change", "http")
NUMBERS = ("process", "leader", "term", "messages", "last change")

if TYPE_CHECKING:
    from habemus.lab.server import Lab


def make_page(cluster: Cluster) -> tuple[Lab | None, str]:
    """The page on a cluster, if there can be one, and what is said where its address will be."""
    if not cluster.traced:
        return None, "There is no page: it cannot show so many processes."
    try:
        require("The page", "starlette", "uvicorn")
    except MissingExtraError as error:
        return None, str(error)

    from habemus.lab.server import Lab

    return Lab(cluster=cluster), ""


class ClusterView:
    """Shows a cluster, with the page beside it, until it is to end."""

    def __init__(self, cluster: Cluster, title: str) -> None:
        self.cluster = cluster
        self.title = title
        self.lab, self.page = make_page(cluster)
        self.selected = 1
        self.over = asyncio.Event()
        self.tasks: set[asyncio.Task[None]] = set()

    async def run(self, seconds: float | None, port: int | None, open: bool) -> int:
        """Start the cluster, show it, end it; the exit status."""
        loop = asyncio.get_running_loop()
        call_when_told_to_end(self.over.set)
        if seconds is not None:
            loop.call_later(seconds, self.over.set)
        try:
            await self.show(port, open)
        finally:
            await self.cluster.end()
        return 0

    async def show(self, port: int | None, open: bool) -> None:
        if self.lab is None:
            await self.show_in_terminal()
            return
        address = await self.lab.start(port)
        self.page = f"The page is at {address}"
        if open:
            open_browser(address)
        try:
            await self.show_in_terminal()
        finally:
            await self.lab.stop()

    async def show_in_terminal(self) -> None:
        await (self.show_table() if sys.stdout.isatty() else self.show_lines())

    # Without a terminal

    async def show_lines(self) -> None:
        print(self.page, flush=True)
        self.cluster.listeners.append(self.print_change)
        await self.cluster.start()
        await self.over.wait()

    def print_change(self, member: Member, event: str) -> None:
        if event != "report":
            self.print_line(f"process {member.id}: {describe(member, event)}")

    def print_line(self, text: str) -> None:
        try:
            print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)
        except BrokenPipeError:  # as in `habemus up | head`: nobody reads on
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self.over.set()

    # In a terminal

    async def show_table(self) -> None:
        console = Console()
        with read_keys(self.press), Live(console=console, auto_refresh=False, transient=False) as live:
            await self.cluster.start()
            while not self.over.is_set():
                live.update(self.table(), refresh=True)
                try:
                    async with asyncio.timeout(REFRESH):
                        await self.over.wait()
                except TimeoutError:
                    continue
        console.print("stopping ...", style="dim", end="\r")

    def table(self) -> RenderableType:
        grid = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for heading in HEADINGS:
            grid.add_column(heading, justify="right" if heading in NUMBERS else "left")
        for member in self.cluster.members.values():
            grid.add_row(*self.row(member), style="dim" if member.state != "running" else "")
        leader = self.cluster.leader
        n = len(self.cluster.members)
        title = f"{self.title}, {n} process{'es' if n != 1 else ''}"
        verdict = f"all follow {leader}" if leader is not None else "no agreement yet"
        head = Text.assemble((title, "bold"), f"   {verdict}")
        return Group(head, Text(self.page, "dim"), Text(), grid, Text(), Text(KEYS, "dim"))

    def row(self, member: Member) -> list[RenderableType]:
        status = member.status if member.state != "dead" else {}
        role = str(status.get("role", "")) if member.state == "running" else ""
        leader, term = status.get("leader"), status.get("term")
        ago = f"{time.time() - member.leader_changed:,.1f} s ago" if member.leader_changed and status else ""
        state = member.state if member.state != "dead" or not member.last_error else f"dead: {member.last_error[:60]}"
        return [
            Text("›" if member.id == self.selected else " ", "bold"),
            str(member.id),
            state,
            Text(f"{MARKS.get(role, ' ')} {role}", STYLES.get(role, "")),
            "" if leader is None else str(leader),
            "" if term is None else str(term),
            f"{status.get('messages', 0):,}" if status else "",
            ago,
            str(member.options.http) if status else "",
        ]

    def press(self, key: str) -> None:
        """Act on the selected process."""
        n = len(self.cluster.members)
        member = self.cluster.members[self.selected]
        if key.isdecimal() and 1 <= int(key) <= n:
            self.selected = int(key)
        elif key in ("\x1b[A", "\x1b[B"):
            self.selected = (self.selected - 1 + (1 if key.endswith("B") else -1)) % n + 1
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
        elif key == "c":
            self.cluster.cut(link for link in self.cluster.header.edges if self.selected in link)
        elif key == "h":
            self.cluster.heal()
        elif key in ("q", "\x03"):
            self.over.set()


def describe(member: Member, event: str) -> str:
    if event == "dead" and member.last_error:
        return f"dead: {member.last_error}"
    if event != "leader":
        return {"enter": "has the lock", "leave": "has released the lock", "left": "has left"}.get(event, event)
    leader, term = member.status.get("leader"), member.status.get("term")
    who = "leads" if leader == member.id else f"follows {leader}" if leader is not None else "knows no leader"
    return who if term is None else f"{who} in term {term}"


@contextmanager
def read_keys(press: Callable[[str], None]) -> Iterator[None]:
    """Report each key as it is pressed, if there is a keyboard."""
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
