"""The rows of the diagram in the terminal: which events share one, and which are shown if there are too many.

Shown is what matters, with what led to it: the evidence of a violation; each fault, and who takes office or gets the
lock after it; who does so first; the beginning and the end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from habemus.trace.format import Event, SentMessage
from habemus.trace.story import find_lane

OFFICES = ("leader", "inside")
ROWS_FOR_EACH = 4  # what is shown of a run is divided among its points; fewer rows would not explain one


@dataclass
class Row:
    """Events that share a row."""

    events: list[Event] = field(default_factory=list)

    def joins(self, event: Event) -> bool:
        """Whether an event is of the same sort and moment as those in the row, at another process."""
        first = self.events[0]
        if (event.time, event.kind, event.clause) != (first.time, first.kind, first.clause) or find_lane(event) is None:
            return False
        if find_lane(event) in {find_lane(other) for other in self.events}:
            return False
        return [identify(message) for message in event.received] == [identify(message) for message in first.received]

    @property
    def is_broadcast(self) -> bool:
        """Whether several processes receive what one of them sent."""
        return len(self.events) > 1 and self.events[0].kind == "message"

    @property
    def is_fault(self) -> bool:
        first = self.events[0]
        return not first.clause and first.kind != "lost"

    @property
    def takes_office(self) -> bool:
        """Whether somebody leads, or has the lock, from here on."""
        return any(event.role in OFFICES for event in self.events)


def identify(message: SentMessage) -> tuple[int, str]:
    """What two messages have in common that can share an arrow."""
    return message.sender, message.label


def gather_rows(events: list[Event]) -> list[Row]:
    """The events, those that go together in one row."""
    rows: list[Row] = []
    for event in events:
        if rows and rows[-1].joins(event):
            rows[-1].events.append(event)
        else:
            rows.append(Row([event]))
    return rows


def choose_rows(rows: list[Row], evidence: Collection[int], most: int) -> list[int]:
    """The places of the rows to show, at most so many; `evidence`: the numbers of the events that show a violation."""
    if len(rows) <= most:
        return list(range(len(rows)))
    points = list(dict.fromkeys(find_points(rows, evidence)))[: max(1, most // ROWS_FOR_EACH)]
    shown = dict.fromkeys(points)
    for place in surround(points, len(rows)):
        if len(shown) >= most:
            break
        if 0 <= place < len(rows):
            shown[place] = None
    return sorted(shown)


def find_points(rows: list[Row], evidence: Collection[int]) -> Iterator[int]:
    """The places that matter, those that matter most first."""
    yield from (place for place, row in enumerate(rows) if any(event.event in evidence for event in row.events))
    offices = [place for place, row in enumerate(rows) if row.takes_office]
    for place, row in enumerate(rows):
        if row.is_fault:
            yield place
            yield from [office for office in offices if office > place][:1]
    yield 0
    yield from offices[:1]
    yield len(rows) - 1


def surround(points: list[int], count: int) -> Iterator[int]:
    """The places around some points, the nearest first; what came before explains more than what came after."""
    for reach in range(1, count + 1):
        for point in points:
            yield from (point - 2 * reach + 1, point - 2 * reach, point + reach)
