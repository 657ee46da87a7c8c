"""What is planned for a run: who starts, who is called upon, who wants the lock, and what goes wrong when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING

import msgspec

from habemus.process import Clause, Message
from habemus.process.anatomy import field_defaults, field_types
from habemus.scenario import (
    AnyFault,
    Call,
    Crash,
    Cut,
    Deliver,
    Demand,
    Drift,
    Drop,
    Duplicate,
    Heal,
    Partition,
    Pause,
    Postpone,
    Recover,
    Resume,
    Scenario,
    ScenarioError,
    Skew,
    Slow,
)
from habemus.scenario.delays import Delay, parse_named_delay
from habemus.scenario.demand import time_of
from habemus.scenario.starters import starters_of
from habemus.scenario.topology import Topology
from habemus.simulation.demand import Workload
from habemus.simulation.faults import Faults
from habemus.simulation.mail import Mail, NotUnderWayError
from habemus.simulation.simulation import Simulation


def schedule(scenario: Scenario, simulation: Simulation) -> None:
    """Put starters, calls, demand and faults on the agenda."""
    topology, commands = simulation.topology, simulation.machine.commands
    faults = Faults(simulation)
    simulation.at(0, simulation.start_below)
    for number, fault in enumerate(scenario.faults):
        if isinstance(fault, Crash | Pause) and fault.process == "leader" and "start" not in commands:
            raise ScenarioError(f"faults[{number}].process: {scenario.algorithm} has no leader; name a process")
        simulation.at(fault.at, action_of(fault, number, faults, scenario.seed))
    starters = starters_of(scenario, topology)
    if starters:
        simulation.at(0, lambda: simulation.start(starters))
    workload: Workload | None = None
    if "acquire" in commands:
        demand = scenario.demand or Demand("idle" if scenario.workload else "one-each")
        workload = simulation.customers = Workload(simulation, demand, scenario.seed)
        simulation.at(0, workload.begin)
    for number, call in enumerate(scenario.workload):
        command = check_command(call, number, scenario, simulation)
        data = read_data(call, number, simulation.machine.commands[command][1])
        for pid in call.who:
            at = time_of(call, number, pid, scenario.seed)
            simulation.at(at, call_action(simulation, workload, pid, command, call.hold, data))
    kind = simulation.stack[-1].cls.kind
    if scenario.starters is not None and kind in ("mutex", "detector") and "start" not in commands:
        raise ScenarioError(f"starters: {scenario.algorithm} holds no election that anybody could start")


def check_command(call: Call, number: int, scenario: Scenario, simulation: Simulation) -> str:
    """The command that a call means, if some layer knows it."""
    command = "start" if call.call == "election" else call.call
    if command not in simulation.machine.commands:
        spelled = ", ".join("election" if name == "start" else name for name in simulation.machine.commands) or "none"
        where = f"workload[{number}].call"
        raise ScenarioError(f"{where}: {scenario.algorithm} knows no {call.call!r}; it knows: {spelled}")
    if call.hold is not None and command != "acquire":
        raise ScenarioError(f"workload[{number}].hold: only who acquires holds something, not who is told to {command}")
    return command


def read_data(call: Call, number: int, clause: Clause) -> Message | None:
    """What a command carries, if the call says it."""
    where = f"workload[{number}].data"
    if clause.data is None:
        if call.data is not None:
            raise ScenarioError(f"{where}: the command {call.call} carries nothing")
        return None
    hints, values = dict(field_types(clause.data)), {}
    for name, value in (call.data or {}).items():
        if name not in hints:
            known = ", ".join(hints)
            raise ScenarioError(f"{where}.{name}: the command {call.call} carries no such field; it carries: {known}")
        try:
            values[name] = msgspec.convert(value, hints[name])
        except msgspec.ValidationError as error:
            raise ScenarioError(f"{where}.{name}: {str(error).lower().replace('`', '')}") from None
    needed = [name for name, default in field_defaults(clause.data) if default is MISSING and name not in values]
    if needed:
        raise ScenarioError(f"{where}: the command {call.call} needs {', '.join(needed)}")
    given: Message = clause.data(**values)
    return given if call.data is not None else None


def call_action(
    simulation: Simulation, workload: Workload | None, pid: int, command: str, hold: int | None, data: Message | None
) -> Callable[[], None]:
    """What a call does."""
    if command == "acquire" and workload is not None and data is None:
        return lambda: workload.call(pid, hold)
    return lambda: simulation.command(pid, command, data)


def action_of(fault: AnyFault, number: int, faults: Faults, seed: int) -> Callable[[], None]:
    """What a fault does."""
    simulation = faults.simulation
    match fault:
        case Crash():
            return lambda: each(faults.crash, fault.process, simulation)
        case Recover():
            return lambda: each(faults.recover, fault.process, simulation)
        case Pause():
            return lambda: each(faults.pause, fault.process, simulation)
        case Resume():
            return lambda: each(faults.resume, fault.process, simulation)
        case Cut():
            pairs = list(fault.links) if fault.one_way else both_ways(fault.links)
            return lambda: faults.cut(pairs, "cut", [list(link) for link in fault.links])
        case Partition():
            pairs = between_groups(fault.groups, simulation.topology)
            return lambda: faults.cut(pairs, "partition", fault.groups)
        case Heal():
            return lambda: faults.heal(both_ways(fault.links), [list(link) for link in fault.links])
        case Skew():
            return lambda: faults.skew(fault.process, fault.by)
        case Drift():
            return lambda: faults.drift(fault.process, fault.rate)
        case Slow():
            delays = slow_links(fault, number, seed)
            links = ", ".join(f"{a}-{b}" for a, b in fault.links)
            return lambda: faults.slow(delays, f"{links} to {fault.delay}")
        case Drop() | Deliver() | Duplicate() | Postpone():
            return message_action(fault, number, simulation)


def slow_links(fault: Slow, number: int, seed: int) -> dict[tuple[int, int], Delay]:
    """The links that get another delay, each with a stream of random numbers of its own."""
    pairs = list(fault.links) if fault.one_way else both_ways(fault.links)
    where = f"faults[{number}].delay"
    return {(a, b): parse_named_delay(fault.delay, seed, where, f"/{a}-{b}@{fault.at}") for a, b in pairs}


def message_action(
    fault: Drop | Deliver | Duplicate | Postpone, number: int, simulation: Simulation
) -> Callable[[], None]:
    """What a fault of a single message does."""
    assert simulation.recorder is not None, "messages go by their numbers, which the recorder gives"
    mail = Mail(simulation, simulation.recorder)

    def act() -> None:
        try:
            match fault:
                case Drop():
                    mail.drop(fault.message)
                case Deliver():
                    mail.deliver(fault.message)
                case Duplicate():
                    mail.duplicate(fault.message)
                case Postpone():
                    mail.delay(fault.message, fault.by)
        except NotUnderWayError as error:
            raise ScenarioError(f"faults[{number}].message: {error}") from None

    return act


def each(fault: Callable[[int], None], target: int | str, simulation: Simulation) -> None:
    """Do something to the process that is meant, or to those who are."""
    if isinstance(target, int):
        fault(target)
    elif target == "leader":
        for pid in sorted(simulation.world.in_office):
            fault(pid)
    else:
        for node in simulation.nodes:
            if node.crashed if target == "crashed" else not node.up:
                fault(node.id)


def both_ways(links: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Each link in both directions."""
    return [pair for a, b in links for pair in ((a, b), (b, a))]


def between_groups(groups: list[list[int]], topology: Topology) -> list[tuple[int, int]]:
    """The links whose ends are in different groups; those in no group form one of their own."""
    side = {pid: number for number, group in enumerate(groups) for pid in group}
    return both_ways([(a, b) for a, b in topology.edges() if side.get(a, -1) != side.get(b, -1)])
