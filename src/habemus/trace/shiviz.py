"""A trace as a ShiViz log: events with vector clocks.

ShiViz (bestchai.bitbucket.io/shiviz) reads the regular expression for its events from the first line, the one that
separates executions from the second, which is empty here. Each event is two lines: host and clock, then what happened.
The clocks are computed from what was received and from the order at each process. What is nobody's step, a lost
message or a cut link, happens at a host of its own, `network`.

I. Beschastnikh, P. Liu, A. Xing, P. Wang, Y. Brun, M. D. Ernst. Visualizing distributed system executions. ACM TOSEM
29(2), 2020.
"""

from __future__ import annotations

import json

from habemus.trace.format import Event, Trace
from habemus.trace.story import fault_text, read_story

EXPRESSION = r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)"
NETWORK = "network"

Clock = dict[str, int]


def shiviz(trace: Trace) -> str:
    """The log of a trace for ShiViz."""
    lines = [EXPRESSION, ""]
    story = read_story(trace)
    for event, clock in zip(story.events, vector_clocks(story.events), strict=True):
        lines.append(f"{host_of(event)} {json.dumps(clock)}")
        lines.append(" ".join(description(event).split()))
    return "\n".join(lines) + "\n"


def vector_clocks(events: list[Event]) -> list[Clock]:
    """The vector clock of each event: how many events of each host it knows of, itself included."""
    present: dict[str, Clock] = {}
    sent: dict[int, Clock] = {}
    clocks = []
    for event in events:
        host = host_of(event)
        clock = dict(present.get(host, {}))
        for carried in event.received:
            for other, count in sent.get(carried.message, {}).items():
                clock[other] = max(clock.get(other, 0), count)
        clock[host] = clock.get(host, 0) + 1
        present[host] = clock
        for carried in event.sent:
            sent[carried.message] = clock
        clocks.append(clock)
    return clocks


def host_of(event: Event) -> str:
    """Where ShiViz shows an event."""
    return NETWORK if event.process is None else str(event.process)


def description(event: Event) -> str:
    """What happened, in one line."""
    received = ", ".join(f"{carried.label} from {carried.sender}" for carried in event.received)
    if event.kind == "lost":
        return f"{event.time}: lost {received} to {event.received[0].to}: {event.subject}"
    if event.process is None:
        return f"{event.time}: {fault_text(event)}"
    about = f" {event.subject}" if event.subject is not None else ""
    text = f"{event.time}: {event.clause or event.kind}"
    if event.clause:
        text += f" upon {received or event.kind + about}"
    if event.sent:
        text += ", sends " + ", ".join(f"{carried.label} to {carried.to}" for carried in event.sent)
    return f"{text}, now {event.role}" if event.role else text
