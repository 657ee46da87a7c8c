"""Algorithms side by side: the same topology, ids, faults and seeds for each.

What is compared: messages, the values they carry (ids, counters, list entries), the time and the longest causal chain
of messages, how many of them the busiest process handles, how long the group is without an agreed leader after a crash,
how often leadership changes hands; of a mutex, how many entered, what an entry cost and how long it took; of a
detector, how soon it found out, how often it was wrong and for how long; and which properties are violated in how many
runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
from msgspec import Struct

from habemus.catalogue import find_algorithm
from habemus.measuring.plot import COLOURS
from habemus.scenario import Scenario
from habemus.simulation import simulate


class Comparison(Struct):
    """What an algorithm did, over all seeds. `violations`: runs that violate a property, promised or not."""

    algorithm: str
    runs: int
    messages: float
    values: float
    time: float
    rounds: float
    busiest: float
    busiest_share: float
    downtime: float | None
    longest_downtime: int | None
    leader_changes: float
    entries: float | None
    messages_per_entry: float | None
    waiting: float | None
    longest_wait: int | None
    handover: float | None
    throughput: float | None
    overtaken: float | None
    detection_time: float | None
    longest_detection: int | None
    mistakes: float | None
    mistake_duration: float | None
    load: float | None
    violations: dict[str, int]
    promised: list[str]
    unfinished: int

    @property
    def holds(self) -> bool:
        """Whether no run violates a promised property."""
        return not any(name in self.promised for name in self.violations)


def measure(scenario: Scenario) -> dict[str, Any]:
    outcome = simulate(scenario, digest=True)
    lock, detection = outcome.lock, outcome.detection
    return {
        "messages": outcome.messages,
        "values": outcome.values_carried,
        "time": outcome.time,
        "rounds": outcome.rounds,
        "busiest": outcome.bottleneck.handled if outcome.bottleneck is not None else 0,
        "busiest_share": outcome.bottleneck.share if outcome.bottleneck is not None else 0.0,
        "downtimes": outcome.downtimes,
        "claims": outcome.claims,
        "entries": lock.entries if lock is not None else None,
        "messages_per_entry": lock.messages_per_entry if lock is not None else None,
        "waits": lock.waits if lock is not None else [],
        "handovers": lock.handovers if lock is not None else [],
        "throughput": lock.throughput if lock is not None else None,
        "overtaken": lock.overtaken if lock is not None else [],
        "detection_times": detection.detection_times if detection is not None else [],
        "mistakes": detection.mistakes if detection is not None else None,
        "mistake_durations": detection.mistake_durations if detection is not None else [],
        "load": detection.load if detection is not None else None,
        "violated": outcome.violated,
        "promised": [watched.name for watched in outcome.properties if watched.promised],
        "unfinished": outcome.ended == "budget",
    }


def compare(
    base: Scenario,
    algorithms: dict[str, dict[str, Any]],
    seeds: int,
    executor: Executor,
    progress: Callable[[int, int], None] | None = None,
) -> list[Comparison]:
    """Run each algorithm, with its parameters, on the base scenario, with the same seeds and for as long.

    `progress` is called after each run with how many are done, and of how many.
    """
    horizon = max([find_algorithm(algorithm).horizon for algorithm in algorithms])
    if base.until is None and horizon and find_algorithm(next(iter(algorithms))).kind == "detector":
        base = msgspec.structs.replace(base, until=horizon)
    scenarios = [
        msgspec.structs.replace(base, algorithm=algorithm, parameters=parameters, seed=base.seed + seed, expect=None)
        for algorithm, parameters in algorithms.items()
        for seed in range(seeds)
    ]
    runs: list[dict[str, Any]] = []
    for run in executor.map(measure, scenarios, chunksize=min(20, max(1, seeds // 16))):
        runs.append(run)
        if progress is not None:
            progress(len(runs), len(scenarios))
    own = [runs[number * seeds : (number + 1) * seeds] for number in range(len(algorithms))]
    return [summarise(algorithm, ran) for algorithm, ran in zip(algorithms, own, strict=True)]


def summarise(algorithm: str, runs: list[dict[str, Any]]) -> Comparison:
    """The means over all runs of one algorithm."""
    downtimes = [downtime for run in runs for downtime in run["downtimes"]]
    waits = [wait for run in runs for wait in run["waits"]]
    violations: dict[str, int] = {}
    for run in runs:
        for name in run["violated"]:
            violations[name] = violations.get(name, 0) + 1
    return Comparison(
        algorithm,
        len(runs),
        fmean(run["messages"] for run in runs),
        fmean(run["values"] for run in runs),
        fmean(run["time"] for run in runs),
        fmean(run["rounds"] for run in runs),
        fmean(run["busiest"] for run in runs),
        fmean(run["busiest_share"] for run in runs),
        mean_of_known(downtimes),
        max(downtimes) if downtimes else None,
        fmean(max(0, run["claims"] - 1) for run in runs),
        mean_of_known(run["entries"] for run in runs),
        mean_of_known(run["messages_per_entry"] for run in runs),
        mean_of_known(waits),
        max(waits, default=None),
        mean_of_known(handover for run in runs for handover in run["handovers"]),
        mean_of_known(run["throughput"] for run in runs),
        mean_of_known(times for run in runs for times in run["overtaken"]),
        mean_of_known(time for run in runs for time in run["detection_times"]),
        max([time for run in runs for time in run["detection_times"]], default=None),
        mean_of_known(run["mistakes"] for run in runs),
        mean_of_known(time for run in runs for time in run["mistake_durations"]),
        mean_of_known(run["load"] for run in runs),
        violations,
        runs[0]["promised"],
        sum(run["unfinished"] for run in runs),
    )


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are not None."""
    there = [value for value in values if value is not None]
    return fmean(there) if there else None


