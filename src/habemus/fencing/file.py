"""A file that only a holder with the newest token replaces.

The marks are in a file beside it, NAME.fence, which is locked while they are compared. They are on disk before the new
contents are: after a crash in between the old contents are there, and the old token is refused all the same.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from habemus.fencing.marks import Marks
from habemus.service.errors import GroupError


class FileFence:
    """Guards one file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.marks_path = self.path.with_name(self.path.name + ".fence")

    def claim(self, token: int, *, shared: bool = False) -> None:
        """Note the token before the first read; StaleToken if a newer one was here."""
        with self.claimed(token, shared):
            pass

    def replace(self, contents: bytes, token: int) -> None:
        """Replace the file as a whole; StaleToken if a newer holder was here."""
        with self.claimed(token, shared=False):
            new = self.path.with_name(self.path.name + ".new")
            write_synced(new, contents)
            new.replace(self.path)
            sync_directory(self.path.parent)

    @contextmanager
    def claimed(self, token: int, shared: bool) -> Iterator[None]:
        marks = os.open(self.marks_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(marks, fcntl.LOCK_EX)
            before = self.parse(os.pread(marks, 100, 0))
            after = before.claim(str(self.path), token, shared)
            if after != before:
                os.pwrite(marks, b"%020d %020d\n" % after, 0)  # of one length: it is written over in place
                os.fsync(marks)
                sync_directory(self.path.parent)
            yield
        finally:
            os.close(marks)

    def parse(self, contents: bytes) -> Marks:
        try:
            return Marks(*map(int, contents.split()))
        except (TypeError, ValueError):
            raise GroupError(f"{self.marks_path} is damaged: it has to hold two numbers") from None


def write_synced(path: Path, contents: bytes) -> None:
    with open(path, "wb") as file:
        file.write(contents)
        file.flush()
        os.fsync(file.fileno())


def sync_directory(path: Path) -> None:
    directory = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
