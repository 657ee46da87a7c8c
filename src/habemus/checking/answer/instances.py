"""All instances of a size.

An instance of a ring is an order of the ids: those that are rotations of each other are the same, so the largest id
has seat 0. An instance of a graph algorithm is a connected graph; those that differ only in the names of seats are the
same graph, but which process has which seat may matter, so the ids are fixed in sorted order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import msgspec

from habemus.catalogue import find_algorithm
from habemus.extras import require
from habemus.scenario import Scenario, ScenarioError, TopologySpec


def list_instances(scenario: Scenario, orders: bool, graphs: bool) -> list[Scenario]:
    """The scenario itself; or the same on a ring with its ids in all orders, or on all graphs of its size."""
    topology = find_algorithm(scenario.algorithm).topology
    n = scenario.topology.n or len(scenario.topology.ids or [])
    if graphs:
        if topology != "any":
            raise ScenarioError(
                f"--all-graphs is for algorithms on any graph; {scenario.algorithm} runs on a {topology} topology"
            )
        return list(all_graphs(scenario, n, orders))
    if orders:
        if topology != "ring":
            raise ScenarioError(
                f"--all-orders is for rings, or goes with --all-graphs; "
                f"{scenario.algorithm} runs on a {topology} topology"
            )
        return list(all_orders(scenario, n))
    return [scenario]


def all_orders(scenario: Scenario, n: int) -> Iterator[Scenario]:
    """A ring with its ids, or 1 to n, in every order, up to rotation."""
    spec = scenario.topology
    *others, last = spec.ids or range(1, n + 1)
    for rest in permutations(others):
        yield msgspec.structs.replace(scenario, topology=TopologySpec(kind=spec.kind, ids=[last, *rest]))


def all_graphs(scenario: Scenario, n: int, labelled: bool) -> Iterator[Scenario]:
    """Every connected graph of n processes, up to isomorphism with ids in one order; `labelled`: in every order."""
    require("--all-graphs", "networkx")

    import networkx as nx

    if n == 1:
        yield msgspec.structs.replace(scenario, topology=TopologySpec(ids=[1], edges=[]))
        return
    if n > 7:
        raise ScenarioError(f"--all-graphs: there are too many graphs of {n} processes; at most 7")
    for graph in nx.graph_atlas_g():
        if graph.number_of_nodes() == n and nx.is_connected(graph):
            orders = permutations(range(1, n + 1)) if labelled else [tuple(range(1, n + 1))]
            drawn = {tuple(sorted([sort_pair(ids[a], ids[b]) for a, b in graph.edges])) for ids in orders}
            for edges in sorted(drawn):
                yield msgspec.structs.replace(
                    scenario, topology=TopologySpec(ids=list(range(1, n + 1)), edges=list(edges))
                )


def sort_pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)
