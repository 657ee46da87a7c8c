"""A replay told in sentences."""

from __future__ import annotations

from typing import Any

from habemus.checking.answer.replay import Replay
from habemus.trace import Event
from habemus.trace.transcript import describe_fault, group_by_content

COMMANDS = {"acquire": "enter", "release": "leave", "propose": "have an entry stored"}
ROLES = {
    "leader": "takes office",
    "candidate": "stands for election",
    "inside": "is inside",
    "waiting": "waits to enter",
    "": "gives up its role",
}

ASIDES = {
    "double": " (it will come once more)",
    "overtake": " (before what was sent earlier)",
    "mistake": " (which is up)",
}


def tell_steps(outcome: Replay) -> list[list[str]]:
    """The run, step by step: a sentence each, or one for everybody who takes part in a step."""
    schedule = outcome.scenario.schedule
    assert schedule is not None
    told = []
    begin = 0
    for label, end in zip(schedule.steps, outcome.ends, strict=True):
        events = outcome.trace.events[begin:end]
        aside = ASIDES.get(label.partition(" ")[0], "")
        told.append(
            [tell_event(e, "" if number else aside) for number, e in enumerate(events)] or [tell_uneventful(label)]
        )
        begin = end
    return told


def tell_uneventful(label: str) -> str:
    """A step in which no clause ran."""
    return "A tick passes." if label == "tick" else f"{label}: no effect."


def tell_event(event: Event, aside: str) -> str:
    """What caused an event, with a remark on how that could be, and what followed from it."""
    if not event.clause:
        who = f"{event.process} " if event.process is not None else ""
        return f"{who}{describe_fault(event)}."
    parts = [tell_cause(event) + aside]
    for label, receivers in group_by_content(event.sent):
        parts.append(f"sends {label} to {', '.join(map(str, receivers))}")
    if event.role is not None:
        parts.append(ROLES.get(event.role, event.role))
    elif "leader" in event.changed:
        leader = event.changed["leader"]
        parts.append("has no leader any more" if leader is None else f"takes {leader} for the leader")
    if len(parts) == 1:
        parts.append(tell_changes(event.changed))
    return f"{join_words(parts)}."


def tell_changes(changed: dict[str, Any]) -> str:
    """What a clause changed that nobody else can see."""
    if not changed:
        return "changes nothing"
    return "sets " + join_words([f"{name} to {value}" for name, value in changed.items()])


def join_words(words: list[str]) -> str:
    """`a, b and c`."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def tell_cause(event: Event) -> str:
    who = f"{event.process}"
    if event.kind == "message":
        message = event.received[0]
        return f"{who} receives {message.label} from {message.sender}"
    if event.kind == "timeout":
        return f'{who} has waited long enough (timer "{event.subject}")'
    if event.kind == "command":
        return f"{who} wants to {COMMANDS.get(event.subject, event.subject)}"
    if event.kind in ("suspect", "trust", "leader"):
        return f"{who} is told to {event.kind} {event.subject}"
    if event.kind == "pulse":
        heard = ", ".join(f"{message.label} from {message.sender}" for message in event.received)
        return f"pulse {event.subject}: {who} receives {heard or 'nothing'}"
    return {"start": f"{who} begins", "recover": f"{who} is back"}.get(event.kind, f"{who} goes on ({event.clause})")
