"""The time-out of bully: false elections against downtime.

Bully over heartbeats. A process that has not heard the leader for T calls an election; a candidate that has heard no
answer for T declares itself leader. If T is short, elections are called while the leader is well, and two may lead; if
it is long, the group is without a leader for longer when the leader has crashed. For some T, many runs: in each the
leader is well for a while and crashes then.

Beats come as often as a message takes at the median, so that T is what matters and not the period.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from statistics import fmean
from typing import Any

from msgspec import Struct

from habemus.measuring.drawing import BLUE, VERMILLION, make_figure, save_figure, set_title, style_axes
from habemus.measuring.timeout import DistributedTrips
from habemus.scenario import Crash, Layer, Network, Scenario, ScenarioError, TopologySpec
from habemus.simulation import simulate

MULTIPLES = (2, 2.5, 3, 4, 5, 6, 8, 12, 16)
QUIET, REST = 60, 120  # periods for which the leader is well, and that the group has to replace it
KEPT_EVENTS = 200_000
MOST_MEDIAN = 10_000


class TimeoutRow(Struct):
    """What a time-out did, over all runs."""

    timeout: int
    runs: int
    false_elections: float  # in 1,000 ticks, while the leader was well
    downtime: float | None  # ticks, on average; None if no run had a new leader in time
    longest_downtime: int | None
    unreplaced: int  # runs in which no new leader was agreed on in time
    two_leaders: int  # runs in which two led at once


def choose_timeouts(delay: str) -> list[int]:
    """Time-outs from two medians of the delay on."""
    return sorted({round(factor * median_of(delay)) for factor in MULTIPLES})


def median_of(delay: str) -> int:
    median = DistributedTrips(delay).reached(0.5, MOST_MEDIAN)
    if median is None:
        raise ScenarioError(f"--delay {delay}: expected a median of at most {MOST_MEDIAN:,} ticks")
    return max(1, round(median))


def build_scenario(delay: str, timeout: int, n: int, seed: int) -> Scenario:
    """A run: the leader is well for a while, and crashes then."""
    period = median_of(delay)
    if timeout <= period:
        raise ScenarioError(f"--timeouts {timeout}: expected more than {period}, the time between two beats")
    beats = Layer("heartbeat", {"period": period, "timeout": timeout, "look": max(1, period // 4)})
    crash = QUIET * period + 10 * timeout  # the first election is over by then
    return Scenario(
        "bully",
        parameters={"transmission": max(1, (timeout - 1) // 2)},  # T = 2 T_trans + T_process
        layers=[beats],
        topology=TopologySpec(n=n),
        network=Network(delay),
        starters="all",
        faults=[Crash(crash, "leader")],
        seed=seed,
        until=crash + REST * period + 20 * timeout,
    )


def measure_run(scenario: Scenario) -> dict[str, Any]:
    outcome = simulate(scenario, keep=KEPT_EVENTS)
    crash = scenario.faults[0].at
    called = [event for event in outcome.trace.events if event.clause == "miss_leader" and event.sent]
    return {
        "false": sum(event.time < crash for event in called) * 1000 / crash,
        "downtime": outcome.downtimes[-1] if outcome.downtimes else None,
        "two": "uniqueness" in outcome.violated,
    }


def measure_timeouts(
    delay: str,
    timeouts: Sequence[int],
    n: int,
    seeds: int,
    executor: Executor,
    progress: Callable[[int, int], None] | None = None,
) -> list[TimeoutRow]:
    """Measure each time-out over so many runs."""
    scenarios = [build_scenario(delay, timeout, n, seed) for timeout in timeouts for seed in range(seeds)]
    runs: list[dict[str, Any]] = []
    for run in executor.map(measure_run, scenarios):
        runs.append(run)
        if progress is not None:
            progress(len(runs), len(scenarios))
    return [summarise(timeout, runs[number * seeds : (number + 1) * seeds]) for number, timeout in enumerate(timeouts)]


def summarise(timeout: int, runs: list[dict[str, Any]]) -> TimeoutRow:
    downtimes = [run["downtime"] for run in runs if run["downtime"] is not None]
    return TimeoutRow(
        timeout,
        len(runs),
        fmean(run["false"] for run in runs),
        fmean(downtimes) if downtimes else None,
        max(downtimes, default=None),
        len(runs) - len(downtimes),
        sum(run["two"] for run in runs),
    )


def draw_timeouts(rows: list[TimeoutRow], delay: str, path: str | Path) -> None:
    """False elections above, downtime below, over the time-out."""
    figure = make_figure(7.2, 4.8)
    upper, lower = figure.subplots(2, 1, sharex=True)
    figure.subplots_adjust(hspace=0.2)
    upper.plot(
        [row.timeout for row in rows], [row.false_elections for row in rows], "o-", color=VERMILLION, markersize=4
    )
    known = [(row.timeout, row.downtime) for row in rows if row.downtime is not None]
    lower.plot([timeout for timeout, _ in known], [downtime for _, downtime in known], "o-", color=BLUE, markersize=4)
    style_axes(upper, "", "false elections in 1,000 ticks")
    style_axes(lower, "time-out T, ticks", "downtime after a crash, ticks")
    upper.set_ylim(bottom=0)
    lower.set_ylim(bottom=0)
    set_title(upper, f"bully over heartbeats, delays {delay}")
    save_figure(figure, path)
