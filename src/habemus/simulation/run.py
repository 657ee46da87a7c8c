"""From a scenario to its outcome."""

from __future__ import annotations

from collections.abc import Callable
from io import BufferedWriter
from pathlib import Path
from random import Random
from traceback import extract_tb
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from habemus.catalogue import find_algorithm
from habemus.process import WORST, Anatomy, Bound, Detector, Election, MisuseError, Mutex, dissect
from habemus.process.source import source_file
from habemus.properties import Property, detector_properties, election_properties, mutex_properties
from habemus.scenario import (
    DEFAULT_DETECTION,
    DEFAULT_N,
    MOST_PROCESSES,
    AnyFault,
    Call,
    Crash,
    Cut,
    Demand,
    Drift,
    Heal,
    Partition,
    Pause,
    Place,
    Recover,
    Resume,
    Scenario,
    ScenarioError,
    Skew,
    check_fault_targets,
    shown,
)
from habemus.simulation.delays import parse_delay
from habemus.simulation.demand import Workload
from habemus.simulation.figures import DetectionFigures, LockFigures
from habemus.simulation.simulation import Simulation
from habemus.simulation.topology import KINDS, Topology, arranged, build_topology, neighbour_lists
from habemus.trace import Header, Recorder, Trace
from habemus.trace.format import FORMAT
from habemus.version import VERSION

STAGE = 250_000

Progress = Callable[[int, int], None]


class ClauseError(RuntimeError):
    """A clause of an algorithm failed; the text says which, where and how."""


class Outcome:
    """What came of a simulation."""

    def __init__(self, scenario: Scenario, simulation: Simulation, ended: str, recorder: Recorder | None) -> None:
        topology = simulation.topology
        self.scenario = scenario
        self.algorithm = scenario.algorithm
        self.topology = topology
        self.n = topology.n
        self.ids = topology.ids
        self.seed = scenario.seed
        self.leader = simulation.world.leader()
        self.messages_by_type = simulation.messages_by_type()
        self.messages = sum(self.messages_by_type.values())
        self.time = int(simulation.now)
        self.rounds = recorder.rounds if recorder is not None else None
        self.events = int(simulation.events)
        self.properties = simulation.properties
        self.claims = simulation.world.claims
        self.downtimes = simulation.world.downtimes
        self.values_carried = recorder.values_carried if recorder is not None else None
        self.lock: LockFigures | None = None
        if any(issubclass(anatomy.cls, Mutex) for anatomy in simulation.stack):
            served = simulation.messages_when_served if ended == "time" else -1  # what comes later serves nobody
            sent = simulation.messages_of(Mutex) if served < 0 else served
            self.lock = LockFigures(simulation.world.lock, sent)
        self.detection: DetectionFigures | None = None
        if any(issubclass(anatomy.cls, Detector) for anatomy in simulation.stack):
            sent = simulation.messages_of(Detector)
            self.detection = DetectionFigures(simulation.world.suspicions, self.n, self.time, sent)
        self.ended = ended
        self.cls = simulation.stack[-1].cls
        some = simulation.nodes[0].process
        self.delay_bound = some.delay_bound
        self.digest = recorder.digest if recorder is not None else None
        self.recorder = recorder

    @property
    def holds(self) -> bool:
        """Whether no property is violated."""
        return all(watched.witness is None for watched in self.properties)

    @property
    def bound(self) -> Bound | None:
        """What is proven never to be exceeded, if the proof speaks of such a run: one election, no fault, no option."""
        run = self.scenario
        if run.parameters or run.faults or run.workload or run.layers or run.network.loss or self.broken_assumption:
            return None
        return next((bound for bound in self.cls.bounds if bound.case == WORST), None)

    @property
    def broken_assumption(self) -> str:
        """What the algorithm takes for granted and this network does not give, in one sentence; empty if nothing."""
        allowed = self.delay_bound
        longest = longest_delay(self.scenario)
        if allowed is None or (longest is not None and longest <= allowed):
            return ""
        reach = f"up to {longest} ticks" if longest is not None else "any time"
        return f"Messages may take {reach} here, but {self.algorithm} relies on at most {allowed}."

    @property
    def surprises(self) -> list[str]:
        """Where the outcome differs from what the scenario expects, a clause each."""
        expect = self.scenario.expect
        if expect is None:
            return []
        found = []
        if expect.leader is not None and self.leader != expect.leader:
            found.append(f"{expect.leader} should lead, not {self.leader}")
        if expect.messages is not None and self.messages != expect.messages:
            found.append(f"it should take {expect.messages} messages, not {self.messages}")
        for watched in self.properties:
            if (watched.witness is not None) != (watched.name in expect.violated):
                found.append(f"{watched.name} should {'fail' if watched.name in expect.violated else 'hold'}")
        return found

    @property
    def trace(self) -> Trace:
        """The recorded events; `simulate(scenario, keep=...)` says how many are kept."""
        if self.recorder is None:
            raise ValueError("this run was not recorded: simulate(scenario, keep=1000) keeps its first 1000 events")
        return Trace(trace_header(self.scenario, self.topology), self.recorder.events)

    def as_dict(self) -> dict[str, Any]:
        """What `habemus simulate --json` prints."""
        bound = self.bound
        return {
            "algorithm": self.algorithm,
            "n": self.n,
            "ids": self.ids,
            "edges": self.topology.edges(),
            "seed": self.seed,
            "leader": self.leader,
            "messages": self.messages,
            "messages_by_type": self.messages_by_type,
            "time": self.time,
            "rounds": self.rounds,
            "properties": {watched.name: watched.holds for watched in self.properties},
            "witnesses": {watched.name: watched.witness.text for watched in self.properties if watched.witness},
            "bound": bound.messages(self.n, self.topology.m) if bound is not None else None,
            "bound_formula": bound.formula if bound is not None else None,
            **(self.lock.as_dict() if self.lock is not None else {}),
            **({"detection": self.detection.as_dict()} if self.detection is not None else {}),
            "ended": self.ended,
            "digest": self.digest,
        }


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
    simulation = build_simulation(scenario, recorder)
    if recorder is not None and file is not None:
        file.write(msgspec.json.encode(trace_header(scenario, simulation.topology)) + b"\n")
    try:
        ended = run_to_end(scenario, simulation, progress)
    except MisuseError:
        raise
    except Exception as error:
        raise clause_error(error, simulation) from error
    if ended != "property":  # stopped on purpose, the rest is left open
        simulation.conclude(ended == "quiescence")
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
        wanted = not workload.satisfied() and lock.entries > entries
        if ended != "time" or scenario.until is not None or not wanted:
            return ended
        entries = lock.entries
        until += horizon


