"""A trace as a Mermaid sequence diagram, for Markdown pages that draw one.

Messages stand in the order in which they are received or lost, for a sequence diagram has no slanted arrows. Taking
and leaving office, crashes and other faults are notes.
"""

from __future__ import annotations

from habemus.trace.format import Event, RecordedRun
from habemus.trace.story import UNDER_WAY, describe_network_fault, read_story

FAULTS = ("crash", "recover", "pause", "resume", "skew", "drift", "refuse")
ROLE_NOTES = {"leader": "👑 leader", "candidate": "⚑ candidate", "inside": "🔒 inside", "waiting": "waiting"}

ESCAPES = str.maketrans({"#": "#35;", ";": "#59;", "\n": " "})


def write_mermaid(trace: RecordedRun, limit: int | None = None) -> str:
    """The sequence diagram of a trace, or of its first `limit` events."""
    story = read_story(trace, limit)
    lines = ["sequenceDiagram"]
    lines += [f"    participant p{pid} as {pid}" for pid in story.ids]
    time = None
    for event in story.events:
        if event.time != time:
            time = event.time
            lines.append(f"    %% time {time}")
        lines += [f"    {line}" for line in write_lines(event, story.ids)]
    for transmission in story.transmissions:
        if transmission.fate == UNDER_WAY:
            message = transmission.message
            lines.append(f"    p{message.sender}--)p{message.to}: {escape_text(message.label)} (still under way)")
    if len(story.events) < story.total:
        lines.append(f"    Note over p{story.ids[0]}: first {len(story.events)} of {story.total} events")
    return "\n".join(lines) + "\n"


def write_lines(event: Event, ids: list[int]) -> list[str]:
    """The arrows and notes of one event."""
    arrow = "-x" if event.kind == "lost" else "->>"
    lines = [f"p{message.sender}{arrow}p{message.to}: {escape_text(message.label)}" for message in event.received]
    if event.kind == "lost":
        return lines
    if event.process is None:
        everyone = f"p{ids[0]},p{ids[-1]}" if len(ids) > 1 else f"p{ids[0]}"
        return [*lines, f"Note over {everyone}: {escape_text(describe_network_fault(event))}"]
    if event.kind in FAULTS and not event.clause:
        lines.append(f"Note over p{event.process}: {event.kind}")
    if event.role:
        lines.append(f"Note over p{event.process}: {escape_text(ROLE_NOTES.get(event.role, event.role))}")
    return lines


def escape_text(text: str) -> str:
    """A text without the characters that mean something to Mermaid."""
    return text.translate(ESCAPES)
