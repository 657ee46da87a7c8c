"""Where moments lie along the time axis of a diagram.

Three things keep a diagram readable that a plain ruler would spoil. What a process does within one tick is spread over
slots, in causal order, so that no two of its events coincide. Stretches in which many messages are under way get more
room. Stretches in which nothing happens get little: the axis is broken there, and the break is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from habemus.trace.format import Event
from habemus.trace.story import Story, find_lane


@dataclass(frozen=True)
class Scale:
    """How much room things get along the axis, in pixels."""

    slot: float
    step: float
    per_flight: float
    longest: float = 2.2  # steps that an idle stretch may take before the axis is broken


@dataclass(frozen=True)
class Moment:
    """A tick in which something happens, from its first slot to its last."""

    time: int
    start: float
    end: float


@dataclass(frozen=True)
class Break:
    """Where the axis leaves out idle time."""

    at: float
    ticks: int


@dataclass(frozen=True)
class Axis:
    """The moments of a story, the position of each of its events (by number), and whether equal times look equal."""

    moments: list[Moment]
    breaks: list[Break]
    position: dict[int, float]
    even: bool

    @property
    def length(self) -> float:
        """Where the last event is."""
        return self.moments[-1].end if self.moments else 0.0


def lay_axis(story: Story, scale: Scale) -> Axis:
    """Put every event of a story on the axis."""
    slots = assign_slots(story)
    depth: dict[int, int] = {}
    for event in story.events:
        depth[event.time] = max(depth.get(event.time, 0), slots[event.event])
    times = sorted(depth)
    gaps = [after - before for before, after in pairwise(times)]
    usual = median(gaps) if gaps else 1
    crowds = count_crossings(story, times)
    moments: list[Moment] = []
    breaks: list[Break] = []
    at = 0.0
    for number, time in enumerate(times):
        if number:
            gap = gaps[number - 1]
            wanted = scale.step * gap / usual
            room = max(scale.step * 0.75, min(wanted, scale.step * scale.longest))
            room = max(room, scale.per_flight * min(crowds[number - 1], 10))
            if wanted > 2 * room:
                breaks.append(Break(at + room / 2, gap))
            at += room
        moments.append(Moment(time, at, at + depth[time] * scale.slot))
        at = moments[-1].end
    starts = {moment.time: moment.start for moment in moments}
    position = {event.event: starts[event.time] + slots[event.event] * scale.slot for event in story.events}
    paces = [(after.start - before.start) / (after.time - before.time) for before, after in pairwise(moments)]
    return Axis(moments, breaks, position, even=not paces or max(paces) - min(paces) < 0.01)


def assign_slots(story: Story) -> dict[int, int]:
    """For each event its slot within its tick: after what happened before it at its process and what caused it."""
    slots: dict[int, int] = {}
    senders = {transmission.message.message: transmission.sent for transmission in story.transmissions}
    last: dict[int, Event] = {}
    time = None
    floor = highest = 0
    for event in story.events:
        if event.time != time:
            time, floor, highest = event.time, 0, -1
        causes = [senders[message.message] for message in event.received if message.message in senders]
        at_once = event.kind == "lost" and any(cause.time == time for cause in causes)
        lane = find_lane(event)
        if lane is None:  # a fault of the network is seen by everybody: all later events come below it
            slot = highest + 1
            floor = slot + 1
        elif at_once:
            slot = max(slots[cause.event] for cause in causes)
        else:
            if lane in last:
                causes.append(last[lane])
            slot = max([floor] + [slots[cause.event] + 1 for cause in causes if cause.time == time])
            last[lane] = event
        slots[event.event] = slot
        highest = max(highest, slot)
    return slots


def count_crossings(story: Story, times: list[int]) -> list[float]:
    """For each gap between moments, how many messages cross between the same two lanes in it, at the busiest lane.

    A message that is under way for several gaps counts as a part in each: its label needs room only once.
    """
    lane = {pid: number for number, pid in enumerate(story.ids)}
    index = {time: number for number, time in enumerate(times)}
    crowds: list[dict[int, float]] = [{} for _ in times]
    for transmission in story.transmissions:
        first = index[transmission.sent.time]
        last = index[transmission.end.time] if transmission.end is not None else first
        low, high = sorted((lane[transmission.message.sender], lane[transmission.message.to]))
        if story.closes_ring(transmission):
            low, high = 0, 1
        for gap in range(first, max(last, first + 1)):
            for between in range(low, high):
                crowds[gap][between] = crowds[gap].get(between, 0.0) + 1.0 / max(1, last - first)
    return [max(crowd.values(), default=0.0) for crowd in crowds]
