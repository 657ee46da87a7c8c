"""`habemus check`: every run of a small instance, and the shortest that goes wrong."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from copy import copy
from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli import options as o
from habemus.cli.simulate import Diagram, TraceFile

if TYPE_CHECKING:
    from rich.status import Status

    from habemus.checking.check import Effort, Verdict
    from habemus.checking.instances import Question
    from habemus.checking.search import Search

Name = Annotated[str | None, typer.Argument(metavar="[NAME]", help="An algorithm; not needed with --all.")]
N = Annotated[int | None, typer.Option("--n", help="How many processes.", show_default="3 to 5")]
Timing = Annotated[
    str | None, typer.Option("--timing", help="async, ordered or bounded.", show_default="as the algorithm assumes")
]
Delay = Annotated[int | None, typer.Option("--delay", help="Under bounded: ticks that a message takes at most.")]
Crashes = Annotated[int, typer.Option("--crashes", min=0, help="At most so many crashes.")]
Recoveries = Annotated[int, typer.Option("--recoveries", min=0, help="At most so many recoveries.")]
Losses = Annotated[int, typer.Option("--losses", min=0, help="At most so many messages are lost.")]
Doubles = Annotated[int, typer.Option("--doubles", min=0, help="At most so many messages come twice.")]
Reorders = Annotated[int, typer.Option("--reorders", min=0, help="At most so many messages overtake others on a link.")]
DetectorKind = Annotated[
    str | None,
    typer.Option(
        "--detector",
        help="perfect: tells each on its own; simultaneous: all at once; eventual: makes mistakes.",
        show_default="as the algorithm assumes",
    ),
]
Mistakes = Annotated[
    int | None,
    typer.Option(
        "--mistakes", min=0, help="Wrong suspicions of an eventual detector, at most.", show_default="1 if eventual"
    ),
]
Timeouts = Annotated[
    int | None,
    typer.Option("--timeouts", min=0, help="How many timers of each process may run out.", show_default="2 if async"),
]
Entries = Annotated[int, typer.Option("--entries", min=1, help="How often each process wants to enter.")]
Bounds = Annotated[list[str] | None, typer.Option("--bound", help="FIELD=MOST: go no further, as in term=2.")]
StarterSet = Annotated[
    str | None, typer.Option("--starters", help="all, one, how many, who (2,5), or any: all sets.", show_default="all")
]
Starts = Annotated[str, typer.Option("--starts", help="first, step (before it receives anything) or late.")]
Unordered = Annotated[bool, typer.Option("--unordered", help="Messages overtake each other on a link.")]
Wanted = Annotated[list[str] | None, typer.Option("--property", help="What to check.", show_default="what it promises")]
AllOrders = Annotated[bool, typer.Option("--all-orders", help="All orders of the ids, up to rotation.")]
AllGraphs = Annotated[
    bool,
    typer.Option(
        "--all-graphs",
        help="All connected graphs of n places, up to isomorphism; with --all-orders, ids in every order.",
    ),
]
Everything = Annotated[bool, typer.Option("--all", help="The whole catalogue at its default sizes.")]
Full = Annotated[bool, typer.Option("--full", help="Every interleaving, without reduction.")]
DepthFirst = Annotated[bool, typer.Option("--depth-first", help="Depth first.")]
RandomWalk = Annotated[int | None, typer.Option("--random-walk", metavar="SEED", help="Random runs instead.")]
States = Annotated[int, typer.Option("--states", min=1, help="Stop after so many states.")]
Memory = Annotated[float, typer.Option("--memory", min=0.01, help="Stop at so many GB.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, help="Processes to use.", show_default="all cores")]
Save = Annotated[str | None, typer.Option("--save", help="Write the counterexample as a scenario: F.toml or F.json.")]


def check_command(
    name: Name = None,
    n: N = None,
    topology: o.TopologyKind = None,
    order: o.Order = None,
    ids: o.Ids = None,
    graph: o.Graph = None,
    starters: StarterSet = None,
    starts: Starts = "first",
    timing: Timing = None,
    delay: Delay = None,
    detection: o.Detection = None,
    detector: DetectorKind = None,
    mistakes: Mistakes = None,
    timeouts: Timeouts = None,
    crashes: Crashes = 0,
    recoveries: Recoveries = 0,
    losses: Losses = 0,
    doubles: Doubles = 0,
    reorders: Reorders = 0,
    entries: Entries = 1,
    bound: Bounds = None,
    unordered: Unordered = False,
    settings: o.Settings = None,
    wanted: Wanted = None,
    all_orders: AllOrders = False,
    all_graphs: AllGraphs = False,
    everything: Everything = False,
    full: Full = False,
    depth_first: DepthFirst = False,
    random_walk: RandomWalk = None,
    states: States = 50_000_000,
    memory: Memory = 8.0,
    jobs: Jobs = None,
    json: o.Json = False,
    trace: TraceFile = None,
    diagram: Diagram = None,
    save: Save = None,
) -> int:
    """Explore all runs of a small instance: all is as promised, or here is the shortest in which it is not."""
    from habemus.checking.check import Effort
    from habemus.checking.limits import DETECTORS, EVENTUAL, STARTS, TIMINGS
    from habemus.checking.search import BREADTH, DEPTH
    from habemus.cli.report import check_diagram, check_writable
    from habemus.scenario import ScenarioError

    check_writable(trace)
    check_saved(save)
    check_diagram(diagram)
    effort = Effort(not full, DEPTH if depth_first else BREADTH, states, int(memory * 1e9), random_walk)
    if everything:
        if name is not None:
            raise ScenarioError(f"--all checks the whole catalogue at its default sizes; leave out {name}, or --all")
        where = (n, topology, order, ids, graph, starters, timing, delay, detection, detector, mistakes, timeouts)
        within = (crashes, recoveries, losses, doubles, reorders, bound, unordered, settings, wanted)
        which = (all_orders, all_graphs, trace, diagram, save, entries > 1, starts != "first")
        if any(option not in (None, False, 0) for option in (*where, *within, *which)):
            raise ScenarioError(
                "--all checks the whole catalogue at its default sizes and limits; of the other options it takes "
                "--full, --depth-first, --random-walk, --states, --memory, --jobs and --json"
            )
        from habemus.cli.check_report import report_catalogue

        return report_catalogue(effort, jobs or os.cpu_count() or 1, json)
    if name is None:
        raise ScenarioError("check what? Give an algorithm, or --all for the whole catalogue")
    if timing is not None and timing not in TIMINGS:
        raise ScenarioError(f"--timing {timing}: expected {', '.join(TIMINGS[:-1])} or {TIMINGS[-1]}")
    if starts not in STARTS:
        raise ScenarioError(f"--starts {starts}: expected {', '.join(STARTS[:-1])} or {STARTS[-1]}")
    if delay is not None and delay < 1:
        raise ScenarioError(f"--delay {delay}: a message takes at least 1 tick")
    if unordered and reorders:
        raise ScenarioError(f"--reorders {reorders}: with --unordered any number of messages overtake others; give one")
    if detector is not None and detector not in DETECTORS:
        raise ScenarioError(f"--detector {detector}: expected {', '.join(DETECTORS[:-1])} or {DETECTORS[-1]}")
    if mistakes and detector != EVENTUAL:
        raise ScenarioError(f"--mistakes {mistakes}: only an eventual detector makes any; add --detector {EVENTUAL}")
    if detector == EVENTUAL and mistakes is None:
        mistakes = 1
    anybody = starters == "any"
    given: dict[str, Any] = {
        "n": n,
        "topology": topology,
        "order": order,
        "ids": ids,
        "graph": graph,
        "starters": None if anybody else starters,
        "settings": settings,
        "fifo": False if unordered else None,
    }
    limits: dict[str, Any] = {
        "crashes": crashes,
        "recoveries": recoveries,
        "losses": losses,
        "doubles": doubles,
        "reorders": reorders,
        "mistakes": mistakes or 0,
        "entries": entries,
        "starts": starts,
        "anybody": anybody,
        "bounds": dict([bound_of(text) for text in bound or []]),
        **{
            key: value
            for key, value in (
                ("delay", delay),
                ("detection", detection),
                ("detector", detector),
                ("alarms", timeouts),
            )
            if value is not None
        },
    }
    questions = asked(name, given, timing, limits, wanted or [], all_orders, all_graphs)
    if o.scenario_from(name).faults:
        print(
            f"habemus: {name} has faults of its own, at its own times, which are left out here; "
            f"--crashes, --losses and the like explore them at any time",
            file=sys.stderr,
        )
    from habemus.cli.check_report import report

    if random_walk is None:
        foreseen = foreseen_states(questions[0], effort)
        if foreseen > states:
            power = foreseen.bit_length() - 1
            print(
                f"habemus: there are at least 2^{power} states, for {power} processes can each take a step or not; "
                f"the budget is {states:,}. Take a smaller n{', or leave out --full' if full else ''}.",
                file=sys.stderr,
            )
            return 3
    verdict = answered(questions, effort, jobs or os.cpu_count() or 1)
    return report(verdict, json, trace, diagram, save)


def check_saved(path: str | None) -> None:
    """Refuse a file for a scenario that nobody could read again."""
    from habemus.cli.report import check_writable
    from habemus.scenario import ScenarioError

    if path is not None and not path.endswith((".toml", ".json")):
        raise ScenarioError(f"--save {path}: expected a name that ends in .toml or .json")
    check_writable(path)


def foreseen_states(question: Question, effort: Effort) -> int:
    """How many states the search will find at least, where that can be told beforehand."""
    from habemus.checking.check import least_states
    from habemus.checking.reduction import Reduction

    semantics = question.semantics()
    moves = semantics.beginning()
    state = moves[-1].state if moves else semantics.initial
    faults = state[-1] != semantics.quiet_ledger
    if semantics.synchronous or (effort.reduced and Reduction.applies(semantics) and not faults):
        return 1
    return least_states(semantics)


def bound_of(text: str) -> tuple[str, int]:
    """`term=2`."""
    from habemus.scenario import ScenarioError

    field, _, value = text.partition("=")
    most = o.whole(value, "--bound")
    if most < 0:
        raise ScenarioError(f"--bound {text}: expected 0 or more, as in term=2")
    return field.strip(), most


def asked(
    name: str,
    given: dict[str, Any],
    timing: str | None,
    limits: dict[str, Any],
    wanted: list[str],
    orders: bool,
    graphs: bool,
) -> list[Question]:
    """The questions that the options put: one, or one for each instance of the size."""
    from habemus.catalogue import find_algorithm
    from habemus.checking.defaults import default_size
    from habemus.checking.instances import Question, all_graphs, all_orders, check_wanted, settled
    from habemus.scenario import ScenarioError

    scenario = o.scenario_from(name)
    if scenario.schedule is not None:
        raise ScenarioError(f"{name} is a single run, which `habemus simulate` replays; check its algorithm instead")
    cls = find_algorithm(scenario.algorithm)
    place = scenario.topology
    if all(
        size is None for size in (given["n"], given["ids"], given["graph"], place.n, place.ids, place.edges, place.file)
    ):
        given = {**given, "n": default_size(cls)}
    base, bounds = settled(o.adjusted(scenario, given), timing, limits)
    check_wanted(base, wanted, bounds)
    size = base.topology.n or len(base.topology.ids or [])
    if orders and not graphs:
        if cls.topology != "ring":
            raise ScenarioError(
                f"--all-orders is for rings, or goes with --all-graphs; {name} runs on a {cls.topology} topology"
            )
        return [Question(instance, bounds, wanted) for instance in all_orders(base, size)]
    if graphs:
        if cls.topology != "any":
            raise ScenarioError(
                f"--all-graphs is for algorithms on any graph; {name} runs on a {cls.topology} topology"
            )
        return [Question(instance, bounds, wanted) for instance in all_graphs(base, size, orders)]
    return [Question(base, bounds, wanted)]


def answered(questions: list[Question], effort: Effort, jobs: int) -> Verdict:
    """All questions answered as one, several at a time; the first violation ends it."""
    from habemus.checking.check import unanswered

    total: Verdict | None = None
    with (
        suppress(KeyboardInterrupt),
        progress_line(len(questions)) as progress,
        closing(verdicts(questions, effort, jobs, progress.search)) as found,
    ):
        for verdict in found:
            if total is None:
                total = verdict
            else:
                total.add(verdict)
            progress.instances(total)
            if total.violated or total.stopped:
                break
    if total is None:
        return unanswered(questions[0])
    if total.instances < len(questions) and not total.violated and not total.stopped:
        total.stopped = "it was interrupted"
    return total


def whole_verdicts(questions: list[Question], effort: Effort, jobs: int) -> list[Verdict]:
    """The verdicts that are known when all are, or when somebody interrupts: that may also come between two of them."""
    known: list[Verdict] = []
    with suppress(KeyboardInterrupt), closing(verdicts(questions, effort, jobs)) as found:
        for verdict in found:
            if not verdict.interrupted:
                known.append(verdict)
    return known


def verdicts(
    questions: list[Question], effort: Effort, jobs: int, progress: Callable[[Search], None] | None = None
) -> Generator[Verdict, None, None]:
    """The verdicts, one after the other, from as many processes as there are jobs; fewer if interrupted."""
    alone = jobs == 1 or len(questions) == 1
    effort = copy(effort)
    effort.jobs = jobs if len(questions) == 1 else 1
    with suppress(KeyboardInterrupt):  # what is known by then has been told
        yield from in_turn(questions, effort, progress) if alone else at_once(questions, effort, jobs)


def in_turn(questions: list[Question], effort: Effort, progress: Callable[[Search], None] | None) -> Iterator[Verdict]:
    """One verdict after the other, until one is interrupted."""
    from habemus.checking.check import check

    for question in questions:
        verdict = check(question, effort, progress)
        yield verdict
        if verdict.interrupted:
            return


def at_once(questions: list[Question], effort: Effort, jobs: int) -> Iterator[Verdict]:
    """The verdicts of several processes, none of which outlives this one's interest in them."""
    import signal
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial
    from multiprocessing import active_children

    from habemus.checking.check import check

    share = copy(effort)
    share.memory //= jobs
    pool = ProcessPoolExecutor(jobs, initializer=partial(signal.signal, signal.SIGINT, signal.SIG_IGN))
    several = max(1, min(64, len(questions) // (8 * jobs)))
    done = False
    try:
        yield from pool.map(partial(check, effort=share), questions, chunksize=several)
        done = True
    finally:
        if not done:
            for worker in active_children():
                worker.terminate()
        pool.shutdown(cancel_futures=True)


class ProgressLine:
    """A line on a terminal's stderr that says how far a long search, or a long row of them, has got."""

    def __init__(self, status: Status | None, instances: int) -> None:
        self.status = status
        self.total = instances
        self.begun = time.perf_counter()

    def search(self, search: Search) -> None:
        """A search has got that far."""
        from habemus.checking.search import memory_in_use

        states = len(search.states)
        memory = memory_in_use() / 1e9
        self.show(states, f"depth {search.deepest}, frontier {search.frontier:,}, {memory:.2f} GB")

    def instances(self, verdict: Verdict) -> None:
        """So many instances are done."""
        self.show(verdict.states, f"{verdict.instances:,} of {self.total:,} instances")

    def show(self, states: int, reach: str) -> None:
        """Write the line anew."""
        if self.status is not None:
            rate = states / max(1e-9, time.perf_counter() - self.begun)
            self.status.update(f"[dim]{states:,} states, {rate:,.0f}/s, {reach}[/]")


@contextmanager
def progress_line(instances: int) -> Iterator[ProgressLine]:
    """The line, which only a terminal shows."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield ProgressLine(None, instances)
        return
    with console.status("") as status:
        yield ProgressLine(status, instances)
