"""Each part of an exercise judged. All of this runs a submission's code, so it belongs into a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec

from habemus.checking.answer.check import check
from habemus.checking.answer.instances import all_orders
from habemus.checking.answer.questions import Question, check_wanted, settle
from habemus.checking.answer.replay import play
from habemus.checking.answer.telling import tell_steps
from habemus.checking.answer.verdicts import HOLDS, Verdict
from habemus.checking.search.effort import Effort
from habemus.grading.exercise import Arrangement, Check, Cost, Exercise, Part, Runs
from habemus.grading.formula import parse_formula
from habemus.grading.grade import PartGrade
from habemus.process import ClauseError, MisuseError
from habemus.properties import NO_FAILURE
from habemus.scenario import Scenario, ScenarioError, TopologySpec
from habemus.simulation import simulate
from habemus.trace import Outcome
from habemus.trace.diagram import draw_space_time

DELAY = "uniform:1:10"
MOST_EVENTS = 10_000  # in a run of a few dozen processes that should come to rest
DRAWN_EVENTS = 60
MOST_RUNS = 10_000  # of a part; the seeds of another choice of runs begin beyond
MOST_BYTES = 1_000_000_000

Answer = str | Callable[[int], Any]


@dataclass
class Finding:
    """What is wrong, and the run that shows it."""

    remark: str
    story: list[list[str]]
    loop: int | None = None
    shortest: bool = False
    diagram: str = ""
    incomplete: bool = False


class EndlessRunError(Exception):
    """A run does not come to rest. All runs of such an algorithm cannot be looked at, so nothing else is judged."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found.remark)
        self.found = found


def judge_parts(exercise: Exercise, answer: Answer, seed: int = 0) -> Iterator[PartGrade]:
    """The grade of each part, one after the other. Another seed means other random runs, and other ids everywhere."""
    first = seed * MOST_RUNS
    endless: Finding | None = None
    for part in exercise.parts:
        found: Finding | None
        try:
            found = endless or judge(exercise, part, answer, first)
        except EndlessRunError as error:
            found, endless = error.found, Finding("not judged, since it does not come to rest", [])
        except (ClauseError, MisuseError, ScenarioError) as error:
            found = Finding(str(error), [])
        except BaseException as error:  # as SystemExit in a clause: the parts that follow are judged all the same
            found = Finding(f"it ends with {type(error).__name__}: {error}".removesuffix(": "), [])
        graded = PartGrade(kind_of(part), describe(part), part.points, 0 if found else part.points)
        if found is not None:
            graded = msgspec.structs.replace(graded, **vars(found))
        yield graded


def kind_of(part: Part) -> str:
    return str(part.__struct_config__.tag)


def describe(part: Part) -> str:
    """What a part judges, in short."""
    if isinstance(part, Arrangement):
        return f"{part.algorithm} sends {part.least} messages, n = {join(part.n)}"
    if isinstance(part, Cost):
        return f"at most {part.most} messages, n = {join(part.n)}"
    if isinstance(part, Check):
        return f"every run, n = {join(part.n)}"
    assert isinstance(part, Runs)
    return f"{part.runs * len(part.n)} random runs, n = {join(part.n)}"


def join(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes))


def judge(exercise: Exercise, part: Part, answer: Answer, first: int) -> Finding | None:
    """What is wrong with a submission in this part; None if nothing is. `first` is the seed of the first run."""
    if isinstance(part, Arrangement):
        assert not isinstance(answer, str)
        return judge_arrangement(part, answer)
    assert isinstance(answer, str)
    if isinstance(part, Runs):
        return judge_runs(exercise, part, answer, first)
    if isinstance(part, Check):
        return judge_every_run(exercise, part, answer, first)
    assert isinstance(part, Cost)
    return judge_cost(exercise, part, answer, first)


# Random runs


def judge_runs(exercise: Exercise, part: Runs, answer: str, first: int) -> Finding | None:
    for n in part.n:
        for seed in range(first, first + part.runs):
            scenario = build_run(exercise, part, answer, n, seed)
            outcome = simulate(scenario)
            if outcome.ended == "budget":
                raise EndlessRunError(show(scenario, f"it does not come to rest within {MOST_EVENTS:,} events"))
            for watched in outcome.properties:
                if watched.name in part.properties and not watched.holds:
                    why = watched.witness.text if watched.witness is not None else "it was not decided by the end"
                    return show(scenario, f"{watched.name}: {why}")
    return None


def build_run(exercise: Exercise, part: Part, answer: str, n: int, seed: int) -> Scenario:
    """A random run: other delays and ids with each seed, and as many starters as the seed says, unless all do.

    No id is 1 or n: who takes the smallest for 1, or the largest for n, is found out.
    """
    defaults: dict[str, Any] = {"title": exercise.name, "network": {"delay": DELAY}, "events": MOST_EVENTS}
    if exercise.kind == "election":
        defaults["starters"] = 1 + seed % n
    shuffle = part.names_processes and exercise.topology == "complete"
    return part.build(answer, n, seed, draw_ids(f"{seed}/{n}", n), shuffle, **defaults)


