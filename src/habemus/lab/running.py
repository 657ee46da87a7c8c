"""A run as the page shows it: the trace, the initial state, and the history of each property.

The strip of a property says in which state it was after each event: *violated* from the event that violated it; *holds*
where it would hold if nothing more happened; *pending* while something has yet to happen, such as an election or an
entry; *open* at the end if that had not happened when time was up.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import msgspec

from habemus.catalogue import name_messages
from habemus.lab.questions import MOST_EVENTS
from habemus.process import Anatomy
from habemus.process.anatomy import to_plain
from habemus.properties import Property, Witness, World
from habemus.scenario import Scenario
from habemus.simulation.run import build_simulation, conclude, outcome_of, run_to_end
from habemus.trace import Event, Outcome, Recorder
from habemus.trace.format import declared_types

DRAWN_LINKS = 20_000  # a complete graph with more links is sent without its edges
SECONDS = 3.0  # after which a run is cut short
PENDING, HOLDS, VIOLATED, OPEN = "pending", "holds", "violated", "open"


class Strip(Property):
    """Watches another property and records when its state changes."""

    def __init__(self, judge: Property, recorder: Recorder) -> None:
        super().__init__()
        self.topic = judge.topic
        self.judge = judge
        self.recorder = recorder
        self.changes: list[tuple[int, str]] = []

    def observe(self, world: World) -> None:
        self.record(judge_now(self.judge, world))

    def conclude(self, world: World) -> None:
        came_too_late = self.judge.holds is False and self.changes[-1][1] != VIOLATED and not world.over
        if came_too_late and self.judge.topic == "election":  # a lock or a detector is judged by how the run ends
            self.record(OPEN)
        else:
            self.record({True: HOLDS, False: VIOLATED, None: PENDING}[self.judge.holds])

    @property
    def verdict(self) -> bool | None:
        """What the page says of the run: None if the property was open when time was up."""
        return None if self.changes[-1][1] == OPEN else self.judge.holds

    def record(self, state: str) -> None:
        """Record the state of the property after the latest event."""
        event = self.recorder.count - 1
        if self.changes and self.changes[-1][0] == event:
            self.changes.pop()
        if not self.changes or self.changes[-1][1] != state:
            self.changes.append((event, state))


def judge_now(judge: Property, world: World) -> str:
    """The state of a property: what it would decide if nothing more happened."""
    if judge.witness is not None:
        return VIOLATED
    over, world.over = world.over, True
    try:
        return HOLDS if judge.shortfall(world) is None else PENDING
    finally:
        world.over = over


class Watched:
    """A run whose properties are watched from the start."""

    def __init__(self, recorder: Recorder, stack: list[Anatomy], judges: list[Property], world: World) -> None:
        self.recorder = recorder
        self.stack = stack
        self.initial = read_initial_states(recorder, stack)
        self.strips = [Strip(judge, recorder) for judge in judges]
        for strip in self.strips:
            strip.observe(world)

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """Describe the run for the page."""
        scenario = outcome.scenario
        recorder, topology = self.recorder, outcome.topology
        too_many = topology.kind == "complete" and topology.m > DRAWN_LINKS
        bound = outcome.bound
        names = [anatomy.cls.__name__ if len(self.stack) > 1 else "" for anatomy in self.stack]  # as in events
        return {
            "digest": recorder.digest,
            "scenario": scenario,
            "algorithm": outcome.algorithm,
            "ids": topology.ids,
            "topology": topology.kind,
            "edges": [] if too_many else topology.edges(),
            "kind": outcome.cls.kind,
            "layers": [anatomy.cls.__name__ for anatomy in self.stack],
            "initial": self.initial,
            "shown": describe_shown(self.stack),
            "message_names": name_messages(self.stack[-1].cls),
            **describe_types(self.stack),
            "durable": {anatomy.cls.__name__: anatomy.durable for anatomy in self.stack},
            "events": recorder.events,
            "timers": [(t.event, t.process, names[t.layer], t.name, t.time, t.deadline) for t in recorder.timers],
            "properties": [describe_property(strip) for strip in self.strips],
            "leader": outcome.leader,
            "messages": outcome.messages,
            "messages_by_type": outcome.messages_by_type,
            "bottleneck": outcome.bottleneck.as_dict() if outcome.bottleneck is not None else None,
            "bits": count_bits_sent(recorder.events) if recorder.count <= recorder.keep else None,
            "time": outcome.time,
            "rounds": outcome.rounds,
            "bound": {"value": bound.messages(outcome.n, topology.m), "formula": bound.formula} if bound else None,
            "lock": outcome.lock.as_dict() if outcome.lock is not None else None,
            "counts": [{**series.as_dict(), "changes": series.changes} for series in outcome.counts],
            "plotted": outcome.cls.plotted_field or None,
            "threshold": outcome.parameters.get("threshold") if outcome.cls.plotted_field else None,
            "waiting_bound": outcome.waiting_bound,
            "detection": outcome.detection.as_dict() if outcome.detection is not None else None,
            "ended": outcome.ended,
            "kept": len(recorder.events),
            "total": recorder.count,
            "surprises": outcome.surprises,
            "warning": outcome.broken_assumption,
        }


def describe_shown(stack: list[Anatomy]) -> dict[str, str] | None:
    """The fields that the topmost layer declares to be shown: directions of links, and something beside the process."""
    cls = stack[-1].cls
    if not (cls.links_to or cls.links_from or cls.shown_field):
        return None
    return {
        "layer": cls.__name__,
        "links_to": cls.links_to,
        "links_from": cls.links_from,
        "field": cls.shown_field,
    }


def describe_types(stack: list[Anatomy]) -> dict[str, Any]:
    """The types of messages of each layer, the topmost first, as declared: they have the same colours in all runs."""
    depths = declared_types(stack)
    return {"types": list(depths), "layers_of_types": depths}


class TimeLimit(Property):
    """Replaces the goal of a run: it is decided when the goal is, or when the time is up."""

    def __init__(self, goal: Property | None, seconds: float) -> None:
        super().__init__()
        self.goal = goal
        self.deadline = perf_counter() + seconds

    @property
    def holds(self) -> bool | None:
        """Not None when the run is to stop."""
        if self.goal is not None and self.goal.holds is not None:
            return self.goal.holds
        return None if perf_counter() < self.deadline else False


def simulate_watched(scenario: Scenario, keep: int) -> tuple[Watched, Outcome]:
    """Run a scenario and watch its properties.

    If the run was cut short, the scenario of the outcome has its number of events, so that it can be run again.
    """
    recorder = Recorder(keep)
    simulation = build_simulation(scenario, recorder)
    watched = Watched(recorder, simulation.stack, list(simulation.properties), simulation.world)
    for strip in watched.strips:
        simulation.observers.watch(strip)
    goal = simulation.goal
    if scenario.events == MOST_EVENTS:  # the scenario sets no limit: compute for as long as a user will wait
        simulation.goal = TimeLimit(goal, SECONDS)
    ended = run_to_end(scenario, simulation, None)
    if ended == "property" and (goal is None or goal.holds is None):
        ended = "budget"
    if ended != "property":
        conclude(scenario, simulation, ended)
    if ended == "budget":
        scenario = msgspec.structs.replace(scenario, events=int(simulation.events))
    outcome = outcome_of(scenario, simulation, ended)
    outcome.properties = [strip.judge for strip in watched.strips]
    return watched, outcome


def read_initial_states(recorder: Recorder, stack: list[Anatomy]) -> dict[str, Any]:
    """Read the initial state of each process, layer by layer; call it before the first event."""
    states: dict[str, Any] = {}
    for (pid, layer), snapshot in recorder.snapshots.items():
        anatomy = stack[layer]
        fields = {name: to_plain(value) for name, value in zip(anatomy.fields, snapshot, strict=True)}
        states.setdefault(str(pid), {})[anatomy.cls.__name__] = fields
    return states


def list_violations(outcome: Outcome) -> list[Witness]:
    """The evidence for each promised property that is violated."""
    return [judge.witness for judge in outcome.properties if judge.witness is not None and judge.promised]


def describe_property(strip: Strip) -> dict[str, Any]:
    judge = strip.judge
    return {
        "name": judge.name,
        "verdict": strip.verdict,
        "promised": judge.promised,
        "witness": describe_witness(judge.witness) if judge.witness is not None else None,
        "strip": strip.changes,
    }


def describe_witness(witness: Witness) -> dict[str, Any]:
    return {
        "text": witness.text,
        "time": witness.time,
        "processes": witness.processes,
        "events": [event for event in witness.events if event >= 0],
    }


def count_bits_sent(events: list[Event]) -> int:
    """Count the bits of all values that messages carry, each as short as it can be written."""
    return sum([count_bits(message.fields) for event in events for message in event.sent])


def count_bits(value: Any) -> int:
    """Count the bits of a value: a number in binary, a text in bytes, a collection as the sum of its items."""
    if isinstance(value, bool) or value is None:
        return 1
    if isinstance(value, int):
        return max(1, value.bit_length())
    if isinstance(value, float):
        return 64
    if isinstance(value, str):
        return 8 * len(value.encode())
    return sum([count_bits(item) for item in (value.values() if isinstance(value, dict) else value)])
