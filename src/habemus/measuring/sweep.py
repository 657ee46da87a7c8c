"""Cost against n: many runs, on any executor.

A sweep is a list of scenarios that differ in algorithm, n and seed. Each is run where the executor pleases; only small
rows come back. `summarised` says what the rows of one algorithm and one n have in common. An election costs its
messages; a mutex costs its messages an entry, and how these grow is found by least squares.

What a mutex costs depends on who asks when. The papers' averages speak of requests that are independent of each other:
everybody asks equally often, at random moments, seldom enough that as a rule nobody else waits. So that is what a sweep
does unless told otherwise. (One entry each would tell little: the first request of everybody finds the pointers of
naimi-trehel as they were laid out, and costs 3 messages whatever n is.)
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, as_completed
from math import isnan, log2, nan, sqrt
from pathlib import Path
from statistics import correlation, fmean, linear_regression

import msgspec
from msgspec import Struct

from habemus.catalogue import find_algorithm
from habemus.process import Bound
from habemus.scenario import Demand, Place, Scenario
from habemus.simulation import simulate
from habemus.simulation.demand import MANY

CHUNK_MESSAGES = 200_000
BETWEEN_REQUESTS = 1000  # ticks from one request to the next, whoever makes it: an entry takes far less

GROWTHS: tuple[tuple[str, Callable[[int], float]], ...] = (
    ("1/n", lambda n: 1 / n),  # towards a constant
    ("log n", log2),
    ("√n", sqrt),
    ("n", float),
)
ENOUGH_SIZES = 3  # two points lie on every curve


class Row(Struct):
    """What one run cost. `entries` is None unless it was a mutex."""

    algorithm: str
    n: int
    m: int
    seed: int
    messages: int
    time: int
    leader: int | None
    violated: list[str]
    ended: str
    entries: int | None = None

    @property
    def cost(self) -> float:
        """Messages; of a mutex, messages an entry, and nan if nobody entered."""
        if self.entries is None:
            return self.messages
        return self.messages / self.entries if self.entries else nan


class Fit(Struct):
    """The curve constant + factor · growth that is nearest to the means, and how much of their variance it explains."""

    growth: str
    constant: float
    factor: float
    r2: float

    def __str__(self) -> str:
        factor, constant = (f"{x:.3g}" if abs(x) < 1000 else f"{x:,.0f}" for x in (self.factor, abs(self.constant)))
        gap = " " if self.growth == "log n" else ""
        return f"{factor}{gap}{self.growth.removeprefix('1')} {'-' if self.constant < 0 else '+'} {constant}"


class Summary(Struct, omit_defaults=True):
    """What all runs of one algorithm at one n cost. `fits` are those of a mutex over all n, the best first."""

    algorithm: str
    n: int
    runs: int
    mean: float
    least: float
    most: float
    violations: int
    bounds: dict[str, float]
    fits: list[Fit] = []


def run_one(scenario: Scenario) -> Row:
    """Run one scenario."""
    outcome = simulate(scenario)
    violated = [watched.name for watched in outcome.properties if watched.witness is not None]
    return Row(
        scenario.algorithm,
        outcome.n,
        outcome.topology.m,
        scenario.seed,
        outcome.messages,
        outcome.time,
        outcome.leader,
        violated,
        outcome.ended,
        outcome.lock.entries if outcome.lock is not None else None,
    )


def run_chunk(scenarios: list[Scenario]) -> list[Row]:
    """Run a few scenarios in a row: small runs are not worth a journey each."""
    return [run_one(scenario) for scenario in scenarios]


def usual_scenario(algorithm: str, n: int) -> Scenario:
    """What is run at one n unless told otherwise; for a mutex that is random, independent requests."""
    cls = find_algorithm(algorithm)
    scenario = Scenario(algorithm, topology=Place(n=n))
    if cls.kind == "mutex":
        think = BETWEEN_REQUESTS * n
        if cls.horizon:  # it never comes to rest, and its run ends when nobody has entered for that long
            think = min(think, cls.horizon // 10)
        scenario.demand = Demand("poisson", think=f"exponential:{think}")
    return scenario


def sweep_scenarios(bases: list[Scenario], seeds: int) -> list[Scenario]:
    """The runs of a sweep: each scenario with so many seeds, from its own onwards."""
    return [msgspec.structs.replace(base, seed=base.seed + seed) for base in bases for seed in range(seeds)]


def chunked(scenarios: list[Scenario]) -> Iterator[list[Scenario]]:
    """Neighbouring scenarios in chunks of about equal work."""
    chunk: list[Scenario] = []
    work = 0
    for scenario in scenarios:
        chunk.append(scenario)
        work += 20 * (scenario.topology.n or 1) * (1 if scenario.demand is None else MANY)
        if work >= CHUNK_MESSAGES:
            yield chunk
            chunk, work = [], 0
    if chunk:
        yield chunk


def sweep(scenarios: list[Scenario], executor: Executor) -> Iterator[list[Row]]:
    """Run all scenarios on an executor; rows come as they are done."""
    futures = [executor.submit(run_chunk, chunk) for chunk in chunked(scenarios)]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def summarised(rows: Iterable[Row]) -> list[Summary]:
    """One summary an algorithm and n, in that order; a bound that depends on m is that of the graph with most links."""
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.algorithm, row.n), []).append(row)
    summaries: list[Summary] = []
    for (algorithm, n), group in sorted(groups.items()):
        group.sort(
            key=lambda row: row.seed
        )  # rows come as they are done, and a sum of fractions depends on their order
        costs = [row.cost for row in group if row.entries != 0] or [nan]
        summaries.append(
            Summary(
                algorithm,
                n,
                len(group),
                fmean(costs),
                min(costs),
                max(costs),
                sum(bool(row.violated) for row in group),
                {bound.formula: bound.messages(n, max(row.m for row in group)) for bound in bounds_of(algorithm)},
            )
        )
    for algorithm in sorted({algorithm for (algorithm, _), group in groups.items() if group[0].entries is not None}):
        own = [summary for summary in summaries if summary.algorithm == algorithm]
        fits = fitted({summary.n: summary.mean for summary in own if not isnan(summary.mean)})
        for summary in own:
            summary.fits = fits
    return summaries


def fitted(means: dict[int, float]) -> list[Fit]:
    """The growths fitted to means by n, the best first; none for too few sizes, or a cost that is the same at all."""
    if len(means) < ENOUGH_SIZES or len(set(means.values())) == 1:
        return []
    found = []
    for name, growth in GROWTHS:
        x, y = [growth(n) for n in means], list(means.values())
        factor, constant = linear_regression(x, y)
        found.append(Fit(name, constant, factor, correlation(x, y) ** 2))
    return sorted(found, key=lambda fit: -fit.r2)


def bounds_of(algorithm: str) -> tuple[Bound, ...]:
    """What an algorithm is proven to cost; a mutex, an entry."""
    return find_algorithm(algorithm).bounds


def write_csv(rows: Iterable[Row], path: str | Path) -> None:
    """One line a run."""
    ordered = sorted(rows, key=lambda row: (row.algorithm, row.n, row.seed))
    locks = any(row.entries is not None for row in ordered)
    own = ["entries", "messages_per_entry"] if locks else ["leader"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["algorithm", "n", "m", "seed", "messages", "time", *own, "violated", "ended"])
        for row in ordered:
            special = [row.entries, row.cost] if locks else [row.leader]
            head = [row.algorithm, row.n, row.m, row.seed, row.messages, row.time]
            writer.writerow([*head, *special, " ".join(row.violated), row.ended])
