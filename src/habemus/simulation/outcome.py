"""What came of a simulation: who won or who got in, at what cost, and which properties hold."""

from __future__ import annotations

from random import Random
from typing import Any

from habemus.process import WORST, Bound, Detector, Mutex
from habemus.scenario import Scenario, Slow
from habemus.simulation.delays import parse_delay
from habemus.simulation.figures import DetectionFigures, LockFigures
from habemus.simulation.simulation import Simulation
from habemus.simulation.topology import Topology
from habemus.trace import Header, Recorder, Trace
from habemus.trace.format import FORMAT
from habemus.version import VERSION


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
            self.lock = LockFigures(simulation.world.lock, sent, self.time)
        self.detection: DetectionFigures | None = None
        if any(issubclass(anatomy.cls, Detector) for anatomy in simulation.stack):
            sent = simulation.messages_of(Detector)
            self.detection = DetectionFigures(simulation.world.suspicions, self.n, self.time, sent)
        self.ended = ended
        self.cls = simulation.stack[-1].cls
        some = simulation.nodes[0].process
        self.parameters = {name: getattr(some, name) for name in simulation.stack[-1].parameters}
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


def longest_delay(scenario: Scenario) -> int | None:
    """The longest a message may take; None if there is no bound."""
    slowed = [fault.delay for fault in scenario.faults if isinstance(fault, Slow)]
    texts = [scenario.network.delay, *(link.delay for link in scenario.network.links), *slowed]
    bounds = [parse_delay(text, Random(0)).longest for text in texts]
    return None if None in bounds else max(bound for bound in bounds if bound is not None)


def trace_header(scenario: Scenario, topology: Topology) -> Header:
    """The first line of a trace."""
    return Header(VERSION, FORMAT, scenario.algorithm, topology.ids, topology.edges(), scenario.as_dict())
