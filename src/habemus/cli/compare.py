"""`habemus compare`: the same faults, side by side."""

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
    from habemus.cli.pool import worker_pool
    from habemus.cli.progress import progress_bar
    from habemus.cli.report import check_plot, print_json
    from habemus.measuring.compare import compare, draw_comparison
    from habemus.scenario import Scenario, ScenarioError

    if seeds < 1 or (jobs is not None and jobs < 1):
        raise ScenarioError("--seeds and --jobs: expected at least 1")
    check_plot(plot)
    kinds = {find_algorithm(name).kind for name in names}
    if len(kinds) > 1:
        raise ScenarioError(f"compare needs algorithms of one kind, not {' and '.join(sorted(kinds))}")
    base = o.adjusted(o.scenario_from(scenario) if scenario is not None else Scenario(names[0]), given)
    parameters = parameters_of(names, settings or [])
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
    return 1 if any(row.violations for row in rows) else 0


def parameters_of(names: list[str], settings: list[str]) -> dict[str, dict[str, Any]]:
    """The parameters of each algorithm, from `ALGORITHM.NAME=VALUE`."""
    from habemus.scenario import ScenarioError

    parameters: dict[str, dict[str, Any]] = {name: {} for name in names}
    for setting in settings:
        algorithm, dot, assignment = setting.partition(".")
        if not dot or algorithm not in parameters:
            raise ScenarioError(f"--set {setting}: expected ALGORITHM.NAME=VALUE with one of {', '.join(names)}")
        name, value = o.parameter(assignment)
        parameters[algorithm][name] = value
    return parameters


def show_comparison(rows: list[Comparison], plot: str | None) -> None:
    """A line for each thing compared, a column for each algorithm."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column(f"[dim]means over {rows[0].runs} runs[/]")
    for row in rows:
        table.add_column(row.algorithm, justify="right")
    table.add_row("messages", *(number(row.messages) for row in rows))
    table.add_row("values carried", *(number(row.values) for row in rows))
    table.add_row("time, ticks", *(number(row.time) for row in rows))
    table.add_row("causal time, messages in a row", *(number(row.rounds) for row in rows))
    if any(row.load is not None for row in rows):
        table.add_row("from a crash to the suspicion, ticks", *(number(row.detection_time) for row in rows))
        table.add_row("  at most", *(number(row.longest_detection) for row in rows))
        table.add_row("mistakes", *(number(row.mistakes) for row in rows))
        table.add_row("  ticks each", *(number(row.mistake_duration) for row in rows))
        table.add_row("messages a member in 1,000 ticks", *(number(row.load) for row in rows))
    elif all(row.entries is None for row in rows):
        table.add_row("downtime after a crash, ticks", *(number(row.downtime) for row in rows))
        table.add_row("  at most", *(number(row.longest_downtime) for row in rows))
        table.add_row("changes of leader", *(number(row.leader_changes) for row in rows))
    else:
        table.add_row("entries", *(number(row.entries) for row in rows))
        table.add_row("messages an entry", *(number(row.messages_per_entry) for row in rows))
        table.add_row("waiting to enter, ticks", *(number(row.waiting) for row in rows))
        table.add_row("  at most", *(number(row.longest_wait) for row in rows))
        table.add_row("handover to the next, ticks", *(number(row.handover) for row in rows))
        table.add_row("entries in 1,000 ticks", *(number(row.throughput) for row in rows))
        table.add_row("times overtaken", *(number(row.overtaken) for row in rows))
    for name in sorted({name for row in rows for name in row.violations}):
        shares = [f"{row.violations.get(name, 0)} of {row.runs}" for row in rows]
        table.add_row(
            f"[#D55E00]✗ {name}[/] in",
            *(
                f"[#D55E00]{share}[/]" if row.violations.get(name) else "–"
                for share, row in zip(shares, rows, strict=True)
            ),
        )
    console = Console(highlight=False)
    console.print(table)
    if not any(row.violations for row in rows):
        console.print("[#009E73]✓[/] no property was violated")
    if plot is not None:
        console.print(f"[dim]written to[/] {plot}")


def number(value: float | None) -> str:
    """A mean for a table."""
    return "–" if value is None else f"{value:,.1f}".removesuffix(".0")
