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

from habemus.trace.format import Event, RecordedRun
from habemus.trace.story import describe_network_fault, read_story

EXPRESSION = r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)"
NETWORK = "network"

Clock = dict[str, int]


def write_shiviz(trace: RecordedRun) -> str:
    """The log of a trace for ShiViz."""
    lines = [EXPRESSION, ""]
    story = read_story(trace)
    for event, clock in zip(story.events, compute_vector_clocks(story.events), strict=True):
        lines.append(f"{name_host(event)} {json.dumps(clock)}")
        lines.append(" ".join(describe_event(event).split()))
    return "\n".join(lines) + "\n"


def compute_vector_clocks(events: list[Event]) -> list[Clock]:
    """The vector clock of each event: how many events of each host it knows of, itself included."""
    present: dict[str, Clock] = {}
    sent: dict[int, Clock] = {}
    clocks = []
    for event in events:
        host = name_host(event)
        clock = dict(present.get(host, {}))
        for message in event.received:
            for other, count in sent.get(message.message, {}).items():
                clock[other] = max(clock.get(other, 0), count)
        clock[host] = clock.get(host, 0) + 1
        present[host] = clock
        for message in event.sent:
            sent[message.message] = clock
        clocks.append(clock)
    return clocks


def name_host(event: Event) -> str:
    """Where ShiViz shows an event."""
    return NETWORK if event.process is None else str(event.process)


def describe_event(event: Event) -> str:
    """What happened, in one line."""
    received = ", ".join(f"{message.label} from {message.sender}" for message in event.received)
    if event.kind == "lost":
        return f"{event.time}: lost {received} to {event.received[0].to}: {event.subject}"
    if event.process is None:
        return f"{event.time}: {describe_network_fault(event)}"
    about = f" {event.subject}" if event.subject is not None else ""
    text = f"{event.time}: {event.clause or event.kind}"
    if event.clause:
        text += f" upon {received or event.kind + about}"
    if event.sent:
        text += ", sends " + ", ".join(f"{message.label} to {message.to}" for message in event.sent)
    return f"{text}, now {event.role}" if event.role else text
