"""How each request is answered. All of this runs in a worker."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import msgspec

from habemus.catalogue import UnknownAlgorithmError, find_algorithm
from habemus.lab import entries
from habemus.lab.printing import read_printout
from habemus.lab.questions import (
    UNPROCESSABLE,
    Check,
    Compare,
    ElectionTimeouts,
    Opened,
    QuorumRisk,
    Run,
    Step,
    Sweep,
    TimeoutCosts,
    TraceHead,
    check_limits,
    find_own_line,
    install_code,
    parse_question,
    to_refusal,
)
from habemus.lab.running import simulate_watched
from habemus.lab.stepping import replay_schedule, take_steps
from habemus.lab.workers import RefusedError
from habemus.process import ClauseError, MisuseError
from habemus.scenario import ScenarioError, parse_scenario
from habemus.trace import Outcome

MOST_RUNS = 20_000
CURVE_STEPS = 120
THUMBNAIL_EVENTS = 4_000  # of which the moment that matters is drawn
REPORT_SECONDS = 0.1  # between two reports of progress
SEARCH_SECONDS, SEARCH_BYTES = 600, 2_000_000_000

Report = Callable[[Any], None]
Job = Callable[[bytes, Report], bytes]


def as_job(answer_request: Callable[[bytes, Report], Any]) -> Job:
    """Encode the answer as JSON, with what was printed, unless it is a file; turn a user's mistake into a refusal."""

    @functools.wraps(answer_request)
    def job(body: bytes, report: Report) -> bytes:
        try:
            answer = answer_request(body, report)
        except (ScenarioError, UnknownAlgorithmError, MisuseError, ClauseError) as error:
            raise to_refusal(error) from None
        except (RefusedError, MemoryError):
            raise
        except Exception as error:
            line = find_own_line(error)
            if line is None:
                raise
            raise RefusedError(UNPROCESSABLE, f"the code failed: {type(error).__name__}: {error}", line) from None
        if isinstance(answer, bytes):
            return answer
        printout = read_printout()
        return msgspec.json.encode(answer if printout is None else {**answer, "printed": printout})

    return job


@as_job
def describe_catalogue(body: bytes, report: Report) -> Any:
    return entries.describe_catalogue()


@as_job
def read_source(body: bytes, report: Report) -> Any:
    return entries.read_source(body.decode())


@as_job
def run(body: bytes, report: Report) -> Any:
    asked = parse_question(body, Run)
    scenario = check_limits(asked.scenario, asked.code)
    install_code(asked.code)
    if scenario.schedule is not None:
        return replay_schedule(asked.scenario)
    watched, outcome = simulate_watched(scenario, asked.keep)
    if outcome.ended != "budget":
        outcome.scenario = asked.scenario
    return watched.describe(outcome)


@as_job
def read(body: bytes, report: Report) -> Any:
    """Read the scenario of a file."""
    asked = parse_question(body, Opened)
    name, text = asked.name, asked.text.encode()
    if name.endswith(".jsonl"):  # a trace begins with its scenario
        try:
            text = bytes(msgspec.json.decode(text.partition(b"\n")[0], type=TraceHead).scenario)
        except msgspec.DecodeError as error:
            raise ScenarioError(f"{name} is not a trace: {error}") from None
        return {"scenario": parse_scenario(text, f"{name}.json").as_dict()}
    return {"scenario": parse_scenario(text, name).as_dict()}


@as_job
def step(body: bytes, report: Report) -> Any:
    asked = parse_question(body, Step)
    check_limits(asked.scenario, asked.code)
    install_code(asked.code)
    return take_steps(asked)


