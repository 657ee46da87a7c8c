"""`habemus detector-figure`: mistakes against detection time, a fixed time-out beside an adaptive one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from habemus.cli import options as o

if TYPE_CHECKING:
    from rich.table import Table

    from habemus.measuring.detector_figure import SettingResult


def detector_figure_command(
    plot: Annotated[str, typer.Option("--plot", help="Where to draw it: F.svg, F.png or F.pdf.")] = "detectors.svg",
    seeds: Annotated[int, typer.Option("--seeds", help="Trials a setting.")] = 10,
    jobs: Annotated[int | None, typer.Option("--jobs", help="Processes to use.", show_default="all cores")] = None,
    json: o.Json = False,
) -> int:
    """Feed the same heartbeats to heartbeat and phi-accrual, and draw mistakes against detection time."""
    from habemus.cli.output import check_plot, print_json
    from habemus.cli.pool import worker_pool
    from habemus.cli.progress import progress_bar
    from habemus.measuring.detector_figure import PERIOD, draw_detector_figure, measure_detectors
    from habemus.scenario import ScenarioError

    if seeds < 1 or (jobs is not None and jobs < 1):
        raise ScenarioError("--seeds and --jobs: expected at least 1")
    check_plot(plot)
    with progress_bar("trials", json) as advance, worker_pool(jobs) as pool:
        rows = measure_detectors(seeds, pool, advance)
    draw_detector_figure(rows, plot)
    if json:
        print_json(
            [
                {"network": row.network, "algorithm": row.algorithm, "setting": row.setting, "period": PERIOD}
                | {"detection_time": row.detection_time, "mistakes": row.mistake_rate, "trials": len(row.mistakes)}
                for row in rows
            ]
        )
    else:
        show_tradeoffs(rows, plot)
    return 0


def show_tradeoffs(rows: list[SettingResult], plot: str) -> None:
    """Print what was measured, and compare the detectors at equal detection times."""
    from rich.console import Console
    from rich.padding import Padding

    from habemus.measuring.detector_figure import NETWORKS

    console = Console(highlight=False)
    for network, words in NETWORKS.items():
        console.print(f"\n[bold]{words}[/]\n")
        console.print(Padding(build_settings_table(rows, network), (0, 2)))
        console.print(Padding(build_comparison_table(rows, network), (1, 2, 0, 2)))
    console.print("\n[dim]Detection times in ticks; mistakes of one process about one other in 1000 periods.[/]")
    console.print(f"[dim]written to[/] {plot}")


def build_settings_table(rows: list[SettingResult], network: str) -> Table:
    """One row for each setting."""
    from rich.table import Table

    from habemus.measuring.detector_figure import PARAMETER, select_curve

    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("detector")
    for column in ("set to", "detection time", "mistakes"):
        table.add_column(column, justify="right")
    for algorithm, parameter in PARAMETER.items():
        for row in select_curve(rows, network, algorithm):
            table.add_row(
                algorithm, f"{parameter} {row.setting:g}", f"{row.detection_time:,.0f}", f"{row.mistake_rate:,.2f}"
            )
    return table


def build_comparison_table(rows: list[SettingResult], network: str) -> Table:
    """One row for each detection time that both detectors reach."""
    from rich.table import Table

    from habemus.measuring.detector_figure import (
        COMPARED,
        PARAMETER,
        compare_mistakes,
        describe_ratio,
        interpolate_mistakes,
        select_curve,
    )

    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for column in ("at a detection time of", *PARAMETER, "phi-accrual makes"):
        table.add_column(column, justify="right")
    for time in COMPARED:
        ratio = compare_mistakes(rows, network, time)
        if ratio is not None:
            rates = [
                interpolate_mistakes(select_curve(rows, network, algorithm), time) or 0.0 for algorithm in PARAMETER
            ]
            table.add_row(f"{time:,}", *(f"{rate:,.2f}" for rate in rates), describe_ratio(ratio))
    return table
