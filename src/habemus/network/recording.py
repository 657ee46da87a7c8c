"""The trace of one node, as it is written and as it is heard.

What a turn did is one or several lines. They are written, and told to whoever listens, before anybody receives what the
turn sent: so of every message that has arrived somewhere the sending is known, however the sender ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO, cast

import msgspec

from habemus.network.errors import NetworkError, system_says
from habemus.trace import Header, Recorder

LIVES = 32  # bits for the numbers of one life


class Recording:
    """Where the recorder of a node writes."""

    def __init__(self, file: BinaryIO | None = None) -> None:
        self.file = file
        self.fresh: list[bytes] = []  # the lines of this turn
        self.listeners: list[Callable[[list[bytes]], None]] = []
        self.recorder = Recorder(0, cast(BinaryIO, self))  # it asks no more of a file than `write`

    def begin(self, header: Header, life: int) -> None:
        """A life begins, whose number no other process has and no other life of this one: so traces can be merged."""
        self.recorder.count = self.recorder.messages = life << LIVES
        if self.file is not None and self.file.tell() == 0:  # a later life goes on in the same file
            self.put(msgspec.json.encode(header) + b"\n")

    def write(self, line: bytes) -> int:
        """One line, from the recorder."""
        self.fresh.append(line)
        return len(line)

    def flush(self) -> None:
        """Write and tell what is new."""
        if self.fresh:
            lines, self.fresh = self.fresh, []
            self.put(b"".join(lines))  # in one go: a crash cuts no line
            for listener in list(self.listeners):
                listener(lines)

    def put(self, content: bytes) -> None:
        """Write it where the trace is kept, if it is kept anywhere."""
        if self.file is not None:
            try:
                self.file.write(content)
                self.file.flush()
            except OSError as error:
                raise NetworkError(f"the --trace cannot be written: {system_says(error)}; the process stops") from None
