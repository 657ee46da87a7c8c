"""`habemus compare`: algorithms under the same faults, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli import options as o

if TYPE_CHECKING:
    from habemus.measuring.compare import Comparison


def compare_command(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Algorithms.")],
    scenario: Annotated[str | None, typer.Option("--scenario", help="Faults and network from this scenario.")] = None,
    seeds: Annotated[int, typer.Option("--seeds", help="Runs of each.")] = 20,
    n: o.N = None,
    order: o.Order = None,
    ids: o.Ids = None,
    starters: o.Starters = None,
    seed: o.Seed = None,
    delay: o.DelayText = None,
    loss: o.Loss = None,
    duplication: o.Duplication = None,
    fifo: o.Fifo = None,
    detection: o.Detection = None,
    crash: o.Crashes = None,
    recover: o.Recovers = None,
    pause: o.Pauses = None,
    resume: o.Resumes = None,
    cut: o.Cuts = None,
    heal: o.Heals = None,
    partition: o.Partitions = None,
    skew: o.Skews = None,
    drift: o.Drifts = None,
    call: o.Calls = None,
    workload: o.WorkloadKind = None,
    entries: o.Entries = None,
    think: o.Think = None,
    hold: o.Hold = None,
    hot: o.Hot = None,
    waiting_limit: o.WaitingLimit = None,
    waiting_time: o.WaitingTime = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="ALGORITHM.NAME=VALUE: a parameter of one of them.")
    ] = None,
    until: o.Until = None,
    events: o.Events = None,
    plot: Annotated[str | None, typer.Option("--plot", help="Draw it: F.svg, F.png or F.pdf.")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", help="Processes to use.", show_default="all cores")] = None,
    json: o.Json = False,
) -> int:
    """Run algorithms on the same topology, ids, faults and seeds; compare cost, waiting or downtime, violations."""
    given = dict(locals())
    for own in ("names", "scenario", "seeds", "settings", "plot", "jobs", "json"):
        del given[own]

    from habemus.catalogue import find_algorithm
    from habemus.cli.output import check_plot, print_json
    from habemus.cli.pool import worker_pool
    from habemus.cli.progress import progress_bar
    from habemus.measuring.compare import compare, draw_comparison
    from habemus.scenario import Scenario, ScenarioError

    if seeds < 1 or (jobs is not None and jobs < 1):
        raise ScenarioError("--seeds and --jobs: expected at least 1")
    check_plot(plot)
    kinds = {find_algorithm(name).kind for name in names}
    if len(kinds) > 1:
        raise ScenarioError(f"compare needs algorithms of one kind, not {' and '.join(sorted(kinds))}")
    base = o.apply_options(o.find_scenario(scenario) if scenario is not None else Scenario(names[0]), given)
    parameters = parse_parameters(names, settings or [])
    with progress_bar("runs", json) as advance, worker_pool(jobs) as pool:
        rows = compare(base, parameters, seeds, pool, advance)
    if plot is not None:
        draw_comparison(rows, plot)
    if json:
        print_json(rows)
    else:
        show_comparison(rows, plot)
    if any(row.unfinished for row in rows):
        return 3
    return 0 if all(row.holds for row in rows) else 1


def parse_parameters(names: list[str], settings: list[str]) -> dict[str, dict[str, Any]]:
    """Parse `ALGORITHM.NAME=VALUE` into the parameters of each algorithm."""
    from habemus.scenario import ScenarioError

    parameters: dict[str, dict[str, Any]] = {name: {} for name in names}
    for setting in settings:
        algorithm, dot, assignment = setting.partition(".")
        if not dot or algorithm not in parameters:
            raise ScenarioError(f"--set {setting}: expected ALGORITHM.NAME=VALUE with one of {', '.join(names)}")
        name, value = o.parse_parameter(assignment)
        parameters[algorithm][name] = value
    return parameters


def show_comparison(rows: list[Comparison], plot: str | None) -> None:
    """Print one row for each figure and one column for each algorithm."""
    from rich.console import Console
    from rich.table import Table

    from habemus.words.language import say, say_pattern

    table = Table(box=None, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column(f"[dim]{say_pattern(f'means over {rows[0].runs} runs')}[/]")
    for row in rows:
        table.add_column(row.algorithm, justify="right")
    table.add_row(say("messages"), *(format_mean(row.messages) for row in rows))
    table.add_row(say("values carried"), *(format_mean(row.values) for row in rows))
    table.add_row(say("time, ticks"), *(format_mean(row.time) for row in rows))
    table.add_row(say("causal time, messages in a row"), *(format_mean(row.rounds) for row in rows))
    table.add_row(say("handled by the busiest process"), *(format_mean(row.busiest) for row in rows))
    table.add_row(say("  of all, %"), *(format_mean(100 * row.busiest_share) for row in rows))
    if any(row.load is not None for row in rows):
        table.add_row(say("from a crash to the suspicion, ticks"), *(format_mean(row.detection_time) for row in rows))
        table.add_row(say("  at most"), *(format_mean(row.longest_detection) for row in rows))
        table.add_row(say("mistakes"), *(format_mean(row.mistakes) for row in rows))
        table.add_row(say("  ticks each"), *(format_mean(row.mistake_duration) for row in rows))
        table.add_row(say("messages of a member in 1,000 ticks"), *(format_mean(row.load) for row in rows))
    elif all(row.entries is None for row in rows):
        table.add_row(say("downtime after a crash, ticks"), *(format_mean(row.downtime) for row in rows))
        table.add_row(say("  at most"), *(format_mean(row.longest_downtime) for row in rows))
        table.add_row(say("changes of leader"), *(format_mean(row.leader_changes) for row in rows))
    else:
        table.add_row(say("entries"), *(format_mean(row.entries) for row in rows))
        table.add_row(say("messages an entry"), *(format_mean(row.messages_per_entry) for row in rows))
        table.add_row(say("waiting to enter, ticks"), *(format_mean(row.waiting) for row in rows))
        table.add_row(say("  at most"), *(format_mean(row.longest_wait) for row in rows))
        table.add_row(say("handover to the next, ticks"), *(format_mean(row.handover) for row in rows))
        table.add_row(say("entries in 1,000 ticks"), *(format_mean(row.throughput) for row in rows))
        table.add_row(say("times overtaken"), *(format_mean(row.overtaken) for row in rows))
    for name in sorted({name for row in rows for name in row.violations}):
        failed = any(name in row.violations and name in row.promised for row in rows)
        table.add_row(
            f"[#D55E00]✗ {say(name)}[/] {say('in')}" if failed else f"[dim]○ {say(name)} {say('in')}[/]",
            *(format_share(row, name) for row in rows),
        )
    console = Console(highlight=False)
    console.print(table)
    if any(name not in row.promised for row in rows for name in row.violations):
        console.print(f"[dim]{say('Greyed: the algorithm does not promise it.')}[/]")
    if all(row.holds for row in rows):
        console.print(f"[#009E73]✓[/] {say('no promised property was violated')}")
    if plot is not None:
        console.print(f"[dim]{say('plot written to')}[/] {plot}")


def format_share(row: Comparison, name: str) -> str:
    """In how many runs of an algorithm a property was violated; greyed if the algorithm does not promise it."""
    if name not in row.violations:
        return "–"
    from habemus.words.language import say_pattern

    style = "#D55E00" if name in row.promised else "dim"
    return f"[{style}]{say_pattern(f'{row.violations[name]} of {row.runs}')}[/]"


def format_mean(value: float | None) -> str:
    from habemus.words.language import say_number

    return "–" if value is None else say_number(f"{value:,.1f}".removesuffix(".0"))
