"""The stack of a scenario: its layers, lowest first, each with its checked parameters."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from habemus.catalogue import find_algorithm, find_variant
from habemus.process import Anatomy, Detector, Election, Mutex, Process, dissect
from habemus.process.source import source_file
from habemus.scenario.checked import ScenarioError
from habemus.scenario.scenario import DEFAULT_DETECTION, Layer, Scenario

LAYERS = ("detector", "election", "mutex")  # what is built on what


def build_stack(scenario: Scenario) -> tuple[list[Anatomy], list[dict[str, Any]]]:
    """The layers, bottom to top, with their checked parameters."""
    stack, parameters = [], []
    for number, layer in enumerate(layers_below(scenario)):
        stack.append(dissect(find_algorithm(layer.algorithm)))
        parameters.append(check_parameters(stack[-1], layer.parameters, f"layers[{number}].parameters"))
    stack.append(dissect(find_algorithm(scenario.algorithm)))
    parameters.append(check_parameters(stack[-1], scenario.parameters, "parameters"))
    check_order([anatomy.cls for anatomy in stack])
    check_waiting(scenario, [anatomy.cls for anatomy in stack if issubclass(anatomy.cls, Mutex)])
    return stack, parameters


def check_waiting(scenario: Scenario, locks: list[Any]) -> None:
    """Refuse what is said of those who wait where nobody does, and a bound that is not declared."""
    said = [name for name in ("demand", "waiting_limit", "waiting_time") if getattr(scenario, name) is not None]
    if said and not locks:
        raise ScenarioError(f"{said[0]}: {scenario.algorithm} is not a mutex, so nobody waits to enter")
    if scenario.waiting_limit == "declared" and locks[0].waiting_bound is None:
        raise ScenarioError(f"waiting_limit: {scenario.algorithm} declares no bound on waiting; give a number")


def source_files(scenario: Scenario) -> set[str]:
    """The files in which the algorithms of a scenario are written."""
    classes = [anatomy.cls for anatomy in build_stack(scenario)[0]]
    return {file for cls in classes for base in cls.__mro__ if (file := source_file(base)) is not None}


def layers_below(scenario: Scenario) -> list[Layer]:
    """The layers below the algorithm: as the scenario says, and an election if it needs one and there is none."""
    election = find_algorithm(scenario.algorithm).default_election
    elected = any(issubclass(find_algorithm(layer.algorithm), Election) for layer in scenario.layers)
    return [*scenario.layers, Layer(election)] if election and not elected else scenario.layers


def check_order(stack: list[Any]) -> None:
    """Refuse layers that could not hear of each other: a detector is below an election, and that below a mutex."""
    kinds = [cls.kind for cls in stack if cls.kind in LAYERS]
    for kind in LAYERS:
        if kinds.count(kind) > 1:
            raise ScenarioError(f"layers: there can be one {kind} in a stack, not {kinds.count(kind)}")
    if kinds != sorted(kinds, key=LAYERS.index):
        raise ScenarioError(f"layers: expected {' below '.join(sorted(kinds, key=LAYERS.index))}, lowest first")


def check_parameters(anatomy: Anatomy, given: dict[str, Any], where: str) -> dict[str, Any]:
    """The parameters as the algorithm declares them; one it does not have, or of another type, is refused."""
    parameters = {}
    for name, value in given.items():
        field = anatomy.parameters.get(name)
        if field is None:
            variant = find_variant(anatomy.cls, name)
            if variant is not None:
                raise ScenarioError(
                    f"{where}.{name}: {anatomy.cls.name} has no such parameter; see its variant {variant}"
                )
            known = ", ".join(anatomy.parameters) or "none"
            raise ScenarioError(f"{where}.{name}: {anatomy.cls.name} has no such parameter; it has: {known}")
        try:
            parameters[name] = msgspec.convert(value, field.hint, strict=False)
        except msgspec.ValidationError as error:
            sentence = str(error).lower().replace("`", "")
            choices = choices_of(field.hint)
            expected = f"; expected {' or '.join(choices)}" if choices else ""
            raise ScenarioError(f"{where}.{name}: {sentence}{expected}") from None
        number = parameters[name]
        if isinstance(number, int | float) and (not number >= 0 or (number == 0 and name in anatomy.cls.positive)):
            least = "a number above 0" if name in anatomy.cls.positive else "0 or more"
            raise ScenarioError(f"{where}.{name}: expected {least}, got {number}")
    return parameters


def choices_of(hint: Any) -> list[str]:
    """The texts that a parameter may be, if it is one of a few."""
    inner = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return [str(choice) for choice in get_args(inner)] if get_origin(inner) is Literal else []


def detection_time(
    scenario: Scenario, stack: list[Anatomy], layers: list[Process], default: int = DEFAULT_DETECTION
) -> int:
    """How long the perfect detector takes; -1 if nobody listens to it, or the stack brings a detector of its own.

    As the scenario says, else as the lowest layer that listens declares. `layers` are those of any process of the run.
    """
    if scenario.detection is not None:
        return scenario.detection
    hearing = [layer for layer, anatomy in enumerate(stack) if {"suspect", "trust"} & anatomy.events.keys()]
    detectors = [layer for layer, anatomy in enumerate(stack) if issubclass(anatomy.cls, Detector)]
    if not hearing or (detectors and hearing[0] not in detectors):
        return -1
    declared = layers[hearing[0]].detection_time
    return default if declared is None else declared
