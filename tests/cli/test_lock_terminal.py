"""`habemus lock` in a terminal: its command has it, and the shell gets it back."""

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator

import pytest


class Terminal:
    """A terminal in which a shell with job control runs."""

    def __init__(self, script: str) -> None:
        self.main, second = pty.openpty()
        arguments = ["bash", "--norc", "-c", f"set -m; {script}"]
        self.shell = subprocess.Popen(
            arguments, stdin=second, stdout=second, stderr=second, preexec_fn=take_terminal, start_new_session=True
        )
        os.close(second)
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self.main, text.encode())

    def read_until(self, word: str) -> None:
        while word not in self.shown and select.select([self.main], [], [], 60)[0]:
            try:
                self.shown += os.read(self.main, 1000).decode()
            except OSError:  # the last process has closed it
                break
        assert word in self.shown

    def end(self) -> None:
        os.close(self.main)
        self.shell.kill()
        self.shell.wait()


def take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminal(shell) -> Iterator[Callable[[str], Terminal]]:
    opened = []

    def open_terminal(command: str) -> Terminal:
        lock = f"{sys.executable} -m habemus lock a --where {shell.where} -- sh -c"
        opened.append(Terminal(command.replace("LOCK", lock)))
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.end()


def test_a_command_reads_from_the_terminal_and_the_shell_has_it_back_afterwards(terminal):
    here = terminal("""LOCK 'echo ready; read x; echo "got $x"'; read y; echo "then $y" """)
    here.read_until("ready")
    here.type("one\n")
    here.read_until("got one")
    here.type("two\n")
    here.read_until("then two")


def test_ctrl_c_ends_the_command_and_ctrl_z_stops_it_until_the_shell_continues_it(terminal):
    # with a trap: a shell that is interrupted just before it starts a command goes on
    here = terminal("""LOCK 'trap "exit 130" INT; echo ready; while :; do sleep 0.1; done'; echo status $?""")
    here.read_until("ready")
    here.type("\x03")
    here.read_until("status 130")

    here = terminal("""LOCK 'echo ready; read x; echo "got $x"'; echo stopped; fg > /dev/null; echo status $?""")
    here.read_until("ready")
    here.type("\x1a")
    here.read_until("stopped")
    here.type("three\n")
    here.read_until("got three")
    here.read_until("status 0")
