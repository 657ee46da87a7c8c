"""Cost against n: many runs, on any executor.

A sweep is a list of scenarios that differ in algorithm, n and seed. Each is run where the executor pleases; only small
rows come back. `summarised` says what the rows of one algorithm and one n have in common.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, as_completed
from pathlib import Path
from statistics import fmean

import msgspec
from msgspec import Struct

from habemus.catalogue import find_algorithm
from habemus.process import Bound
from habemus.scenario import Scenario
from habemus.simulation import simulate

CHUNK_MESSAGES = 200_000


class Row(Struct):
    """What one run cost."""

    algorithm: str
    n: int
    m: int
    seed: int
    messages: int
    time: int
    leader: int | None
    violated: list[str]
    ended: str


class Summary(Struct):
    """What all runs of one algorithm at one n cost."""

    algorithm: str
    n: int
    runs: int
    mean: float
    least: int
    most: int
    violations: int
    bounds: dict[str, float]


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
    )


def run_chunk(scenarios: list[Scenario]) -> list[Row]:
    """Run a few scenarios in a row: small runs are not worth a journey each."""
    return [run_one(scenario) for scenario in scenarios]


def sweep_scenarios(base: Scenario, algorithms: list[str], sizes: list[int], seeds: int) -> list[Scenario]:
    """The runs of a sweep: the base scenario with each algorithm, n and seed."""
    return [
        msgspec.structs.replace(
            base,
            algorithm=algorithm,
            topology=msgspec.structs.replace(base.topology, n=n),
            seed=base.seed + seed,
        )
        for algorithm in algorithms
        for n in sizes
        for seed in range(seeds)
    ]


def chunked(scenarios: list[Scenario]) -> Iterator[list[Scenario]]:
    """Neighbouring scenarios in chunks of about equal work."""
    chunk: list[Scenario] = []
    work = 0
    for scenario in scenarios:
        chunk.append(scenario)
        work += 20 * (scenario.topology.n or 1)
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
    summaries = []
    for (algorithm, n), group in sorted(groups.items()):
        costs = [row.messages for row in group]
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
    return summaries


def bounds_of(algorithm: str) -> tuple[Bound, ...]:
    """What an algorithm is proven to cost."""
    return find_algorithm(algorithm).bounds


def write_csv(rows: Iterable[Row], path: str | Path) -> None:
    """One line a run."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["algorithm", "n", "m", "seed", "messages", "time", "leader", "violated", "ended"])
        for row in sorted(rows, key=lambda row: (row.algorithm, row.n, row.seed)):
            writer.writerow(
                [
                    row.algorithm,
                    row.n,
                    row.m,
                    row.seed,
                    row.messages,
                    row.time,
                    row.leader,
                    " ".join(row.violated),
                    row.ended,
                ]
            )
