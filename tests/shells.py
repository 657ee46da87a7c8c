"""`habemus lock` and `habemus run` as processes of their own, and a command that is hard to end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import habemus
import habemus.sync

PATIENCE = 120  # seconds after which a command is ended, and the test that waits for it fails

# Ignores TERM; has a child in its own process group and a daemon in a session of its own. Each says its process id.
STUBBORN = """
import os, signal, sys, time
folder = sys.argv[1]
signal.signal(signal.SIGTERM, signal.SIG_IGN)

def live(name):
    with open(f"{folder}/{name}.new", "w") as file:
        file.write(str(os.getpid()))
    os.rename(f"{folder}/{name}.new", f"{folder}/{name}")
    while True:
        time.sleep(100)

if not os.fork():
    live("child")
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    if "close" in sys.argv:
        os.closerange(0, 100)
    live("daemon")
if "leave" in sys.argv:
    while not (os.path.exists(f"{folder}/child") and os.path.exists(f"{folder}/daemon")):
        time.sleep(0.001)
    sys.exit(5)
live("command")
"""


class Shell:
    """Starts `habemus ...` in a directory of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.where = f"file://{folder}/locks"
        self.started: list[subprocess.Popen[str]] = []
        self.ends: list[Timer] = []

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        name, *rest = arguments
        command = [sys.executable, "-m", "habemus", name, "--where", self.where, *rest]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.started.append(subprocess.Popen(command, text=True, **pipes))
        self.ends.append(Timer(PATIENCE, self.started[-1].kill))
        self.ends[-1].start()
        return self.started[-1]

    def start_stubborn(
        self, *options: str, grace: str = "0.2", ttl: float = 10
    ) -> tuple[subprocess.Popen[str], list[int]]:
        stubborn = [sys.executable, "-c", STUBBORN, str(self.folder), *options]
        started = self.start("lock", "a", "--grace", grace, "--ttl", str(ttl), "--", *stubborn)
        names = ["child", "daemon"] if "leave" in options else ["child", "daemon", "command"]
        wait_until(lambda: all((self.folder / name).exists() for name in names))
        return started, [int((self.folder / name).read_text()) for name in names]

    def is_free(self) -> bool:
        try:
            with habemus.sync.join("habemus", self.where) as group, group.lock("a", wait=0):
                return True
        except habemus.LockTaken:
            return False

    def end(self) -> None:
        for end in self.ends:
            end.cancel()
        for name in ("child", "daemon", "command"):
            if (self.folder / name).exists() and is_alive(process := int((self.folder / name).read_text())):
                os.kill(process, signal.SIGKILL)
        for started in self.started:
            started.kill()
            started.communicate()


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.005)


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