def draw_ids(seed: str, n: int) -> list[int]:
    return Random(seed).sample(range(n + 1, 10 * n), n)


def show(scenario: Scenario, remark: str) -> Finding:
    """A finding of a random run, drawn."""
    outcome = simulate(scenario, keep=DRAWN_EVENTS)
    n, seed = scenario.topology.n, scenario.seed
    return Finding(f"{remark} (n = {n}, seed {seed})", [], diagram=draw(outcome))


def draw(outcome: Outcome) -> str:
    witnesses = [watched.witness for watched in outcome.properties if watched.witness is not None]
    return draw_space_time(outcome.trace, witnesses=witnesses)


# Every run


def judge_every_run(exercise: Exercise, part: Check, answer: str, first: int) -> Finding | None:
    incomplete: Finding | None = None
    for n in part.n:
        base = part.build(answer, n, ids=sorted(draw_ids(f"{first}/{n}/check", n)))
        for scenario in all_orders(base, n) if part.orders else [base]:
            verdict = check(build_question(exercise, part, scenario), Effort(states=part.states, memory=MOST_BYTES))
            if verdict.violated:
                return tell(exercise, verdict)
            if verdict.verdict != HOLDS and incomplete is None:
                incomplete = Finding(f"{explain_incomplete(verdict)} (n = {n})", [], incomplete=True)
    return incomplete


def build_question(exercise: Exercise, part: Check, scenario: Scenario) -> Question:
    """What is asked of the checker; the limits are the exercise's, not those that a class may declare."""
    given: dict[str, Any] = {"delay": 1, "detection": -1, **part.limits}
    if exercise.kind == "election" and scenario.starters is None:
        given["anybody"] = True
    instance, limits = settle(scenario, part.timing, given)
    check_wanted(instance, part.properties, limits)
    return Question(instance, limits, part.properties)


def explain_incomplete(verdict: Verdict) -> str:
    if verdict.stopped:
        return f"not all runs were seen: {verdict.stopped}"
    return f"nothing could be judged: {' and '.join(sorted(set().union(*verdict.open.values())))} was reached"


def tell(exercise: Exercise, verdict: Verdict) -> Finding:
    """A violation with its shortest run."""
    remark = verdict.witness if verdict.violated == NO_FAILURE else f"{verdict.violated}: {verdict.witness}"
    found = verdict.counterexample
    assert found is not None and found.schedule is not None
    outcome = play(msgspec.structs.replace(found, title=exercise.name))
    return Finding(remark, tell_steps(outcome), found.schedule.loop, verdict.shortest, draw(outcome))


# Cost


def judge_cost(exercise: Exercise, part: Cost, answer: str, first: int) -> Finding | None:
    bound = parse_formula(part.most)
    others = [other for other in exercise.parts if isinstance(other, Runs | Check) and not other.names_processes]
    wanted = {name for other in others for name in other.properties}
    for n in part.n:
        for seed in range(first, first + part.runs):
            scenario = build_run(exercise, part, answer, n, seed)
            outcome = simulate(scenario)
            missing = explain_no_result(outcome, wanted)
            if missing:
                return Finding(f"{missing}: its cost says nothing (n = {n}, seed {seed})", [])
            spent = outcome.messages if outcome.lock is None else outcome.lock.messages_per_entry or 0
            most = bound(n, outcome.topology.m)
            if spent > most + 1e-9:
                return Finding(f"{spent:,g} messages; at most {most:,g} are allowed (n = {n}, seed {seed})", [])
    return None


def explain_no_result(outcome: Outcome, wanted: set[str]) -> str:
    """Why a run did not do what it is for; empty if it did."""
    violated = [name for name in outcome.violated if name in wanted]
    if violated:
        return f"{violated[0]} is violated"
    if outcome.lock is not None:
        return "" if outcome.world.lock.satisfied else "not everybody entered"
    return "" if outcome.leader is not None else "not everybody knows the leader"


def judge_arrangement(part: Arrangement, arrange: Callable[[int], Any]) -> Finding | None:
    least = parse_formula(part.least)
    for n in part.n:
        try:
            ids = arrange(n)
        except BaseException as error:
            return Finding(f"it fails for n = {n}: {type(error).__name__}: {error}", [])
        whole = type(ids) is list and all(type(each) is int for each in ids)
        if not whole or sorted(ids) != list(range(1, n + 1)):
            return Finding(f"for n = {n} it gives {str(ids)[:80]}: expected a list of the ids 1 to {n}, each once", [])
        scenario = msgspec.structs.replace(part.build(part.algorithm, n), topology=TopologySpec(ids=ids))
        outcome = simulate(scenario, keep=DRAWN_EVENTS)
        most = least(n, outcome.topology.m)
        if outcome.messages < most:
            remark = f"{str(ids)[:80]} leads to {outcome.messages:,} messages; {most:,g} are possible (n = {n})"
            return Finding(remark, [], diagram=draw(outcome))
    return None
