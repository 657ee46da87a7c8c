"""Cost against n: many runs, on any executor.

A sweep is a list of scenarios that differ in algorithm, n and seed. An executor runs them and returns one small row for
each. `summarise_runs` makes one summary of all rows of one algorithm and one n. The cost of an election is its number
of messages; the cost of a mutex is messages an entry, and how these grow is found by least squares.

The cost of a mutex depends on who asks when. The averages in the papers assume independent requests: all processes ask
equally often, at random times, so seldom that usually nobody else waits. This is the default of a sweep. (One entry
each would say little: the first request of each process finds the initial pointers of naimi-trehel, and costs 3
messages whatever n is.)
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, as_completed
from math import isnan, log2, nan, sqrt
from pathlib import Path
from statistics import correlation, fmean, linear_regression

import msgspec
from msgspec import Struct

from habemus.catalogue import find_algorithm
from habemus.process import Bound
from habemus.scenario import Demand, Scenario, TopologySpec
from habemus.scenario.demand import MANY
from habemus.simulation import simulate

CHUNK_MESSAGES = 200_000
BETWEEN_REQUESTS = 1000  # ticks from one request to the next, whoever makes it: an entry takes far less

GROWTHS: tuple[tuple[str, Callable[[int], float]], ...] = (
    ("1/n", lambda n: 1 / n),  # towards a constant
    ("log n", log2),
    ("√n", sqrt),
    ("n", float),
)
ENOUGH_SIZES = 3  # two points lie on every curve


class RunCost(Struct):
    """What one run cost, and which properties it violated. `entries` is None unless it was a mutex."""

    algorithm: str
    n: int
    m: int
    seed: int
    messages: int
    time: int
    leader: int | None
    violated: list[str]  # promised ones
    observed: list[str]  # violated, but not promised
    ended: str
    entries: int | None = None

    @property
    def cost(self) -> float:
        """Messages; for a mutex, messages an entry, and nan if nobody entered."""
        if self.entries is None:
            return self.messages
        return self.messages / self.entries if self.entries else nan


class Fit(Struct):
    """The curve constant + factor · growth nearest to the means, and the share of their variance that it explains."""

    growth: str
    constant: float
    factor: float
    r2: float

    def __str__(self) -> str:
        factor, constant = (f"{x:.3g}" if abs(x) < 1000 else f"{x:,.0f}" for x in (self.factor, abs(self.constant)))
        gap = " " if self.growth == "log n" else ""
        return f"{factor}{gap}{self.growth.removeprefix('1')} {'-' if self.constant < 0 else '+'} {constant}"


class Summary(Struct, omit_defaults=True):
    """What all runs of one algorithm at one n cost. `fits` are those of a mutex over all n, the best first.

    `violations` counts the runs that violate a promised property, `observed` those that violate each other property.
    """

    algorithm: str
    n: int
    runs: int
    mean: float
    least: float
    most: float
    violations: int
    bounds: dict[str, float]
    observed: dict[str, int] = {}
    fits: list[Fit] = []


def run_one(scenario: Scenario) -> RunCost:
    outcome = simulate(scenario)
    violated = [watched for watched in outcome.properties if watched.witness is not None]
    return RunCost(
        scenario.algorithm,
        outcome.n,
        outcome.topology.m,
        scenario.seed,
        outcome.messages,
        outcome.time,
        outcome.leader,
        [watched.name for watched in violated if watched.promised],
        [watched.name for watched in violated if not watched.promised],
        outcome.ended,
        outcome.lock.entries if outcome.lock is not None else None,
    )


def run_chunk(scenarios: list[Scenario]) -> list[RunCost]:
    """Run a few scenarios in one task: a small run is not worth a task of its own."""
    return [run_one(scenario) for scenario in scenarios]


def build_usual_scenario(algorithm: str, n: int) -> Scenario:
    """The default scenario at one n; for a mutex, random and independent requests."""
    cls = find_algorithm(algorithm)
    scenario = Scenario(algorithm, topology=TopologySpec(n=n))
    if cls.kind == "mutex":
        think = BETWEEN_REQUESTS * n
        if cls.horizon:  # it never comes to rest, and its run ends when nobody has entered for that long
            think = min(think, cls.horizon // 10)
        scenario.demand = Demand("poisson", think=f"exponential:{think}")
    return scenario


def repeat_with_seeds(bases: list[Scenario], seeds: int) -> list[Scenario]:
    """Each scenario with so many seeds, from its own onwards."""
    return [msgspec.structs.replace(base, seed=base.seed + seed) for base in bases for seed in range(seeds)]


def split_into_chunks(scenarios: list[Scenario]) -> Iterator[list[Scenario]]:
    """Split scenarios into chunks of about equal work."""
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


def sweep(scenarios: list[Scenario], executor: Executor) -> Iterator[list[RunCost]]:
    """Run all scenarios on an executor; rows come as they are done."""
    futures = [executor.submit(run_chunk, chunk) for chunk in split_into_chunks(scenarios)]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def summarise_runs(rows: Iterable[RunCost]) -> list[Summary]:
    """One summary for each algorithm and n. A bound that depends on m is that of the graph with most links."""
    groups: dict[tuple[str, int], list[RunCost]] = {}
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
                {bound.formula: bound.messages(n, max(row.m for row in group)) for bound in find_bounds(algorithm)},
                dict(sorted(Counter(name for row in group for name in row.observed).items())),
            )
        )
    for algorithm in sorted({algorithm for (algorithm, _), group in groups.items() if group[0].entries is not None}):
        own = [summary for summary in summaries if summary.algorithm == algorithm]
        fits = fit_growths({summary.n: summary.mean for summary in own if not isnan(summary.mean)})
        for summary in own:
            summary.fits = fits
    return summaries


def fit_growths(means: dict[int, float]) -> list[Fit]:
    """Fit each growth to the means, best first; none for too few sizes, or if all means are equal."""
    if len(means) < ENOUGH_SIZES or len(set(means.values())) == 1:
        return []
    found = []
    for name, growth in GROWTHS:
        x, y = [growth(n) for n in means], list(means.values())
        factor, constant = linear_regression(x, y)
        found.append(Fit(name, constant, factor, correlation(x, y) ** 2))
    return sorted(found, key=lambda fit: -fit.r2)


def find_bounds(algorithm: str) -> tuple[Bound, ...]:
    """The proven bounds of an algorithm; for a mutex, messages an entry."""
    return find_algorithm(algorithm).bounds


def write_csv(rows: Iterable[RunCost], path: str | Path) -> None:
    """Write one line for each run."""
    ordered = sorted(rows, key=lambda row: (row.algorithm, row.n, row.seed))
    locks = any(row.entries is not None for row in ordered)
    own = ["entries", "messages_per_entry"] if locks else ["leader"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["algorithm", "n", "m", "seed", "messages", "time", *own, "violated", "observed", "ended"])
        for row in ordered:
            special = [row.entries, row.cost] if locks else [row.leader]
            head = [row.algorithm, row.n, row.m, row.seed, row.messages, row.time]
            writer.writerow([*head, *special, " ".join(row.violated), " ".join(row.observed), row.ended])
