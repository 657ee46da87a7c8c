"""A run as the page shows it: the trace, the state it began in, and how each property fared on the way.

A strip says of one property, event by event, where it stood: *violated* from the moment it was; *holds* where it would
hold if nothing more happened; *pending* where something is still to come, as a leader or an entry.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import msgspec

from habemus.lab.questions import MOST_EVENTS
from habemus.process import Anatomy
from habemus.process.anatomy import plain
from habemus.properties import Property, Witness, World
from habemus.scenario import Scenario
from habemus.simulation import Outcome
from habemus.simulation.run import build_simulation, conclude, run_to_end
from habemus.trace import Event, Recorder

DRAWN_LINKS = 20_000  # a complete graph with more links is told by its kind alone
SECONDS = 3.0  # after which a run is cut off
PENDING, HOLDS, VIOLATED = "pending", "holds", "violated"


class Strip(Property):
    """Watches another property and writes down when its standing changes."""

    def __init__(self, judge: Property, recorder: Recorder) -> None:
        super().__init__()
        self.topic = judge.topic
        self.judge = judge
        self.recorder = recorder
        self.changes: list[tuple[int, str]] = []

    def observe(self, world: World) -> None:
        """Look at what the property makes of the world, which it has just judged."""
        self.enter(standing(self.judge, world))

    def conclude(self, world: World) -> None:
        """The run is over, and the property has decided."""
        self.enter({True: HOLDS, False: VIOLATED, None: PENDING}[self.judge.holds])

    def enter(self, state: str) -> None:
        """The property stands like that since the last event."""
        event = self.recorder.count - 1
        if self.changes and self.changes[-1][0] == event:
            self.changes.pop()
        if not self.changes or self.changes[-1][1] != state:
            self.changes.append((event, state))


def standing(judge: Property, world: World) -> str:
    """How a property stands: what it would say if nothing more happened."""
    if judge.witness is not None:
        return VIOLATED
    over, world.over = world.over, True
    try:
        return HOLDS if judge.shortfall(world) is None else PENDING
    finally:
        world.over = over


class Watched:
    """A run that was watched all along."""

    def __init__(self, recorder: Recorder, stack: list[Anatomy], judges: list[Property], world: World) -> None:
        self.recorder = recorder
        self.stack = stack
        self.initial = initial_state(recorder, stack)
        self.strips = [Strip(judge, recorder) for judge in judges]
        for strip in self.strips:
            strip.observe(world)

    def told(self, outcome: Outcome) -> dict[str, Any]:
        """All of it, as the page gets it."""
        scenario = outcome.scenario
        recorder, topology = self.recorder, outcome.topology
        untold = topology.kind == "complete" and topology.m > DRAWN_LINKS
        bound = outcome.bound if scenario.schedule is None else None
        names = [anatomy.cls.__name__ if len(self.stack) > 1 else "" for anatomy in self.stack]  # as in events
        return {
            "digest": recorder.digest,
            "scenario": scenario,
            "algorithm": outcome.algorithm,
            "ids": topology.ids,
            "topology": topology.kind,
            "edges": [] if untold else topology.edges(),
            "kind": outcome.cls.kind,
            "layers": [anatomy.cls.__name__ for anatomy in self.stack],
            "initial": self.initial,
            "durable": {anatomy.cls.__name__: anatomy.durable for anatomy in self.stack},
            "events": recorder.events,
            "timers": [(t.event, t.process, names[t.layer], t.name, t.time, t.deadline) for t in recorder.timers],
            "properties": [judged(strip) for strip in self.strips],
            "leader": outcome.leader,
            "messages": outcome.messages,
            "messages_by_type": outcome.messages_by_type,
            "bits": bits_sent(recorder.events) if recorder.count <= recorder.keep else None,
            "time": outcome.time,
            "rounds": outcome.rounds,
            "bound": {"value": bound.messages(outcome.n, topology.m), "formula": bound.formula} if bound else None,
            "lock": outcome.lock.as_dict() if outcome.lock is not None else None,
            "detection": outcome.detection.as_dict() if outcome.detection is not None else None,
            "ended": outcome.ended,
            "kept": len(recorder.events),
            "total": recorder.count,
            "surprises": outcome.surprises,
            "warning": outcome.broken_assumption if scenario.schedule is None else "",
        }


class Patience(Property):
    """Stands in for the goal of a run, and has enough when that is decided or the time is up."""

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


def simulated(scenario: Scenario, keep: int) -> tuple[Watched, Outcome]:
    """Run a scenario and watch it.

    The scenario of the outcome says after how many events a run was cut off, so that it is the same run again there.
    """
    recorder = Recorder(keep)
    simulation = build_simulation(scenario, recorder)
    watched = Watched(recorder, simulation.stack, list(simulation.properties), simulation.world)
    for strip in watched.strips:
        simulation.watch(strip)
    goal = simulation.goal
    if scenario.events == MOST_EVENTS:  # nobody has said how many: show what can be computed while someone waits
        simulation.goal = Patience(goal, SECONDS)
    ended = run_to_end(scenario, simulation, None)
    if ended == "property" and (goal is None or goal.holds is None):
        ended = "budget"
    if ended != "property":
        conclude(scenario, simulation, ended)
    if ended == "budget":
        scenario = msgspec.structs.replace(scenario, events=int(simulation.events))
    outcome = Outcome(scenario, simulation, ended, recorder)
    outcome.properties = [strip.judge for strip in watched.strips]
    return watched, outcome


def initial_state(recorder: Recorder, stack: list[Anatomy]) -> dict[str, Any]:
    """The state in which each process begins, layer by layer; to be asked before anything has happened."""
    states: dict[str, Any] = {}
    for (pid, layer), snapshot in recorder.snapshots.items():
        anatomy = stack[layer]
        fields = {name: plain(value) for name, value in zip(anatomy.fields, snapshot, strict=True)}
        states.setdefault(str(pid), {})[anatomy.cls.__name__] = fields
    return states


def judged(strip: Strip) -> dict[str, Any]:
    """The verdict on a property, and how it came about."""
    judge = strip.judge
    return {
        "name": judge.name,
        "verdict": judge.holds,
        "witness": described(judge.witness) if judge.witness is not None else None,
        "strip": strip.changes,
    }


def described(witness: Witness) -> dict[str, Any]:
    """The evidence for a violated property."""
    return {
        "text": witness.text,
        "time": witness.time,
        "processes": witness.processes,
        "events": [event for event in witness.events if event >= 0],
    }


def bits_sent(events: list[Event]) -> int:
    """How many bits the values take that all messages carry, each as short as it can be written."""
    return sum([bits(letter.fields) for event in events for letter in event.sent])


def bits(value: Any) -> int:
    """The length of a value: a number in binary, a text in bytes, a collection as all that is in it."""
    if isinstance(value, bool) or value is None:
        return 1
    if isinstance(value, int):
        return max(1, value.bit_length())
    if isinstance(value, float):
        return 64
    if isinstance(value, str):
        return 8 * len(value.encode())
    return sum([bits(item) for item in (value.values() if isinstance(value, dict) else value)])
