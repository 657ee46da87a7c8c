"""Runs a command while a lease is held, and makes sure that nothing of it is left when the lease is not.

The command gets a process group of its own. Whatever it starts and leaves behind, even as a daemon in a session of its
own, becomes a child of this process (PR_SET_CHILD_SUBREAPER), and is ended with the command. So the order is kept: all
work ends first, then the lock is given back.

    when                                      what happens
    the command ends                          what it left behind: TERM, after the grace KILL
    this process gets TERM, INT, HUP, QUIT    all: the same signal, after the grace KILL
    the deadline comes near                   all: TERM a grace before it, KILL a quarter of the grace before it
    the role is to pass to another member     all: TERM, after the grace KILL
    the lease is lost                         all: KILL, since there is no time left
    this process is killed                    the command: KILL, by the kernel; the rest: by the guardian (guardian.py)

On systems other than Linux only the process group is ended.
"""

from __future__ import annotations

import ctypes
import math
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import clock_gettime, monotonic
from types import FrameType

from habemus.network.node.clock import CLOCK
from habemus.service.lease import BaseLease

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
NO_LOCK = -1  # no descriptor
PATIENCE = 0.05  # seconds between two rounds of KILL

NOT_EXECUTABLE = 126
NOT_FOUND = 127
LOST = 76


class Supervisor:
    """One command at a time, in the main thread of a process that does nothing else."""

    lease: BaseLease

    def __init__(self, grace: float, report: Callable[[float, int], None] | None = None) -> None:
        """`report` is told by when the command will have ended if the lease is not renewed, and, first, of the lock."""
        self.grace = grace
        self.report = report
        self.received: list[int] = []  # signals that were not dealt with yet
        self.doorbell = os.pipe()
        for end in self.doorbell:
            os.set_blocking(end, False)
        self.watched = [self.doorbell[0]]  # what ends a sleep
        self.process = 0  # the command
        self.group = 0  # its process group
        self.status: int | None = None  # of the command, once it has ended
        self.ended_by = 0  # the signal that did
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        if number != signal.SIGCHLD:
            self.received.append(number)

    def ring(self) -> None:
        with suppress(BlockingIOError):  # it is full: it rings already
            os.write(self.doorbell[1], b"!")

    def run(self, command: list[str], environment: dict[str, str], lease: BaseLease) -> int:
        """Run a command to its end or to that of the lease. Says its exit status; LOST if the lease ended first."""
        lease.lost.call(lambda reason: self.ring())
        lease.wanted.call(lambda member: self.ring())
        self.lease, self.status, self.process, self.group = lease, None, 0, 0
        lock = lease.grant.share()
        before = {number: signal.signal(number, self.on_signal) for number in (*FORWARDED, signal.SIGCHLD)}
        # The kernel may give a signal to another thread. That does not end the sleep of this one; a byte does.
        wakeup = signal.set_wakeup_fd(self.doorbell[1], warn_on_full_buffer=False)
        if self.report is not None and lock != NO_LOCK:
            self.report(lease.deadline, lock)
        try:
            self.start(command, environment, [lock] if lock != NO_LOCK else [])
        except FileNotFoundError:
            return NOT_FOUND
        except OSError:
            return NOT_EXECUTABLE
        else:
            return self.watch(lease)
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)
            if lock != NO_LOCK:
                os.close(lock)
            if self.report is not None:
                self.report(math.inf, NO_LOCK)

    def watch(self, lease: BaseLease) -> int:
        kill_at = math.inf  # on the monotonic clock
        ending = expired = False
        while True:
            self.reap()
            if lease.lost:
                break
            if self.received:
                self.send(self.received.pop(0))
                kill_at = min(kill_at, monotonic() + self.grace)
                continue
            left = lease.deadline - clock_gettime(CLOCK)
            if self.report is not None and not ending and left < math.inf:  # an infinite one says that the lock is free
                self.report(lease.deadline - self.grace / 8, NO_LOCK)
            if not ending and (self.status is not None or left <= self.grace or lease.wanted):
                ending, expired = True, self.status is None
                self.send(signal.SIGTERM)
                kill_at = min(kill_at, monotonic() + min(self.grace, max(0.0, left - self.grace / 4)))
            if (self.status is not None and not self.remaining()) or monotonic() >= kill_at:
                break
            self.sleep(min(kill_at - monotonic(), math.inf if ending else min(left - self.grace, left / 2)))
        lost = expired or bool(lease.lost)
        self.kill_all()
        return LOST if lost or self.status is None else self.status

    def start(self, command: list[str], environment: dict[str, str], inherited: list[int]) -> None:
        parent = os.getpid()
        prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None
        interactive = is_in_foreground(os.getpgrp())

        def prepare() -> None:
            """In the child, before it becomes the command."""
            os.setpgid(0, 0)
            if interactive:
                pass_terminal(os.getpgrp())
            if prctl is not None:
                prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
                if os.getppid() != parent:  # it died before we asked
                    os._exit(1)

        process = subprocess.Popen(
            command, env={**os.environ, **environment}, pass_fds=inherited, preexec_fn=prepare, restore_signals=True
        )
        self.process = self.group = process.pid
        process.returncode = 0  # it is reaped here, with all others

    def reap(self) -> None:
        """Take note of all children that have ended."""
        with suppress(ChildProcessError):
            while True:
                child, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
                if not child:
                    return
                if os.WIFSTOPPED(status):
                    self.stop_with(child)
                elif child == self.process:
                    code = os.waitstatus_to_exitcode(status)
                    self.ended_by = max(0, -code)
                    self.status = code if code >= 0 else 128 - code

    def stop_with(self, child: int) -> None:
        """Somebody typed Ctrl-Z: stop as the command has, so that the shell takes over, and continue with it."""
        if child == self.process and is_in_foreground(self.group):
            pass_terminal(os.getpgrp())
            os.kill(os.getpid(), signal.SIGSTOP)
            if is_in_foreground(os.getpgrp()):
                pass_terminal(self.group)
            if self.lease.is_held:  # otherwise it will be killed, and must not go on before
                os.killpg(self.group, signal.SIGCONT)

    def sleep(self, seconds: float) -> None:
        """Until something happens."""
        poll = select.poll()
        for descriptor in self.watched:
            poll.register(descriptor, select.POLLIN)
        poll.poll(None if seconds == math.inf else max(0.0, seconds) * 1000)
        with suppress(BlockingIOError):
            os.read(self.doorbell[0], 4096)

    def remaining(self) -> dict[int, int]:
        """All processes of the command, with their process groups."""
        return descendants(os.getpid()) if sys.platform == "linux" else group_members(self.group)

    def send(self, number: int) -> None:
        """Signal everybody, by groups: a group is signalled as a whole, also those that are born meanwhile."""
        found = self.remaining()
        for group in {self.group, *found.values()} - {os.getpgrp()}:
            with suppress(ProcessLookupError, PermissionError):  # somebody who runs as another user: all others count
                os.killpg(group, number)
        for process, group in found.items():
            with suppress(ProcessLookupError, PermissionError):
                if group == os.getpgrp():
                    os.kill(process, number)

    def kill_all(self) -> None:
        """Kill until nobody is left: those that were being born meanwhile come to light in the next round."""
        while self.remaining():
            self.send(signal.SIGKILL)
            self.sleep(PATIENCE)
            self.reap()
        self.reap()
        if is_in_foreground(self.group):
            pass_terminal(os.getpgrp())