def run_in_stages(simulation: Simulation, until: int, budget: int, progress: Progress | None) -> str:
    """Run to the end, looking up from the work every so many events: for Ctrl-C, and for who wants to know."""
    while True:
        ended = simulation.run(until, min(budget, simulation.events + STAGE))
        if ended != "budget" or simulation.events >= budget:
            return ended
        if progress is not None:
            progress(int(simulation.events), int(simulation.now))


def clause_error(error: Exception, simulation: Simulation) -> ClauseError:
    """What an exception out of a clause means to its author: the class, the file and line, the time."""
    sources = {source_file(anatomy.cls) for anatomy in simulation.stack}
    frames = [f for f in extract_tb(error.__traceback__) if any(s and s.endswith(f.filename) for s in sources)]
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}, in {frames[-1].name}" if frames else "in the kernel"
    what = f"{type(error).__name__}: {error}"
    return ClauseError(f"{simulation.stack[-1].cls.__name__} failed at time {simulation.now} ({where}): {what}")


def longest_delay(scenario: Scenario) -> int | None:
    """The longest a message may take; None if there is no bound."""
    texts = [scenario.network.delay, *(link.delay for link in scenario.network.links)]
    bounds = [parse_delay(text, Random(0)).longest for text in texts]
    return None if None in bounds else max(bound for bound in bounds if bound is not None)


def trace_header(scenario: Scenario, topology: Topology) -> Header:
    """The first line of a trace."""
    return Header(VERSION, FORMAT, scenario.algorithm, topology.ids, topology.edges(), scenario.as_dict())


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
    if any(issubclass(anatomy.cls, Election) for anatomy in stack):
        properties += election_properties()
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
    return stack, parameters


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
    return parameters


def choices_of(hint: Any) -> list[str]:
    """The texts that a parameter may be, if it is one of a few."""
    inner = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return [str(choice) for choice in get_args(inner)] if get_origin(inner) is Literal else []


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


