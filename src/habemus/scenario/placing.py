"""Who sits where: the topology that a scenario means, with its ids in place."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from habemus.extras import require
from habemus.scenario import DEFAULT_N, MOST_PROCESSES, Scenario, ScenarioError, TopologySpec, list_ids
from habemus.scenario.topology import KINDS, Topology, arrange, build_topology, neighbour_lists


def place_processes(scenario: Scenario, stack: list[Any]) -> Topology:
    """The topology of a scenario with its ids in place."""
    cls = find_most_demanding(scenario, stack)
    spec = scenario.topology
    seed = scenario.seed
    if spec.file is not None or spec.edges is not None:
        if cls.topology == "tree":
            return check_tree(build_from_graph(scenario), cls)
        if cls.topology != "any":
            raise ScenarioError(f"topology: {cls.name} runs on a {cls.topology} topology, not on any graph")
        return build_from_graph(scenario)
    kind = spec.kind or (cls.topology if cls.topology != "any" else "random")
    if kind not in KINDS:
        raise ScenarioError(f"topology.kind: there is no topology {kind!r}; there are: {', '.join(KINDS)}")
    if cls.topology in ("ring", "complete") and kind != cls.topology:
        raise ScenarioError(f"topology.kind: {cls.name} needs the {cls.topology} topology, not {kind}")
    if spec.ids is not None:
        ids = check_ids(spec.ids)
        if spec.n is not None and spec.n != len(ids):
            raise ScenarioError(f"topology.n: {spec.n} processes, but {len(ids)} ids are given")
    else:
        n = DEFAULT_N if spec.n is None else spec.n
        if not 1 <= n <= MOST_PROCESSES:
            raise ScenarioError(f"topology.n: expected a number of processes from 1 to {MOST_PROCESSES:,}, got {n}")
        ids = arrange(list(range(1, n + 1)), spec.order, Random(f"{seed}/ids"))
    try:
        topology = build_topology(kind, ids, Random(f"{seed}/graph"))
    except ValueError as error:
        raise ScenarioError(f"topology: {error}") from None
    return check_tree(topology, cls) if cls.topology == "tree" else topology


def find_most_demanding(scenario: Scenario, stack: list[Any]) -> Any:
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


def check_tree(topology: Topology, cls: Any) -> Topology:
    """A topology without a circle."""
    if topology.m != topology.n - 1:
        raise ScenarioError(f"topology: {cls.name} needs a tree, as tree, line and star are, but there is a circle")
    return topology


def check_ids(ids: list[int]) -> list[int]:
    """Ids that are there and differ."""
    if not ids:
        raise ScenarioError("topology.ids: expected at least one id")
    doubled = sorted({pid for pid in ids if ids.count(pid) > 1}) if len(set(ids)) < len(ids) else []
    if doubled:
        raise ScenarioError(f"topology.ids: ids have to differ, but {list_ids(doubled)} is there more than once")
    return ids


def build_from_graph(scenario: Scenario) -> Topology:
    """The topology of a scenario that brings its own graph; the nodes are the ids."""
    spec = scenario.topology
    if spec.file is not None:
        graph = TopologySpec.from_graph(read_graph(spec.file), spec.file)
        spec = msgspec.structs.replace(spec, edges=graph.edges, ids=spec.ids or graph.ids)
    edges = spec.edges or []
    ids = check_ids(spec.ids or sorted({pid for edge in edges for pid in edge}))
    where = {pid: number for number, pid in enumerate(ids)}
    stranger = next((pid for edge in edges for pid in edge if pid not in where), None)
    if stranger is not None:
        raise ScenarioError(f"topology.edges: {stranger} is not among the ids {list_ids(ids)}")
    try:
        links = neighbour_lists(len(ids), [(where[a], where[b]) for a, b in edges])
    except ValueError as error:
        raise ScenarioError(f"topology: {error}") from None
    return Topology("graph", ids, links)


def read_graph(path: str) -> Any:
    """The graph in a GraphML file or an edge list."""
    require("topology.file", "networkx")

    import networkx as nx

    try:
        return nx.read_graphml(path) if path.endswith((".graphml", ".xml")) else nx.read_edgelist(path, data=False)
    except OSError as error:
        raise ScenarioError(f"topology.file: {path} cannot be read: {error.strerror}") from None
    except Exception as error:
        raise ScenarioError(f"topology.file: {path} is neither GraphML nor an edge list: {error}") from None
