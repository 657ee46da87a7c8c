"""Time-outs for real machines and networks, where the operator does not set them.

A tick is a millisecond. The defaults of the algorithms suit a simulation, where a message takes a tick. On a network
they are long enough that a busy machine does not look dead, and that an idle group costs almost nothing; each algorithm
declares them (`on_network`).

A crash is noticed at once, because the kernel closes the connections of the process. Time-outs are for processes that
hang. With the fast detector a hung leader is replaced within 100 ms: there is a heartbeat every 20 ms, and a process is
suspected after 70 to 84 ms of silence. That costs a few percent of a core, and a process that did not run for 50 ms has
to assume that it was replaced. Therefore such a process asks for real-time priority. Where the system refuses it, a
leader on a very busy machine may be replaced although it is well.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from typing import Any

import msgspec

from habemus.catalogue import find_algorithm
from habemus.network.errors import NetworkError
from habemus.process import Detector, Pid, Process
from habemus.scenario import Layer, Scenario
from habemus.scenario.stack import build_stack, layers_below

DETECTOR, DETECTOR_FOR_MANY = "heartbeat", "swim"
MANY = 25  # members; heartbeats from everybody to everybody grow with the square of their number
FAST_DETECTOR = Layer("heartbeat", {"period": 20, "timeout": 70, "look": 14})
DEFAULT_STALL = 1000
LEAST_PATIENCE = 10  # milliseconds; no machine lets a process run that regularly
REAL_TIME_BELOW = 100  # a process that may stall for less than this needs real-time priority

log = logging.getLogger("habemus.network")


def add_fast_detector(scenario: Scenario) -> Scenario:
    """Add a detector that suspects a hung process within 100 ms, for algorithms that react to suspicions."""
    return msgspec.structs.replace(scenario, layers=[FAST_DETECTOR, *scenario.layers])


def request_real_time_priority() -> None:
    """Run before ordinary processes, if the system has such a priority and grants it; children do not inherit it."""
    with suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def complete_scenario(scenario: Scenario, ids: list[Pid]) -> Scenario:
    """Add what a real network needs: the members, real time-outs, and a detector if the algorithm needs one.

    An algorithm that has a variant for real networks is replaced by it.
    """
    variants = [Layer(choose_variant(layer.algorithm), layer.parameters) for layer in scenario.layers]
    scenario = msgspec.structs.replace(scenario, algorithm=choose_variant(scenario.algorithm), layers=variants)
    if scenario.topology.edges is None and scenario.topology.file is None:
        topology = msgspec.structs.replace(scenario.topology, ids=ids, n=None)
        scenario = msgspec.structs.replace(scenario, topology=topology)
    stack, _ = build_stack(scenario)
    layers = list(layers_below(scenario))
    # An algorithm with its own heartbeats needs no detector: it is told when a connection closes.
    without_heartbeats = [anatomy for anatomy in stack if not anatomy.cls.has_heartbeats]
    reacts = any({"suspect", "trust"} & anatomy.events.keys() for anatomy in without_heartbeats)
    if reacts and not any(issubclass(anatomy.cls, Detector) for anatomy in stack):
        layers.insert(0, Layer(DETECTOR if len(ids) < MANY else DETECTOR_FOR_MANY))
    timed = [Layer(each.algorithm, add_time_outs(each.algorithm, each.parameters)) for each in layers]
    parameters = add_time_outs(scenario.algorithm, scenario.parameters)
    return msgspec.structs.replace(scenario, layers=timed, parameters=parameters)


def choose_variant(algorithm: str) -> str:
    """The variant of an algorithm for real networks, if it has one; a subclass of such an algorithm is left alone."""
    cls = find_algorithm(algorithm)
    variant = cls.network_variant
    return variant if variant and issubclass(find_algorithm(variant), cls) else algorithm


def add_time_outs(algorithm: str, given: dict[str, Any]) -> dict[str, Any]:
    """The given parameters and the declared time-outs; if one of a group is given, the group is left alone."""
    declared: dict[str, Any] = {}
    for group in find_algorithm(algorithm).on_network:
        if not group.keys() & given.keys():
            declared |= group
    return {**declared, **given}


def check_patience(layers: list[Process]) -> None:
    """Refuse time-outs with which a process would be given up although it is well, or all would act at once."""
    for process in layers:
        patience = process.gives_up_after
        ends = [getattr(process, name) for name in process.chosen_between]
        times = [group for group in process.on_network if any(isinstance(value, int) for value in group.values())]
        given = ", ".join(f"{name}={getattr(process, name)}" for group in times for name in group)
        usual = ", ".join(f"{name}={value}" for group in times for name, value in group.items())
        if patience is not None and patience < LEAST_PATIENCE:
            raise NetworkError(
                f"{process.name} with {given} gives a peer up {patience} ms after its sign of life is due: expected at "
                f"least {LEAST_PATIENCE} ms; set these times together, as in {usual}"
            )
        if len(set(ends)) < len(ends) or ends != sorted(ends):
            raise NetworkError(
                f"{process.name} with {given} has all members act at the same time: expected "
                f"{' below '.join(process.chosen_between)}; set these times together, as in {usual}"
            )


def warn_of_long_stall(layers: list[Process], stall: int) -> None:
    """Say so if a process may stall for longer than its peers wait; a program may have its reasons."""
    usual = longest_pause(layers)
    if stall > usual:
        log.warning(
            "--stall %s: peers may replace this process after %s ms; if it is stopped for longer, it may still believe "
            "that it leads, or has the lock",
            *(stall, usual),
        )


def longest_pause(layers: list[Process]) -> int:
    """How long this process may stall before peers may replace it, in milliseconds.

    Peers run the same algorithm: they suspect it as soon as it would suspect them, counted from its last heartbeat.
    """
    times = [process.gives_up_after for process in layers if process.gives_up_after is not None]
    return min(times, default=DEFAULT_STALL)
