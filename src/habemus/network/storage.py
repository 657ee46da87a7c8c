"""What survives a crash: one small file in a directory that belongs to one process.

The file holds two lines: a header with the format and a checksum, and the record in JSON, so that one can look at it. A
new record is written beside the old one, forced to the disk, and then takes its name, which is atomic: after a crash at
any moment there is either the old record or the new one, whole. A file that is neither is not repaired and not reset,
for a process that forgets its vote may vote twice. A lock keeps a second process off the directory; the kernel frees it
when its owner dies.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from habemus.network.errors import NetworkError
from habemus.process import Anatomy
from habemus.process.anatomy import fields_of, plain

FORMAT = 1


class Met(Struct):
    """The latest life of another process that this one has heard of."""

    lineage: str
    incarnation: int
    instance: str


class Record(Struct):
    """All that a process has to remember."""

    group: str
    id: int
    stack: list[str]
    incarnation: int = 0
    met: dict[int, Met] = {}
    fields: list[dict[str, Any]] = []  # the durable fields of each layer, as JSON
    lineage: str = ""  # what all lives that began in this directory have in common, and no others


class Head(Struct):
    """The first line of the file."""

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
        self.writes = 0

    def open(self) -> Record | None:
        """Make the directory ours and read what is there; None: nothing yet."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self.lock = os.open(self.directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self.folder = os.open(self.directory, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise NetworkError(f"--data {self.directory} cannot be used: {error.strerror}") from None
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise NetworkError(
                f"--data {self.directory} is in use by another process: end that one, or give another directory"
            ) from None
        return self.read()

    def read(self) -> Record | None:
        """The record on disk."""
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise NetworkError(f"{self.file} cannot be read: {error.strerror}") from None
        line, _, body = content.partition(b"\n")
        try:
            head = msgspec.json.decode(line, type=Head)
            if head.format != FORMAT:
                raise NetworkError(
                    f"{self.file} is of format {head.format}, but this version of Habemus reads format {FORMAT}: "
                    f"use the version that wrote it"
                )
            if hashlib.sha256(body).hexdigest() != head.sha256:
                raise self.damaged("its checksum is wrong")
            return msgspec.json.decode(body, type=Record)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self.damaged(str(error).lower()) from None

    def damaged(self, how: str) -> NetworkError:
        """What to do about a file that is no record."""
        return NetworkError(
            f"{self.file} is damaged ({how}): give another --data and an id that this group has not seen, for a "
            f"process that forgets what it promised, or goes back to an older copy, could break its promise"
        )

    def write(self, record: Record) -> None:
        """Put a record on disk; when this returns it has survived whatever comes."""
        body = msgspec.json.encode(record) + b"\n"
        head = msgspec.json.encode(Head("state of a process", FORMAT, hashlib.sha256(body).hexdigest()))
        beside = self.directory / "state.new"
        try:
            file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            try:
                write_all(file, head + b"\n" + body)
                os.fsync(file)
            finally:
                os.close(file)
            os.rename(beside, self.file)
            if self.folder is not None:
                os.fsync(self.folder)  # the new name, too, has to survive
        except OSError as error:
            raise NetworkError(
                f"{self.file} cannot be written: {error.strerror}; the process stops, for it may promise nothing "
                f"that it cannot remember"
            ) from None
        self.writes += 1

    def close(self) -> None:
        """Let go of the directory."""
        for descriptor in (self.lock, self.folder):
            if descriptor is not None:
                os.close(descriptor)
        self.lock = self.folder = None


def write_all(file: int, content: bytes) -> None:
    """Write it, however many calls that takes."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def saved_fields(durable: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The durable fields of all layers as JSON has them."""
    return [{name: plain(value) for name, value in fields.items()} for fields in durable]


def restored_fields(saved: list[dict[str, Any]], stack: list[Anatomy]) -> list[dict[str, Any]]:
    """The durable fields of all layers, each of the type that its layer declares."""
    restored = []
    for fields, anatomy in zip(saved, stack, strict=True):
        known = {name: field for name, field in fields_of(anatomy.cls).items() if field.durable}
        try:
            restored.append(
                {name: msgspec.convert(value, known[name].hint, strict=False) for name, value in fields.items()}
            )
        except (KeyError, msgspec.ValidationError) as error:
            raise NetworkError(f"the saved state does not fit this version of {anatomy.cls.name}: {error}") from None
    return restored
