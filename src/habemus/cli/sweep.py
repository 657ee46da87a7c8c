"""`habemus sweep`: cost against n, over many runs."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Annotated

import typer

from habemus.cli import options as o
from habemus.words.language import say, say_number, say_pattern

if TYPE_CHECKING:
    from habemus.measuring.sweep import RunCost, Summary
    from habemus.scenario import Scenario

RUNS = 100
RUNS_OF_A_MUTEX = 10  # a run has many entries, so that fewer runs tell as much


def sweep_command(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Elections, or mutexes; `ring` means all elections on a ring."),
    ],
    n: Annotated[str, typer.Option("--n", help="The sizes.")] = "8,16,32,64,128",
    seeds: Annotated[
        int | None, typer.Option("--seeds", help="Runs at each size.", show_default="100; 10 of a mutex")
    ] = None,
    topology: o.TopologyKind = None,
    order: o.Order = None,
    starters: o.Starters = None,
    seed: o.Seed = None,
    delay: o.DelayText = None,
    workload: Annotated[
        str | None,
        typer.Option(
            "--workload", help="Who wants the lock, as in simulate.", show_default="poisson, seldom two at once"
        ),
    ] = None,
    entries: Annotated[
        int | None, typer.Option("--entries", help="How often each process enters.", show_default="10")
    ] = None,
    think: Annotated[
        str | None, typer.Option("--think", help="How long before a process asks.", show_default="exponential:1000n")
    ] = None,
    hold: o.Hold = None,
    settings: o.Settings = None,
    csv: Annotated[str | None, typer.Option("--csv", help="Write one line for each run.")] = None,
    plot: Annotated[str | None, typer.Option("--plot", help="Draw it: F.svg, F.png or F.pdf.")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", help="Processes to use.", show_default="all cores")] = None,
    json: o.Json = False,
) -> int:
    """Run algorithms at many sizes and seeds, and compare their cost with the proven bounds."""
    given = dict(locals())
    for own in ("names", "n", "seeds", "csv", "plot", "jobs", "json"):
        del given[own]

    from habemus.catalogue import list_family
    from habemus.cli.output import check_plot, check_writable, print_json
    from habemus.measuring.sweep import build_usual_scenario, repeat_with_seeds, summarise_runs, write_csv
    from habemus.scenario import ScenarioError

    sizes = sorted({o.parse_integer(word, "--n") for word in n.split(",")})
    if (seeds is not None and seeds < 1) or (jobs is not None and jobs < 1):
        raise ScenarioError("--seeds and --jobs: expected at least 1")
    check_writable(csv)
    check_plot(plot)
    names = list(dict.fromkeys(each for name in names for each in (list_family("ring") if name == "ring" else [name])))
    kind = find_kind(names)
    bases = [o.apply_options(build_usual_scenario(name, size), given) for name in names for size in sizes]
    check_scenarios(bases, sizes[0])
    runs = seeds or (RUNS_OF_A_MUTEX if kind == "mutex" else RUNS)

    rows = run_with_progress(repeat_with_seeds(bases, runs), jobs, quiet=json)
    summaries = summarise_runs(rows)
    if csv is not None:
        write_csv(rows, csv)
    if plot is not None:
        from habemus.measuring.plot import draw_sweep

        draw_sweep(rows, summaries, plot)
    if json:
        print_json(summaries)
    else:
        show_summaries(summaries, kind, csv, plot)
    if any(row.ended == "budget" for row in rows):
        return 3
    return 1 if any(row.violated for row in rows) else 0


def find_kind(names: list[str]) -> str:
    """The kind of all algorithms: election or mutex."""
    from habemus.catalogue import find_algorithm
    from habemus.scenario import ScenarioError

    kinds = {name: find_algorithm(name).kind for name in names}
    other = next((name for name in names if kinds[name] not in ("election", "mutex")), None)
    if other is not None:
        raise ScenarioError(f"sweep needs elections or mutexes, and {other} is a {kinds[other]}")
    if len(set(kinds.values())) > 1:
        one, another = (next(name for name in names if kinds[name] == kind) for kind in ("election", "mutex"))
        raise ScenarioError(
            f"sweep needs algorithms of one kind: {one} costs messages an election, {another} messages an entry"
        )
    return kinds[names[0]]


def check_scenarios(scenarios: list[Scenario], smallest: int) -> None:
    """Refuse before the first run what cannot be built or does not fit."""
    from habemus.scenario import ScenarioError
    from habemus.scenario.placing import place_processes
    from habemus.scenario.stack import build_stack
    from habemus.simulation.run import build_simulation

    for scenario in scenarios:
        stack, _ = build_stack(scenario)
        place_processes(scenario, [anatomy.cls for anatomy in stack])
        if scenario.topology.n == smallest:
            build_simulation(scenario, None)
        if scenario.demand is not None and scenario.demand.kind == "idle":
            raise ScenarioError("--workload idle: nobody enters, so there is no cost an entry to measure")


def run_with_progress(scenarios: list[Scenario], jobs: int | None, quiet: bool) -> list[RunCost]:
    """Run all scenarios on a pool of processes, with a progress bar."""
    from habemus.cli.pool import worker_pool
    from habemus.cli.progress import progress_bar
    from habemus.measuring.sweep import sweep

    rows: list[RunCost] = []
    with progress_bar("sweep", quiet) as advance, worker_pool(jobs) as pool:
        for chunk in sweep(scenarios, pool):
            rows += chunk
            advance(len(rows), len(scenarios))
    return rows


def show_summaries(summaries: list[Summary], kind: str, csv: str | None, plot: str | None) -> None:
    """Print mean, least and most messages beside the bounds; for a mutex also how they grow."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    unit, digits = ("messages an entry", 2) if kind == "mutex" else ("messages", 1)
    for algorithm in sorted({summary.algorithm for summary in summaries}):
        own = [summary for summary in summaries if summary.algorithm == algorithm]
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", title_style="", title_justify="left")
        table.title = f"[bold]{algorithm}[/]   [dim]{say(unit)}[/]"
        for column in ("n", "runs", "mean", "least", "most", *own[0].bounds, "violations"):
            table.add_column(say_pattern(column), justify="right")
        for summary in own:
            costs = [format_cost(cost, digits) for cost in (summary.mean, summary.least, summary.most)]
            none = say_number(f".{'0' * digits}")
            bounds = [format_cost(value, digits).removesuffix(none) for value in summary.bounds.values()]
            violations = f"[#D55E00]{summary.violations}[/]" if summary.violations else "0"
            sizes = map(say_number, (f"{summary.n:,}", f"{summary.runs:,}"))
            table.add_row(*sizes, f"[bold]{costs[0]}[/]", *costs[1:], *bounds, violations)
        console.print(table)
        for name in sorted({name for summary in own for name in summary.observed}):
            runs = sum(summary.observed.get(name, 0) for summary in own)
            total = sum(summary.runs for summary in own)
            told = say_pattern(f"{name} is not promised; {runs:,} of {total:,} runs violate it")
            console.print(f"[dim]○ {told}[/]")
        for number, fit in enumerate(own[0].fits):
            lead = say("nearest fit" if number == 0 else "worse")
            console.print(f"[dim]{lead:>11}[/]  {fit!s:<24} [dim]R²[/] {say_number(f'{fit.r2:.4f}')}")
        console.print()
    for path in (csv, plot):
        if path is not None:
            console.print(f"[dim]{say('written to')}[/] {path}")


def format_cost(cost: float, digits: int) -> str:
    """A cost with `digits` decimals; counted messages have none, and without entries there is no cost."""
    if isnan(cost):
        return "–"
    return say_number(f"{cost:,}" if isinstance(cost, int) else f"{cost:,.{digits}f}")
