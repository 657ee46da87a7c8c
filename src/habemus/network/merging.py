"""One causal trace out of those that the nodes of a group have written, each for itself.

Nodes number their events and messages so that no number comes twice, and a message carries the number of the event
that sent it. So the causes of every event are known, whatever the clocks say. The merged trace is in an order in which
causes come first, and otherwise in the order of the clocks; where a clock contradicts causality, causality wins and the
event counts as happening with its latest cause.

A node that was killed could not write that down. Its next life can, so the crash is put where the old one fell silent.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import msgspec

from habemus.network.errors import NetworkError
from habemus.trace import Carried, Event, Trace


def merge(traces: list[Trace]) -> Trace:
    """The traces of one run as one."""
    header = traces[0].header
    for trace in traces[1:]:
        if (trace.header.ids, trace.header.scenario) != (header.ids, header.scenario):
            raise NetworkError(
                f"these are traces of different runs: one of {header.algorithm} by {header.ids}, one of "
                f"{trace.header.algorithm} by {trace.header.ids}"
            )
    events = with_crashes([event for trace in traces for event in trace.events])
    return Trace(header, renumbered(in_causal_order(events)))


def with_crashes(events: list[Event]) -> list[Event]:
    """The events, with a crash before every recovery."""
    latest: dict[int | None, Event] = {}
    found: list[Event] = []
    number = -1  # below all that nodes give out
    for event in events:
        if event.kind == "recover" and not event.clause:  # a new life, not a step of it
            before = latest.get(event.process)
            time, parents = (before.time, [before.event]) if before is not None else (event.time, [])
            crash = Event(number, time, "crash", event.process, parents=parents)
            found.append(crash)
            event = msgspec.structs.replace(event, parents=[number])
            number -= 1
        found.append(event)
        latest[event.process] = event
    return found


def in_causal_order(events: list[Event]) -> list[Event]:
    """Causes first, then by time."""
    known = {event.event: event for event in events}
    if len(known) < len(events):
        raise NetworkError(
            "some events are there twice: a trace was given twice, or a process with another --data has gone on in the "
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
        raise NetworkError("some events are their own causes: these are not traces of one run")
    return ordered


def renumbered(events: list[Event]) -> list[Event]:
    """Events and messages numbered from 0, times from the first event on."""
    start = min((event.time for event in events), default=0)
    numbers = {event.event: number for number, event in enumerate(events)}
    messages: dict[int, int] = {}

    def carried(given: Carried) -> Carried:
        return msgspec.structs.replace(given, message=messages.setdefault(given.message, len(messages)))

    return [
        msgspec.structs.replace(
            event,
            event=numbers[event.event],
            time=event.time - start,
            parents=sorted(numbers[parent] for parent in event.parents if parent in numbers),
            received=[carried(each) for each in event.received],
            sent=[carried(each) for each in event.sent],
        )
        for event in events
    ]
