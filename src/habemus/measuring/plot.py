"""The picture of a sweep: cost against n, the proven bounds dashed, raw points faint behind the mean.

Both axes are logarithmic, so that a power of n is a straight line. Where all that is drawn grows as log n, the cost has
an ordinary axis, on which that is the straight line; bounds that go through the roof are then left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan, log2, nan
from pathlib import Path
from typing import Any

from habemus.measuring.drawing import INK, SOFT, make_figure, save_figure, style_axes
from habemus.measuring.sweep import GROWTHS, RunCost, Summary, find_bounds
from habemus.process import harmonic

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#A89B00", INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")  # one more than there are colours: no two lines look the same
QUIET = SOFT
FEW = 2
GOOD_FIT = 0.99  # R² from which a fit is worth its place in the picture

ELECTION_GROWTHS: tuple[tuple[str, Callable[[int], float]], ...] = (
    ("n·H_n", lambda n: n * harmonic(n)),
    ("n log n", lambda n: n * log2(n)),
    ("1.271 n log n, the best worst case known", lambda n: 1.271 * n * log2(n)),
    ("n²", lambda n: n * n),
)
MUTEX_GROWTHS = tuple([(name, growth) for name, growth in GROWTHS if name != "1/n"])


def draw_sweep(rows: Sequence[RunCost], summaries: Sequence[Summary], path: str | Path) -> None:
    """Draw a sweep to an SVG, PNG or PDF file."""
    figure = make_figure(7.6, 4.8)
    axes = figure.add_subplot()
    axes.set_xscale("log", base=2)
    if all(summary.fits and summary.fits[0].growth == "log n" for summary in summaries):
        axes.set_ylim(0, 1.15 * max(summary.mean for summary in summaries if not isnan(summary.mean)))
    else:
        axes.set_yscale("log")
    algorithms = sorted({summary.algorithm for summary in summaries})
    locks = any(row.entries is not None for row in rows)
    ends: list[tuple[float, str, str]] = []
    for number, algorithm in enumerate(algorithms):
        own = [summary for summary in summaries if summary.algorithm == algorithm]
        colour = COLOURS[number % len(COLOURS)]
        points = [row for row in rows if row.algorithm == algorithm]
        costs = [row.cost or nan for row in points]  # nothing has no place on a logarithmic axis
        axes.plot([row.n for row in points], costs, ".", color=colour, alpha=0.12, markersize=4)
        axes.plot(
            [summary.n for summary in own],
            [summary.mean or nan for summary in own],
            color=colour,
            marker=MARKERS[number % len(MARKERS)],
            markersize=4.5,
            linewidth=1.6,
        )
        fit = next((f" ≈ {fit}" for fit in own[0].fits if fit.r2 >= GOOD_FIT), "")
        ends.append((own[-1].mean, algorithm + fit, colour))
        if len(algorithms) <= FEW:
            whose = f", {algorithm}" if len(algorithms) > 1 else ""
            ends += draw_bounds(axes, algorithm, own, whose)
    if len(algorithms) > FEW:
        growths = MUTEX_GROWTHS if locks else ELECTION_GROWTHS
        ends += draw_growths(axes, sorted({summary.n for summary in summaries}), growths)
    finish_axes(axes, summaries, "messages an entry" if locks else "messages")
    label_ends(axes, ends)
    save_figure(figure, path)


def draw_bounds(axes: Any, algorithm: str, own: list[Summary], whose: str) -> list[tuple[float, str, str]]:
    """Draw the proven bounds as dashed lines; returns the label for the end of each."""
    ends = []
    for bound in find_bounds(algorithm):
        values = [summary.bounds[bound.formula] or nan for summary in own]
        if axes.get_yscale() == "linear" and values[-1] > axes.get_ylim()[1]:
            continue
        axes.plot([summary.n for summary in own], values, "--", color=QUIET, linewidth=1, zorder=1)
        ends.append((values[-1], bound.formula + whose, QUIET))
    return ends


def draw_growths(
    axes: Any, sizes: list[int], growths: Sequence[tuple[str, Callable[[int], float]]]
) -> list[tuple[float, str, str]]:
    """Draw the usual growths as dashed lines, for a whole family; returns the label for the end of each."""
    ends = []
    for name, growth in growths:
        values = [growth(n) or nan for n in sizes]
        axes.plot(sizes, values, "--", color=QUIET, linewidth=1, zorder=1)
        ends.append((values[-1], name, QUIET))
    return ends


def finish_axes(axes: Any, summaries: Sequence[Summary], cost: str) -> None:
    """Ticks at the sizes that were run."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    low, high = axes.get_ylim()
    if axes.get_yscale() == "log" and high < 100 * low:  # powers of ten alone would be too few
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    sizes = sorted({summary.n for summary in summaries})
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    style_axes(axes, "processes n", cost)


def label_ends(axes: Any, ends: list[tuple[float, str, str]]) -> None:
    """Write names at the ends of the lines, pushed apart where they would overlap."""
    figure = axes.figure
    figure.canvas.draw()
    right = axes.get_xlim()[1]
    low, high = axes.get_ylim()
    height = axes.get_window_extent().height
    spacing = 13 * figure.dpi / 72
    placed: list[float] = []
    for value, text, colour in sorted(ends):
        position = float(axes.transData.transform((right, min(max(value, low), high)))[1])
        if placed:
            position = max(position, placed[-1] + spacing)
        placed.append(position)
        fraction = (position - float(axes.get_window_extent().y0)) / height
        axes.annotate(
            text,
            xy=(1.01, fraction),
            xycoords="axes fraction",
            va="center",
            color=colour,
            fontsize=9,
            annotation_clip=False,
        )