@as_job
def check(body: bytes, report: Report) -> Any:
    from habemus.checking.answer.check import check as answer_question
    from habemus.checking.answer.instances import list_instances
    from habemus.checking.answer.questions import Question, check_wanted, make_small, settle
    from habemus.checking.answer.replay import play
    from habemus.checking.answer.telling import tell_steps
    from habemus.checking.answer.verdicts import Verdict
    from habemus.checking.search.effort import Effort
    from habemus.checking.search.memory import memory_in_use
    from habemus.checking.search.search import Search

    asked = parse_question(body, Check)
    check_limits(asked.scenario, asked.code)
    install_code(asked.code)
    small, said = make_small(msgspec.structs.replace(asked.scenario, schedule=None), msgspec.to_builtins(asked.limits))
    scenario, limits = settle(small, said.pop("timing", None), said)
    check_wanted(scenario, asked.properties, limits)
    begun = latest = time.perf_counter()

    def progress(search: Search) -> None:
        nonlocal latest
        now = time.perf_counter()
        if now - begun > SEARCH_SECONDS:
            raise KeyboardInterrupt  # the search then returns what it knows so far
        if now - latest >= REPORT_SECONDS:
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

    forever, effort = asked.limits.entries is None, Effort(memory=SEARCH_BYTES)
    verdict: Verdict | None = None
    for instance in list_instances(scenario, asked.all_orders, asked.all_graphs):
        answer = answer_question(Question(instance, limits, asked.properties, forever), effort, progress)
        if verdict is None:
            verdict = answer
        else:
            verdict.add(answer)
        if verdict.violated or verdict.stopped:
            break
    assert verdict is not None
    found = verdict.counterexample
    return {**verdict.as_dict(), "story": tell_steps(play(found)) if found is not None else []}


@as_job
def sweep(body: bytes, report: Report) -> Any:
    from habemus.measuring.sweep import (
        RunCost,
        build_usual_scenario,
        repeat_with_seeds,
        run_chunk,
        split_into_chunks,
        summarise_runs,
    )

    asked = parse_question(body, Sweep)
    names = list(dict.fromkeys(asked.algorithms))
    check_comparable(names, ("election", "mutex"))
    sizes = sorted(set(asked.n))
    scenarios = repeat_with_seeds(
        [check_limits(build_usual_scenario(name, n)) for name in names for n in sizes], asked.seeds
    )
    if len(scenarios) > MOST_RUNS:
        raise ScenarioError(f"the sweep has {len(scenarios):,} runs; the lab allows up to {MOST_RUNS:,}")
    rows: list[RunCost] = []
    for chunk in split_into_chunks(scenarios):
        rows += run_chunk(chunk)
        report({"done": len(rows), "of": len(scenarios)})
    summaries = summarise_runs(rows)
    return {
        "points": summaries,
        "bounds": [
            {"algorithm": name, "case": bound.case, "formula": bound.formula}
            for name in names
            for bound in find_algorithm(name).bounds
        ],
        "fits": {name: next(s.fits for s in summaries if s.algorithm == name) for name in names},
    }


@as_job
def compare(body: bytes, report: Report) -> Any:
    from concurrent.futures import ThreadPoolExecutor

    from habemus.measuring.compare import compare as compare_algorithms

    asked = parse_question(body, Compare)
    names = list(dict.fromkeys(asked.algorithms))
    check_comparable(names, ("election", "mutex", "detector"))
    base = check_limits(msgspec.structs.replace(asked.scenario, algorithm=names[0], parameters={}, schedule=None))
    with ThreadPoolExecutor(1) as executor:
        algorithms: dict[str, dict[str, Any]] = {name: {} for name in names}
        rows = compare_algorithms(
            base, algorithms, asked.seeds, executor, lambda done, of: report({"done": done, "of": of})
        )
    return {"rows": rows}


