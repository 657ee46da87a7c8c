"""The trace of one node.

The lines of a turn are written to the file, and passed to listeners, before any peer receives what the turn sent. So
for every message that has arrived somewhere, the sending is recorded, however the sender ended.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, cast

import msgspec

from habemus.network.errors import NetworkError, system_says
from habemus.network.node.change import notify
from habemus.trace import Header, Recorder
from habemus.trace.merging import EVENT_BITS


class Recording:
    """Receives the lines of a node's recorder, in place of a file."""

    def __init__(self, file: BinaryIO | None = None) -> None:
        self.file = file
        self.written = b""  # in this turn
        self.listeners: list[Callable[[list[bytes]], None]] = []
        self.recorder = Recorder(0, cast(BinaryIO, self))  # it calls nothing but `write`

    def begin(self, header: Header, incarnation: int) -> None:
        """An incarnation begins. Its number is unique in the group, so that traces can be merged."""
        self.recorder.count = self.recorder.messages = incarnation << EVENT_BITS
        if self.file is not None and self.file.tell() == 0:  # a later incarnation appends to the same file
            self.write_file(msgspec.json.encode(header) + b"\n")

    def write(self, lines: bytes) -> int:
        """Called by the recorder."""
        self.written += lines
        return len(lines)

    def flush(self) -> None:
        self.recorder.flush()
        if self.written:
            lines, self.written = self.written, b""
            self.write_file(lines)  # in one call: a crash leaves no half line
            notify(self.listeners, lines.splitlines(keepends=True))

    def write_file(self, content: bytes) -> None:
        if self.file is not None:
            written = 0
            try:
                while written < len(content):  # a disk that is almost full takes a part
                    written += self.file.write(content[written:])
                self.file.flush()
            except OSError as error:
                with suppress(OSError):
                    self.file.truncate(self.file.tell() - written)  # no half line
                raise NetworkError(f"the --trace cannot be written: {system_says(error)}; the process stops") from None
