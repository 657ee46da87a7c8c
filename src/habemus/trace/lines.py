"""The lines of a trace, put together from the facts of one event after the other, as the digest takes them in.

No event is built for it. A line is made of pieces of JSON, many of which are older than the event: what a message says
is spelled once for all copies. Lines are collected in one buffer and written many at a time. The result is the line
that msgspec makes of the `Event`, byte for byte.
"""

from __future__ import annotations

from typing import Any, BinaryIO, Final

from librt.strings import BytesWriter
from mypy_extensions import i64

from habemus.process import Pid
from habemus.process.anatomy import to_plain
from habemus.trace.envelope import Envelope
from habemus.trace.spelling import spell, write_number

MANY: Final = 65_536  # bytes that are written together

RECEIVED: Final = b',"received":['
SENT: Final = b',"sent":['
CHANGED: Final = b',"changed":{'
ROLE: Final = b',"role":'
COMMA: Final = ord(",")


def name_process(process: Pid | None) -> bytes:
    """How a line names the process of its event."""
    return b"" if process is None else b',"process":%d' % process


class Lines:
    """Takes in the facts of one event after the other, and writes them to a file."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.text = BytesWriter()
        self.complete: i64 = 0  # so many bytes belong to events that have ended
        self.section = self.closing = b""  # the part of the line that is open, and what closes it
        self.parents = BytesWriter()
        self.time: i64 = -1
        self.kind = self.clause = self.layer = ""
        self.moment = self.trigger = b""  # the pieces for these

    def begin(
        self, number: i64, time: i64, kind: str, process: bytes, clause: str, layer: str, subject: object
    ) -> None:
        """What identifies an event, and what set it off; `process` is what `name_process` makes of it."""
        text = self.text
        if len(text) > self.complete:
            text.truncate(self.complete)  # of an event whose clause failed
        if time != self.time or kind is not self.kind:
            self.time, self.kind = time, kind
            self.moment = b',"time":%d,"kind":%b' % (time, spell(kind))
        if clause is not self.clause or layer is not self.layer:
            self.clause, self.layer = clause, layer
            named = b',"clause":' + spell(clause) if clause else b""
            self.trigger = named + b',"layer":' + spell(layer) if layer else named
        self.section = self.closing = b""
        self.parents.truncate(0)
        text.write(b'{"event":')
        write_number(text, number)
        text.write(self.moment)
        text.write(process)
        text.write(self.trigger)
        if subject is not None:
            text.write(b',"subject":')
            text.write(spell(subject))

    def receive(self, envelope: Envelope) -> None:
        self.enter(RECEIVED, b"]")
        envelope.write(self.text)

    def send(self, envelope: Envelope) -> None:
        self.enter(SENT, b"]")
        envelope.write(self.text)

    def change(self, field: str, value: Any) -> None:
        self.enter(CHANGED, b"}")
        self.text.write(spell(field))
        self.text.write(b":")
        self.text.write(spell(to_plain(value)))

    def turn(self, role: str) -> None:
        self.enter(ROLE, b"")
        self.text.write(spell(role))

    def enter(self, section: bytes, closing: bytes) -> None:
        """Go to the next item of a section of the line. What belongs to one section comes in a row."""
        if section is self.section:
            self.text.append(COMMA)
        else:
            self.text.write(self.closing)
            self.text.write(section)
            self.section, self.closing = section, closing

    def follow(self, parent: i64) -> None:
        """The number of an event that caused it; the line names these at its end."""
        if len(self.parents):
            self.parents.append(COMMA)
        write_number(self.parents, parent)

    def end(self) -> None:
        """The event is complete."""
        text = self.text
        text.write(self.closing)
        if len(self.parents):
            text.write(b',"parents":[')
            text.write(self.parents.getvalue())
            text.write(b"]}\n")
        else:
            text.write(b"}\n")
        self.complete = len(text)
        if self.complete >= MANY:
            self.flush()

    def flush(self) -> None:
        """Write the lines of all events that have ended."""
        if self.complete:
            text = self.text.getvalue()
            self.text = BytesWriter()
            self.text.write(text[self.complete :])
            self.file.write(text[: self.complete])
            self.complete = 0
