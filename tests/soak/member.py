"""One node under attack: its process, its small disk, its directory."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .history import Claim, Entry, Exit, History, Life, Size
from .network import Namespace, check, libc

DISK = "256k"
LOOPBACK, PEER_PORT, HTTP_PORT = "127.0.0.1", 7000, 8000
PR_SET_PDEATHSIG = 1
PAGE = 4096
GLANCE = 0.02  # seconds between two looks at a process


@dataclass(frozen=True)
class View:
    """What a node last answered."""

    sent: float
    leads: bool
    leader: int | None
    term: int | None
    connected: tuple[int, ...]


class Member:
    """A process that is started again and again, each time in the same namespace and on the same disk."""

    def __init__(self, id: int, namespace: Namespace, folder: Path, options: list[str], history: History) -> None:
        self.id = id
        self.namespace = namespace
        self.folder = folder
        self.history = history
        self.disk = folder / "disk"
        self.directory = self.disk / "state"
        self.disk.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "soak", str(self.disk)], check=True)
        self.command = [sys.executable, "-m", "habemus", "node", "--id", str(id), "--data", str(self.directory)]
        self.command += ["--http", f"{LOOPBACK}:{HTTP_PORT}", "--log", "json", "--report-every", "0", *options]
        self.process: subprocess.Popen[bytes] | None = None
        self.life = 0
        self.cause = ""  # why this life is to end
        self.late = False
        self.began = 0.0
        self.taken = False  # by a fault
        self.view: View | None = None
        self.last_entry = 0.0

    # Life and death

    @property
    def running(self) -> bool:
        return self.process is not None

    def start(self, cause: str = "") -> None:
        """Start it; `cause`: why it will not live long."""
        assert self.process is None
        self.life += 1
        self.cause, self.late, self.view = cause, False, None
        with open(self.log("out"), "wb") as out, open(self.log("err"), "wb") as err, self.namespace.entered():
            self.process = subprocess.Popen(self.command, stdout=out, stderr=err, preexec_fn=die_with_parent)
        self.began = time.time()

    def log(self, stream: str) -> Path:
        return self.folder / f"{self.life}.{stream}"

    def signal(self, number: int, cause: str | None = None) -> None:
        if self.process is not None:
            self.cause = self.cause if cause is None else cause
            self.process.send_signal(number)

    def glance(self) -> None:
        """Notice that the process has ended."""
        if self.process is not None and (status := self.process.poll()) is not None:
            self.process, self.view = None, None
            self.note_life(status)

    async def ends_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.running and time.monotonic() < deadline:
            await asyncio.sleep(GLANCE)
            self.glance()
        return not self.running

    async def make_end(self, seconds: float) -> None:
        """Wait for its end; kill it if it takes too long."""
        if not await self.ends_within(seconds):
            self.late = True
            self.signal(signal.SIGKILL)
            await self.ends_within(60)

    async def kill(self) -> None:
        self.signal(signal.SIGKILL, "kill")
        await self.ends_within(60)

    def answered_since(self, moment: float) -> bool:
        """Whether it has answered a question that was asked after this moment."""
        return self.view is not None and self.view.sent > moment

    # What it leaves behind

    def note_life(self, status: int) -> None:
        log = self.log("err").read_text(errors="replace").splitlines()
        traceback = next((line[:2000] for line in log if "Traceback" in line), "")
        facts = (self.id, self.life, self.began, time.time(), status, self.cause, self.late)
        self.history.add(Life(*facts, len(log), traceback, log[-1] if log else ""))
        for line in self.log("out").read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n"):  # else it was killed in the middle of it
                self.note_report(json.loads(line))
        self.log("out").unlink()

    def note_report(self, report: dict) -> None:
        where = (report["time"], self.id, self.life, "stdout")
        if report["term"] is not None:
            self.history.add(Claim(*where, report["leader"], report["term"]))
        if report["event"] == "enter":
            self.history.add(Entry(*where, None))
        elif report["event"] == "leave":
            self.history.add(Exit(*where))

    def measure(self) -> None:
        if self.process is not None:
            place = Path("/proc", str(self.process.pid))
            pages = int((place / "statm").read_text().split()[1])
            descriptors = len(list((place / "fd").iterdir()))
            self.history.add(Size(time.time(), self.id, self.life, pages * PAGE, descriptors))

    # Its disk

    def fill_disk(self) -> None:
        with open(self.disk / "ballast", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(PAGE))
            except OSError:
                pass

    def free_disk(self) -> None:
        (self.disk / "ballast").unlink()

    def take_directory(self, name: str) -> None:
        """Move its directory away, off the disk."""
        self.copy_directory(name)
        shutil.rmtree(self.directory)

    def copy_directory(self, name: str) -> None:
        shutil.rmtree(self.folder / name, ignore_errors=True)
        unfinished = shutil.ignore_patterns("*.new")  # what a running process is writing
        shutil.copytree(self.directory, self.folder / name, ignore=unfinished)

    def put_directory(self, name: str) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)
        shutil.copytree(self.folder / name, self.directory)

    def damage_directory(self, chance: Random) -> None:
        """Change a byte of every file, or cut it short."""
        for file in sorted(path for path in self.directory.rglob("*") if path.is_file()):
            content = bytearray(file.read_bytes())
            if content:
                place = chance.randrange(len(content))
                if chance.random() < 0.5:
                    content[place] ^= 1 << chance.randrange(8)
                else:
                    del content[place:]
                file.write_bytes(content)

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", str(self.disk)], check=True)


def die_with_parent() -> None:
    check(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