@as_job
def quorum(body: bytes, report: Report) -> Any:
    from habemus.measuring import quorum as risks
    from habemus.measuring.derivation import derive

    asked = parse_question(body, QuorumRisk)
    p = risks.parse_probability(asked.p, "P")
    least = risks.smallest_majority(asked.n)
    risk = risks.QuorumRisk(asked.n, asked.m or least, p)
    sizes = [risks.QuorumRisk(asked.n, m, p) for m in range(least, asked.n + 1)]
    return {
        "m": risk.m,
        "p_v": risks.typeset(risk.violation),
        "derivation": [
            {"step": step.name, "formula": step.formula, "numbers": step.numbers, "result": step.result}
            for step in derive(risk)
        ],
        "sizes": [
            {"m": size.m, "overlap": size.overlap, "spare": size.spare, "p_v": risks.typeset(size.violation)}
            for size in sizes
        ],
    }


@as_job
def timeout(body: bytes, report: Report) -> Any:
    from habemus.measuring.timeout import MOST_TICKS, Costs, DistributedTrips, advise, weigh

    asked = parse_question(body, TimeoutCosts)
    trips, costs = DistributedTrips(asked.delay), Costs(asked.wait_cost, asked.mistake_cost)
    advice = advise(trips, costs)
    typical = trips.reached(0.5, MOST_TICKS) or 1.0
    span = max(1.6 * advice.best.timeout, 1.3 * advice.break_even.timeout, typical)
    curve = [weigh(trips, costs, span * step / CURVE_STEPS) for step in range(CURVE_STEPS + 1)]
    return {"best": advice.best, "break_even": advice.break_even, "curve": curve}


@as_job
def timeouts(body: bytes, report: Report) -> Any:
    from concurrent.futures import ThreadPoolExecutor

    from habemus.measuring.election_timeout import choose_timeouts, measure_timeouts

    asked = parse_question(body, ElectionTimeouts)
    with ThreadPoolExecutor(1) as executor:
        rows = measure_timeouts(
            asked.delay,
            choose_timeouts(asked.delay),
            asked.n,
            asked.seeds,
            executor,
            lambda done, of: report({"done": done, "of": of}),
        )
    return {"rows": rows}


def check_comparable(names: list[str], allowed: tuple[str, ...]) -> None:
    """Refuse algorithms of different kinds: they have no measure in common."""
    kinds = {name: find_algorithm(name).kind for name in names if ":" not in name}
    for name in names:
        if kinds.get(name) not in allowed:
            known = " or ".join(allowed)
            raise ScenarioError(f"{name} cannot be measured here; expected an algorithm of the catalogue: {known}")
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name} ({kind})" for name, kind in kinds.items())
        raise ScenarioError(f"only algorithms of one kind can be compared, not {listed}")


@as_job
def export(body: bytes, report: Report) -> Any:
    """Write a run to a file; the first line of the body names the format."""
    from habemus.checking.answer.replay import play
    from habemus.lab.exporting import FORMATS

    format, _, rest = body.partition(b"\n")
    asked = parse_question(rest, Run)
    scenario = check_limits(asked.scenario, asked.code)
    install_code(asked.code)
    outcome: Outcome = (
        play(asked.scenario) if scenario.schedule is not None else simulate_watched(scenario, asked.keep)[1]
    )
    if outcome.ended != "budget":
        outcome.scenario = asked.scenario
    return FORMATS[format.decode()][2](outcome, asked.code)


@as_job
def draw_thumbnail(body: bytes, report: Report) -> Any:
    """Draw a small picture of a named scenario; the body is its name and a theme, a line each."""
    from habemus.lab import exporting
    from habemus.scenario import named_scenarios
    from habemus.simulation import simulate

    name, theme = body.decode().split("\n")
    return exporting.draw_thumbnail(simulate(named_scenarios()[name], keep=THUMBNAIL_EVENTS), theme)


JOBS: dict[str, Job] = {
    "catalogue": describe_catalogue,
    "source": read_source,
    "run": run,
    "read": read,
    "step": step,
    "check": check,
    "sweep": sweep,
    "compare": compare,
    "quorum": quorum,
    "timeout": timeout,
    "timeouts": timeouts,
    "export": export,
    "thumbnail": draw_thumbnail,
}
