"""`habemus sweep`: cost against n."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Annotated

import typer

from habemus.cli import options as o

if TYPE_CHECKING:
    from habemus.measuring.sweep import Row, Summary
    from habemus.scenario import Scenario


def sweep_command(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Algorithms; `ring` means the whole family on rings.")
    ],
    n: Annotated[str, typer.Option("--n", help="The sizes.")] = "8,16,32,64,128",
    seeds: Annotated[int, typer.Option("--seeds", help="Runs at each size.")] = 100,
    topology: o.TopologyKind = None,
    order: o.Order = None,
    starters: o.Starters = None,
    seed: o.Seed = None,
    delay: o.DelayText = None,
    csv: Annotated[str | None, typer.Option("--csv", help="Write one line a run.")] = None,
    plot: Annotated[str | None, typer.Option("--plot", help="Draw it: F.svg, F.png or F.pdf.")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", help="Processes to use.", show_default="all cores")] = None,
    json: o.Json = False,
) -> int:
    """Run algorithms at many sizes and seeds, and hold the cost against the proven bounds."""
    from habemus.catalogue import family, find_algorithm
    from habemus.cli.report import check_plot, check_writable, print_json
    from habemus.measuring.sweep import summarised, sweep_scenarios, write_csv
    from habemus.scenario import Scenario, ScenarioError
    from habemus.simulation.run import place_processes

    sizes = sorted({o.whole(word, "--n") for word in n.split(",")})
    if seeds < 1 or (jobs is not None and jobs < 1):
        raise ScenarioError("--seeds and --jobs: expected at least 1")
    check_writable(csv)
    check_plot(plot)
    names = [each for name in names for each in (family("ring") if name == "ring" else [name])]
    given = {"topology": topology, "order": order, "starters": starters, "seed": seed, "delay": delay}
    base = o.adjusted(Scenario(names[0]), given)
    for name in names:
        for size in sizes:  # a size that cannot be built is refused before the first run
            place_processes(o.adjusted(Scenario(name), {**given, "n": size}), find_algorithm(name))

    rows = run_with_progress(sweep_scenarios(base, names, sizes, seeds), jobs, quiet=json)
    summaries = summarised(rows)
    if csv is not None:
        write_csv(rows, csv)
    if plot is not None:
        from habemus.measuring.plot import draw_sweep

        draw_sweep(rows, summaries, plot)
    if json:
        print_json(summaries)
    else:
        show_summaries(summaries, csv, plot)
    if any(row.ended == "budget" for row in rows):
        return 3
    return 1 if any(row.violated for row in rows) else 0


def run_with_progress(scenarios: list[Scenario], jobs: int | None, quiet: bool) -> list[Row]:
    """All runs on a pool of processes, with a bar."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from habemus.measuring.sweep import sweep

    console = Console(stderr=True)
    columns = (TextColumn("sweep"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    rows: list[Row] = []
    with (
        Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress,
        ProcessPoolExecutor(jobs) as pool,
    ):
        task = progress.add_task("sweep", total=len(scenarios))
        for chunk in sweep(scenarios, pool):
            rows += chunk
            progress.advance(task, len(chunk))
    return rows


def show_summaries(summaries: list[Summary], csv: str | None, plot: str | None) -> None:
    """A table: mean, least and most messages against the bounds."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    for algorithm in sorted({summary.algorithm for summary in summaries}):
        own = [summary for summary in summaries if summary.algorithm == algorithm]
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", title=f"[bold]{algorithm}[/]", title_style="")
        table.title_justify = "left"
        for column in ("n", "runs", "mean", "least", "most", *own[0].bounds, "violations"):
            table.add_column(column, justify="right")
        for summary in own:
            bounds = [f"{value:,.1f}".removesuffix(".0") for value in summary.bounds.values()]
            violations = f"[#D55E00]{summary.violations}[/]" if summary.violations else "0"
            table.add_row(
                f"{summary.n:,}",
                f"{summary.runs:,}",
                f"[bold]{summary.mean:,.1f}[/]",
                f"{summary.least:,}",
                f"{summary.most:,}",
                *bounds,
                violations,
            )
        console.print(table)
        console.print()
    for path in (csv, plot):
        if path is not None:
            console.print(f"[dim]written to[/] {path}")