def is_in_foreground(group: int) -> bool:
    """Whether stdin is a terminal that belongs to this process group for now."""
    try:
        return os.isatty(0) and os.tcgetpgrp(0) == group
    except OSError:
        return False


def pass_terminal(group: int) -> None:
    """Put a process group into the foreground, from the background, too."""
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        os.tcsetpgrp(0, group)
    finally:
        signal.signal(signal.SIGTTOU, before)


def descendants(ancestor: int) -> dict[int, int]:
    """All children, their children, and so on, that nobody has reaped yet, with their process groups.

    Zombies count, too: one that nobody has reaped may have left a child in its group that was born during the look. In
    other sessions all members of a group are ours. In our own session a group that others belong to as well is told as
    that of this process: its members are signalled one by one.
    """
    parents: dict[int, list[int]] = {}
    groups: dict[int, tuple[int, int]] = {}  # and sessions
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                _, parent, group, session = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:4]
                parents.setdefault(int(parent), []).append(int(entry.name))
                groups[int(entry.name)] = (int(group), int(session))
    found: set[int] = set()
    ahead = [ancestor]
    while ahead:
        children = parents.get(ahead.pop(), [])
        found.update(children)
        ahead += children
    own = (os.getpgrp(), os.getsid(0))
    foreign = {group for process, group in groups.items() if process not in found and group[1] == own[1]}
    return {process: (own if groups[process] in foreign else groups[process])[0] for process in found}


def group_members(group: int) -> dict[int, int]:
    """The leader of a process group, as long as anybody is in it."""
    with suppress(OSError):
        os.killpg(group, 0)
        return {group: group}
    return {}
