"""How many messages a run has sent, by type, and which are still under way."""

from __future__ import annotations

from typing import Any, cast

from habemus.process import Machine, Message
from habemus.simulation.timeline import Timeline
from habemus.trace import Envelope


class Tally:
    """Counts messages. Those that a clause handled, its handler counts; the others are counted here."""

    def __init__(self, machine: Machine, timeline: Timeline) -> None:
        self.machine = machine
        self.timeline = timeline
        self.others: dict[Any, int] = {}  # lost ones, and those that waited for a pulse

    def count(self, message: Message, by: int = 1) -> None:
        """Count a message that no handler will count, or discount a copy that one will."""
        kind = type(message)
        self.others[kind] = self.others.get(kind, 0) + by

    def under_way(self) -> list[Any]:
        """The types of all messages that are under way."""
        recorded = self.machine.journal is not None
        found = []
        for bucket in self.timeline.all_buckets():
            for position in range(1, len(bucket), 2):
                contents = bucket[position]
                found.append(type(cast(Envelope, contents).message if recorded else contents))
        return found

    def by_class(self) -> dict[Any, int]:
        """How many messages of each class were sent."""
        counts: dict[Any, int] = {}
        for kind, handler in self.machine.handlers.items():
            counts[kind] = handler.count
        for kind, count in self.others.items():
            counts[kind] = counts.get(kind, 0) + count
        for kind in self.under_way():
            counts[kind] = counts.get(kind, 0) + 1
        return counts

    def by_type(self) -> dict[str, int]:
        """How many messages of each type were sent, by the name of the type."""
        counts: dict[str, int] = {}
        for kind, count in self.by_class().items():
            counts[kind.__name__] = counts.get(kind.__name__, 0) + count
        return {name: count for name, count in counts.items() if count}

    def types_of(self, kind: type) -> list[Any]:
        """The message types of the layers of a kind: Mutex, Detector."""
        return [
            message for anatomy in self.machine.stack if issubclass(anatomy.cls, kind) for message in anatomy.messages
        ]

    def of(self, kind: type) -> int:
        """How many messages the layers of a kind sent."""
        counts = self.by_class()
        return sum([counts.get(message, 0) for message in self.types_of(kind)])
