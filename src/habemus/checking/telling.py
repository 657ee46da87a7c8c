"""A run told in sentences, for people."""

from __future__ import annotations

from typing import Any

from habemus.checking.replay import Replay
from habemus.trace import Event
from habemus.trace.transcript import fault, grouped

ROLES = {
    "leader": "takes office",
    "candidate": "stands for election",
    "inside": "is inside",
    "waiting": "waits to enter",
    "": "is nothing special any more",
}

ASIDES = {
    "double": " (it will come once more)",
    "overtake": " (before what was sent earlier)",
    "mistake": " (which is well)",
}


def told_steps(outcome: Replay) -> list[list[str]]:
    """The run, step by step: a sentence each, or one for everybody who takes part in a step."""
    schedule = outcome.scenario.schedule
    assert schedule is not None
    told = []
    begin = 0
    for label, end in zip(schedule.steps, outcome.ends, strict=True):
        events = outcome.trace.events[begin:end]
        aside = ASIDES.get(label.partition(" ")[0], "")
        told.append([sentence(e, "" if number else aside) for number, e in enumerate(events)] or [uneventful(label)])
        begin = end
    return told


def uneventful(label: str) -> str:
    """A step in which no clause ran."""
    return "A tick passes." if label == "tick" else f"{label}: nothing comes of it."


def sentence(event: Event, aside: str) -> str:
    """What set a clause off, with a word on how that could be, and what came of it."""
    if not event.clause:
        who = f"{event.process} " if event.process is not None else ""
        return f"{who}{fault(event)}."
    parts = [occasion(event) + aside]
    for label, receivers in grouped(event.sent):
        parts.append(f"sends {label} to {', '.join(map(str, receivers))}")
    if event.role is not None:
        parts.append(ROLES.get(event.role, event.role))
    elif "leader" in event.changed:
        leader = event.changed["leader"]
        parts.append("has no leader any more" if leader is None else f"takes {leader} for the leader")
    if len(parts) == 1:
        parts.append(changes(event.changed))
    return f"{listed(parts)}."


def changes(changed: dict[str, Any]) -> str:
    """What a clause changed that nobody else can see."""
    if not changed:
        return "changes nothing"
    return "sets " + listed([f"{name} to {value}" for name, value in changed.items()])


def listed(words: list[str]) -> str:
    """`a, b and c`."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


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
