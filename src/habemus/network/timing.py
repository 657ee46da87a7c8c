"""How long things take on real machines and networks, where nobody says.

A tick is a millisecond. The defaults of the algorithms suit a simulation, where a message takes a tick; here they are
patient enough that a busy machine does not look dead, and that an idle group costs next to nothing.

Who dies is noticed at once, for its kernel closes its connections; patience is about who hangs. A group in haste
replaces a leader that hangs within 100 ms: beats every 20 ms, and 70 to 84 ms of silence are suspicious. That costs
some percent of a core, and whoever does not get to run for 50 ms has to take itself for replaced. Therefore it asks to
run before others; where the system does not let it, a machine that is too busy may replace a leader that is well.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import msgspec

from habemus.catalogue import find_algorithm
from habemus.process import Detector, Pid, Process, dissect
from habemus.scenario import Layer, Scenario
from habemus.simulation.run import build_stack

DETECTOR, DETECTOR_FOR_MANY = "heartbeat", "swim"
MANY = 25  # members, from which on everybody's heartbeats to everybody cost too much: they grow with the square
ALWAYS = {"transmission": 50, "eager": True}
TIMING: dict[str, dict[str, Any]] = {
    "heartbeat": {"period": 500, "timeout": 2000, "look": 500},
    "phi-accrual": {"period": 500, "look": 250, "least_deviation": 100},
    "swim": {"period": 1000},
    "raft-election": {"low": 1000, "high": 2000, "heartbeat": 250},
}
HASTE = Layer("heartbeat", {"period": 20, "timeout": 70, "look": 14})
DEFAULT_STALL = 1000
HASTY = 100  # who is given up sooner than that has to run before others


def in_haste(scenario: Scenario) -> Scenario:
    """The scenario over a detector that notices within 100 ms who hangs; for algorithms that heed suspicions."""
    return msgspec.structs.replace(scenario, layers=[HASTE, *scenario.layers])


def take_precedence() -> None:
    """Run before all ordinary processes, if the system knows such a thing and lets us; those we start do not."""
    with suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def settled(scenario: Scenario, ids: list[Pid]) -> Scenario:
    """The scenario with the members in their places and, where suspicions are heeded, a detector for the hung."""
    if scenario.topology.edges is None and scenario.topology.file is None:
        place = msgspec.structs.replace(scenario.topology, ids=ids, n=None)
        scenario = msgspec.structs.replace(scenario, topology=place)
    stack, _ = build_stack(scenario)
    layers = list(scenario.layers)
    # Who has heartbeats of its own hears of closed connections, and needs no other detector.
    needy = [anatomy for anatomy in stack if "heartbeat" not in anatomy.parameters]
    hears = any({"suspect", "trust"} & anatomy.events.keys() for anatomy in needy)
    if hears and not any(issubclass(anatomy.cls, Detector) for anatomy in stack):
        layers.insert(0, Layer(DETECTOR if len(ids) < MANY else DETECTOR_FOR_MANY))
    timed = [Layer(each.algorithm, real_timing(each.algorithm, each.parameters)) for each in layers]
    parameters = real_timing(scenario.algorithm, scenario.parameters)
    return msgspec.structs.replace(scenario, layers=timed, parameters=parameters)


def real_timing(algorithm: str, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a layer with real times; who sets one of several that belong together sets them all."""
    usual = dict(TIMING.get(algorithm, {}))
    if usual.keys() & given.keys():
        usual = {}
    usual |= {name: value for name, value in ALWAYS.items() if name in dissect(find_algorithm(algorithm)).parameters}
    return {**usual, **given}


def patience_of_others(layers: list[Process]) -> int:
    """How soon others may give this process up: as soon as it would give up them, counted from its last beat."""
    times = [
        getattr(process, patience) - getattr(process, beats)
        for process in layers
        for patience, beats in (("usual_patience", "period"), ("low", "heartbeat"))
        if hasattr(process, patience)
    ]
    return max(1, min(times, default=DEFAULT_STALL))
