"""From a scenario to its outcome."""

from __future__ import annotations

from collections.abc import Callable
from io import BufferedWriter
from pathlib import Path
from traceback import extract_tb
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from habemus.catalogue import find_algorithm
from habemus.process import Anatomy, Detector, Election, MisuseError, Mutex, dissect
from habemus.process.source import source_file
from habemus.properties import Property, detector_properties, election_properties, mutex_properties
from habemus.scenario import DEFAULT_DETECTION, MessageFault, Scenario, ScenarioError, check_fault_targets
from habemus.simulation.agenda import delay_named, schedule
from habemus.simulation.outcome import Outcome, trace_header
from habemus.simulation.placing import place_processes
from habemus.simulation.simulation import Simulation
from habemus.trace import Recorder

STAGE = 250_000
LAYERS = ("detector", "election", "mutex")  # what is built on what

Progress = Callable[[int, int], None]


class ClauseError(RuntimeError):
    """A clause of an algorithm failed; the text says which, where and how."""


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
    if trace is not None:
        with open(trace, "wb") as file:
            return run_scenario(scenario, Recorder(keep, file), file, progress)
    return run_scenario(scenario, Recorder(keep) if keep or digest else None, None, progress)


def run_scenario(
    scenario: Scenario, recorder: Recorder | None, file: BufferedWriter | None, progress: Progress | None
) -> Outcome:
    """Build the simulation, run it, judge it."""
    if recorder is None and any(isinstance(fault, MessageFault) for fault in scenario.faults):
        recorder = Recorder(0)  # messages go by their numbers, which it gives
    simulation = build_simulation(scenario, recorder)
    if recorder is not None and file is not None:
        file.write(msgspec.json.encode(trace_header(scenario, simulation.topology)) + b"\n")
    ended = run_to_end(scenario, simulation, progress)
    if ended != "property":  # stopped on purpose, the rest is left open
        conclude(scenario, simulation, ended)
    return Outcome(scenario, simulation, ended, recorder)


def horizon_of(scenario: Scenario, simulation: Simulation) -> int:
    """When to stop: as the scenario says, else as an algorithm that never comes to rest suggests, else never (-1)."""
    if scenario.until is not None:
        return scenario.until
    return max([anatomy.cls.horizon for anatomy in simulation.stack]) or -1


def run_to_end(scenario: Scenario, simulation: Simulation, progress: Progress | None) -> str:
    """Run until it ends. A mutex that never comes to rest gets more time as long as it lets in those who want to."""
    horizon = until = horizon_of(scenario, simulation)
    entries = -1
    while True:
        ended = run_in_stages(simulation, until, scenario.events, progress)
        workload, lock = simulation.customers, simulation.world.lock
        wanted = not workload.satisfied() and (lock.entries > entries or bool(simulation.agenda))
        if ended != "time" or scenario.until is not None or not wanted:
            return ended
        entries = lock.entries
        until = max([until, *simulation.agenda]) + horizon


def conclude(scenario: Scenario, simulation: Simulation, ended: str) -> None:
    """Let the properties decide on a run that ended."""
    simulation.conclude(ended == "quiescence", ended == "time" and scenario.until is None)


def run_in_stages(simulation: Simulation, until: int, budget: int, progress: Progress | None) -> str:
    """Run to the end, looking up from the work every so many events: for Ctrl-C, and for who wants to know."""
    while True:
        try:
            ended = simulation.run(until, min(budget, simulation.events + STAGE))
        except (MisuseError, ScenarioError):
            raise
        except Exception as error:
            raise clause_error(error, simulation) from error
        if ended != "budget" or simulation.events >= budget:
            return ended
        if progress is not None:
            progress(int(simulation.events), int(simulation.now))


def clause_error(error: Exception, simulation: Simulation) -> ClauseError:
    """What an exception out of a simulation means to the author of its algorithm."""
    return failed_clause(error, simulation.stack, f"at time {simulation.now}", "in the kernel")


def failed_clause(error: Exception, stack: list[Anatomy], when: str, where: str) -> ClauseError:
    """What an exception out of a clause means to its author: the class, the file and line, else `where`, and when."""
    sources = {source_file(anatomy.cls) for anatomy in stack}
    frames = [f for f in extract_tb(error.__traceback__) if any(s and s.endswith(f.filename) for s in sources)]
    if frames:
        where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}, in {frames[-1].name}"
    return ClauseError(f"{stack[-1].cls.__name__} failed {when} ({where}): {type(error).__name__}: {error}")


