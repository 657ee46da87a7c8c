"""Single messages under way, which can be dropped, hurried, delayed or doubled by hand.

A message goes by its number in the trace, so a run in which this happens is recorded. A FIFO link stays one: those
behind a delayed message wait for it, and those before a hurried one come along.
"""

from __future__ import annotations

from typing import Any

from habemus.simulation.node import Link
from habemus.simulation.simulation import Simulation
from habemus.simulation.timeline import NEAR
from habemus.trace import Envelope, Recorder


class NotUnderWayError(LookupError):
    """Something should be done to a message that is not under way then; the text says which and when."""


class PendingMessage:
    """A message under way, and when it arrives."""

    def __init__(self, link: Link, envelope: Envelope, arrival: int, bucket: list[Any]) -> None:
        self.link = link
        self.envelope = envelope
        self.arrival = arrival
        self.bucket = bucket

    @property
    def text(self) -> str:
        """`message 7, Answer from 5 to 2`."""
        sent = self.envelope.sent_message
        return f"message {sent.message}, {sent.label} from {sent.sender} to {sent.to}"

    def take(self) -> None:
        """Take it off the network."""
        for position in range(1, len(self.bucket), 2):
            if self.bucket[position] is self.envelope:
                del self.bucket[position - 1 : position + 1]
                return

    def double(self) -> None:
        """Let a copy arrive right after it."""
        for position in range(1, len(self.bucket), 2):
            if self.bucket[position] is self.envelope:
                self.bucket[position + 1 : position + 1] = [self.link, self.envelope]
                return

    def put(self, bucket: list[Any]) -> None:
        """Let it arrive with what is in a bucket, as the last."""
        bucket.append(self.link)
        bucket.append(self.envelope)


class Mail:
    """What can be done to the messages of a simulation."""

    def __init__(self, simulation: Simulation, recorder: Recorder) -> None:
        self.simulation = simulation
        self.recorder = recorder

    def under_way(self) -> list[PendingMessage]:
        """All messages on the network, in the order of their arrival."""
        simulation = self.simulation
        now = simulation.now
        near = [(now + ahead, simulation.wheel[(now + ahead) & NEAR]) for ahead in range(NEAR + 1)]
        found = []
        for arrival, bucket in [*sorted(simulation.buckets.items()), *near]:
            for position in range(0, len(bucket), 2):
                found.append(PendingMessage(bucket[position], bucket[position + 1], arrival, bucket))
        found.sort(key=lambda pending: pending.arrival)  # stable: of one tick, what was far away comes first
        return found

    def find(self, number: int) -> PendingMessage:
        """The message of that number."""
        for pending in self.under_way():
            if pending.envelope.number == number:
                return pending
        raise NotUnderWayError(f"message {number} is not under way at time {self.simulation.now}")

    def drop(self, number: int) -> None:
        """The message is lost."""
        pending = self.find(number)
        pending.take()
        self.simulation.tally.count(pending.envelope.message)
        self.recorder.lose(self.simulation.now, pending.envelope, "it was dropped")

    def duplicate(self, number: int) -> None:
        """The message arrives twice."""
        pending = self.find(number)
        self.simulation.note("duplicate", None, pending.text)
        self.simulation.tally.count(pending.envelope.message, -1)  # each copy is counted when handled
        pending.double()

    def deliver(self, number: int) -> None:
        """The message arrives now."""
        pending = self.find(number)
        self.simulation.note("deliver", None, pending.text)
        for other in self.under_way():
            hurried = other.envelope is pending.envelope
            if hurried or (self.simulation.fifo and other.link is pending.link):
                other.take()
                other.put(self.simulation.wheel[self.simulation.now & NEAR])
            if hurried:
                return

    def delay(self, number: int, by: int) -> None:
        """The message arrives that much later."""
        pending = self.find(number)
        self.simulation.note("delay", None, f"{pending.text}, by {by}")
        arrival = pending.arrival + by
        late = [pending]
        if self.simulation.fifo:
            on_link = [other for other in self.under_way() if other.link is pending.link and other.arrival <= arrival]
            numbers = [other.envelope.number for other in on_link]
            late = on_link[numbers.index(number) :]
            pending.link.last = max(pending.link.last, arrival)
        bucket = self.simulation.bucket(arrival)
        for other in late:
            other.take()
            other.put(bucket)
