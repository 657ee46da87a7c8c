"""A group of real processes on this machine.

Each node is a process of its own; the one that started it reads its reports. A child asks the kernel
to kill it when its parent dies, however that happens; so none is left behind, not even a stopped one. Where the kernel
knows no such thing, the child watches a pipe that only its parent holds.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from habemus.network.errors import NetworkError
from habemus.network.service import Wishes, run
from habemus.process import Pid
from habemus.scenario import Scenario

PR_SET_PDEATHSIG = 1
REPORT_EVERY = 0.5
LAST_WORDS = 3.0  # seconds to leave in order before being killed
LONGEST_LINE = 1 << 20

RUNNING, PAUSED, DEAD = "running", "paused", "dead"


class Child:
    """One node and what it last said."""

    def __init__(self, cluster: Cluster, wishes: Wishes) -> None:
        assert wishes.id is not None
        self.cluster = cluster
        self.wishes = wishes
        self.id: Pid = wishes.id
        self.state = DEAD
        self.process: asyncio.subprocess.Process | None = None
        self.status: dict[str, Any] = {}
        self.complaint = ""
        self.changed = 0.0  # when its leader last changed
        self.readers: list[asyncio.Task[None]] = []

    @property
    def alive(self) -> bool:
        """Whether there is a process."""
        return self.process is not None and self.process.returncode is None

    async def start(self) -> None:
        """Begin its next life."""
        if self.alive:
            return
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "habemus.network.cluster", str(os.getpid())),
            msgspec.json.encode(self.wishes).decode(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the parent, which then tells its children
            limit=LONGEST_LINE,
        )
        self.state = RUNNING
        self.status = {}
        self.readers = [asyncio.ensure_future(self.read_reports()), asyncio.ensure_future(self.read_log())]

    async def read_reports(self) -> None:
        """Keep what it says about itself."""
        process = self.process
        assert process is not None and process.stdout is not None
        async for line in process.stdout:
            with suppress(msgspec.DecodeError):
                before, self.status = self.status, msgspec.json.decode(line)
                if self.status.get("leader") != before.get("leader"):
                    self.changed = time.time()
                self.cluster.tell(self, self.status.get("event", ""))
        await process.wait()
        self.state = DEAD
        self.cluster.tell(self, "dead")

    async def read_log(self) -> None:
        """Keep the last line of its log, for when it dies of something."""
        assert self.process is not None and self.process.stderr is not None
        async for line in self.process.stderr:
            if not line.startswith(b"{"):
                self.complaint = line.decode(errors="replace").strip()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        if self.process is not None and self.alive:
            self.process.send_signal(number)

    def kill(self) -> None:
        """SIGKILL: it dies on the spot."""
        self.signal(signal.SIGKILL)

    def pause(self) -> None:
        """SIGSTOP: it stands still and does not know it."""
        if self.state == RUNNING:
            self.signal(signal.SIGSTOP)
            self.state = PAUSED
            self.cluster.tell(self, "paused")

    def resume(self) -> None:
        """SIGCONT: it goes on."""
        if self.state == PAUSED:
            self.signal(signal.SIGCONT)
            self.state = RUNNING
            self.cluster.tell(self, "resumed")

    async def end(self) -> None:
        """Have it leave in order, or kill it."""
        if self.process is not None and self.alive:
            self.signal(signal.SIGTERM)
            self.signal(signal.SIGCONT)
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORDS):
                    await self.process.wait()
            if self.alive:
                self.kill()
            await self.process.wait()
        for reader in self.readers:
            await reader


class Cluster:
    """Several nodes of one group on free ports of this machine."""

    def __init__(self, scenario: Scenario, n: int, directory: str | Path, **wishes: Any) -> None:
        if n < 1:
            raise NetworkError(f"-n {n}: expected at least one process")
        ports = free_ports(2 * n)
        peers = ",".join(f"{id}=127.0.0.1:{ports[id - 1]}" for id in range(1, n + 1))
        key = Path(directory) / "key"
        key.write_text(secrets.token_hex(32))
        self.listeners: list[Callable[[Child, str], None]] = []
        self.children = {
            id: Child(
                self,
                Wishes(
                    scenario=scenario,
                    id=id,
                    peers=peers,
                    http=f"127.0.0.1:{ports[n + id - 1]}",
                    data=str(Path(directory) / str(id)),
                    key_file=str(key),
                    report_every=REPORT_EVERY,
                    log="json",
                    **wishes,
                ),
            )
            for id in range(1, n + 1)
        }

    def tell(self, child: Child, event: str) -> None:
        """Something happened to a child."""
        for listener in self.listeners:
            listener(child, event)

    async def start(self) -> None:
        """Start them all."""
        for child in self.children.values():
            await child.start()

    async def end(self) -> None:
        """End them all."""
        await asyncio.gather(*(child.end() for child in self.children.values()))

    @property
    def leader(self) -> Pid | None:
        """Whom all who run name, if they agree."""
        named = [child.status.get("leader") for child in self.children.values() if child.state == RUNNING]
        return named[0] if named and len(set(named)) == 1 else None


def free_ports(count: int) -> list[int]:
    """Ports of the loopback interface that nobody uses."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def die_with_parent(parent: int) -> None:
    """Do not outlive the parent, whatever becomes of it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    else:
        threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(1)), daemon=True).start()
    if os.getppid() != parent:  # it died before we asked
        os._exit(1)


def main() -> int:
    """A child: its parent's id and its wishes are its arguments."""
    die_with_parent(int(sys.argv[1]))
    try:
        return run(msgspec.json.decode(sys.argv[2], type=Wishes))
    except NetworkError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
