"""Writes down what a driver does, event by event.

The driver opens an event before it runs a clause and closes it after; what the clause sends in between belongs to the
event. Events are kept, streamed to a file, or only hashed: whoever wants a digest of a long run need not hold it, and
only events that are kept are built.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from mypy_extensions import i64

from habemus.process import Anatomy, Journal, Message, Pid, Process
from habemus.process.anatomy import Snapshot, freeze, to_plain
from habemus.trace.digest import Digest
from habemus.trace.envelope import Contents, Envelope
from habemus.trace.lines import Lines, name_process
from habemus.trace.open_event import OpenEvent


class Alarm:
    """A timer was set to run out at `deadline`, or cancelled (-1), in an event."""

    def __init__(self, event: int, process: Pid, layer: int, name: str, time: int, deadline: int) -> None:
        self.event = event
        self.process = process
        self.layer = layer
        self.name = name
        self.time = time
        self.deadline = deadline


class ProcessRecord:
    """What is known of a process: its last event (-1: none), the longest causal chain that led to it, and its state.

    The state is one list, for it is read at every event: of each layer the role, then the frozen values of its fields.
    """

    def __init__(self, id: Pid) -> None:
        self.id = id
        self.latest: i64 = -1
        self.named = name_process(id)
        self.depth: i64 = 0
        self.state: list[Any] = []


class Recorder(Journal):
    """Turns steps into events."""

    def __init__(self, keep: int, file: BinaryIO | None = None) -> None:
        self.keep = keep
        self.lines = Lines(file) if file is not None else None
        self.events: list[Any] = []
        self.count: i64 = 0
        self.messages: i64 = 0
        self.rounds: i64 = 0
        self.values_carried: i64 = 0  # by all messages together: ids, counters, list entries
        self.facts = Digest()
        self.processes: dict[Pid, ProcessRecord] = {}
        self.starts: list[int] = []  # where each layer's part of a state begins
        self.acting = ProcessRecord(-1)  # whose event is open
        self.is_open = False
        self.current: OpenEvent | None = None  # the open event, if it is to be kept
        self.contents: Contents | None = None  # of the last message that was received or sent
        self.losses: list[tuple[int, Envelope, str]] = []  # of messages that the open event sent
        self.timers: list[Alarm] = []  # of the kept events; no part of the digest

    @property
    def digest(self) -> str:
        """The digest of the events so far."""
        return self.facts.hexdigest()

    @property
    def snapshots(self) -> dict[tuple[Pid, int], Snapshot]:
        """The state of each layer of each process after its last event, by process and layer."""
        ends = [*self.starts[1:], None]
        return {
            (pid, layer): tuple(record.state[start + 1 : end])
            for pid, record in self.processes.items()
            for layer, (start, end) in enumerate(zip(self.starts, ends, strict=True))
        }

    def begin(
        self, time: int, kind: str, process: Pid, clause: str, layer: str, subject: object, received: list[Envelope]
    ) -> None:
        """Open the event of a clause that is about to run."""
        if kind == "message":
            self.begin_receipt(time, self.record_of(process), clause, layer, received[0])
            return
        before = self.open(time, kind, self.record_of(process), clause, layer, subject)
        parents = parents_of(before, received)
        self.trace_causes(received, parents)
        for envelope in received:
            self.acting.depth = max(self.acting.depth, envelope.depth)
        self.rounds = max(self.rounds, self.acting.depth)
        if len(self.events) < self.keep:
            number = self.count - 1
            self.current = OpenEvent(number, time, kind, process, clause, layer, subject, received, parents)

    def begin_receipt(self, time: int, acting: ProcessRecord, clause: str, layer: str, envelope: Envelope) -> None:
        """What `begin` comes to for one message, spelled out: most of a long run are these."""
        before = self.open(time, "message", acting, clause, layer, None)
        facts = self.facts
        self.contents = envelope.contents
        facts.receive(envelope.hash)
        first, second = (before, envelope.origin) if before < envelope.origin else (envelope.origin, before)
        if first == second:
            first = -1
        if first >= 0:
            facts.follow(first)
        facts.follow(second)
        if self.lines is not None:
            self.lines.receive(envelope)
            if first >= 0:
                self.lines.follow(first)
            self.lines.follow(second)
        if envelope.depth > acting.depth:
            acting.depth = envelope.depth
            if envelope.depth > self.rounds:
                self.rounds = envelope.depth
        if len(self.events) < self.keep:
            parents = [first, second] if first >= 0 else [second]
            number = self.count - 1
            self.current = OpenEvent(number, time, "message", acting.id, clause, layer, None, [envelope], parents)

    def open(self, time: int, kind: str, acting: ProcessRecord, clause: str, layer: str, subject: object) -> i64:
        """Give the next event its number. Says which was the last one at its process; -1: none."""
        number = self.count
        self.count = number + 1
        self.acting = acting
        self.is_open = True
        self.facts.begin(number, time, kind, acting.id, clause, layer, subject)
        if self.lines is not None:
            self.lines.begin(number, time, kind, acting.named, clause, layer, subject)
        before = acting.latest
        acting.latest = number
        return before

    def send(self, sender: Pid, to: Pid, message: Message) -> Envelope:
        """A message leaves in the open event."""
        contents = self.contents
        if contents is None or contents.message is not message:
            contents = self.contents = Contents(message)
        envelope = Envelope(message, self.messages, sender, to, self.count - 1, self.acting.depth + 1, contents)
        self.messages += 1
        self.values_carried += contents.size
        self.facts.send(envelope.hash)
        if self.lines is not None:
            self.lines.send(envelope)
        if self.current is not None:
            self.current.sent.append(envelope)
        return envelope

    def admit(self, sender: Pid, to: Pid, message: Message) -> Envelope:
        """A message arrives from one who records nothing: what caused it is not known."""
        envelope = Envelope(message, self.messages, sender, to, self.record_of(to).latest, 0)
        self.messages += 1
        return envelope

    def end(self, process: Process, layer: int, anatomy: Anatomy) -> None:
        """Close the open event: what has changed?"""
        state = self.acting.state
        start = self.starts[layer]
        for number, name in enumerate(anatomy.fields):
            index = start + 1 + number
            value = getattr(process, name)
            old = state[index]
            if value is not old:
                value = freeze(value)
                if value != old:
                    state[index] = value
                    self.facts.change(name, value)
                    if self.lines is not None:
                        self.lines.change(name, value)
                    if self.current is not None:
                        self.current.change(name, to_plain(value))
        role = process.role
        if role != state[start]:
            state[start] = role
            self.facts.turn(role)
            if self.lines is not None:
                self.lines.turn(role)
            if self.current is not None:
                self.current.role = role
        self.close()
        if self.losses:
            losses, self.losses = self.losses, []
            for time, envelope, why in losses:
                self.lose(time, envelope, why)

    def close(self) -> None:
        """The open event is complete."""
        self.facts.end()
        if self.lines is not None:
            self.lines.end()
        self.is_open = False
        if self.current is not None:
            self.events.append(self.current.as_event())
            self.current = None

    def flush(self) -> None:
        """Have everything in the file that was recorded so far."""
        if self.lines is not None:
            self.lines.flush()

    def begin_life(self, process: Process, layer: int, anatomy: Anatomy) -> None:
        """A process begins, for the first time or again after a crash."""
        state = self.record_of(process.id).state
        fresh: list[Any] = ["", *[freeze(getattr(process, name)) for name in anatomy.fields]]
        if layer == len(self.starts):
            self.starts.append(len(state))
        start = self.starts[layer]
        state[start : start + len(fresh)] = fresh

    def record_of(self, process: Pid) -> ProcessRecord:
        """What is known of a process; the same object from its first life to its last."""
        record = self.processes.get(process)
        if record is None:
            record = self.processes[process] = ProcessRecord(process)
        return record

    def timer(self, process: Pid, layer: int, name: str, time: int, deadline: int) -> None:
        """A timer is set or cancelled."""
        if self.count <= self.keep:
            self.timers.append(Alarm(self.count - 1, process, layer, name, time, deadline))

    def note(self, time: int, kind: str, process: Pid | None, subject: object) -> None:
        """A fault, which is nobody's step."""
        parents: list[int] = []
        if process is not None:
            record = self.record_of(process)
            if record.latest >= 0:
                parents.append(record.latest)
            record.latest = self.count
        self.write_fault(time, kind, process, subject, [], parents)

    def lose(self, time: int, envelope: Envelope, why: str) -> None:
        """A message dies on its way; one that does not even get away is written down after the event that sent it."""
        if self.is_open:
            self.losses.append((time, envelope, why))
        else:
            self.write_fault(time, "lost", None, why, [envelope], [envelope.origin])

    def write_fault(
        self,
        time: int,
        kind: str,
        process: Pid | None,
        subject: object,
        received: list[Envelope],
        parents: list[int],
    ) -> None:
        number = self.count
        self.count = number + 1
        self.facts.begin(number, time, kind, process, "", "", subject)
        if self.lines is not None:
            self.lines.begin(number, time, kind, name_process(process), "", "", subject)
        self.trace_causes(received, parents)
        if len(self.events) < self.keep:
            self.current = OpenEvent(number, time, kind, process, "", "", subject, received, parents)
        self.close()

    def trace_causes(self, received: list[Envelope], parents: list[int]) -> None:
        """What the open event received, and which events caused it."""
        for envelope in received:
            self.facts.receive(envelope.hash)
            if self.lines is not None:
                self.lines.receive(envelope)
        for parent in parents:
            self.facts.follow(parent)
            if self.lines is not None:
                self.lines.follow(parent)


def parents_of(before: int, received: list[Envelope]) -> list[int]:
    """The events that caused one: those that sent what it received, and the one before it (-1: none)."""
    parents = [envelope.origin for envelope in received]
    if before >= 0 and before not in parents:
        parents.append(before)
    parents.sort()
    return parents
