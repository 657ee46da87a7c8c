"""A run that is chosen step by step: what may happen next is a list, and whoever watches picks from it.

The meaning of a step is the checker's. Nothing is remembered between two requests: the steps so far are played again,
which takes no longer than drawing them. So going back is to send fewer of them, and a counterexample is a run like any
other, which can be left at any step for another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from random import Random
from typing import Any

import msgspec

from habemus.checking.instances import Question, settled
from habemus.checking.limits import Limits
from habemus.checking.moves import Move
from habemus.checking.replay import Player, Replay, limits_of
from habemus.checking.semantics import Semantics
from habemus.lab.questions import KEPT_EVENTS, MOST_STEPS, Given, Step
from habemus.lab.running import Watched
from habemus.scenario import Scenario, ScenarioError, Schedule
from habemus.simulation.run import properties_of
from habemus.trace import Recorder

LETTERS = ("deliver", "lose", "double", "overtake")  # steps that are about a message under way
ANY = "property"


def given_limits(scenario: Scenario, given: Given) -> tuple[Scenario, Limits]:
    """The scenario and the limits that its steps have their meaning within: as given, else as its schedule has them."""
    said = msgspec.to_builtins(given)
    if not said and scenario.schedule is not None:
        return scenario, limits_of(scenario.schedule, scenario.network.fifo)
    timing = said.pop("timing", None)
    return settled(scenario, timing, said)


class Walk:
    """A run under way, as far as it has been chosen."""

    def __init__(self, scenario: Scenario, limits: Limits) -> None:
        self.scenario = scenario
        self.limits = limits
        self.semantics: Semantics = Question(scenario, limits, []).semantics()
        self.recorder = Recorder(KEPT_EVENTS)
        judges = properties_of(scenario, self.semantics.stack)
        self.player = Player(self.semantics, judges, self.recorder)
        self.watched = Watched(self.recorder, self.semantics.stack, judges, self.player.world)
        self.player.judges = [*judges, *self.watched.strips]
        self.steps: list[str] = []

    def moves(self) -> dict[str, Move]:
        """What may happen next, by name."""
        return self.semantics.named(self.player.state)

    def take(self, step: str, moves: dict[str, Move]) -> None:
        """One of them happens."""
        self.player.step(moves[step])
        self.steps.append(step)

    def follow(self, steps: Sequence[str]) -> None:
        """Take these steps; ScenarioError says which is not possible."""
        for number, step in enumerate(steps):
            moves = self.moves()
            if step not in moves:
                possible = ", ".join(sorted(moves)[:6]) or "nothing"
                raise ScenarioError(f"steps[{number}]: {step!r} is not possible then; possible: {possible}")
            self.take(step, moves)

    def wander(self, coins: Random, until: str | None) -> None:
        """Go on by chance: one step, faults included; or without faults until a property changes."""
        before = self.standings()
        while len(self.steps) < MOST_STEPS:
            moves = self.moves()
            options = list(moves) if until is None else list(moves)[: self.semantics.progress]
            if not options:
                return
            self.take(coins.choice(options), moves)
            now = self.standings()
            if until is None or (now != before if until == ANY else now[until] != before[until]):
                return

    def standings(self) -> dict[str, str]:
        """How each property stands."""
        return {strip.judge.name: strip.changes[-1][1] for strip in self.watched.strips}

    def told(self, for_ever: bool = False) -> dict[str, Any]:
        """The run so far, as the page gets it; `for_ever`: its last steps repeat without end."""
        self.player.conclude(for_ever)
        shared = {field.name for field in fields(self.limits)} & set(Schedule.__struct_fields__)
        kept: dict[str, Any] = {name: getattr(self.limits, name) for name in shared}
        schedule = Schedule(steps=self.steps, **kept)
        if for_ever and self.scenario.schedule is not None:
            schedule.loop = self.scenario.schedule.loop
        scenario = msgspec.structs.replace(self.scenario, schedule=schedule)
        return self.watched.told(Replay(scenario, self.player))

    def described(self, step: str, move: Move) -> dict[str, Any]:
        """A step that may be chosen."""
        event = self.semantics.events[move.event]
        entry: dict[str, Any] = {
            "label": step,
            "kind": event.kind,
            "process": self.semantics.topology.ids[event.place] if event.place >= 0 else None,
            "subject": event.name or (event.sender if event.sender >= 0 else None),
        }
        if event.kind in LETTERS:
            letter = self.player.taken(event, False)
            entry["message"] = letter.carried
        return entry


def played(scenario: Scenario) -> dict[str, Any]:
    """The run that the schedule of a scenario stands for."""
    schedule = scenario.schedule
    assert schedule is not None
    walk = Walk(scenario, limits_of(schedule, scenario.network.fifo))
    walk.follow(schedule.steps)
    return walk.told(schedule.loop is not None)


def stepped(asked: Step) -> dict[str, Any]:
    """The run so far, and what may happen next."""
    scenario, limits = given_limits(asked.scenario, asked.limits)
    walk = Walk(scenario, limits)
    known = [strip.judge.name for strip in walk.watched.strips]
    if asked.until is not None and asked.until not in (ANY, *known):
        raise ScenarioError(f"until: expected {ANY}, {', '.join(known)}, got {asked.until!r}")
    walk.follow(asked.steps)
    if asked.seed is not None or asked.until is not None:
        walk.wander(Random(f"{asked.seed}/{len(walk.steps)}"), asked.until)
    moves = walk.moves()
    run = walk.told()
    return {
        "run": run,
        "enabled": [walk.described(step, move) for step, move in moves.items()],
        "steps": walk.steps,
        "over": walk.player.over,
    }
