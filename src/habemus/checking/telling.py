"""A run told in sentences, for people."""

from __future__ import annotations

from habemus.trace import Event, Trace
from habemus.trace.transcript import fault, grouped

ROLES = {
    "leader": "takes office",
    "candidate": "stands for election",
    "inside": "is inside",
    "waiting": "waits to enter",
    "": "is nothing special any more",
}


def sentences(trace: Trace) -> list[str]:
    """The run, a sentence a step."""
    return [sentence(event) for event in trace.events]


def sentence(event: Event) -> str:
    """One step: what set it off, and what came of it."""
    if not event.clause:
        who = f"{event.process} " if event.process is not None else ""
        return f"{who}{fault(event)}."
    parts = [occasion(event)]
    for label, receivers in grouped(event.sent):
        parts.append(f"sends {label} to {', '.join(map(str, receivers))}")
    if event.role is not None:
        parts.append(ROLES.get(event.role, event.role))
    if len(parts) == 1:
        parts.append("does nothing more" if not event.changed else "takes note")
    return f"{', '.join(parts[:-1])} and {parts[-1]}." if len(parts) > 2 else f"{parts[0]} and {parts[1]}."


def occasion(event: Event) -> str:
    """What set a clause off."""
    who = f"{event.process}"
    if event.kind == "message":
        letter = event.received[0]
        return f"{who} receives {letter.label} from {letter.sender}"
    if event.kind == "timeout":
        return f'{who} has waited long enough (timer "{event.subject}")'
    if event.kind == "command":
        return f"{who} wants to {'enter' if event.subject == 'acquire' else 'leave'}"
    if event.kind in ("suspect", "trust", "leader"):
        return f"{who} is told to {event.kind} {event.subject}"
    if event.kind == "pulse":
        heard = ", ".join(f"{letter.label} from {letter.sender}" for letter in event.received)
        return f"pulse {event.subject}: {who} receives {heard or 'nothing'}"
    return {"start": f"{who} begins", "recover": f"{who} is back"}.get(event.kind, f"{who} goes on ({event.clause})")
