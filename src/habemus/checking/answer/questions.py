"""What is asked: a scenario, the limits within which its runs are explored, and the properties they should have."""

from __future__ import annotations

from typing import Any

import msgspec

from habemus.catalogue import find_algorithm
from habemus.checking.model.instance import Instance
from habemus.checking.model.limits import ASYNC, BOUNDED, LATE, Limits
from habemus.checking.model.local_states import measure
from habemus.checking.model.semantics import Semantics
from habemus.process import Anatomy, Detector, Election
from habemus.properties import properties_of
from habemus.scenario import Layer, Scenario, ScenarioError, check_fault_targets
from habemus.scenario.placing import place_processes
from habemus.scenario.specimens import specimens
from habemus.scenario.stack import build_stack, detection_time, layers_below
from habemus.scenario.starters import starters_of

DETECTION = 3  # ticks, where nobody relies on another time


class Question:
    def __init__(self, scenario: Scenario, limits: Limits, properties: list[str], forever: bool = False) -> None:
        self.scenario = scenario
        self.limits = limits
        self.properties = properties  # by name; none: what the algorithm promises
        self.forever = forever  # whether those who want a lock may ask again and again, too; see `check`

    def build_semantics(self) -> Semantics:
        scenario = self.scenario
        stack, parameters = build_stack(scenario)
        topology = place_processes(scenario, [anatomy.cls for anatomy in stack])
        wanted = self.properties or list_promised(stack, scenario)
        starters = starters_of(scenario, topology)
        limit = scenario.waiting_limit
        return Semantics(
            Instance(stack, parameters, topology, starters, self.limits, lambda: properties_of(stack, limit), wanted)
        )


def list_promised(stack: list[Anatomy], scenario: Scenario) -> list[str]:
    """What the algorithms guarantee; if they guarantee nothing, all that they are judged by."""
    known = properties_of(stack, scenario.waiting_limit)
    return [judge.name for judge in known if judge.promised] or [judge.name for judge in known]


def settle(scenario: Scenario, timing: str | None, given: dict[str, Any]) -> tuple[Scenario, Limits]:
    """The scenario with parameters small enough to explore, and the limits; what is given stays as it is."""
    stack, _ = build_stack(scenario)
    cls = stack[-1].cls
    timing = timing or (BOUNDED if cls.synchronous or issubclass(cls, Detector) else ASYNC)
    layers = scenario.layers or [Layer(layer.algorithm, small_settings(layer)) for layer in layers_below(scenario)]
    parameters = {**cls.small_times, **scenario.parameters}
    scenario = msgspec.structs.replace(scenario, layers=layers, parameters=parameters)
    specimen = specimens(*build_stack(scenario))
    limits = dict(given)
    limits.setdefault("detection", detection_time(scenario, stack, specimen, DETECTION))
    limits.setdefault("delay", specimen[-1].delay_bound or 1)
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


def small_settings(layer: Layer) -> dict[str, Any]:
    """What the class of a layer below the algorithm declares small enough to check."""
    cls = find_algorithm(layer.algorithm)
    return {**cls.small_parameters, **cls.small_times}


def make_small(scenario: Scenario, given: dict[str, Any]) -> tuple[Scenario, dict[str, Any]]:
    """The scenario and the limits with what the class declares small enough to check, where nothing else is said."""
    cls = find_algorithm(scenario.algorithm)
    parameters = {**cls.small_parameters, **scenario.parameters}
    below = [find_algorithm(layer.algorithm) for layer in layers_below(scenario) if not scenario.layers]
    bounds = {name: most for layer in [*below, cls] for name, most in layer.small_bounds.items()}
    limits = {"bounds": bounds, **cls.small_limits, **given}
    return msgspec.structs.replace(scenario, parameters=parameters), limits


def check_wanted(scenario: Scenario, wanted: list[str], limits: Limits) -> None:
    """Refuse properties and bounds that the algorithm does not have, and starters that do not exist."""
    stack, _ = build_stack(scenario)
    check_fault_targets(scenario, place_processes(scenario, [anatomy.cls for anatomy in stack]).ids)
    known = [judge.name for judge in properties_of(stack, scenario.waiting_limit)]
    for name in wanted:
        if name not in known:
            raise ScenarioError(f"--property {name}: expected one of {', '.join(known)}")
    semantics = Question(scenario, limits, wanted).build_semantics()
    layers = semantics.locals.known[semantics.initial[0]].layers
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
        if at_first[name] is not None and measure(at_first[name]) is None:
            raise ScenarioError(
                f"--bound {name}: expected a field that counts or collects; this is {at_first[name]!r} at first"
            )
