"""Stands guard over the process that holds a lease and runs a command: nothing of the command outlives the lease.

The process that was started becomes the guardian. Its child joins the group, holds the lease, and runs the command with
its supervisor. All that the command starts is below both.

    when                                        what happens
    the child ends                              its status is ours; nothing should be left
    the child is killed                         all that is left: KILL; then we end by the same signal
    the child stands still until the deadline   all, the child as well: KILL
    we get TERM, INT, HUP, QUIT                 the child gets it
    we are killed                               the child gets TERM, ends the command, and gives the lock back

A voter of the same host takes the session for dead when both are, so the next holder comes after the last process of
this one. If both are killed at the same time, the command is, too, but what it has started as a daemon is not.

On systems other than Linux there is no guardian.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import socket
import struct
import sys
from contextlib import suppress
from time import clock_gettime

from habemus.network.node.clock import CLOCK
from habemus.service.supervisor import FORWARDED, LOST, NO_LOCK, PR_SET_PDEATHSIG, Supervisor, is_in_foreground

TYPED = (signal.SIGINT, signal.SIGQUIT)  # the terminal sends them to the whole group in the foreground
MOMENT = struct.Struct("d")


class Guardian:
    """Make one before anything has a thread."""

    def __init__(self) -> None:
        self.id = 0  # of the guardian's process; 0: there is none
        self.channel: socket.socket | None = None

    def watch(self) -> int | None:
        """Fork. In the child, which goes on: None. In the guardian: the exit status, in the end."""
        if sys.platform != "linux":
            return None
        self.id = os.getpid()
        reading, writing = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (reading, writing):
            end.setblocking(False)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {*FORWARDED, signal.SIGCHLD})
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        child = os.fork()
        if not child:
            reading.close()
            self.channel = writing
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
            if os.getppid() != self.id:  # it died before we asked
                os._exit(1)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            return None
        writing.close()
        guard = Guard(child, reading)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return guard.stand()

    def report(self, deadline: float, lock: int = NO_LOCK) -> None:
        """In the child: the lease is held until then, if no other time is told. `lock` is kept open until it ends."""
        if self.channel is not None:
            with suppress(OSError):  # nobody is there any more, or has read for hours: it knows what it needs to know
                socket.send_fds(self.channel, [MOMENT.pack(deadline)], [lock] if lock != NO_LOCK else [])


class Guard(Supervisor):
    """Of a child that supervises a command itself."""

    def __init__(self, child: int, reports: socket.socket) -> None:
        super().__init__(0.0)
        self.process = child
        self.group = os.getpgrp()
        self.reports = reports
        self.deadline = math.inf
        self.locks: list[int] = []  # held until nothing is left that could rely on them
        self.watched.append(reports.fileno())
        for number in (*FORWARDED, signal.SIGCHLD):
            signal.signal(number, self.on_signal)
        signal.set_wakeup_fd(self.doorbell[1], warn_on_full_buffer=False)

    def stand(self) -> int:
        while self.status is None:
            while self.received:
                self.forward(self.received.pop(0))
            self.read_reports()
            left = self.deadline - clock_gettime(CLOCK)
            if left <= 0:
                self.kill_all()
                print("habemus: the process that held the lease stood still until it was over", file=sys.stderr)
                return LOST
            self.sleep(left)
            self.reap()
        status, number = self.status, self.ended_by
        self.kill_all()
        if number:  # as a shell expects it
            with suppress(OSError):  # nobody can handle KILL in another way
                signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        return status

    def forward(self, number: int) -> None:
        if number not in TYPED or not is_in_foreground(self.group):
            os.kill(self.process, number)

    def read_reports(self) -> None:
        with suppress(BlockingIOError):
            while self.reports.fileno() in self.watched:
                content, locks, _, _ = socket.recv_fds(self.reports, MOMENT.size, 1)
                if not content:  # the child is about to end
                    self.watched.remove(self.reports.fileno())
                    return
                (self.deadline,) = MOMENT.unpack(content)
                self.locks += locks
                if self.deadline == math.inf and not locks:
                    self.let_go()

    def let_go(self) -> None:
        while self.locks:
            os.close(self.locks.pop())

    def stop_with(self, child: int) -> None:
        """The child has stopped because somebody typed Ctrl-Z: so do we, since the shell looks at us."""
        if child == self.process and is_in_foreground(self.group):
            os.kill(os.getpid(), signal.SIGSTOP)
            os.kill(self.process, signal.SIGCONT)
