"""What survives a crash: one small file in a directory that belongs to one process.

The file has two lines: a header with the format and a checksum, and the record in readable JSON. A new record is
written to another file, synced to disk, and then renamed, which is atomic: after a crash at any moment there is either
the old record or the new one, complete. A damaged file is neither repaired nor reset, because a process that forgets
its vote may vote twice. A lock keeps a second process off the directory; the kernel frees it when its owner dies.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shlex
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from habemus.network.errors import InUseError, NetworkError, StorageError
from habemus.network.wire.fork import keep_from_children
from habemus.process import Anatomy, State
from habemus.process.anatomy import fields_of, to_plain
from habemus.trace.reading import PlainReader

KIND, FORMAT = "state of a process", 1
OWN_FILES = {"lock", "state.json", "state.new", "members.json", "members.new"}
STICKY = stat.S_ISVTX


class PeerIncarnation(Struct):
    """The latest incarnation of a peer that this process has met."""

    lineage: str
    incarnation: int
    instance: str
    promises: int = 0  # that it has made, as far as this process has heard


class Record(Struct):
    """All that a process has to remember over a restart."""

    group: str
    id: int
    stack: list[str]
    incarnation: int = 0
    met: dict[int, PeerIncarnation] = {}
    fields: list[dict[str, Any]] = []  # the durable fields of each layer, as JSON
    lineage: str = ""  # common to all incarnations that used this directory, and to no others
    ancestors: list[str] = []  # the instances of earlier incarnations, the latest last
    roll: list[int] = []  # the members when all of them had met
    promises: int = 0  # how often its durable fields have been written
    refused: str = ""  # why the peers do not admit any process with this directory


class Head(Struct):
    """The first line of the file: its format, and the checksum of the second line."""

    habemus: str
    format: int
    sha256: str


class Storage:
    """The directory of one process."""

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self.file = self.directory / "state.json"
        self.lock: int | None = None
        self.folder: int | None = None
        self.spare: int | None = None  # for the next file, should this process have no other descriptor left
        self.writes = 0
        self.trouble = ""  # why the last write failed

    def open(self) -> Record | None:
        """Lock the directory and read its record; None if there is none yet."""
        try:
            make_private_directory(self.directory)
            self.lock = open_private(self.directory / "lock", os.O_RDWR | os.O_CREAT)
            self.folder = os.open(self.directory, os.O_RDONLY | os.O_CLOEXEC)
            self.spare = os.dup(self.folder)
        except OSError as error:
            raise NetworkError(f"--data {self.directory} cannot be used: {error.strerror}") from None
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise InUseError(
                f"--data {self.directory} is in use by another process: end that one, or give another directory"
            ) from None
        keep_from_children(self)
        return self.read()

    def descriptors(self) -> list[int]:
        return [descriptor for descriptor in (self.lock, self.folder, self.spare) if descriptor is not None]

    def read(self) -> Record | None:
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise NetworkError(f"{self.file} cannot be read: {error.strerror}") from None
        line, _, body = content.partition(b"\n")
        try:
            head = msgspec.json.decode(line, type=Head)
            if head.habemus != KIND:
                raise self.damage_error("its first line does not say what it is")
            if head.format != FORMAT:
                raise NetworkError(
                    f"{self.file} is of format {head.format}, but this version of Habemus reads format {FORMAT}: "
                    f"use the version that wrote it"
                )
            if hashlib.sha256(body).hexdigest() != head.sha256:
                raise self.damage_error("its checksum is wrong")
            return msgspec.json.decode(body, type=Record)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self.damage_error(str(error).lower()) from None

    def damage_error(self, how: str) -> NetworkError:
        return NetworkError(
            f"{self.file} is damaged ({how}): give another --data and an id that this group has not seen, because a "
            f"process that forgets a promise, or returns to an older copy, could break it"
        )

    def write(self, record: Record) -> None:
        """Write a record to disk; when this returns, it survives any crash."""
        body = msgspec.json.encode(record) + b"\n"
        head = msgspec.json.encode(Head(KIND, FORMAT, hashlib.sha256(body).hexdigest()))
        try:
            replace_file(self.file, head + b"\n" + body, self.open_new)
            self.keep_spare()
            if self.folder is not None:
                os.fsync(self.folder)  # the rename has to survive as well
        except OSError as error:
            self.trouble = f"{self.file} cannot be written: {error.strerror}"
            raise StorageError(
                f"{self.file} cannot be written: {error.strerror}; the process stops, because it must not promise what "
                f"it cannot remember"
            ) from None
        self.writes += 1
        self.trouble = ""

    def open_new(self, path: Path, flags: int) -> int:
        """Open a file, with the descriptor that is kept for it if there is no other."""
        try:
            return open_private(path, flags)
        except OSError as error:
            if error.errno != errno.EMFILE or self.spare is None:
                raise
        os.close(self.spare)
        self.spare = None
        return open_private(path, flags)

    def keep_spare(self) -> None:
        if self.spare is None and self.folder is not None:
            with suppress(OSError):
                self.spare = os.dup(self.folder)

    def close(self) -> None:
        for descriptor in self.descriptors():
            os.close(descriptor)
        self.lock = self.folder = self.spare = None


class NoStorage(Storage):
    """For a process that never restarts."""

    def open(self) -> None:
        return None

    def write(self, record: Record) -> None:
        pass


def make_private_directory(directory: Path) -> None:
    """Make a directory that only its owner can use. One that holds more than our files keeps its mode."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = directory.stat().st_mode
    if mode & 0o077 and {each.name for each in directory.iterdir()} <= OWN_FILES:
        with suppress(PermissionError):  # it is somebody else's
            directory.chmod(0o700)
            return
    if mode & 0o022 and not mode & STICKY:
        raise NetworkError(f"--data {directory} can be changed by others: chmod 700 {shlex.quote(str(directory))}")


def open_private(path: str | Path, flags: int) -> int:
    """Open a file for writing that only its owner can read; an opener for `open`."""
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def replace_file(path: Path, content: bytes, opener: Callable[[Path, int], int] = open_private) -> None:
    """Write a new file, sync it, and rename it: after a crash at any moment there is the old one or the new one."""
    new = path.with_suffix(".new")
    file = opener(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.fchmod(file, 0o600)  # one that was there already may have been left by somebody less careful
        write_all(file, content)
        os.fsync(file)
    finally:
        os.close(file)
    os.rename(new, path)


def write_all(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def save_fields(durable: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The durable fields of all layers as JSON values."""
    return [
        {name: to_plain(value.freeze() if isinstance(value, State) else value) for name, value in fields.items()}
        for fields in durable
    ]


def restore_fields(saved: list[dict[str, Any]], stack: list[Anatomy]) -> list[dict[str, Any]]:
    """The durable fields of all layers, each with the type that its layer declares."""
    restored = []
    reader = PlainReader(stack)
    for fields, anatomy in zip(saved, stack, strict=True):
        known = {name: field for name, field in fields_of(anatomy.cls).items() if field.durable}
        try:
            restored.append({name: reader.read_value(value, known[name].hint) for name, value in fields.items()})
        except (KeyError, TypeError, ValueError) as error:
            raise NetworkError(f"the saved state does not fit this version of {anatomy.cls.name}: {error}") from None
    return restored
