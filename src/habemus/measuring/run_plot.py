"""Plots of one run: counts beside their bounds, and the levels of an accrual detector over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from habemus.measuring.drawing import (
    BLUE,
    SOFT,
    VERMILLION,
    make_figure,
    save_figure,
    set_title,
    style_axes,
)
from habemus.measuring.plot import COLOURS, label_ends
from habemus.process import Pid
from habemus.scenario import ScenarioError
from habemus.trace import Outcome
from habemus.trace.counts import Series

HUNDRED = 100


def draw_run_plot(outcome: Outcome, path: str | Path) -> None:
    """Draw what the algorithm declares to be counted or plotted."""
    if outcome.cls.plotted_field:
        draw_levels(outcome, path)
    elif outcome.counts:
        draw_counts(outcome, path)
    else:
        raise ScenarioError(f"--plot: {outcome.algorithm} declares nothing to be counted or plotted")


def draw_counts(outcome: Outcome, path: str | Path) -> None:
    """A row of bars for each count: what the run reached, and the bound as a dashed line."""
    groups: dict[str, list[Series]] = {}
    for series in outcome.counts:
        groups.setdefault(series.title, []).append(series)
    heights = [0.5 + 0.3 * len(group) for group in groups.values()]
    figure = make_figure(7.2, 0.5 + sum(heights))
    rows = figure.subplots(len(groups), 1, height_ratios=heights, squeeze=False)
    figure.subplots_adjust(hspace=0.9)
    for axes, (title, group) in zip(rows[:, 0], groups.items(), strict=True):
        places = range(len(group))
        axes.barh(places, [series.most for series in group], height=0.5, color=BLUE)
        for place, series in zip(places, group, strict=True):
            axes.plot([series.bound] * 2, [place - 0.4, place + 0.4], color=VERMILLION, linestyle=(0, (3, 2)))
            axes.annotate(f"{series.most} ≤ {series.bound}", (series.bound, place), (5, -3), textcoords="offset points")
        style_axes(axes, "", "")
        axes.set_yticks(places, [f"k = {series.k}" if series.k is not None else "" for series in group])
        axes.invert_yaxis()
        axes.set_xlim(0, 1.15 * max(max(series.bound, series.most) for series in group))
        set_title(axes, f"{title}, at most {group[0].formula}")
    save_figure(figure, path)


def draw_levels(outcome: Outcome, path: str | Path) -> None:
    """The levels at which the first process that is up at the end suspects each other one."""
    watching = next(pid for pid in outcome.ids if pid not in outcome.world.down)
    levels = follow_levels(outcome, watching)
    figure = make_figure(7.2, 3.6)
    axes = figure.subplots()
    ends = []
    for number, (subject, points) in enumerate(levels.items()):
        colour = COLOURS[number % len(COLOURS)]
        times, values = [time for time, _ in points], [value for _, value in points]
        axes.step(times, values, where="post", color=colour, linewidth=1.3)
        ends.append((values[-1], f"of {subject}", colour))
    threshold = float(outcome.parameters["threshold"])
    axes.axhline(threshold, color=VERMILLION, linewidth=1, linestyle=(0, (6, 3)))
    axes.annotate("threshold", (0, threshold), (2, 3), textcoords="offset points", color=VERMILLION, fontsize=9)
    style_axes(axes, "time, ticks", "φ")
    axes.set_ylim(0, 1.5 * threshold)
    set_title(axes, f"How strongly {watching} suspects the others")
    label_ends(axes, [(min(height, 1.45 * threshold), text, colour) for height, text, colour in ends])
    axes.spines["bottom"].set_color(SOFT)
    save_figure(figure, path)


def follow_levels(outcome: Outcome, watching: Pid) -> dict[Pid, list[tuple[int, float]]]:
    """The levels that one process gives to each other, as (time, level)."""
    others = [pid for pid in outcome.ids if pid != watching]
    found: dict[Pid, list[tuple[int, float]]] = {pid: [(0, 0.0)] for pid in others}
    field = outcome.cls.plotted_field
    for event in outcome.trace.events:
        if event.process == watching and field in event.changed:
            levels: dict[str, Any] = event.changed[field]
            for pid in others:
                level = levels.get(str(pid), 0) / HUNDRED
                if found[pid][-1][1] != level:
                    found[pid].append((event.time, level))
    for pid in others:
        found[pid].append((outcome.time, found[pid][-1][1]))
    return found
