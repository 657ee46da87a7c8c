"""Transitions by name, as a schedule lists them: `deliver 2>3 Candidate(5)`, `timeout 4 answer`, `crash 3`, `tick`."""

from __future__ import annotations

from habemus.checking.model.semantics import Semantics
from habemus.checking.model.transitions import Expansion, State, Transition
from habemus.process import Message
from habemus.process.anatomy import field_defaults, message_fields


def expand_by_name(semantics: Semantics, state: State) -> dict[str, Transition]:
    """All transitions from a state, by name."""
    return name_transitions(semantics, semantics.expand(state))


def name_transitions(semantics: Semantics, expansion: Expansion) -> dict[str, Transition]:
    """The transitions of an expansion by name; of several with one name the later ones are numbered.

    Such are two equal messages on one link, if one is older or overtakes more than the other.
    """
    found: dict[str, Transition] = {}
    for transition in expansion.transitions:
        name = first = name_transition(semantics, transition)
        count = 1
        while name in found and (found[name].action, found[name].state) != (transition.action, transition.state):
            count += 1
            name = f"{first} #{count}"
        found.setdefault(name, transition)
    return found


def name_run(semantics: Semantics, run: list[Transition], start: State) -> list[str]:
    """The transitions of a run from a state on, each by the name that it has there."""
    found = []
    state = start
    for step in run:
        options = expand_by_name(semantics, state).items()
        found.append(next(name for name, at in options if (at.action, at.state) == (step.action, step.state)))
        state = step.state
    return found


def name_transition(semantics: Semantics, transition: Transition) -> str:
    action = semantics.actions.known[transition.action]
    coins = " " + ",".join(map(str, transition.coins)) if any(transition.coins) else ""
    if action.kind == "inform":
        return f"{action.name} all {action.sender}{coins}"
    if action.seat < 0:
        return action.kind + coins
    pid = semantics.instance.topology.ids[action.seat]
    if action.kind in ("deliver", "lose", "double", "overtake"):
        return f"{action.kind} {action.sender}>{pid} {name_message(action.message)}{coins}"
    if action.kind in ("suspect", "trust", "mistake"):
        return f"{action.kind} {pid} {action.sender}{coins}"
    if action.kind == "command":
        return f"{action.name} {pid}{coins}"
    return f"{action.kind} {pid}" + (f" {action.name}" if action.kind == "timeout" else "") + coins


def name_message(message: Message) -> str:
    """A message such as `Vote(5, weight=2)`: fields at their default are left out, and those after them named."""
    contents = message_fields(message)
    words: list[str] = []
    for position, (name, _) in enumerate(field_defaults(type(message))):
        if name in contents:
            words.append(f"{contents[name]}" if len(words) == position else f"{name}={contents[name]}")
    return f"{type(message).__name__}({', '.join(words)})" if words else type(message).__name__
