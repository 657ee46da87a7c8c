"""What each question is answered by. All of this happens in a worker."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import msgspec

from habemus.catalogue import UnknownAlgorithmError, find_algorithm
from habemus.lab import entries
from habemus.lab.printing import printed
from habemus.lab.questions import (
    UNPROCESSABLE,
    Check,
    Compare,
    Run,
    Step,
    Sweep,
    own_line,
    put_in_place,
    question,
    refused,
    within_limits,
)
from habemus.lab.running import simulated
from habemus.lab.stepping import given_limits, played, stepped
from habemus.lab.workers import RefusedError
from habemus.process import MisuseError
from habemus.scenario import ScenarioError
from habemus.simulation import Outcome
from habemus.simulation.run import ClauseError

MOST_RUNS = 20_000
OFTEN = 0.1  # seconds between two reports of progress
SEARCH_SECONDS, SEARCH_BYTES = 600, 2_000_000_000

Report = Callable[[Any], None]
Job = Callable[[bytes, Report], bytes]


def answering(job: Callable[[bytes, Report], Any]) -> Job:
    """A job whose answer is JSON, with what was printed, or a file as it is; its user is told of their mistakes."""

    @functools.wraps(job)
    def wrapped(body: bytes, report: Report) -> bytes:
        try:
            answer = job(body, report)
        except (ScenarioError, UnknownAlgorithmError, MisuseError, ClauseError) as error:
            raise refused(error) from None
        except (RefusedError, MemoryError):
            raise
        except Exception as error:
            line = own_line(error)
            if line is None:
                raise
            raise RefusedError(UNPROCESSABLE, f"the code failed: {type(error).__name__}: {error}", line) from None
        if isinstance(answer, bytes):
            return answer
        heard = printed()
        return msgspec.json.encode(answer if heard is None else {**answer, "printed": heard})

    return wrapped


@answering
def catalogue(body: bytes, report: Report) -> Any:
    """Every algorithm."""
    return entries.catalogue()


@answering
def source(body: bytes, report: Report) -> Any:
    """The source of an algorithm."""
    return entries.source(body.decode())


@answering
def run(body: bytes, report: Report) -> Any:
    """One run."""
    asked = question(body, Run)
    scenario = within_limits(asked.scenario, asked.code)
    put_in_place(asked.code)
    if scenario.schedule is not None:
        return played(asked.scenario)
    watched, outcome = simulated(scenario, asked.keep)
    if outcome.ended != "budget":
        outcome.scenario = asked.scenario
    return watched.told(outcome)


@answering
def step(body: bytes, report: Report) -> Any:
    """A run that is chosen step by step."""
    asked = question(body, Step)
    within_limits(asked.scenario, asked.code)
    put_in_place(asked.code)
    return stepped(asked)


@answering
def check(body: bytes, report: Report) -> Any:
    """All runs of an instance."""
    from habemus.checking.check import Effort
    from habemus.checking.check import check as answer_question
    from habemus.checking.instances import Question, check_wanted
    from habemus.checking.replay import play
    from habemus.checking.search import Search, memory_in_use
    from habemus.checking.telling import told_steps

    asked = question(body, Check)
    within_limits(asked.scenario, asked.code)
    put_in_place(asked.code)
    scenario, limits = given_limits(msgspec.structs.replace(asked.scenario, schedule=None), asked.limits)
    check_wanted(scenario, asked.properties, limits)
    begun = latest = time.perf_counter()

    def progress(search: Search) -> None:
        nonlocal latest
        now = time.perf_counter()
        if now - begun > SEARCH_SECONDS:
            raise KeyboardInterrupt  # the search takes that for a wish to hear how far it has come
        if now - latest >= OFTEN:
            latest = now
            report(
                {
                    "states": len(search.states),
                    "rate": len(search.states) / (now - begun),
                    "depth": search.deepest,
                    "frontier": search.frontier,
                    "memory": memory_in_use(),
                    "seconds": now - begun,
                }
            )

    verdict = answer_question(Question(scenario, limits, asked.properties), Effort(memory=SEARCH_BYTES), progress)
    found = verdict.counterexample
    return {**verdict.as_dict(), "story": told_steps(play(found)) if found is not None else []}


@answering
def sweep(body: bytes, report: Report) -> Any:
    """The cost of some algorithms at some sizes."""
    from habemus.measuring.sweep import Row, chunked, run_chunk, summarised, sweep_scenarios, usual_scenario

    asked = question(body, Sweep)
    names = list(dict.fromkeys(asked.algorithms))
    check_alike(names, ("election", "mutex"))
    sizes = sorted(set(asked.n))
    scenarios = sweep_scenarios([within_limits(usual_scenario(name, n)) for name in names for n in sizes], asked.seeds)
    if len(scenarios) > MOST_RUNS:
        raise ScenarioError(f"that would be {len(scenarios):,} runs; the lab makes up to {MOST_RUNS:,}")
    rows: list[Row] = []
    for chunk in chunked(scenarios):
        rows += run_chunk(chunk)
        report({"done": len(rows), "of": len(scenarios)})
    summaries = summarised(rows)
    return {
        "points": summaries,
        "bounds": [
            {"algorithm": name, "case": bound.case, "formula": bound.formula}
            for name in names
            for bound in find_algorithm(name).bounds
        ],
        "fits": {name: next(s.fits for s in summaries if s.algorithm == name) for name in names},
    }


@answering
def compare(body: bytes, report: Report) -> Any:
    """Some algorithms under the same faults."""
    from concurrent.futures import ThreadPoolExecutor

    from habemus.measuring.compare import compare as compared

    asked = question(body, Compare)
    names = list(dict.fromkeys(asked.algorithms))
    check_alike(names, ("election", "mutex", "detector"))
    base = within_limits(msgspec.structs.replace(asked.scenario, algorithm=names[0], parameters={}, schedule=None))
    with ThreadPoolExecutor(1) as executor:
        algorithms: dict[str, dict[str, Any]] = {name: {} for name in names}
        rows = compared(base, algorithms, asked.seeds, executor, lambda done, of: report({"done": done, "of": of}))
    return {"rows": rows}


def check_alike(names: list[str], allowed: tuple[str, ...]) -> None:
    """Refuse to measure by one yardstick what has none in common."""
    kinds = {name: find_algorithm(name).kind for name in names if ":" not in name}
    for name in names:
        if kinds.get(name) not in allowed:
            known = ", ".join(allowed)
            raise ScenarioError(f"{name} cannot be measured here; of the catalogue, these kinds can: {known}")
    if len(set(kinds.values())) > 1:
        told = ", ".join(f"{name} ({kind})" for name, kind in kinds.items())
        raise ScenarioError(f"only algorithms of one kind can be compared, not {told}")


@answering
def export(body: bytes, report: Report) -> Any:
    """A run as a file; the first line of the body says in which format."""
    from habemus.checking.replay import play
    from habemus.lab.exporting import FORMATS

    format, _, rest = body.partition(b"\n")
    asked = question(rest, Run)
    scenario = within_limits(asked.scenario, asked.code)
    put_in_place(asked.code)
    outcome: Outcome = play(asked.scenario) if scenario.schedule is not None else simulated(scenario, asked.keep)[1]
    if outcome.ended != "budget":
        outcome.scenario = asked.scenario
    return FORMATS[format.decode()][2](outcome, asked.code)


@answering
def thumbnail(body: bytes, report: Report) -> Any:
    """A small picture of a named scenario, in a theme."""
    from habemus.lab import exporting
    from habemus.scenario import named_scenarios
    from habemus.simulation import simulate

    name, theme = body.decode().split("\n")
    return exporting.thumbnail(simulate(named_scenarios()[name], keep=400).trace, theme)


JOBS: dict[str, Job] = {
    job.__name__: job for job in (catalogue, source, run, step, check, sweep, compare, export, thumbnail)
}
