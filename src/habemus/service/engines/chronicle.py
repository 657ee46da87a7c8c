"""What happened in an embedded group, as a voter has heard it from the table.

    history    in the directory of the voter: a JSON line for each event

The events of a voter have the same numbers as those of the others; their times are by its own clock. What it missed
while it was away it asks of the leader (lookout.py). No lock depends on any of this: a full disk loses the history of
that voter, and nothing else.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from habemus.network.node.storage import open_private
from habemus.replication.leases import GRANTED, JOINED, LEFT, LET_GO, PAUSED, RESUMED, WANTED, Noted
from habemus.service.engines.embedded_view import decode_portrait
from habemus.service.view import ROLE, Event, EventKind

KEPT = 1000  # events
KINDS = {
    JOINED: EventKind.JOINED,
    LEFT: EventKind.LEFT,
    GRANTED: EventKind.ELECTED,
    LET_GO: EventKind.LOST,
    WANTED: EventKind.TRANSFER,
    PAUSED: EventKind.PAUSED,
    RESUMED: EventKind.RESUMED,
}


class Chronicle:
    """The events of one group, by number; on disk if there is a path."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.events: dict[int, Event] = {}
        self.lines = 0  # in the file
        if path is not None:
            self.read(path)

    def read(self, path: Path) -> None:
        with suppress(OSError):
            for line in path.read_bytes().splitlines():
                self.lines += 1
                with suppress(msgspec.MsgspecError):  # the end of a line may be missing
                    event = _lines.decode(line)
                    self.events[event.number] = event
        self.forget()

    def note(self, noted: Noted) -> None:
        portrait = decode_portrait(noted.metadata)
        member = portrait.id if portrait is not None else str(noted.session or "")
        role = noted.name.removeprefix(f"{ROLE}/")
        self.add([Event(noted.number, time.time(), KINDS[noted.what], member, role, noted.token, noted.reason)])

    def add(self, events: list[Event]) -> None:
        """Those that are known already stay as they are."""
        new = [event for event in events if event.number not in self.events]
        self.events.update((event.number, event) for event in new)
        self.forget()
        if self.path is not None and new:
            with suppress(OSError):
                self.write(self.path, new)

    def forget(self) -> None:
        for number in sorted(self.events)[:-KEPT]:
            del self.events[number]

    def write(self, path: Path, new: list[Event]) -> None:
        self.lines += len(new)
        if self.lines <= 2 * KEPT:
            with open(path, "ab", opener=open_private) as file:
                file.write(encode_lines(new))
            return
        fresh = path.with_suffix(".new")
        with open(fresh, "wb", opener=open_private) as file:
            file.write(encode_lines(self.since(0)))
        os.replace(fresh, path)
        self.lines = len(self.events)

    def since(self, number: int) -> list[Event]:
        """What happened after the event of this number, in order."""
        return [self.events[each] for each in sorted(self.events) if each > number]

    @property
    def newest(self) -> int:
        return max(self.events, default=0)


_lines = msgspec.json.Decoder(Event)  # made once: threads must not be the first to use a type at the same time
_lists = msgspec.json.Decoder(list[Event])


def encode_lines(events: list[Event]) -> bytes:
    return b"".join(msgspec.json.encode(event) + b"\n" for event in events)


def encode_events(events: list[Event]) -> str:
    return msgspec.json.encode(events).decode()


def decode_events(text: str) -> list[Event]:
    return _lists.decode(text)
