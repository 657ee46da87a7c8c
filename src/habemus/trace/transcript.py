"""A run as text, one line an event: made to be read in a diff.

time  process  clause       what set it off; what it sent; which fields changed
  41        4  answer_call  got ElectionCall from 2; sent Answer to 2; stage=asking
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from habemus.trace.format import Event, RecordedRun, SentMessage

FAULTS = {
    "crash": "crashes",
    "recover": "is back",
    "pause": "stands still",
    "resume": "goes on",
    "skew": "has its clock set ahead by {}",
    "drift": "has its clock run at rate {}",
    "slow": "links get another delay: {}",
    "deliver": "at once: {}",
    "duplicate": "twice: {}",
    "delay": "late: {}",
    "refuse": "is refused by the resource: token {0[0]}, but it has seen {0[1]}",
}


def write_transcript(trace: RecordedRun) -> str:
    """The whole trace as text."""
    width = max([len(str(pid)) for pid in trace.ids])
    clauses = max([len(event.clause) for event in trace.events], default=0)
    return "".join(write_line(event, width, clauses) + "\n" for event in trace.events)


def write_line(event: Event, width: int, clauses: int) -> str:
    """One event as one line."""
    process = "" if event.process is None else str(event.process)
    head = f"{event.time:>5}  {process:>{width}}  "
    if not event.clause:
        return head + describe_fault(event)
    return f"{head}{event.clause:<{clauses}}  {'; '.join(list_details(event))}".rstrip()


def describe_fault(event: Event) -> str:
    """What happened that was nobody's step."""
    if event.kind == "lost":
        lost = event.received[0]
        return f"{lost.label} from {lost.sender} to {lost.to} is lost: {event.subject}"
    if event.kind == "cut":
        return f"links fail: {format_links(event.subject)}"
    if event.kind == "partition":
        return f"no link works between {' / '.join(','.join(map(str, group)) for group in event.subject)}"
    if event.kind == "heal":
        return f"links work again: {format_links(event.subject) or 'all'}"
    return FAULTS[event.kind].format(event.subject)


def format_links(subject: Any) -> str:
    """`1-2, 3-4`."""
    return ", ".join("-".join(map(str, link)) for link in subject)


def list_details(event: Event) -> Iterable[str]:
    """What set a clause off, what it sent, what it changed."""
    if event.received:
        yield "got " + ", ".join(f"{message.label} from {message.sender}" for message in event.received)
    elif event.kind in ("suspect", "trust", "leader"):
        yield f"{event.kind} {event.subject}"
    elif event.kind == "timeout":
        yield f'timer "{event.subject}" ran out'
    elif event.kind in ("start", "recover", "command", "pulse", "whenever"):
        yield event.kind if event.subject is None else f"{event.kind} {event.subject}"
    for label, receivers in group_by_content(event.sent):
        yield f"sent {label} to {', '.join(map(str, receivers))}"
    for name, value in event.changed.items():
        yield f"{name}={value}"
    if event.role:
        yield f"now {event.role}"


def group_by_content(sent: list[SentMessage]) -> Iterable[tuple[str, list[int]]]:
    """Messages of the same content together, in the order of sending."""
    groups: dict[str, list[int]] = {}
    for message in sent:
        groups.setdefault(message.label, []).append(message.to)
    return groups.items()
