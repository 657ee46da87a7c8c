"""From a scenario to its outcome."""

from __future__ import annotations

from collections.abc import Callable
from io import BufferedWriter
from pathlib import Path

import msgspec

from habemus.catalogue import find_algorithm
from habemus.process import Detector, MisuseError, Mutex, claims_of, clause_error
from habemus.process.shared import refuse_shared_changes
from habemus.properties import Property, properties_of
from habemus.scenario import MessageFault, Scenario, ScenarioError, check_fault_targets, require_scenario
from habemus.scenario.delays import parse_named_delay
from habemus.scenario.placing import place_processes
from habemus.scenario.stack import build_stack, detection_time
from habemus.simulation.planning import schedule
from habemus.simulation.simulation import Simulation
from habemus.trace import Outcome, Recorder, trace_header
from habemus.trace.figures import DetectionFigures, LockFigures

STAGE = 250_000
MOST_UNDER_WAY = 10_000_000  # messages: some gigabytes
SETTLING_STEPS = 20  # how often within a horizon it is asked whether the group has settled

Progress = Callable[[int, int], None]


def simulate(
    scenario: Scenario,
    *,
    keep: int = 0,
    digest: bool = False,
    trace: str | Path | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run a scenario.

    `keep` holds that many events in `outcome.trace`, `digest` computes the digest of the whole run, `trace` writes the
    run to a file. Without any of them nothing is recorded, and the run is fastest. `progress` is called now and then
    with the number of events and the time so far.
    """
    require_scenario(scenario)
    if trace is not None:
        with open(trace, "wb") as file:
            return run_scenario(scenario, Recorder(keep, file), file, progress)
    return run_scenario(scenario, Recorder(keep) if keep or digest else None, None, progress)


def run_scenario(
    scenario: Scenario, recorder: Recorder | None, file: BufferedWriter | None, progress: Progress | None
) -> Outcome:
    """Build the simulation, run it, judge it."""
    if recorder is None and (
        any(isinstance(fault, MessageFault) for fault in scenario.faults)
        or claims_of(find_algorithm(scenario.algorithm))
    ):
        recorder = Recorder(0)  # it numbers messages, and is told of every step
    simulation = build_simulation(scenario, recorder)
    if recorder is not None and file is not None:
        file.write(msgspec.json.encode(trace_header(scenario, simulation.topology)) + b"\n")
    try:
        ended = run_to_end(scenario, simulation, progress)
    finally:
        if recorder is not None:
            recorder.flush()
    for anatomy in simulation.stack:
        refuse_shared_changes(anatomy.cls, anatomy.shared)
    for node in simulation.nodes:
        for anatomy, process in zip(simulation.stack, node.layers, strict=True):
            anatomy.refuse_strays(process)
    if ended != "property":  # stopped on purpose, the rest is left open
        conclude(scenario, simulation, ended)
    return outcome_of(scenario, simulation, ended)


def outcome_of(scenario: Scenario, simulation: Simulation, ended: str) -> Outcome:
    """What has come of a simulation so far."""
    now = int(simulation.now)
    lock: LockFigures | None = None
    if any(issubclass(anatomy.cls, Mutex) for anatomy in simulation.stack):
        served = simulation.messages_when_served if ended == "time" else -1  # what comes later serves nobody
        sent = simulation.tally.of(Mutex) if served < 0 else served
        lock = LockFigures(simulation.world.lock, sent, now)
    detection: DetectionFigures | None = None
    if any(issubclass(anatomy.cls, Detector) for anatomy in simulation.stack):
        sent = simulation.tally.of(Detector)
        detection = DetectionFigures(simulation.world.suspicions, simulation.topology.n, now, sent)
    return Outcome(
        scenario=scenario,
        topology=simulation.topology,
        stack=simulation.stack,
        layers=simulation.nodes[0].layers,
        ended=ended,
        world=simulation.world,
        properties=simulation.properties,
        messages_by_type=simulation.tally.by_type(),
        handled=simulation.count_handled(),
        time=now,
        events=int(simulation.events),
        recorder=simulation.recorder,
        lock=lock,
        detection=detection,
    )


def horizon_of(scenario: Scenario, simulation: Simulation) -> int:
    """When to stop: as the scenario says, else as an algorithm that never comes to rest suggests, else never (-1)."""
    if scenario.until is not None:
        return scenario.until
    return max([anatomy.cls.horizon for anatomy in simulation.stack]) or -1


def run_to_end(scenario: Scenario, simulation: Simulation, progress: Progress | None) -> str:
    """Run until it ends.

    If the scenario sets no end and the algorithm never comes to rest, every fault takes place, and a group that has not
    settled gets its whole horizon again after the last one; a mutex gets more time as long as it lets in those who want
    to.
    """
    horizon = until = horizon_of(scenario, simulation)
    if scenario.until is not None or horizon < 0:
        return run_in_stages(simulation, until, scenario.events, progress)
    last = max([0, *(fault.at for fault in scenario.faults)])
    until = max(until, last)
    entries = -1
    while True:
        ended = run_in_stages(simulation, until, scenario.events, progress)
        if ended != "time":
            return ended
        workload, lock = simulation.customers, simulation.world.lock
        if not workload.satisfied() and (lock.entries > entries or bool(simulation.agenda)):
            entries = lock.entries
            until = max([until, *simulation.agenda]) + horizon
        elif until < last + horizon and not has_settled(simulation):
            until = min(until + max(1, horizon // SETTLING_STEPS), last + horizon)
        else:
            return ended


def has_settled(simulation: Simulation) -> bool:
    """Whether nothing that is promised is still to come."""
    simulation.world.time = simulation.now
    return all(not p.promised or p.shortfall(simulation.world) is None for p in simulation.properties)


def conclude(scenario: Scenario, simulation: Simulation, ended: str) -> None:
    """Let the properties decide on a run that ended."""
    world, lock = simulation.world, simulation.world.lock
    world.time = simulation.now
    world.over = ended == "quiescence"
    lock.satisfied = simulation.customers.satisfied()
    if lock.waiting:
        given_up = ended == "time" and scenario.until is None  # nobody entered for as long as it is reasonable to wait
        lock.at_standstill = not lock.inside and (given_up or mutex_stands_still(simulation))
        for node in simulation.nodes:
            if isinstance(node.process, Mutex) and not node.crashed:
                lock.waits_for[node.id] = node.process.waits_for
    if simulation.observers.claims:
        simulation.judge_claims()
    for watched in simulation.properties:
        watched.conclude(world)


def mutex_stands_still(simulation: Simulation) -> bool:
    """Whether no message of the mutex is under way and none of its timers is running."""
    own = simulation.tally.types_of(Mutex)
    if any(kind in own for kind in simulation.tally.under_way()):
        return False
    layers = [layer for layer, anatomy in enumerate(simulation.stack) if issubclass(anatomy.cls, Mutex)]
    return not any(layer in layers for node in simulation.nodes if node.timers for layer, _ in node.timers)


def run_in_stages(simulation: Simulation, until: int, budget: int, progress: Progress | None) -> str:
    """Run to the end, looking up from the work every so many events: for Ctrl-C, and for who wants to know."""
    while True:
        try:
            ended = simulation.run(until, min(budget, simulation.events + STAGE))
        except (MisuseError, ScenarioError):
            raise
        except Exception as error:
            classes = [anatomy.cls for anatomy in simulation.stack]
            raise clause_error(error, classes, f"at time {simulation.now}", "in the kernel") from error
        if ended != "budget" or simulation.events >= budget:
            return ended
        under_way = sum([len(bucket) for bucket in simulation.all_buckets()]) // 2
        if under_way > MOST_UNDER_WAY:
            raise ScenarioError(
                f"{under_way:,} messages are under way at time {simulation.now}, more than {MOST_UNDER_WAY:,}: "
                "they multiply faster than they arrive; --events 1000 shows how it begins"
            )
        if progress is not None:
            progress(int(simulation.events), int(simulation.now))


def build_simulation(scenario: Scenario, recorder: Recorder | None) -> Simulation:
    """A simulation that is ready to run."""
    if scenario.schedule is not None:
        raise ScenarioError("schedule: a run given step by step is replayed, not simulated: habemus.replay(scenario)")
    stack, parameters = build_stack(scenario)
    topology = place_processes(scenario, [anatomy.cls for anatomy in stack])
    check_fault_targets(scenario, topology.ids)
    network = scenario.network
    properties = properties_of(stack, scenario.waiting_limit, scenario.waiting_time)
    simulation = Simulation(
        stack,
        parameters,
        topology,
        parse_named_delay(network.delay, scenario.seed, "network.delay", ""),
        scenario.seed,
        properties,
        network.fifo,
        network.loss,
        network.duplication,
        recorder=recorder,
    )
    simulation.detection = detection_time(scenario, stack, simulation.nodes[0].layers)
    for number, link in enumerate(network.links):
        where = f"network.links[{number}].delay"
        delay = parse_named_delay(link.delay, scenario.seed, where, f"/{link.sender}-{link.to}")
        simulation.link_delays[(link.sender, link.to)] = delay
    if scenario.goal is not None:
        simulation.goal = find_goal(scenario.goal, properties)
    schedule(scenario, simulation)
    return simulation


def find_goal(name: str, properties: list[Property]) -> Property:
    """The property whose decision ends the run."""
    for watched in properties:
        if watched.name == name:
            return watched
    raise ScenarioError(f"goal: expected one of {', '.join(p.name for p in properties)}, got {name!r}")
