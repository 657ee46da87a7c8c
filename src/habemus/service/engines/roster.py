"""The members of a group on one host, each as it describes itself.

    members/ID    flock, exclusive, as long as the member lives; contents: a checksum, and what it holds and waits for

Only the member writes its file. Whoever reads it while it is written sees a wrong checksum, and reads again. The file
of a member that died is not locked; who finds it first writes the end of that member into the history, and deletes it.
A file that is as good as new, empty and not locked, belongs to somebody who is about to lock it: that one looks whether
it is still in its place, and begins anew if not.

A dead member may still hold a lock: its children may have inherited it. Then its file stays.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import sleep

import msgspec

from habemus.service.engines.files import NameFiles, is_at, open_file, stem_of, try_flock
from habemus.service.engines.history import History
from habemus.service.errors import GroupError
from habemus.service.view import ROLE, EventKind

TRIES = 50  # to enter under an id that somebody has a look at
PAUSE = 0.002  # seconds between them
READS = 100  # of a record that is being written
DEAD = "dead"


class HoldRecord(msgspec.Struct, frozen=True):
    """A lock or role that a member holds, or waits for: then it has no token yet."""

    kind: str
    name: str
    slots: int
    shared: bool
    slot: int = 0
    token: int = 0


class MemberRecord(msgspec.Struct):
    id: str
    metadata: dict[str, str]
    holds: list[HoldRecord] = []
    waits: list[HoldRecord] = []


_records = msgspec.json.Decoder(MemberRecord)  # made once: threads must not be the first to use a type at the same time


@dataclass(frozen=True)
class Found:
    """A member as it was found."""

    path: Path
    record: MemberRecord
    alive: bool


class Roster:
    """The members' files of one group, and this process's own."""

    def __init__(self, directory: Path, history: History) -> None:
        self.group = directory
        self.directory = directory / "members"
        self.history = history
        self.record: MemberRecord | None = None
        self.file = -1
        self.mutex = Lock()  # of those in this process who publish

    def enter(self, id: str | None, spare: str, metadata: dict[str, str]) -> str:
        """Become a member. `spare` is the id if none was asked for; it gets a number if it is in use."""
        self.directory.mkdir(mode=0o700, exist_ok=True)
        number = 1
        while True:
            chosen = id or (spare if number == 1 else f"{spare}.{number}")
            self.file = self.claim(chosen)
            if self.file >= 0:
                break
            if id is not None:
                raise GroupError(f'"{id}" is the id of another member that is there already')
            number += 1
        self.record = MemberRecord(chosen, metadata)
        try:
            self.publish([], [])
        except BaseException:
            os.close(self.file)
            raise
        self.history.append(EventKind.JOINED, chosen)
        return chosen

    def claim(self, id: str) -> int:
        """Open and lock a member's file; -1 if another process holds it."""
        path = self.directory / stem_of(id)
        for _ in range(TRIES):
            file = open_file(path)
            if try_flock(file) and is_at(file, path):
                return file
            os.close(file)
            if self.find(id) is not None:
                return -1
            sleep(PAUSE)
        return -1

    def publish(self, holds: Iterable[HoldRecord], waits: Iterable[HoldRecord]) -> None:
        with self.mutex:
            if self.record is None:
                return
            self.record.holds, self.record.waits = list(holds), list(waits)
            content = msgspec.json.encode(self.record)
            line = b"%08x %s\n" % (zlib.crc32(content), content)
            os.pwrite(self.file, line, 0)
            os.ftruncate(self.file, len(line))

    def leave(self, reason: str) -> None:
        with self.mutex:
            record, self.record = self.record, None
        if record is not None:
            with suppress(OSError):  # the directory is gone: nobody is left to know
                (self.directory / stem_of(record.id)).unlink(missing_ok=True)
            self.history.append(EventKind.LEFT, record.id, reason=reason)
            os.close(self.file)
            self.file = -1

    def abandon(self) -> None:
        """In a child after os.fork: close the copy."""
        self.mutex = Lock()
        self.record = None
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def find(self, id: str) -> MemberRecord | None:
        """What a living member says about itself."""
        found = read_member(self.directory / stem_of(id))
        return found.record if found is not None and found.alive else None

    def read_all(self) -> list[Found]:
        """All members. The ends of those that died are noted."""
        found = [member for path in self.paths() if (member := read_member(path)) is not None]
        living = [member for member in found if member.alive]
        claimed = {(hold.kind, hold.name, hold.slot) for member in living for hold in member.record.holds}
        left = [member for member in found if not member.alive and not self.bury(member, claimed)]
        return [*living, *left]

    def paths(self) -> list[Path]:
        try:
            return sorted(self.directory.iterdir())
        except FileNotFoundError:
            return []

    def bury(self, member: Found, claimed: set[tuple[str, str, int]]) -> bool:
        """Note the end of a member that died, and delete its file; one of those who try does it.

        Says whether it is gone. It is not while one of its locks is held by nobody else: by its children, then.
        """
        holds = member.record.holds
        unclaimed = [hold for hold in holds if (hold.kind, hold.name, hold.slot) not in claimed]
        if any(NameFiles(self.group, f"{hold.kind}/{hold.name}").is_kept(hold.slot) for hold in unclaimed):
            return False
        with suppress(OSError):  # it is gone already, or one looks without the right to change anything
            file = os.open(member.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                if try_flock(file) and is_at(file, member.path):
                    member.path.unlink()
                    self.note_end(member.record)
            finally:
                os.close(file)
        return True

    def note_end(self, record: MemberRecord) -> None:
        if record.id:
            for hold in record.holds:
                if hold.kind == ROLE:
                    self.history.append(EventKind.LOST, record.id, hold.name, hold.token, DEAD)
            self.history.append(EventKind.LEFT, record.id, reason=DEAD)


def read_member(path: Path) -> Found | None:
    """What is found in a file; None if there is none, or if a living member has not written it yet."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        alive = not try_flock(file, shared=True)  # several may look at the same time
        record = read_record(file)
        return Found(path, record, alive) if record.id or not alive else None
    finally:
        os.close(file)


def read_record(file: int) -> MemberRecord:
    """What a member has written; a record without an id if it has not, or died while it did."""
    for _ in range(READS):
        checksum, _, content = os.pread(file, os.fstat(file).st_size, 0).partition(b" ")
        content = content.removesuffix(b"\n")
        if content and checksum == b"%08x" % zlib.crc32(content):
            return _records.decode(content)
    return MemberRecord("", {})
