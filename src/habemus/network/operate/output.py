"""Lines for whoever reads stdout or stderr, without ever waiting for them.

A pipe or a terminal whose reader has stopped would block a write, and with it the whole process: a leader that cannot
send heartbeats, or one that has the lock and cannot leave. So a line is written at once if it fits, else it waits here.
If too much waits, the oldest lines are dropped, and the reader is told how many. So it is with a file on a full disk.

The descriptor itself stays in blocking mode, because other processes may share it. A pipe or a terminal is opened once
more, without blocking, for this process alone. Of a socket, which cannot be, the kernel is asked before each write.
"""

from __future__ import annotations

import asyncio
import errno
import os
import select
import stat
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

MOST_WAITING = 1 << 20  # bytes
RETRY = 0.05  # seconds
STDIN, STDOUT, STDERR = 0, 1, 2


class Output:
    """The lines that are written to one descriptor."""

    def __init__(self, descriptor: int, tell_dropped: Callable[[int], bytes], most: int = MOST_WAITING) -> None:
        """`tell_dropped`: the line that says how many were dropped."""
        self.descriptor = open_without_blocking(descriptor)
        self.own = self.descriptor != descriptor
        self.tell_dropped = tell_dropped
        self.most = most
        self.waiting: deque[bytes] = deque()
        self.size = 0
        self.rest = b""  # of the line that is being written
        self.dropped = 0
        self.trouble: OSError | None = None  # nobody can read the lines any more
        self.timer: asyncio.TimerHandle | None = None
        self.poll = select.poll()
        self.poll.register(self.descriptor, select.POLLOUT)

    def write(self, line: bytes) -> None:
        """Write a line now, or as soon as there is room."""
        if self.trouble is not None:
            return
        self.waiting.append(line)
        self.size += len(line)
        while self.size > self.most and len(self.waiting) > 1:
            self.size -= len(self.waiting.popleft())
            self.dropped += 1
        if self.timer is None:
            self.drain()

    def drain(self) -> None:
        """Write as much as there is room for."""
        self.timer = None
        if not self.write_waiting():
            with suppress(RuntimeError):  # no loop is running: the next line, or the end, tries again
                self.timer = asyncio.get_running_loop().call_later(RETRY, self.drain)

    def write_waiting(self) -> bool:
        """Write all that waits; False: there is no room for it now."""
        while self.rest or self.waiting:
            if not self.own and not self.poll.poll(0):
                return False
            if not self.rest:
                self.rest = self.next_line()
            try:
                written = os.write(self.descriptor, self.rest[: select.PIPE_BUF])
            except BlockingIOError:
                return False
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):  # the disk that the lines go to may be freed
                    return False
                self.trouble = error
                self.waiting.clear()
                self.rest = b""
                return True
            self.rest = self.rest[written:]
        return True

    def next_line(self) -> bytes:
        if self.dropped:
            dropped, self.dropped = self.dropped, 0
            return self.tell_dropped(dropped)
        line = self.waiting.popleft()
        self.size -= len(line)
        return line

    def close(self, seconds: float = 0.5) -> None:
        """Give the reader a moment to take the last lines."""
        if self.timer is not None:
            self.timer.cancel()
        deadline = time.monotonic() + seconds
        while not self.write_waiting() and time.monotonic() < deadline:
            time.sleep(0.01)
        if self.own:
            self.own = False
            os.close(self.descriptor)
            self.trouble = OSError(errno.EBADF, "closed")  # its number may belong to another file soon


def open_without_blocking(descriptor: int) -> int:
    """The same pipe or terminal, in non-blocking mode for us alone; else the descriptor itself."""
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
            flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
            return os.open(f"/proc/self/fd/{descriptor}", flags)
    except OSError:  # there is no /proc, or nobody reads the pipe any more
        pass
    return descriptor


def has_room(descriptor: int, seconds: float) -> bool:
    """Whether a line can be written without waiting, now or so many seconds later."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(1000 * seconds))


def keep_standard_descriptors() -> None:
    """If stdin, stdout or stderr is closed, open it on nothing: else the next file or socket would get its number."""
    for descriptor in (STDIN, STDOUT, STDERR):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free: this one
