"""Merges the traces that the nodes of a group have written, each its own, into one causal trace.

Nodes number their events and messages so that all numbers are unique, and a message carries the number of the event
that sent it. So the causes of every event are known, whatever the clocks say. In the merged trace causes come first;
otherwise events are in the order of the clocks. Where a clock contradicts causality, causality wins: the event gets the
time of its latest cause.

A node that was killed could not record its crash. Its next incarnation records a recovery, so a crash is inserted after
the last event of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

import msgspec

from habemus.trace.format import Event, SentMessage, TraceError
from habemus.trace.traces import Trace

EVENT_BITS = 32  # of an event number; the bits above are the number of the incarnation, unique in its group


def merge(traces: Sequence[Trace]) -> Trace:
    header = traces[0].header
    for trace in traces[1:]:
        if (trace.header.ids, trace.header.scenario) != (header.ids, header.scenario):
            raise TraceError(
                f"these are traces of different runs: one of {header.algorithm} by {header.ids}, one of "
                f"{trace.header.algorithm} by {trace.header.ids}"
            )
    events = insert_crashes([event for trace in traces for event in trace.events])
    return Trace(header, renumber(sort_causally(events)))


def insert_crashes(events: list[Event]) -> list[Event]:
    """Insert a crash before every recovery."""
    latest: dict[int | None, Event] = {}
    found: list[Event] = []
    number = -2  # below all numbers of nodes; -1 is no event
    for event in events:
        if event.kind == "recover" and not event.clause:  # a new incarnation, not a step of it
            before = latest.get(event.process)
            time, parents = (before.time, [before.event]) if before is not None else (event.time, [])
            crash = Event(number, time, "crash", event.process, parents=parents)
            found.append(crash)
            event = msgspec.structs.replace(event, parents=[number])
            number -= 1
        found.append(event)
        latest[event.process] = event
    return found


def sort_causally(events: list[Event]) -> list[Event]:
    """Causes first, then by time."""
    known = {event.event: event for event in events}
    if len(known) < len(events):
        raise TraceError(
            "some events occur twice: a trace was given twice, or a process with another --data has appended to the "
            "--trace file of an earlier run"
        )
    waiting = {event.event: sum(parent in known for parent in event.parents) for event in events}
    effects: dict[int, list[int]] = {}
    for event in events:
        for parent in event.parents:
            effects.setdefault(parent, []).append(event.event)
    times = {event.event: event.time for event in events}
    ready = [(times[number], number) for number, causes in waiting.items() if causes == 0]
    heapify(ready)
    ordered = []
    while ready:
        time, number = heappop(ready)
        ordered.append(msgspec.structs.replace(known[number], time=time))
        for effect in effects.get(number, []):
            times[effect] = max(times[effect], time)
            waiting[effect] -= 1
            if waiting[effect] == 0:
                heappush(ready, (times[effect], effect))
    if len(ordered) < len(events):
        raise TraceError("some events are causes of themselves: these are not traces of one run")
    return ordered


def renumber(events: list[Event]) -> list[Event]:
    """Number events and messages from 0; times count from the first event."""
    start = min((event.time for event in events), default=0)
    numbers = {event.event: number for number, event in enumerate(events)}
    messages: dict[int, int] = {}

    def renumbered(given: SentMessage) -> SentMessage:
        return msgspec.structs.replace(given, message=messages.setdefault(given.message, len(messages)))

    return [
        msgspec.structs.replace(
            event,
            event=numbers[event.event],
            time=event.time - start,
            parents=sorted(numbers[parent] for parent in event.parents if parent in numbers),
            received=[renumbered(each) for each in event.received],
            sent=[renumbered(each) for each in event.sent],
        )
        for event in events
    ]
