"""Traces: a recorded run with its digest, its file and its diagram."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from habemus.trace.digest import Digest, hash_fields, hash_message, hash_text
from habemus.trace.format import FORMAT, Event, Header, RecordedRun, SentMessage, TraceError, encode


class Trace(RecordedRun):
    """A recorded run that can be named, written, read and drawn."""

    @property
    def digest(self) -> str:
        """The name of this run: equal runs, equal digests."""
        return digest_of(self.events)

    def write(self, path: str | Path) -> None:
        """Write the trace as JSON lines."""
        with open(path, "wb") as file:
            file.write(msgspec.json.encode(self.header) + b"\n")
            file.writelines(map(encode, self.events))

    def _repr_svg_(self) -> str:
        """The space-time diagram, for notebooks."""
        from habemus.trace.diagram import draw_space_time  # slow to import, and seldom wanted

        return draw_space_time(self)


def digest_of(events: Iterable[Event]) -> str:
    """The digest of these events, from the same facts in the same order as the recorder's."""
    digest = Digest()
    for event in events:
        digest.begin(event.event, event.time, event.kind, event.process, event.clause, event.layer, event.subject)
        for message in event.received:
            digest.receive(hash_sent(message))
        for parent in event.parents:
            digest.follow(parent)
        for message in event.sent:
            digest.send(hash_sent(message))
        for name, value in event.changed.items():
            digest.change(name, value)
        if event.role is not None:
            digest.turn(event.role)
        digest.end()
    return digest.hexdigest()


def hash_sent(message: SentMessage) -> int:
    """What `Envelope.hash` is while the message is under way."""
    contents = hash_fields(hash_text(message.type), message.fields)
    return hash_message(message.message, message.sender, message.to, contents)


def read_trace(path: str | Path) -> Trace:
    """Read a trace that `Trace.write` wrote."""
    with open(path, "rb") as file:
        lines = file.read().splitlines()
    if not lines:
        raise TraceError(f"{path} is empty; expected a trace of JSON lines")
    try:
        header = msgspec.json.decode(lines[0], type=Header)
    except msgspec.MsgspecError as error:
        raise TraceError(f"{path}, line 1 is not the header of a trace: {error}") from None
    if header.format != FORMAT:
        raise TraceError(f"{path} is a trace of format {header.format}; this version reads format {FORMAT}")
    events = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            events.append(msgspec.json.decode(line, type=Event))
        except msgspec.MsgspecError as error:
            raise TraceError(f"{path}, line {number} is not an event: {error}") from None
    return Trace(header, events)
