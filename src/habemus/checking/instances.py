"""What is checked: from a scenario and some limits to the meaning of the instance, and to all instances of a size.

An instance of a ring is an order of the ids: those that are rotations of each other are the same, so the largest id
sits in place 0. An instance of a graph algorithm is a connected graph; those that differ only in the names of places
are the same graph, but who sits where may matter, so the ids are fixed in sorted order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import msgspec

from habemus.checking.limits import ASYNC, BOUNDED, LATE, Limits
from habemus.checking.semantics import Semantics
from habemus.checking.steps import Setting, size
from habemus.process import Anatomy, Detector, Election
from habemus.scenario import Place, Scenario, ScenarioError, check_fault_targets
from habemus.simulation.agenda import starters_of
from habemus.simulation.placing import place_processes
from habemus.simulation.run import build_stack, properties_of

SCALED = {"transmission": 1, "processing": 1}
"""Parameters that stand for time, made small: a bound is a bound, and fewer ticks are fewer states."""


class Question:
    """What is asked: a scenario, the limits within which its runs are explored, and the properties they should have."""

    def __init__(self, scenario: Scenario, limits: Limits, properties: list[str]) -> None:
        self.scenario = scenario
        self.limits = limits
        self.properties = properties

    def semantics(self) -> Semantics:
        """The meaning of the instance."""
        scenario = self.scenario
        stack, parameters = build_stack(scenario)
        topology = place_processes(scenario, [anatomy.cls for anatomy in stack])
        wanted = self.properties or promised(stack, scenario)
        starters = starters_of(scenario, topology)
        return Semantics(
            Setting(stack, parameters, topology, starters, self.limits, lambda: properties_of(scenario, stack), wanted)
        )


def promised(stack: list[Anatomy], scenario: Scenario) -> list[str]:
    """What the algorithm guarantees; for one that guarantees nothing, all that its kind is judged by."""
    known = [judge.name for judge in properties_of(scenario, stack)]
    guaranteed = [name for name in known if any(name in anatomy.cls.guarantees for anatomy in stack)]
    return guaranteed or known


def settled(scenario: Scenario, timing: str | None, given: dict[str, Any]) -> tuple[Scenario, Limits]:
    """The scenario with parameters small enough to explore, and the limits; what the user says stands."""
    stack, _ = build_stack(scenario)
    cls = stack[-1].cls
    timing = timing or (BOUNDED if cls.model == "synchronous" else ASYNC)
    parameters = dict(scenario.parameters)
    for name, value in SCALED.items():
        if name in stack[-1].parameters and name not in parameters:
            parameters[name] = value
    scenario = msgspec.structs.replace(scenario, parameters=parameters)
    checked, settings = build_stack(scenario)
    limits = dict(given)
    limits.setdefault("detection", detection_of(scenario, checked, settings[-1]))
    limits.setdefault("delay", settings[-1].get("transmission", 1))
    limits.setdefault("detector", cls.detector)
    limits.setdefault("alarms", 2 if timing == ASYNC else -1)
    if "detector" in given and limits["detection"] < 0:
        raise ScenarioError(f"--detector {given['detector']}: {scenario.algorithm} does not listen to one")
    if limits.get("anybody") and limits.get("starts") == LATE:
        raise ScenarioError("--starts late: name the starters; --starters any goes with --starts first or step")
    eager = [anatomy.cls for anatomy in stack if "start" in anatomy.events and not issubclass(anatomy.cls, Election)]
    if limits.get("anybody") and eager:
        raise ScenarioError(f"--starters any: {eager[0].name} is no election, and starts by itself; leave it out")
    return scenario, Limits(timing=timing, fifo=scenario.network.fifo, **limits)


def detection_of(scenario: Scenario, stack: list[Anatomy], parameters: dict[str, Any]) -> int:
    """How long the perfect detector takes, T = 2 T_trans + T_process; -1 if nobody listens to it."""
    if scenario.detection is not None:
        return scenario.detection
    hearing = [anatomy for anatomy in stack if {"suspect", "trust"} & anatomy.events.keys()]
    detectors = [anatomy for anatomy in stack if issubclass(anatomy.cls, Detector)]
    if not hearing or (detectors and not any(anatomy in hearing for anatomy in detectors)):
        return -1
    return int(2 * parameters.get("transmission", 1) + parameters.get("processing", 1))


def all_orders(scenario: Scenario, n: int) -> Iterator[Scenario]:
    """A ring with its ids in every order, up to rotation."""
    for rest in permutations(range(1, n)):
        yield msgspec.structs.replace(scenario, topology=Place(kind=scenario.topology.kind, ids=[n, *rest]))


def all_graphs(scenario: Scenario, n: int, labelled: bool) -> Iterator[Scenario]:
    """Every connected graph of n places, up to isomorphism with ids in one order; `labelled`: in every order."""
    import networkx as nx

    if n == 1:
        yield msgspec.structs.replace(scenario, topology=Place(ids=[1], edges=[]))
        return
    if n > 7:
        raise ScenarioError(f"--all-graphs: there are too many graphs of {n} places; at most 7")
    for graph in nx.graph_atlas_g():
        if graph.number_of_nodes() == n and nx.is_connected(graph):
            orders = permutations(range(1, n + 1)) if labelled else [tuple(range(1, n + 1))]
            drawn = {tuple(sorted([sorted_pair(ids[a], ids[b]) for a, b in graph.edges])) for ids in orders}
            for edges in sorted(drawn):
                yield msgspec.structs.replace(scenario, topology=Place(ids=list(range(1, n + 1)), edges=list(edges)))


def sorted_pair(a: int, b: int) -> tuple[int, int]:
    """An edge, the smaller id first."""
    return (a, b) if a < b else (b, a)


def fewer_starters(starters: list[int]) -> Iterator[list[int]]:
    """The starters without one of them, if that leaves any."""
    if len(starters) > 1:
        yield from [list(kept) for kept in combinations(starters, len(starters) - 1)]


def check_wanted(scenario: Scenario, wanted: list[str], limits: Limits) -> None:
    """Refuse properties and bounds that the algorithm does not have, and starters that are not there."""
    stack, _ = build_stack(scenario)
    check_fault_targets(scenario, place_processes(scenario, [anatomy.cls for anatomy in stack]).ids)
    known = [judge.name for judge in properties_of(scenario, stack)]
    for name in wanted:
        if name not in known:
            raise ScenarioError(f"--property {name}: expected one of {', '.join(known)}")
    semantics = Question(scenario, limits, wanted).semantics()
    layers = semantics.locals[semantics.initial[0]].layers
    at_first = {
        name: value
        for anatomy, layer in zip(stack, layers, strict=True)
        for name, value in zip(anatomy.fields, layer, strict=True)
    }
    for name in limits.bounds:
        if name not in at_first:
            raise ScenarioError(
                f"--bound {name}: {scenario.algorithm} has no such field; it has: {', '.join(at_first)}"
            )
        if at_first[name] is not None and size(at_first[name]) is None:
            raise ScenarioError(
                f"--bound {name}: expected a field that counts or collects; this is {at_first[name]!r} at first"
            )
