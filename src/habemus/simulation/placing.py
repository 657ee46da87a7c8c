"""Who sits where: the topology that a scenario means, with its ids in place."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from habemus.scenario import DEFAULT_N, MOST_PROCESSES, Place, Scenario, ScenarioError, shown
from habemus.simulation.topology import KINDS, Topology, arranged, build_topology, neighbour_lists


def place_processes(scenario: Scenario, stack: list[Any]) -> Topology:
    """The topology of a scenario with its ids in place."""
    cls = most_demanding(scenario, stack)
    place = scenario.topology
    seed = scenario.seed
    if place.file is not None or place.edges is not None:
        if cls.topology == "tree":
            return checked_tree(graph_topology(scenario), cls)
        if cls.topology != "any":
            raise ScenarioError(f"topology: {cls.name} runs on a {cls.topology} topology, not on any graph")
        return graph_topology(scenario)
    kind = place.kind or (cls.topology if cls.topology != "any" else "random")
    if kind not in KINDS:
        raise ScenarioError(f"topology.kind: there is no topology {kind!r}; there are: {', '.join(KINDS)}")
    if cls.topology in ("ring", "complete") and kind != cls.topology:
        raise ScenarioError(f"topology.kind: {cls.name} needs the {cls.topology} topology, not {kind}")
    if place.ids is not None:
        ids = checked_ids(place.ids)
        if place.n is not None and place.n != len(ids):
            raise ScenarioError(f"topology.n: {place.n} processes, but {len(ids)} ids are given")
    else:
        n = DEFAULT_N if place.n is None else place.n
        if not 1 <= n <= MOST_PROCESSES:
            raise ScenarioError(f"topology.n: expected a number of processes from 1 to {MOST_PROCESSES:,}, got {n}")
        ids = arranged(list(range(1, n + 1)), place.order, Random(f"{seed}/ids"))
    try:
        topology = build_topology(kind, ids, Random(f"{seed}/graph"))
    except ValueError as error:
        raise ScenarioError(f"topology: {error}") from None
    return checked_tree(topology, cls) if cls.topology == "tree" else topology


def most_demanding(scenario: Scenario, stack: list[Any]) -> Any:
    """The layer whose topology suits all: a complete graph holds every ring and tree, and `any` takes what there is."""
    demanding = [cls for cls in stack if cls.topology not in ("any", "ring")] or [
        cls for cls in stack if cls.topology == "ring"
    ]
    kinds = sorted({cls.topology for cls in demanding})
    if len(kinds) > 1:
        raise ScenarioError(f"layers: {' and '.join(f'{c.name} needs a {c.topology} topology' for c in demanding)}")
    if kinds == ["tree"] and any(cls.topology == "ring" for cls in stack):
        raise ScenarioError("layers: one needs a ring and another a tree, which has no circle")
    return demanding[0] if demanding else stack[-1]


def checked_tree(topology: Topology, cls: Any) -> Topology:
    """A topology without a circle."""
    if topology.m != topology.n - 1:
        raise ScenarioError(f"topology: {cls.name} needs a tree, as tree, line and star are, but there is a circle")
    return topology


def checked_ids(ids: list[int]) -> list[int]:
    """Ids that are there and differ."""
    if not ids:
        raise ScenarioError("topology.ids: expected at least one id")
    doubled = sorted({pid for pid in ids if ids.count(pid) > 1}) if len(set(ids)) < len(ids) else []
    if doubled:
        raise ScenarioError(f"topology.ids: ids have to differ, but {shown(doubled)} is there more than once")
    return ids


def graph_topology(scenario: Scenario) -> Topology:
    """The topology of a scenario that brings its own graph; the nodes are the ids."""
    place = scenario.topology
    if place.file is not None:
        graph = Place.from_graph(read_graph(place.file), place.file)
        place = msgspec.structs.replace(place, edges=graph.edges, ids=place.ids or graph.ids)
    edges = place.edges or []
    ids = checked_ids(place.ids or sorted({pid for edge in edges for pid in edge}))
    where = {pid: number for number, pid in enumerate(ids)}
    stranger = next((pid for edge in edges for pid in edge if pid not in where), None)
    if stranger is not None:
        raise ScenarioError(f"topology.edges: {stranger} is not among the ids {shown(ids)}")
    try:
        links = neighbour_lists(len(ids), [(where[a], where[b]) for a, b in edges])
    except ValueError as error:
        raise ScenarioError(f"topology: {error}") from None
    return Topology("graph", ids, links)


def read_graph(path: str) -> Any:
    """The graph in a GraphML file or an edge list."""
    import networkx as nx

    try:
        return nx.read_graphml(path) if path.endswith((".graphml", ".xml")) else nx.read_edgelist(path, data=False)
    except OSError as error:
        raise ScenarioError(f"topology.file: {path} cannot be read: {error.strerror}") from None
    except Exception as error:
        raise ScenarioError(f"topology.file: {path} is neither GraphML nor an edge list: {error}") from None
