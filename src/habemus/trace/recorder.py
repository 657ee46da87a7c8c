"""Writes down what a driver does, event by event.

The driver opens an event before it runs a clause and closes it after; what the clause sends in between belongs to the
event. Events are kept, streamed to a file, or only hashed: whoever wants a digest of a long run need not hold it.
"""

from __future__ import annotations

import hashlib
from typing import Any, BinaryIO

from habemus.process import Anatomy, Message, Pid, Process
from habemus.process.anatomy import Snapshot, message_fields
from habemus.trace.format import Carried, Event, encoded


class Alarm:
    """A timer was set to run out at `deadline`, or cancelled (-1), in an event."""

    def __init__(self, event: int, process: Pid, layer: int, name: str, time: int, deadline: int) -> None:
        self.event = event
        self.process = process
        self.layer = layer
        self.name = name
        self.time = time
        self.deadline = deadline


class Envelope:
    """A message under way, numbered, with the event that sent it and the length of the causal chain behind it."""

    def __init__(self, message: Message, number: int, sender: Pid, to: Pid, origin: int, depth: int) -> None:
        self.message = message
        self.number = number
        self.sender = sender
        self.to = to
        self.origin = origin
        self.depth = depth
        self.carried: Any = Carried(number, sender, to, type(message).__name__, message_fields(message))


def size(fields: Any) -> int:
    """How many values a message carries."""
    if isinstance(fields, dict):
        return sum([size(value) for value in fields.values()])
    if isinstance(fields, list):
        return sum([size(value) for value in fields])
    return 1


class Recorder:
    """Turns steps into events."""

    def __init__(self, keep: int, file: BinaryIO | None = None) -> None:
        self.keep = keep
        self.file = file
        self.events: list[Any] = []
        self.count = 0
        self.messages = 0
        self.rounds = 0
        self.values_carried = 0  # by all messages together: ids, counters, list entries
        self.sha = hashlib.sha256()
        self.current: Any = None  # the open event
        self.losses: list[tuple[int, Envelope, str]] = []  # of messages that the open event sent
        self.latest: dict[Pid, int] = {}
        self.depths: dict[Pid, int] = {}
        self.snapshots: dict[tuple[Pid, int], Snapshot] = {}
        self.roles: dict[tuple[Pid, int], str] = {}
        self.timers: list[Alarm] = []  # of the kept events; no part of the digest

    @property
    def digest(self) -> str:
        """The digest of the events so far."""
        return self.sha.hexdigest()

    def begin(
        self, time: int, kind: str, process: Pid, clause: str, layer: str, subject: object, received: list[Envelope]
    ) -> None:
        """Open the event of a clause that is about to run."""
        parents = [envelope.origin for envelope in received]
        before = self.latest.get(process)
        if before is not None and before not in parents:
            parents.append(before)
        depth = self.depths.get(process, 0)
        for envelope in received:
            depth = max(depth, envelope.depth)
        self.depths[process] = depth
        self.rounds = max(self.rounds, depth)
        self.current = Event(
            self.count,
            time,
            kind,
            process,
            clause,
            layer,
            subject,
            [envelope.carried for envelope in received],
            [],
            {},
            None,
            sorted(parents),
        )
        self.latest[process] = self.count
        self.count += 1

    def send(self, sender: Pid, to: Pid, message: Message) -> Envelope:
        """A message leaves in the open event."""
        envelope = Envelope(message, self.messages, sender, to, self.count - 1, self.depths.get(sender, 0) + 1)
        self.messages += 1
        self.values_carried += size(envelope.carried.fields)
        self.current.sent.append(envelope.carried)
        return envelope

    def end(self, process: Process, layer: int, anatomy: Anatomy) -> None:
        """Close the open event: what has changed?"""
        key = (process.id, layer)
        after = anatomy.snapshot(process)
        before = self.snapshots.get(key)
        if before is not None:
            self.current.changed = anatomy.diff(before, after)
        self.snapshots[key] = after
        role = process.role
        if role != self.roles.get(key, ""):
            self.roles[key] = role
            self.current.role = role
        self.write(self.current)
        self.current = None
        losses, self.losses = self.losses, []
        for time, envelope, why in losses:
            self.lose(time, envelope, why)

    def begin_life(self, process: Process, layer: int, anatomy: Anatomy) -> None:
        """A process begins, for the first time or again after a crash."""
        self.roles[(process.id, layer)] = ""
        self.snapshots[(process.id, layer)] = anatomy.snapshot(process)

    def timer(self, process: Pid, layer: int, name: str, time: int, deadline: int) -> None:
        """A timer is set or cancelled."""
        if self.count <= self.keep:
            self.timers.append(Alarm(self.count - 1, process, layer, name, time, deadline))

    def note(self, time: int, kind: str, process: Pid | None, subject: object) -> None:
        """A fault, which is nobody's step."""
        parents: list[int] = []
        if process is not None:
            before = self.latest.get(process)
            if before is not None:
                parents.append(before)
            self.latest[process] = self.count
        event: Any = Event(self.count, time, kind, process, "", "", subject, [], [], {}, None, parents)
        self.count += 1
        self.write(event)

    def lose(self, time: int, envelope: Envelope, why: str) -> None:
        """A message dies on its way; one that does not even get away is written down after the event that sent it."""
        if self.current is not None:
            self.losses.append((time, envelope, why))
            return
        event: Any = Event(
            self.count, time, "lost", None, "", "", why, [envelope.carried], [], {}, None, [envelope.origin]
        )
        self.count += 1
        self.write(event)

    def write(self, event: Any) -> None:
        """An event is complete."""
        line = encoded(event)
        self.sha.update(line)
        if self.file is not None:
            self.file.write(line)
        if len(self.events) < self.keep:
            self.events.append(event)
