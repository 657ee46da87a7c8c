"""Temporary directories that do not outlive their process for long.

A process that is killed cannot remove its directory. The lock on a file in it, which the kernel frees, shows that the
owner is gone; then whoever makes the next directory removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

PREFIX = "habemus-"
LOCK = ".owner"


class TemporaryFolder:
    """A directory that belongs to this process until it is removed."""

    def __init__(self) -> None:
        remove_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        new = self.path / f"{LOCK}.new"
        self.lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        new.rename(self.path / LOCK)  # it has its name when it is locked: nobody takes it for abandoned in between

    def remove(self) -> None:
        if self.path.exists():
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self.lock)


def remove_abandoned() -> None:
    """Remove the directories whose owners are gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # not ours, or in use, or removed in the meantime
            if is_abandoned(folder):
                shutil.rmtree(folder)


def is_abandoned(folder: Path) -> bool:
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)  # a directory without this file is not ours
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    finally:
        os.close(lock)
