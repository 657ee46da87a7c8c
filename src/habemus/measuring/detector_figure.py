"""Mistakes against detection time: what a fixed time-out and an adaptive one make of the same heartbeats.

Whoever suspects sooner is mistaken more often. The fair question is therefore not which detector makes fewer mistakes,
but which makes fewer at the same detection time. `heartbeat` is tried with time-outs, `phi-accrual` with thresholds,
and each traces a curve. Both hear the very same beats: same seed, same period, same log-normal delays.

On links that are all alike the fixed time-out wins, if one knows which to set: the adaptive one has to estimate what
the other is given, and takes for normal what has a longer tail. On links that each have their own delays no time-out
is right for all. The one time-out is too short for the far ones, where nearly all mistakes are made, and needlessly
long for the near ones; phi-accrual gives each link what it needs, and makes fewer mistakes at equal mean detection
time.

A trial has 8 processes. Mistakes are counted after a warm-up, in which the windows of phi-accrual fill; then half of
the processes crash at random moments, and what counts is when each survivor begins to suspect them for good.

W. Chen, S. Toueg, M. K. Aguilera. On the quality of service of failure detectors. IEEE Transactions on Computers
51(5), 2002.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean

from msgspec import Struct

from habemus.scenario import LinkDelay, Network, Scenario, TopologySpec
from habemus.simulation.faults import Faults
from habemus.simulation.run import build_simulation

PROCESSES = 8
PERIOD, LOOK = 100, 10  # ticks
WARM_UP, COUNTED, CRASHES, AFTERMATH = 110, 300, 10, 20  # periods
BUDGET = 10**9
RAREST = 0.05  # mistakes in 1000 periods; fewer than that are too few to tell

ALIKE, DIFFERENT = "alike", "different"
NETWORKS = {ALIKE: "all links alike", DIFFERENT: "every link its own delays"}

PARAMETER = {"heartbeat": "timeout", "phi-accrual": "threshold"}
SETTINGS: dict[str, tuple[float, ...]] = {
    "heartbeat": (130, 160, 200, 250, 300, 350, 400),
    "phi-accrual": (0.8, 1.2, 1.8, 2.5, 3.5, 5, 7, 10),
}
COMPARED = (200, 250, 300, 350, 400)  # detection times
SHOWN = {ALIKE: 250, DIFFERENT: 300}


class SettingResult(Struct):
    """One setting of a detector on one kind of network; each list has one number for each trial."""

    network: str
    algorithm: str
    setting: float
    detection_times: list[float] = []  # mean, in ticks
    mistakes: list[float] = []  # that one process makes about one other in 1000 periods

    @property
    def detection_time(self) -> float:
        return fmean(self.detection_times)

    @property
    def mistake_rate(self) -> float:
        return fmean(self.mistakes)


Trial = tuple[str, str, float, int]


def measure_detectors(
    seeds: int = 10,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    settings: Mapping[str, Sequence[float]] = SETTINGS,
) -> list[SettingResult]:
    """Try all settings on both kinds of network; `progress` is called with the number of trials done and to do."""
    rows = {
        (network, algorithm, setting): SettingResult(network, algorithm, setting)
        for network in NETWORKS
        for algorithm in settings
        for setting in settings[algorithm]
    }
    trials: list[Trial] = [(*row, seed) for row in rows for seed in range(seeds)]
    results: dict[Trial, tuple[float, float]] = {}
    if executor is None:
        for trial in trials:
            results[trial] = run_trial(*trial)
            if progress is not None:
                progress(len(results), len(trials))
    else:
        futures: dict[Future[tuple[float, float]], Trial] = {
            executor.submit(run_trial, *trial): trial for trial in trials
        }
        for future in as_completed(futures):
            results[futures[future]] = future.result()
            if progress is not None:
                progress(len(results), len(trials))
    for trial in trials:
        detection_time, mistakes = results[trial]
        rows[trial[:3]].detection_times.append(detection_time)
        rows[trial[:3]].mistakes.append(mistakes)
    return list(rows.values())


def run_trial(network: str, algorithm: str, setting: float, seed: int) -> tuple[float, float]:
    """Mean detection time in ticks, and mistakes for one process watching one other for 1000 periods."""
    ids = list(range(1, PROCESSES + 1))
    simulation = build_simulation(
        Scenario(
            algorithm,
            parameters={"period": PERIOD, "look": LOOK, PARAMETER[algorithm]: setting},
            topology=TopologySpec(ids=ids),
            network=build_network(network, ids, seed),
            seed=seed,
        ),
        None,
    )
    suspicions = simulation.world.suspicions
    simulation.run(WARM_UP * PERIOD, BUDGET)
    before = suspicions.mistakes
    end = (WARM_UP + COUNTED) * PERIOD
    simulation.run(end, BUDGET)
    mistakes = suspicions.mistakes - before

    random = Random(f"crashes/{seed}")
    victims, survivors = ids[: PROCESSES // 2], ids[PROCESSES // 2 :]
    for crash, victim in sorted((end + 1 + int(random.random() * CRASHES * PERIOD), victim) for victim in victims):
        simulation.run(crash, BUDGET)
        Faults(simulation).crash(victim)
    crashed_at = suspicions.crash_times
    watching = [(observer, victim) for victim in victims for observer in survivors]
    late = end + (CRASHES + AFTERMATH) * PERIOD
    simulation.run(late, BUDGET)
    while not all(pair in suspicions.held for pair in watching):  # the silence of the dead grows until all notice
        late += AFTERMATH * PERIOD
        simulation.run(late, BUDGET)
    times = [max(0, suspicions.held[observer, victim] - crashed_at[victim]) for observer, victim in watching]
    return fmean(times), 1000 * mistakes / (PROCESSES * (PROCESSES - 1) * COUNTED)


def build_network(kind: str, ids: list[int], seed: int) -> Network:
    """Links that do not keep the order, as datagrams: all alike, or each with its own delays.

    Medians from 5 to 200 ticks, as many short as long ones on a logarithmic scale, and every spread from 0.3 to 1.2.
    """
    if kind == ALIKE:
        return Network("lognormal:30:0.8", fifo=False)
    random = Random(f"links/{seed}")
    links = []
    for sender in ids:
        for to in ids:
            if sender != to:
                median, sigma = 5 * 40 ** random.random(), 0.3 + 0.9 * random.random()
                links.append(LinkDelay(sender, to, f"lognormal:{median:.1f}:{sigma:.2f}"))
    return Network(fifo=False, links=links)


def select_curve(rows: Sequence[SettingResult], network: str, algorithm: str) -> list[SettingResult]:
    """The results of one detector on one kind of network, by detection time."""
    chosen = [row for row in rows if (row.network, row.algorithm) == (network, algorithm)]
    return sorted(chosen, key=lambda row: row.detection_time)


def interpolate_mistakes(points: Sequence[SettingResult], time: float) -> float | None:
    """The mistake rate at a detection time, interpolated between two settings; None outside of the curve.

    The line is straight in the logarithm of the rate, as it is drawn.
    """
    for left, right in pairwise(points):
        if left.detection_time <= time <= right.detection_time and right.mistake_rate >= RAREST:
            share = (time - left.detection_time) / (right.detection_time - left.detection_time)
            return left.mistake_rate * math.exp(share * math.log(right.mistake_rate / left.mistake_rate))
    return None


def compare_mistakes(rows: Sequence[SettingResult], network: str, time: float) -> float | None:
    """The mistakes of heartbeat for each one of phi-accrual, at the same detection time."""
    fixed, adaptive = [interpolate_mistakes(select_curve(rows, network, algorithm), time) for algorithm in PARAMETER]
    return fixed / adaptive if fixed is not None and adaptive is not None else None


def describe_ratio(ratio: float) -> str:
    return f"{ratio:.1f} times fewer" if ratio > 1 else f"{1 / ratio:.1f} times more"


def draw_detector_figure(rows: Sequence[SettingResult], path: str | Path) -> None:
    """Draw both networks side by side to an SVG, PNG or PDF file."""
    from habemus.measuring.drawing import BLUE, PINK, SOFT, make_figure, save_figure, set_title, style_axes

    figure = make_figure(9.6, 4.2)
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    figure.subplots_adjust(wspace=0.1)
    inks = {"heartbeat": (PINK, "s", "--"), "phi-accrual": (BLUE, "o", "-")}
    for axes, (network, words) in zip((left, right), NETWORKS.items(), strict=True):
        axes.set_yscale("log")
        for algorithm, (colour, marker, dashes) in inks.items():
            points = [row for row in select_curve(rows, network, algorithm) if row.mistake_rate >= RAREST]
            for row in points:
                axes.plot(row.detection_times, row.mistakes, ".", color=colour, alpha=0.15, markersize=4, zorder=1)
            times, rates = [row.detection_time for row in points], [row.mistake_rate for row in points]
            axes.plot(times, rates, dashes, color=colour, marker=marker, markersize=4.5, linewidth=1.6, zorder=2)
            end = (times[-1], rates[-1])
            axes.annotate(algorithm, end, (7, -3), textcoords="offset points", color=colour, fontsize=9)
        ratio, time = compare_mistakes(rows, network, SHOWN[network]), SHOWN[network]
        if ratio is not None:
            pair = [
                interpolate_mistakes(select_curve(rows, network, algorithm), time) or RAREST for algorithm in PARAMETER
            ]
            axes.plot([time, time], pair, color=SOFT, linewidth=1, zorder=1)
            axes.annotate(
                describe_ratio(ratio), (time, max(pair)), (6, 3), textcoords="offset points", color=SOFT, fontsize=9
            )
        style_axes(axes, "detection time, ticks", "mistakes in 1000 periods" if axes is left else "")
        axes.set_xlim(110, 590)
        axes.set_ylim(RAREST, 300)
        axes.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
        axes.minorticks_off()
        set_title(axes, words)
    save_figure(figure, path)
