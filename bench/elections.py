"""Every election of the catalogue at size: n = 10,000 processes, or about 100,000 links.

Prints messages a second for each, and that as a ratio to chang-roberts in the same run. Those that are quadratic when
all start are given one starter; heartbeats are cut off after a while.
"""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import track
from rich.table import Table

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.scenario import Network, Scenario, TopologySpec
from habemus.simulation import simulate

SIZES = {"ring": 10_000, "complete": 447, "any": 50_000}
ONE_STARTER = {"ring-collect", "lcr", "anonymous-ring", "ring-coordinator", "echo-extinction", "gossip-election"}
OTHER_SIZES = {"capture": 10_000, "capture-sync": 10_000, "gossip-election": 10_000, "sortition": 10_000}
ENDLESS = {"raft-election": 2_000, "invitation": 2_000}


def run(name: str, scale: float) -> list[str | float]:
    n = max(2, int(OTHER_SIZES.get(name, SIZES[find_algorithm(name).topology]) * scale))
    scenario = Scenario(
        name,
        topology=TopologySpec(n=n),
        network=Network("uniform:1:10"),
        starters="one" if name in ONE_STARTER else "all",
        until=ENDLESS.get(name),
    )
    begun = time.perf_counter()
    outcome = simulate(scenario)
    seconds = time.perf_counter() - begun
    starters = "one" if name in ONE_STARTER else "all"
    return [name, n, outcome.topology.m, starters, outcome.messages, seconds, outcome.messages / seconds, outcome.ended]


def main() -> None:
    scale = 0.05 if "--quick" in sys.argv else 1.0
    names = [name for name in algorithm_names() if find_algorithm(name).kind == "election"]
    rows = [run(name, scale) for name in track(names, "elections", console=Console(stderr=True), transient=True)]
    yardstick = next(row[6] for row in rows if row[0] == "chang-roberts")
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for column in (
        "election",
        "n",
        "links",
        "start",
        "messages",
        "seconds",
        "messages/s",
        "to chang-roberts",
        "ended by",
    ):
        table.add_column(column, justify="left" if column in ("election", "start", "ended by") else "right")
    for name, n, m, starters, messages, seconds, rate, ended in rows:
        share = f"{rate / yardstick:.2f}"
        table.add_row(
            name, f"{n:,}", f"{m:,}", starters, f"{messages:,}", f"{seconds:.2f}", f"{rate:,.0f}", share, ended
        )
    Console().print(table)


if __name__ == "__main__":
    main()
