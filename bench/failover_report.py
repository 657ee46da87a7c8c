"""What came of `bench/failover.py`: a table on the terminal and on a page, targets, and a picture."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from habemus.measuring.drawing import GROUND, INK, SOFT, make_figure, save_figure, set_title, style_axes
from habemus.measuring.plot import COLOURS

if TYPE_CHECKING:
    from failover import Result, System

COLUMNS = ("who", "signal", "n", "median", "p99", "range", "trials", "false failovers")
WORDS = {"SIGKILL": "SIGKILL: it dies", "SIGTERM": "SIGTERM: it leaves", "SIGSTOP": "SIGSTOP: it hangs"}
FAR = 5_000.0  # ms: where is drawn what did not happen
SOON = 100.0  # ms: the target for a leader that hangs


def rows(everybody: list[System]) -> Iterator[list[str]]:
    """The table, line by line."""
    for what in WORDS:
        for system in everybody:
            if system.missing:
                yield [system.name, what, "", f"missing: {system.missing}", "", "", "", ""]
            for (signal, n), result in sorted(system.results.items(), key=lambda item: item[0][1]):
                if signal == what:
                    yield [system.name, what, str(n), *figures(result), str(result.false_failovers)]


def figures(result: Result) -> list[str]:
    """Median, 99th percentile (by rank: the worst of less than a hundred), range and number of trials."""
    times = result.milliseconds
    if not times:
        return [result.trouble, "", "", "1"]
    then = f"; then: {result.trouble}" if result.trouble else ""
    worst = sorted(times)[ceil(0.99 * len(times)) - 1]
    return [
        f"{median(times):,.1f} ms",
        f"{worst:,.1f} ms",
        f"{min(times):,.1f} to {max(times):,.1f}{then}",
        str(len(times)),
    ]


def targets(everybody: list[System]) -> Iterator[tuple[str, bool, str]]:
    """What is asked for, whether it is met, and what was reached."""
    ours = [system for system in everybody if system.ours and system.results]
    fastest = next((system for system in everybody if system.program == "postgres" and system.results), None)
    for system in ours:
        for n in sorted({n for _, n in system.results}):
            mine = median(system.results["SIGKILL", n].milliseconds or [FAR])
            if fastest is not None and fastest.results["SIGKILL", n].milliseconds:
                theirs = median(fastest.results["SIGKILL", n].milliseconds)
                text = f"{system.name}, n = {n}, SIGKILL: not slower than PostgreSQL"
                yield text, mine <= theirs, f"{mine:.1f} to {theirs:.1f} ms, {mine / theirs:.2f} of its time"
            if system.program == "lead":
                orderly = median(system.results["SIGTERM", n].milliseconds or [FAR])
                text = f"{system.name}, n = {n}: SIGTERM not slower than SIGKILL"
                yield text, orderly <= mine, f"{orderly:.1f} to {mine:.1f} ms"
                continue
            hung = system.results["SIGSTOP", n]
            slowest = FAR if hung.trouble else max(hung.milliseconds, default=FAR)
            yield f"{system.name}, n = {n}, SIGSTOP: at most 100 ms", slowest <= SOON, f"at most {slowest:.1f} ms"
        mistakes = sum(result.false_failovers for result in system.results.values())
        yield f"{system.name}: no false failover in any trial", mistakes == 0, f"{mistakes}"
        if system.busy is not None:
            yield f"{system.name}: none on a busy machine either", system.busy == 0, f"{system.busy}"


def show(everybody: list[System], console: Console) -> None:
    """All of it on the terminal."""
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for column in COLUMNS:
        table.add_column(column, justify="left" if column in ("who", "signal") else "right")
    for row in rows(everybody):
        table.add_row(*row)
    console.print(table)
    for text, met, reached in targets(everybody):
        console.print(f"{'✓' if met else '✗'} {text}: {reached}")


def write_page(everybody: list[System], trials: int, compiled: bool, folder: Path) -> None:
    """docs/bench-failover.md and its picture."""
    draw(everybody, folder / "bench-failover.svg")
    kernel = "compiled" if compiled else "interpreted"
    machine = f"CPython {platform.python_version()}, {os.cpu_count()} cores, Habemus {kernel}"
    lines = [
        "# How long is nobody in charge?",
        "",
        "From the signal to the leader until the last survivor names the next one. Every candidate is a process on",
        f"this machine; {trials} trials each. SIGKILL: it dies, and its kernel closes its connections. SIGTERM: it is",
        "asked to end. SIGSTOP: it hangs, and only time can tell. A *false failover* is a change of leader that nobody",
        f"caused. {machine}.",
        "Written by `make bench`; the details are at the head of `bench/failover.py`.",
        "",
        "![Time to the next leader, on a logarithmic axis](bench-failover.svg)",
        "",
        f"| {' | '.join(COLUMNS)} |",
        "|:--|:--|--:|--:|--:|--:|--:|--:|",
        *(f"| {' | '.join(row)} |" for row in rows(everybody)),
        "",
        "| target | reached | |",
        "|:--|--:|:--|",
        *(f"| {text} | {reached} | {'met' if met else '**missed**'} |" for text, met, reached in targets(everybody)),
        "",
        "How each was set up:",
        "",
        *(f"- {system.name}: {system.note}" for system in everybody),
        "",
    ]
    (folder / "bench-failover.md").write_text("\n".join(lines), encoding="utf-8")


def draw(everybody: list[System], path: Path) -> None:
    """Every trial as a faint point, the median as a strong one; rivals in grey."""
    measured = [system for system in everybody if system.results]
    figure = make_figure(13.5, 0.9 + 0.48 * len(measured))
    panels = figure.subplots(1, len(WORDS), sharex=True, sharey=True)
    figure.subplots_adjust(wspace=0.06)
    for panel, what in zip(panels, WORDS, strict=True):
        style_axes(panel, "ms until all name the next leader", "")
        set_title(panel, WORDS[what])
        panel.set_xscale("log")
        panel.set_xlim(1, 2 * FAR)
        panel.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
        panel.minorticks_off()
        panel.set_yticks(range(len(measured)), [system.name for system in measured])
        panel.set_ylim(len(measured) - 0.4, -0.6)
        panel.grid(False, axis="y")
        for row, system in enumerate(measured):
            own = [(n, result) for (signal, n), result in sorted(system.results.items()) if signal == what]
            for place, (n, result) in enumerate(own):
                height = row + (place - (len(own) - 1) / 2) * 0.36
                colour = COLOURS[0] if system.ours else SOFT
                draw_times(panel, result, height, colour, f"n = {n}" if row == 0 else "")
    for label, system in zip(panels[0].get_yticklabels(), measured, strict=True):
        label.set_color(INK if system.ours else SOFT)
    panels[list(WORDS).index("SIGSTOP")].axvline(SOON, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    save_figure(figure, path)


def draw_times(panel: Any, result: Result, height: float, colour: str, label: str) -> None:
    """One row of points, with its median in figures."""
    words = {
        "xytext": (7, 0),
        "textcoords": "offset points",
        "va": "center",
        "fontsize": 7.5,
        "color": colour,
        "bbox": {"facecolor": GROUND, "edgecolor": "none", "pad": 0.8},  # before the line of the target
    }
    if not result.milliseconds:
        panel.annotate(result.trouble, (FAR, height), **{**words, "ha": "right"})
        return
    times, middle = result.milliseconds, median(result.milliseconds)
    panel.plot(times, [height] * len(times), "o", color=colour, alpha=0.25, markersize=4, markeredgewidth=0)
    panel.plot([middle], [height], "o", color=colour, markersize=5)
    panel.annotate(f"{middle:,.1f}  {label}".rstrip(), (max(times), height), **words)
