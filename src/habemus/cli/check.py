"""`habemus check`: explore every run of a small instance, and show the shortest that violates a property."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli import options as o
from habemus.cli.simulate import Diagram, TraceFile

if TYPE_CHECKING:
    from habemus.checking.answer.questions import Question

Name = Annotated[str | None, typer.Argument(metavar="[NAME]", help="An algorithm; not needed with --all.")]
N = Annotated[str | None, typer.Option("--n", help="How many processes; 1..5: each of these.", show_default="3 to 5")]
Timing = Annotated[
    str | None, typer.Option("--timing", help="async, ordered or bounded.", show_default="as the algorithm assumes")
]
Delay = Annotated[int | None, typer.Option("--delay", help="Under bounded: ticks that a message takes at most.")]
Crashes = Annotated[
    int | None, typer.Option("--crashes", min=0, help="How many crashes, at most.", show_default="0; 1 for a detector")
]
Recoveries = Annotated[int, typer.Option("--recoveries", min=0, help="How many recoveries, at most.")]
Losses = Annotated[int, typer.Option("--losses", min=0, help="How many messages are lost, at most.")]
Doubles = Annotated[int, typer.Option("--doubles", min=0, help="How many messages are duplicated, at most.")]
Reorders = Annotated[
    int, typer.Option("--reorders", min=0, help="How many messages overtake others on a link, at most.")
]
DetectorKind = Annotated[
    str | None,
    typer.Option(
        "--detector",
        help="perfect: tells each process on its own; simultaneous: all at once; eventual: makes mistakes.",
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
Entries = Annotated[
    str | None,
    typer.Option(
        "--entries",
        help="How often each process wants to enter; any: again and again.",
        show_default="1; any for starvation_freedom and bounded_waiting",
    ),
]
Bounds = Annotated[list[str] | None, typer.Option("--bound", help="FIELD=MOST: do not explore beyond, as in term=2.")]
StarterSet = Annotated[
    str | None, typer.Option("--starters", help="all, one, who (2 or 2,5), or any: all sets.", show_default="all")
]
Depth = Annotated[int | None, typer.Option("--depth", min=1, help="Follow runs for so many steps, no further.")]
Starts = Annotated[str, typer.Option("--starts", help="first, step (before it receives anything) or late.")]
Unordered = Annotated[bool, typer.Option("--unordered", help="Messages overtake each other on a link.")]
Wanted = Annotated[
    list[str] | None,
    typer.Option("--property", help="A property to check, promised or not.", show_default="what it promises"),
]
AllOrders = Annotated[bool, typer.Option("--all-orders", help="All orders of the ids, up to rotation.")]
AllGraphs = Annotated[
    bool,
    typer.Option(
        "--all-graphs",
        help="All connected graphs of n processes, up to isomorphism; with --all-orders, ids in every order.",
    ),
]
Everything = Annotated[bool, typer.Option("--all", help="The whole catalogue at its default sizes.")]
Full = Annotated[bool, typer.Option("--full", help="Every interleaving, without reduction.")]
Compact = Annotated[
    bool, typer.Option("--compact", help="Keep 64 bits of each state: many more fit, and one may be missed.")
]
DepthFirst = Annotated[bool, typer.Option("--depth-first", help="Search depth first.")]
RandomWalk = Annotated[
    int | None, typer.Option("--random-walk", metavar="SEED", help="Take random runs instead of searching.")
]
States = Annotated[
    int | None,
    typer.Option("--states", min=1, help="Stop after this many states.", show_default="50,000,000; 10^9 if --compact"),
]
Memory = Annotated[float, typer.Option("--memory", min=0.01, help="Stop at this many GB of memory.")]
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
    crashes: Crashes = None,
    recoveries: Recoveries = 0,
    losses: Losses = 0,
    doubles: Doubles = 0,
    reorders: Reorders = 0,
    entries: Entries = None,
    bound: Bounds = None,
    depth: Depth = None,
    unordered: Unordered = False,
    settings: o.Settings = None,
    wanted: Wanted = None,
    all_orders: AllOrders = False,
    all_graphs: AllGraphs = False,
    everything: Everything = False,
    full: Full = False,
    compact: Compact = False,
    depth_first: DepthFirst = False,
    random_walk: RandomWalk = None,
    states: States = None,
    memory: Memory = 8.0,
    jobs: Jobs = None,
    json: o.Json = False,
    trace: TraceFile = None,
    diagram: Diagram = None,
    save: Save = None,
) -> int:
    """Explore all runs of a small instance, and show the shortest that violates a property, if there is one."""
    from habemus.checking.model.limits import DETECTORS, EVENTUAL, STARTS, TIMINGS
    from habemus.checking.search.effort import COMPACT_STATES, MOST_STATES, Effort
    from habemus.checking.search.search import BREADTH, DEPTH
    from habemus.cli.output import check_diagram, check_writable
    from habemus.scenario import ScenarioError

    check_writable(trace)
    check_scenario_path(save)
    check_diagram(diagram)
    if compact and (depth_first or random_walk is not None):
        other = "--depth-first" if depth_first else "--random-walk"
        raise ScenarioError(f"--compact searches breadth first; leave out {other}")
    states = states or (COMPACT_STATES if compact else MOST_STATES)
    effort = Effort(
        not full, DEPTH if depth_first else BREADTH, states, int(memory * 1e9), random_walk, compact=compact
    )
    if everything:
        if name is not None:
            raise ScenarioError(f"--all checks the whole catalogue at its default sizes; leave out {name}, or --all")
        where = (n, topology, order, ids, graph, starters, timing, delay, detection, detector, mistakes, timeouts)
        within = (crashes, recoveries, losses, doubles, reorders, bound, depth, unordered, settings, wanted)
        which = (all_orders, all_graphs, trace, diagram, save, entries, starts != "first")
        if any(option not in (None, False, 0) for option in (*where, *within, *which)):
            raise ScenarioError(
                "--all checks the whole catalogue at its default sizes and limits; of the other options it takes "
                "--full, --compact, --depth-first, --random-walk, --states, --memory, --jobs and --json"
            )
        from habemus.cli.check_report import report_catalogue

        return report_catalogue(effort, jobs or os.cpu_count() or 1, json)
    if name is None:
        raise ScenarioError("check what? Name an algorithm, or use --all for the whole catalogue")
    if timing is not None and timing not in TIMINGS:
        raise ScenarioError(f"--timing {timing}: expected {', '.join(TIMINGS[:-1])} or {TIMINGS[-1]}")
    if starts not in STARTS:
        raise ScenarioError(f"--starts {starts}: expected {', '.join(STARTS[:-1])} or {STARTS[-1]}")
    if delay is not None and delay < 1:
        raise ScenarioError(f"--delay {delay}: a message takes at least 1 tick")
    if unordered and reorders:
        raise ScenarioError(f"--reorders {reorders}: --unordered already allows any reordering; give one of the two")
    if detector is not None and detector not in DETECTORS:
        raise ScenarioError(f"--detector {detector}: expected {', '.join(DETECTORS[:-1])} or {DETECTORS[-1]}")
    if mistakes and detector != EVENTUAL:
        raise ScenarioError(f"--mistakes {mistakes}: only an eventual detector makes any; add --detector {EVENTUAL}")
    if detector == EVENTUAL and mistakes is None:
        mistakes = 1
    anybody = starters == "any"
    sizes = parse_sizes(n)
    given: dict[str, Any] = {
        "topology": topology,
        "order": order,
        "ids": ids,
        "graph": graph,
        "starters": None if anybody else f"{starters}," if starters and starters.isdigit() else starters,
        "settings": settings,
        "fifo": False if unordered else None,
    }
    limits: dict[str, Any] = {
        "recoveries": recoveries,
        "losses": losses,
        "doubles": doubles,
        "reorders": reorders,
        "mistakes": mistakes or 0,
        "starts": starts,
        "anybody": anybody,
        **{
            key: value
            for key, value in (
                ("crashes", crashes),
                ("delay", delay),
                ("depth", depth),
                ("detection", detection),
                ("detector", detector),
                ("alarms", timeouts),
                ("entries", parse_entries(entries)),
                ("bounds", dict([parse_bound(text) for text in bound]) if bound else None),
            )
            if value is not None
        },
    }
    questions = [
        question
        for size in sizes
        for question in build_questions(
            name, {**given, "n": size}, timing, limits, wanted or [], all_orders, all_graphs
        )
    ]
    if o.find_scenario(name).faults:
        print(
            f"habemus: the faults of {name} happen at fixed times and are ignored here; "
            f"--crashes, --losses and so on explore faults at any time",
            file=sys.stderr,
        )
    from habemus.checking.answer.check import foresee_states
    from habemus.cli.answering import answer_as_one
    from habemus.cli.check_report import report_verdict
    from habemus.cli.watchdog import watch_clauses
    from habemus.scenario.stack import source_files

    files = source_files(questions[0].scenario)
    if random_walk is None:
        with watch_clauses(files):
            foreseen = foresee_states(questions[0], effort)
        if foreseen > states:
            power = foreseen.bit_length() - 1
            print(
                f"habemus: there are at least 2^{power} states, because {power} processes can each take a step or not; "
                f"the budget is {states:,}. Use a smaller n{', or leave out --full' if full else ''}.",
                file=sys.stderr,
            )
            return 3
    with watch_clauses(files):
        verdict = answer_as_one(questions, effort, jobs or os.cpu_count() or 1)
    return report_verdict(verdict, json, trace, diagram, save)


def check_scenario_path(path: str | None) -> None:
    """Refuse a file name that `habemus simulate` could not read."""
    from habemus.cli.output import check_writable
    from habemus.scenario import ScenarioError

    if path is not None and not path.endswith((".toml", ".json")):
        raise ScenarioError(f"--save {path}: expected a name that ends in .toml or .json")
    check_writable(path)


def parse_sizes(text: str | None) -> list[int | None]:
    """Parse `4` or `1..5`."""
    from habemus.scenario import ScenarioError

    if text is None:
        return [None]
    first, dots, last = text.partition("..")
    sizes = range(o.parse_integer(first, "--n"), o.parse_integer(last if dots else first, "--n") + 1)
    if not sizes:
        raise ScenarioError(f"--n {text}: expected a number, or a range such as 1..5")
    return list(sizes)


def parse_entries(text: str | None) -> int | None:
    """Parse `2` or `any`, which -1 means, too."""
    from habemus.scenario import ScenarioError

    if text is None:
        return None
    entries = -1 if text == "any" else o.parse_integer(text, "--entries")
    if entries == 0 or entries < -1:
        raise ScenarioError(
            f"--entries {text}: expected how often each process wants to enter, or any: again and again"
        )
    return entries


def parse_bound(text: str) -> tuple[str, int]:
    """Parse `term=2`."""
    from habemus.scenario import ScenarioError

    field, _, value = text.partition("=")
    most = o.parse_integer(value, "--bound")
    if most < 0:
        raise ScenarioError(f"--bound {text}: expected 0 or more, as in term=2")
    return field.strip(), most


def build_questions(
    name: str,
    given: dict[str, Any],
    timing: str | None,
    limits: dict[str, Any],
    wanted: list[str],
    orders: bool,
    graphs: bool,
) -> list[Question]:
    """The questions that the options ask: one, or one for each instance of the size."""
    from habemus.catalogue import find_algorithm
    from habemus.checking.answer.defaults import default_size
    from habemus.checking.answer.instances import list_instances
    from habemus.checking.answer.questions import Question, check_wanted, make_small, settle
    from habemus.scenario import ScenarioError

    scenario = o.find_scenario(name)
    if scenario.schedule is not None:
        raise ScenarioError(f"{name} is a single run, which `habemus simulate` replays; check its algorithm instead")
    cls = find_algorithm(scenario.algorithm)
    spec = scenario.topology
    if all(
        size is None for size in (given["n"], given["ids"], given["graph"], spec.n, spec.ids, spec.edges, spec.file)
    ):
        given = {**given, "n": default_size(cls)}
    forever = "entries" not in limits
    scenario, limits = make_small(o.apply_options(scenario, given), limits)
    base, bounds = settle(scenario, timing, limits)
    check_wanted(base, wanted, bounds)
    return [Question(instance, bounds, wanted, forever) for instance in list_instances(base, orders, graphs)]