def draw_comparison(comparisons: list[Comparison], path: str | Path) -> None:
    """Draw a row of bars for each figure."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "habemus", "font.size": 10, "svg.fonttype": "path"})
    violated = sorted({name for row in comparisons for name in row.violations})
    measures: list[tuple[str, list[float]]] = [
        ("messages", [row.messages for row in comparisons]),
        ("values carried", [row.values for row in comparisons]),
        ("causal time, messages in a row", [row.rounds for row in comparisons]),
        ("messages handled by the busiest process, %", [100 * row.busiest_share for row in comparisons]),
        ("downtime after a crash, ticks", [row.downtime or 0 for row in comparisons]),
        ("changes of leader", [row.leader_changes for row in comparisons]),
        ("messages an entry", [row.messages_per_entry or 0 for row in comparisons]),
        ("waiting to enter, ticks", [row.waiting or 0 for row in comparisons]),
        ("from one leaving to the next entering, ticks", [row.handover or 0 for row in comparisons]),
        ("entries in 1,000 ticks", [row.throughput or 0 for row in comparisons]),
        ("from a crash to the suspicion, ticks", [row.detection_time or 0 for row in comparisons]),
        ("mistakes", [row.mistakes or 0 for row in comparisons]),
        ("messages a member in 1,000 ticks", [row.load or 0 for row in comparisons]),
        *(
            (f"runs that violate {name}", [float(row.violations.get(name, 0)) for row in comparisons])
            for name in violated
        ),
    ]
    measures = [(title, values) for title, values in measures if any(values)]
    names = [row.algorithm for row in comparisons]
    height = 0.42 + 0.2 * len(names)
    figure, rows = plt.subplots(
        len(measures), 1, figsize=(7.6, height * len(measures)), layout="constrained", squeeze=False
    )
    for axes, (title, values) in zip(rows[:, 0], measures, strict=True):
        bars = axes.barh(range(len(names)), values, height=0.62, color=COLOURS[: len(names)])
        axes.bar_label(bars, [f"{value:,.1f}".removesuffix(".0") for value in values], padding=4, fontsize=9)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_title(title, loc="left", fontsize=10, color="#444444")
        axes.set_xticks([])
        axes.set_xlim(0, max(values) * 1.12)
        axes.tick_params(length=0)
        for side in ("top", "right", "bottom", "left"):
            axes.spines[side].set_visible(False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if str(path).endswith(".svg") else None)
    plt.close(figure)
