"""The files of one lock name, and the rules for them.

A name has a gate and as many places as it has slots: one, unless it is a semaphore. Whoever wants in takes the gate,
then a place, and then leaves the gate: so there is at most one at the gate, it is the next, and no reader passes a
writer that waits there. All that has to be decided once is decided at the gate: the token, the number of slots, and
whether the files can go.

    NAME.gate     flock, exclusive, while deciding; contents: the last token and the number of slots
    NAME.0 ...    flock, exclusive or shared, as long as the lock is held; empty
    NAME.next     the member for which a role is reserved, if it is
    floor         no token of a name whose files are gone was larger; flock while it is raised. It holds the number
                  twice: who reads it without the lock, and sees two different ones, reads again

The kernel drops a flock when its process dies, however that happens. So there is nothing to clean up after a crash.
Files that nobody uses any more are deleted by the last holder, at the gate, after it has raised the floor. A gate that
was opened before and locked after its deletion is recognised by its inode, and opened anew.

A token is larger than the last one of its name, and not smaller than the time in microseconds. The first makes it
grow while clocks are set back; the second while files are lost, as in a reboot, so that no fsync is needed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import time
from pathlib import Path
from urllib.parse import quote

from habemus.service.errors import GroupError

LONGEST_STEM = 200  # file names may have 255 bytes
READS = 1000  # of two numbers that somebody is writing


def stem_of(name: str) -> str:
    """The name as a file name has it."""
    stem = quote(name, safe=" ")
    if stem.startswith("."):
        stem = "%2E" + stem[1:]
    return stem if len(stem) <= LONGEST_STEM else "%" + hashlib.sha256(name.encode()).hexdigest()


def open_file(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def try_flock(descriptor: int, shared: bool = False) -> bool:
    """Lock it, if that is possible at once."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_at(descriptor: int, path: Path) -> bool:
    """Whether the path still leads to the open file."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    here = os.fstat(descriptor)
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)


class NameFiles:
    """The files of one name in the directory of a group."""

    def __init__(self, directory: Path, name: str) -> None:
        self.directory = directory
        self.name = name
        self.stem = stem_of(name)
        self.gate_path = directory / f"{self.stem}.gate"
        self.next_path = directory / f"{self.stem}.next"
        self.floor_path = directory / "floor"  # no name has it: all their files have a dot

    def place_path(self, slot: int) -> Path:
        return self.directory / f"{self.stem}.{slot}"

    def read_gate(self, gate: int) -> tuple[int, int]:
        """The last token and the number of slots; a new gate has the floor and no slots yet."""
        content = os.pread(gate, 100, 0)
        if not content:
            return self.read_floor(), 0
        try:
            token, slots = map(int, content.split())
        except ValueError:
            raise GroupError(f"{self.gate_path} is damaged: delete it while nobody uses {self.name!r}") from None
        return token, slots

    def write_gate(self, gate: int, token: int, slots: int) -> None:
        os.pwrite(gate, b"%020d %010d\n" % (token, slots), 0)  # of one length: it is written over in place

    def next_token(self, last: int) -> int:
        return max(last + 1, time.time_ns() // 1000)

    def is_in_use(self, slots: int) -> bool:
        """Whether any place is held; asked at the gate, so that nobody takes one meanwhile."""
        return any(self.is_held(self.place_path(slot)) for slot in range(slots))

    def is_held(self, place: Path) -> bool:
        try:
            descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)  # its end is no news to those who wait
        except FileNotFoundError:
            return False
        try:
            return not try_flock(descriptor)
        finally:
            os.close(descriptor)

    def is_kept(self, slot: int) -> bool:
        """Whether a place is held, asked by one who wants nothing. While somebody is at the gate it says yes."""
        try:
            gate = os.open(self.gate_path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            return not try_flock(gate) or self.is_held(self.place_path(slot))
        finally:
            os.close(gate)

    # A reservation: the role passes to this member next

    def reserve(self, member: str) -> None:
        file = os.open(self.next_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.write(file, member.encode())
        finally:
            os.close(file)

    def read_reservation(self) -> str:
        """The member that is to be next; empty if there is no reservation."""
        try:
            return self.next_path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    def drop_reservation(self) -> None:
        self.next_path.unlink(missing_ok=True)

    def tidy(self, place: int, slot: int) -> None:
        """Delete the files of the name if its place is the last that is held, and nobody is at the gate."""
        try:
            gate = os.open(self.gate_path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            if not try_flock(gate) or not is_at(gate, self.gate_path) or not try_flock(place):
                return
            last, slots = self.read_gate(gate)
            others = [other for other in range(slots) if other != slot]
            if any(self.is_held(self.place_path(other)) for other in others) or not self.raise_floor(last):
                return
            for path in [*(self.place_path(other) for other in range(slots)), self.gate_path]:
                path.unlink(missing_ok=True)
        finally:
            os.close(gate)

    def read_floor(self) -> int:
        try:
            floor = os.open(self.floor_path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return 0
        try:
            return self.parse_floor(floor)
        finally:
            os.close(floor)

    def parse_floor(self, floor: int) -> int:
        for _ in range(READS):
            numbers = os.pread(floor, 100, 0).split()
            if not numbers:
                return 0
            if len(numbers) == 2 and numbers[0] == numbers[1] and numbers[0].isdigit():
                return int(numbers[0])
        raise GroupError(f"{self.floor_path} is damaged: delete the directory while nobody uses it")

    def raise_floor(self, token: int) -> bool:
        """Says whether it was possible at once."""
        floor = open_file(self.floor_path)
        try:
            if not try_flock(floor):
                return False
            if token > self.parse_floor(floor):
                os.pwrite(floor, b"%020d %020d\n" % (token, token), 0)  # of one length: it is written over in place
            return True
        finally:
            os.close(floor)


def default_directory(group: str) -> Path:
    """The same for all processes of a user, whatever their environment says."""
    return Path("/var/tmp") / f"habemus-{os.getuid()}" / stem_of(group)


def prepare_directory(directory: Path) -> None:
    """Create it for this user alone; refuse one into which others can write: they could take the locks away."""
    try:
        directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
        found = os.stat(directory)
        above = os.lstat(directory.parent)
    except OSError as error:
        raise GroupError(f"{directory} cannot be used: {error.strerror}") from None
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise GroupError(
            f"{directory} cannot be trusted: it has to belong to this user, and nobody else may write to it"
        )
    sticky = above.st_mode & stat.S_ISVTX
    if above.st_uid not in (0, os.geteuid()) or (above.st_mode & stat.S_IWOTH and not sticky):
        raise GroupError(f"{directory.parent} cannot be trusted: others could replace {directory.name} in it")