def build_simulation(scenario: Scenario, recorder: Recorder | None) -> Simulation:
    """A simulation that is ready to run."""
    stack, parameters = build_stack(scenario)
    topology = place_processes(scenario, [anatomy.cls for anatomy in stack])
    check_fault_targets(scenario, topology.ids)
    network = scenario.network
    properties = properties_of(scenario, stack)
    simulation = Simulation(
        stack,
        parameters,
        topology,
        delay_named(network.delay, scenario.seed, "network.delay", ""),
        scenario.seed,
        properties,
        network.fifo,
        network.loss,
        network.duplication,
        recorder=recorder,
    )
    simulation.detection = detection_time(scenario, simulation)
    for number, link in enumerate(network.links):
        where = f"network.links[{number}].delay"
        delay = delay_named(link.delay, scenario.seed, where, f"/{link.sender}-{link.to}")
        simulation.link_delays[(link.sender, link.to)] = delay
    if scenario.goal is not None:
        simulation.goal = goal_named(scenario.goal, properties)
    schedule(scenario, simulation)
    return simulation


def properties_of(scenario: Scenario, stack: list[Anatomy]) -> list[Property]:
    """What the run is judged by: whatever each kind of layer promises; a detector only where it is the point."""
    properties: list[Property] = []
    elections = [anatomy.cls for anatomy in stack if issubclass(anatomy.cls, Election)]
    if elections:
        properties += election_properties(any(cls.term_field for cls in elections))
    if any(issubclass(anatomy.cls, Mutex) for anatomy in stack):
        properties += mutex_properties(scenario.waiting_limit)
    elif scenario.waiting_limit is not None or scenario.demand is not None:
        field = "waiting_limit" if scenario.demand is None else "demand"
        raise ScenarioError(f"{field}: {scenario.algorithm} is not a mutex, so nobody waits to enter")
    if issubclass(stack[-1].cls, Detector):
        properties += detector_properties()
    return properties


def detection_time(scenario: Scenario, simulation: Simulation) -> int:
    """How long the perfect detector takes; -1 if nobody listens to it, or the stack brings a detector of its own.

    Unless the scenario says: `detection` of the detector in the stack that relays it, T = 2 T_trans + T_process where
    the algorithm has these parameters, else a default.
    """
    if scenario.detection is not None:
        return scenario.detection
    stack, parameters = simulation.stack, simulation.parameters
    hearing = [layer for layer, anatomy in enumerate(stack) if {"suspect", "trust"} & anatomy.events.keys()]
    detectors = [layer for layer, anatomy in enumerate(stack) if issubclass(anatomy.cls, Detector)]
    relays = [layer for layer in detectors if layer in hearing]
    if relays:
        some = simulation.nodes[0]  # a compiled class does not tell its defaults; its processes do
        return int(getattr(simulation.layer(some, relays[0], some.process), "detection", DEFAULT_DETECTION))
    if not hearing or detectors:
        return -1
    chosen = parameters[-1]
    if "transmission" not in chosen:
        return DEFAULT_DETECTION
    return int(2 * chosen["transmission"] + chosen.get("processing", 1))


def build_stack(scenario: Scenario) -> tuple[list[Anatomy], list[dict[str, Any]]]:
    """The layers, bottom to top, with their checked parameters."""
    stack, parameters = [], []
    for number, layer in enumerate(scenario.layers):
        stack.append(dissect(find_algorithm(layer.algorithm)))
        parameters.append(checked_parameters(stack[-1], layer.parameters, f"layers[{number}].parameters"))
    stack.append(dissect(find_algorithm(scenario.algorithm)))
    parameters.append(checked_parameters(stack[-1], scenario.parameters, "parameters"))
    check_order([anatomy.cls for anatomy in stack])
    if parameters[-1].get("elected") and not any(issubclass(anatomy.cls, Election) for anatomy in stack):
        raise ScenarioError(f"parameters.elected: there is no election in a layer below {scenario.algorithm}")
    return stack, parameters


def check_order(stack: list[Any]) -> None:
    """Refuse layers that could not hear of each other: a detector is below an election, and that below a mutex."""
    kinds = [cls.kind for cls in stack if cls.kind in LAYERS]
    for kind in LAYERS:
        if kinds.count(kind) > 1:
            raise ScenarioError(f"layers: there can be one {kind} in a stack, not {kinds.count(kind)}")
    if kinds != sorted(kinds, key=LAYERS.index):
        raise ScenarioError(f"layers: expected {' below '.join(sorted(kinds, key=LAYERS.index))}, lowest first")


def checked_parameters(anatomy: Anatomy, given: dict[str, Any], where: str) -> dict[str, Any]:
    """The parameters as the algorithm declares them; one it does not have, or of another type, is refused."""
    parameters = {}
    for name, value in given.items():
        field = anatomy.parameters.get(name)
        if field is None:
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


def goal_named(name: str, properties: list[Property]) -> Property:
    """The property whose decision ends the run."""
    for watched in properties:
        if watched.name == name:
            return watched
    raise ScenarioError(f"goal: expected one of {', '.join(p.name for p in properties)}, got {name!r}")
