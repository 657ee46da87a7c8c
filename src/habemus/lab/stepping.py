"""A run that is chosen step by step: what may happen next is a list, and the user picks from it.

The checker defines what a step is. Nothing is stored between two requests: the steps so far are replayed, which takes
no longer than drawing them. So to go back is to send fewer of them, and a counterexample is a run like any other, which
can be left at any step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from random import Random
from typing import Any

import msgspec

from habemus.checking.answer.questions import Question, settle
from habemus.checking.answer.replay import Player, limits_of
from habemus.checking.model.limits import Limits
from habemus.checking.model.schedule_names import expand_by_name
from habemus.checking.model.semantics import Semantics
from habemus.checking.model.transitions import Transition
from habemus.lab.questions import KEPT_EVENTS, MOST_STEPS, Given, Step
from habemus.lab.running import Watched
from habemus.process import ClauseError
from habemus.properties import NoFailure, properties_of
from habemus.scenario import Scenario, ScenarioError, Schedule
from habemus.trace import Recorder

MESSAGE_STEPS = ("deliver", "lose", "double", "overtake")  # steps that are about a message under way
ANY = "property"


def settle_limits(scenario: Scenario, given: Given) -> tuple[Scenario, Limits]:
    """The scenario with its defaults filled in, and the limits of its steps: as given, else those of its schedule."""
    said = msgspec.to_builtins(given)
    if not said and scenario.schedule is not None:
        return scenario, limits_of(scenario.schedule, scenario.network.fifo)
    timing = said.pop("timing", None)
    return settle(scenario, timing, said)


class Walk:
    """A run as far as it has been chosen."""

    def __init__(self, scenario: Scenario, limits: Limits) -> None:
        self.scenario = scenario
        self.limits = limits
        self.semantics: Semantics = Question(scenario, limits, []).build_semantics()
        self.recorder = Recorder(KEPT_EVENTS)
        judges = properties_of(self.semantics.instance.stack, scenario.waiting_limit)
        self.player = Player(self.semantics, judges, self.recorder)
        self.watched = Watched(self.recorder, self.semantics.instance.stack, judges, self.player.world)
        self.player.judges = [*judges, *self.watched.strips]
        self.steps: list[str] = []

    def list_moves(self) -> dict[str, Transition]:
        """List what may happen next, by name."""
        return expand_by_name(self.semantics, self.player.state)

    def take(self, step: str, moves: dict[str, Transition]) -> None:
        self.player.step(moves[step])
        self.steps.append(step)

    def refuse_failure(self) -> None:
        """Raise what a clause has failed with, if one has."""
        for judge in self.player.judges:
            if isinstance(judge, NoFailure) and judge.witness is not None:
                raise ClauseError(judge.witness.text)

    def follow(self, steps: Sequence[str]) -> None:
        """Take these steps; raises ScenarioError if one is not possible."""
        for number, step in enumerate(steps):
            moves = self.list_moves()
            if step not in moves:
                possible = ", ".join(sorted(moves)[:6]) or "nothing"
                raise ScenarioError(f"steps[{number}]: {step!r} is not possible then; possible: {possible}")
            self.take(step, moves)

    def continue_at_random(self, coins: Random, until: str | None) -> None:
        """Continue at random: one step, faults included; or without faults until a property changes."""
        before = self.read_standings()
        while len(self.steps) < MOST_STEPS:
            moves = self.list_moves()
            options = list(moves) if until is None else list(moves)[: self.semantics.expand(self.player.state).progress]
            if not options:
                return
            self.take(coins.choice(options), moves)
            self.refuse_failure()
            now = self.read_standings()
            if until is None or (now != before if until == ANY else now[until] != before[until]):
                return

    def read_standings(self) -> dict[str, str]:
        """The state of each property."""
        return {strip.judge.name: strip.changes[-1][1] for strip in self.watched.strips}

    def describe(self, repeats: bool = False) -> dict[str, Any]:
        """Describe the run so far for the page; `repeats`: its last steps repeat for ever."""
        self.player.conclude(repeats)
        shared = {field.name for field in fields(self.limits)} & set(Schedule.__struct_fields__)
        kept: dict[str, Any] = {name: getattr(self.limits, name) for name in shared}
        schedule = Schedule(steps=self.steps, **kept)
        if repeats and self.scenario.schedule is not None:
            schedule.loop = self.scenario.schedule.loop
        scenario = msgspec.structs.replace(self.scenario, schedule=schedule)
        return self.watched.describe(self.player.make_replay(scenario))

    def describe_move(self, step: str, move: Transition) -> dict[str, Any]:
        action = self.semantics.actions.known[move.action]
        entry: dict[str, Any] = {
            "label": step,
            "kind": action.kind,
            "process": self.semantics.instance.topology.ids[action.seat] if action.seat >= 0 else None,
            "subject": action.name or (action.sender if action.sender >= 0 else None),
        }
        if action.kind in MESSAGE_STEPS:
            entry["message"] = self.player.find_messages(action)[0].sent_message
        return entry


def replay_schedule(scenario: Scenario) -> dict[str, Any]:
    """Replay the schedule of a scenario."""
    schedule = scenario.schedule
    assert schedule is not None
    walk = Walk(scenario, limits_of(schedule, scenario.network.fifo))
    walk.follow(schedule.steps)
    return walk.describe(schedule.loop is not None)


def take_steps(asked: Step) -> dict[str, Any]:
    """Take the chosen steps; describes the run so far, and what may happen next."""
    scenario, limits = settle_limits(asked.scenario, asked.limits)
    walk = Walk(scenario, limits)
    known = [strip.judge.name for strip in walk.watched.strips]
    if asked.until is not None and asked.until not in (ANY, *known):
        raise ScenarioError(f"until: expected {ANY}, {', '.join(known)}, got {asked.until!r}")
    walk.follow(asked.steps)
    walk.refuse_failure()
    if asked.seed is not None or asked.until is not None:
        walk.continue_at_random(Random(f"{asked.seed}/{len(walk.steps)}"), asked.until)
    moves = walk.list_moves()
    run = walk.describe()
    return {
        "run": run,
        "enabled": [walk.describe_move(step, move) for step, move in moves.items()],
        "steps": walk.steps,
        "over": walk.player.over,
    }
