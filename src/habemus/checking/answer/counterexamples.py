"""Counterexamples: the shortest run that violates a property, with few faults, as a scenario that can be replayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import combinations
from typing import Any

import msgspec

from habemus.checking.answer.questions import Question
from habemus.checking.answer.replay import play
from habemus.checking.answer.verdicts import Verdict
from habemus.checking.model.schedule_names import name_run
from habemus.checking.model.semantics import Semantics
from habemus.checking.model.transitions import Transition
from habemus.checking.search.effort import Effort
from habemus.checking.search.liveness import Lasso
from habemus.checking.search.search import BREADTH, Search
from habemus.scenario import Expect, Scenario, Schedule, TopologySpec

MOST_STATES = 300_000  # in which a shorter counterexample, or one with fewer faults, is looked for


def find_shortest(question: Question, search: Search, effort: Effort, verdict: Verdict) -> None:
    """Find the shortest run that violates the property, with as few starters as possible, and few faults.

    A fault without which the run is longer matters, and stays.
    """
    shortest = effort.order == BREADTH and search.reduction is None and not search.sampled
    if not shortest:
        again = search_fully(question, max(MOST_STATES, len(search.states)), effort)
        verdict.interrupted = again.interrupted
        if again.violated:
            search, shortest = again, True
    simpler: Question | None = question
    may_drop = question.limits.anybody or question.scenario.starters is None  # nobody was named as a starter
    while simpler is not None and not verdict.interrupted:
        simpler = None
        for attempt in simplify(question, search, may_drop):
            again = search_fully(attempt, MOST_STATES, effort)
            verdict.interrupted = again.interrupted
            fewer_starters = attempt.scenario is not question.scenario
            if again.violated == search.violated and (fewer_starters or count_steps(again) <= count_steps(search)):
                question, search, simpler = attempt, again, attempt
            if simpler is not None or verdict.interrupted:
                break
    verdict.violated = search.violated
    verdict.shortest = shortest
    verdict.counterexample = schedule_run(question, search.semantics, search.path_to(search.culprit), None)


def count_steps(search: Search) -> int:
    """How many steps lead to the violation."""
    return len(search.prefix) + int(search.states.depth(search.culprit))


def search_fully(question: Question, states: int, effort: Effort) -> Search:
    search = Search(question.build_semantics(), False, BREADTH, states, effort.memory)
    search.run()
    return search


def simplify(question: Question, search: Search, may_drop: bool) -> Iterator[Question]:
    """The question with one fault or entry less; or with one starter less, unless it was said who starts."""
    limits, scenario, violated = question.limits, question.scenario, [search.violated]
    locks = search.semantics.instance.mutex_layer >= 0
    for name in ("crashes", "recoveries", "losses", "doubles", "reorders", "mistakes"):
        if getattr(limits, name):
            # A run has no more faults than steps, whatever number of them was allowed.
            fewer: dict[str, Any] = {name: min(getattr(limits, name) - 1, count_steps(search))}
            yield Question(scenario, replace(limits, **fewer), violated)
    if limits.entries > 1 and locks:
        yield Question(scenario, replace(limits, entries=limits.entries - 1), violated)
    starters = list_starters(search.semantics, search.path_to(search.culprit))
    if len(starters) > 1 and not locks and may_drop:
        for kept in combinations(starters, len(starters) - 1):
            called = msgspec.structs.replace(scenario, starters=list(kept))
            yield Question(called, replace(limits, anybody=False), violated)


def list_starters(semantics: Semantics, run: list[Transition]) -> list[int]:
    """Who starts in a run."""
    actions = [semantics.actions.known[transition.action] for transition in run]
    ids = semantics.instance.topology.ids
    return sorted([ids[action.seat] for action in actions if action.kind == "start" and action.name])


def schedule_run(
    question: Question,
    semantics: Semantics,
    path: list[Transition],
    lasso: Lasso | None,
    continued: list[Transition] | None = None,
) -> Scenario:
    """The run as a scenario that can be replayed; `continued` is what follows beyond the limit on timeouts."""
    scenario, limits, topology = question.scenario, question.limits, semantics.instance.topology
    cycle = lasso.cycle if lasso is not None else []
    names = name_run(semantics, path if continued is not None else [*path, *cycle], semantics.initial)
    run = [*path, *(continued or []), *cycle]
    if continued is not None:
        limits = replace(limits, alarms=-1)
        names += name_run(semantics, [*continued, *cycle], semantics.lift_timeouts(path[-1].state))
    named = zip(run, names, strict=True)
    steps = [name for transition, name in named if semantics.actions.known[transition.action].kind != "abstain"]
    loop = len(steps) - len(lasso.cycle) if lasso is not None else None
    shared = {field.name for field in fields(limits)}
    kept: dict[str, Any] = {name: getattr(limits, name) for name in Schedule.__struct_fields__ if name in shared}
    schedule = Schedule(steps=steps, loop=loop, **kept)
    spec = TopologySpec(kind=topology.kind, ids=list(topology.ids))
    if topology.kind not in ("ring", "complete"):
        spec = TopologySpec(ids=list(topology.ids), edges=topology.edges())
    starters = None
    if semantics.instance.mutex_layer < 0:
        starters = list_starters(semantics, run) if limits.anybody else sorted(semantics.instance.starters)
    return msgspec.structs.replace(
        scenario,
        title=f"{scenario.algorithm}: a counterexample",
        topology=spec,
        starters=starters,
        schedule=schedule,
    )


def explain(verdict: Verdict) -> None:
    """Replay the counterexample: what happens in it, and which properties it violates."""
    assert verdict.counterexample is not None
    outcome = play(verdict.counterexample)
    expected = []
    for judge in outcome.properties:
        if judge.witness is not None:
            if judge.name == verdict.violated:
                verdict.witness = judge.witness.text
            if judge.promised or judge.name == verdict.violated:
                expected.append(judge.name)
    verdict.counterexample.expect = Expect(violated=expected)
