"""What happened in a group, in files of its directory, for all who look.

    history-N     a JSON line for each event. N + the position of its end is the number of an event

A line is appended by one write, so nobody needs a lock, and nobody who is stopped holds up others. When a file is full,
the next one is begun, and the one before the last is deleted. The next one's N leaves room for those who were about to
write to the last one, so that no two events have the same number.

Events are for people and dashboards; no lock depends on them. So a full disk loses them, and nothing else.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from habemus.service.view import Event, EventKind

FULL = 200_000  # bytes; some 1500 events
ROOM = 100_000  # bytes, for those who come late
KEPT = 2  # files
PREFIX = "history-"


class Line(msgspec.Struct, omit_defaults=True):
    time: float
    kind: EventKind
    member: str = ""
    role: str = ""
    token: int = 0
    reason: str = ""


_lines = msgspec.json.Decoder(Line)  # made once: threads must not be the first to use a type at the same time


class History:
    """The history files of one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def files(self) -> list[tuple[int, Path]]:
        """The files with their first numbers, in order."""
        found = [path for path in self.directory.glob(f"{PREFIX}*") if path.name.removeprefix(PREFIX).isdigit()]
        return sorted((int(path.name.removeprefix(PREFIX)), path) for path in found)

    def append(self, kind: EventKind, member: str = "", role: str = "", token: int = 0, reason: str = "") -> None:
        line = msgspec.json.encode(Line(time.time(), kind, member, role, token, reason)) + b"\n"
        with suppress(OSError):
            files = self.files()
            base, path = files[-1] if files else (0, self.directory / f"{PREFIX}0")
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                os.write(file, line)
                size = os.fstat(file).st_size
            finally:
                os.close(file)
            if size > FULL:
                (self.directory / f"{PREFIX}{base + size + ROOM}").touch(mode=0o600)
                for _, old in self.files()[:-KEPT]:
                    old.unlink(missing_ok=True)

    def last_number(self) -> int:
        files = self.files()
        if not files:
            return 0
        base, path = files[-1]
        with suppress(FileNotFoundError):
            return base + path.stat().st_size
        return base

    def read(self, after: int = 0) -> list[Event]:
        """The events with higher numbers, as far as they are kept."""
        events: list[Event] = []
        for base, path in self.files():
            with suppress(FileNotFoundError), path.open("rb") as file:
                number = max(base, after)
                file.seek(number - base)
                for content in file.read().splitlines(keepends=True):
                    number += len(content)
                    if content.endswith(b"\n"):
                        events += parse(number, content)
        return events


def parse(number: int, content: bytes) -> list[Event]:
    """The event of a line; none if the line is damaged, as by a full disk."""
    try:
        line = _lines.decode(content)
    except msgspec.MsgspecError:
        return []
    return [Event(number, line.time, line.kind, line.member, line.role, line.token, line.reason)]
