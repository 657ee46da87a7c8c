"""News of directories from the kernel: which of their files were closed by a writer, or deleted.

Python's library has no way to ask for them, so libc is called. Where there is no inotify, there is no news.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from pathlib import Path

IN_CLOSE_WRITE = 0x8
IN_MOVED_FROM = 0x40
IN_DELETE = 0x200
IN_DELETE_SELF = 0x400
EVENT = struct.Struct("iIII")


class DirectoryNews:
    """A descriptor that becomes readable when there is news; -1 where the system has no inotify, or no more of it."""

    def __init__(self) -> None:
        self.descriptor = -1
        self.directories: dict[int, Path] = {}  # by the number of their watch
        if sys.platform == "linux":
            self.descriptor = ctypes.CDLL(None).inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)

    def watch(self, directory: Path) -> None:
        """Tell of this directory, too. If the system refuses, there is no news at all."""
        if self.descriptor >= 0:
            mask = IN_CLOSE_WRITE | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF
            number = ctypes.CDLL(None).inotify_add_watch(self.descriptor, os.fsencode(directory), mask)
            if number >= 0:
                self.directories[number] = directory
            else:
                self.close()

    def read(self) -> set[Path]:
        """The files that there is news of; a directory itself if it was deleted."""
        paths: set[Path] = set()
        try:
            data = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return paths
        while data:
            number, _, _, length = EVENT.unpack_from(data)
            name = os.fsdecode(data[EVENT.size : EVENT.size + length].rstrip(b"\0"))
            if number in self.directories:
                paths.add(self.directories[number] / name)
            data = data[EVENT.size + length :]
        return paths

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
