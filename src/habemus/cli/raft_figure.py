"""`habemus raft-figure`: how long a Raft group is without a leader, after Figure 16 of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from habemus.cli import options as o

if TYPE_CHECKING:
    from habemus.measuring.raft_figure import Downtimes

PAPER_SAYS = {"least": "often more than", "median": "median", "mean": "mean", "longest": "longest"}


def raft_figure_command(
    plot: Annotated[str, typer.Option("--plot", help="Where to draw it: F.svg, F.png or F.pdf.")] = "raft-figure.svg",
    trials: Annotated[int, typer.Option("--trials", help="Crashes of the leader a setting.")] = 1000,
    jobs: Annotated[int | None, typer.Option("--jobs", help="Processes to use.", show_default="all cores")] = None,
    json: o.Json = False,
) -> int:
    """Crash Raft's leader many times for each range of time-outs, and draw how long nobody leads."""
    from habemus.cli.output import check_plot, print_json
    from habemus.cli.pool import worker_pool
    from habemus.cli.progress import progress_bar
    from habemus.measuring.raft_figure import draw_raft_figure, measure_downtimes
    from habemus.scenario import ScenarioError

    if trials < 1 or (jobs is not None and jobs < 1):
        raise ScenarioError("--trials and --jobs: expected at least 1")
    check_plot(plot)
    with progress_bar("trials", json) as advance, worker_pool(jobs) as pool:
        rows = measure_downtimes(trials, pool, advance)
    draw_raft_figure(rows, plot)
    if json:
        print_json(
            [
                {"low": row.low, "high": row.high, "median": row.median, "mean": row.mean, "longest": row.longest}
                | {"trials": row.trials, "unfinished": row.unfinished, "paper": row.paper}
                for row in rows
            ]
        )
    else:
        show_downtimes(rows, plot)
    return 0


def show_downtimes(rows: list[Downtimes], plot: str) -> None:
    """Print our figures beside those of the paper."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for column in ("time-outs, ms", "trials", "median, ms", "mean, ms", "longest, ms", "the paper says"):
        table.add_column(column, justify="left" if column.startswith("the") else "right")
    for row in rows:
        figures = [f"{value:,.0f}" if value is not None else "–" for value in (row.median, row.mean, row.longest)]
        paper = ", ".join(f"{PAPER_SAYS[name]} {value:,.0f}" for name, value in row.paper.items())
        unfinished = f"; {row.unfinished} trials without a leader after 100 s" if row.unfinished else ""
        table.add_row(f"{row.low}-{row.high}", f"{row.trials:,}", *figures, paper + unfinished)
    console = Console(highlight=False)
    console.print(table)
    console.print(f"[dim]written to[/] {plot}")