def delay_named(text: str, seed: int, where: str, stream: str) -> Any:
    """The distribution that a scenario names."""
    try:
        return parse_delay(text, Random(f"{seed}/delay{stream}"))
    except ValueError as error:
        raise ScenarioError(f"{where}: {error}") from None


def goal_named(name: str, properties: list[Property]) -> Property:
    """The property whose decision ends the run."""
    for watched in properties:
        if watched.name == name:
            return watched
    raise ScenarioError(f"goal: expected one of {', '.join(p.name for p in properties)}, got {name!r}")


def schedule(scenario: Scenario, simulation: Simulation) -> None:
    """Put starters, calls, demand and faults on the agenda."""
    topology = simulation.topology
    simulation.at(0, simulation.start_below)
    for fault in scenario.faults:
        simulation.at(fault.at, action_of(fault, simulation))
    starters = starters_of(scenario, topology)
    if "start" not in simulation.commands and scenario.starters is not None:
        raise ScenarioError(f"starters: {scenario.algorithm} holds no election that anybody could start")
    if starters:
        simulation.at(0, lambda: simulation.start(starters))
    workload: Workload | None = None
    if "acquire" in simulation.commands:
        demand = scenario.demand or Demand("idle" if scenario.workload else "one-each")
        workload = simulation.customers = Workload(simulation, demand, scenario.seed)
        simulation.at(0, workload.begin)
    for number, call in enumerate(scenario.workload):
        command = checked_command(call, number, scenario, simulation)
        for pid in call.who:
            simulation.at(call.at, call_action(simulation, workload, pid, command, call.hold))


def checked_command(call: Call, number: int, scenario: Scenario, simulation: Simulation) -> str:
    """The command that a call means, if some layer knows it."""
    command = "start" if call.call == "election" else call.call
    if command not in simulation.commands:
        spelled = ", ".join("election" if name == "start" else name for name in simulation.commands) or "none"
        where = f"workload[{number}].call"
        raise ScenarioError(f"{where}: {scenario.algorithm} knows no {call.call!r}; it knows: {spelled}")
    if call.hold is not None and command != "acquire":
        raise ScenarioError(f"workload[{number}].hold: only who acquires holds something, not who is told to {command}")
    return command


def call_action(
    simulation: Simulation, workload: Workload | None, pid: int, command: str, hold: int | None
) -> Callable[[], None]:
    """What a call does."""
    if command == "acquire" and workload is not None:
        return lambda: workload.call(pid, hold)
    return lambda: simulation.command(pid, command)


def starters_of(scenario: Scenario, topology: Topology) -> list[int]:
    """Who calls the first election: everybody, unless the scenario or its workload says otherwise."""
    starters = scenario.starters
    if starters is None:
        starters = [] if any(call.call == "election" for call in scenario.workload) else "all"
    if starters == "all":
        return topology.ids
    if starters == "one":
        return topology.ids[:1]
    if isinstance(starters, list):
        if len(set(starters)) < len(starters):
            raise ScenarioError(f"starters: a process can start once, but {shown(starters)} names one twice")
        return starters
    if not 0 <= starters <= topology.n:
        raise ScenarioError(f"starters: {starters} of {topology.n} processes cannot start; expected 0 to {topology.n}")
    random = Random(f"{scenario.seed}/starters")
    chosen = sorted(topology.ids, key=lambda pid: random.random())[:starters]
    return sorted(chosen)


def action_of(fault: AnyFault, simulation: Simulation) -> Callable[[], None]:
    """What a fault does."""
    match fault:
        case Crash():
            return lambda: each(simulation.crash, fault.process, simulation)
        case Recover():
            return lambda: each(simulation.recover, fault.process, simulation)
        case Pause():
            return lambda: each(simulation.pause, fault.process, simulation)
        case Resume():
            return lambda: each(simulation.resume, fault.process, simulation)
        case Cut():
            pairs = list(fault.links) if fault.one_way else both_ways(fault.links)
            return lambda: simulation.cut(pairs, "cut", [list(link) for link in fault.links])
        case Partition():
            pairs = between_groups(fault.groups, simulation.topology)
            return lambda: simulation.cut(pairs, "partition", fault.groups)
        case Heal():
            return lambda: simulation.heal(both_ways(fault.links), [list(link) for link in fault.links])
        case Skew():
            return lambda: simulation.skew(fault.process, fault.by)
        case Drift():
            return lambda: simulation.drift(fault.process, fault.rate)


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
