"""Real processes that join a group, for the tests."""

import subprocess
import sys
from threading import Timer

PATIENCE = 120  # seconds after which a program is ended, and the test that waits for it fails


class Programs:
    """Starts programs that report by lines on stdout, and ends those that are left."""

    def __init__(self, where: str, patience: float = PATIENCE) -> None:
        self.where = where
        self.patience = patience
        self.started: list[subprocess.Popen[str]] = []
        self.ends: list[Timer] = []

    def start(self, code: str, *arguments: str) -> subprocess.Popen[str]:
        head = "import asyncio, os, sys, time, habemus, habemus.sync\nWHERE = sys.argv[1]\n"
        program = subprocess.Popen(
            [sys.executable, "-u", "-c", head + code, self.where, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.started.append(program)
        self.ends.append(Timer(self.patience, program.kill))
        self.ends[-1].start()
        return program

    def end(self) -> None:
        for end in self.ends:
            end.cancel()
        for program in self.started:
            program.kill()
            program.communicate()
