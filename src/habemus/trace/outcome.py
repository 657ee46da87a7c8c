"""What came of a run: who won or who got in, at what cost, and which properties hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from habemus.process import WORST, Anatomy, Bound, Mutex, Pid, Process
from habemus.properties import Property, World
from habemus.scenario import Scenario, Slow
from habemus.scenario.delays import parse_delay
from habemus.scenario.topology import Topology
from habemus.trace.counts import Series, follow_counts
from habemus.trace.figures import Bottleneck, DetectionFigures, LockFigures
from habemus.trace.format import trace_header
from habemus.trace.recorder import Recorder
from habemus.trace.traces import Trace


@dataclass(kw_only=True)
class Outcome:
    """What came of one run, whoever ran it."""

    scenario: Scenario
    topology: Topology
    stack: list[Anatomy]
    layers: list[Process]  # of any one process: a compiled class does not tell its parameters, its processes do
    ended: str
    world: World
    properties: list[Property]
    messages_by_type: dict[str, int]
    handled: list[int]  # messages, by seat
    time: int
    events: int
    recorder: Recorder | None
    lock: LockFigures | None = None
    detection: DetectionFigures | None = None

    def __repr__(self) -> str:
        leads = [] if self.leader is None else [f"{self.leader} leads"]
        figures = ", ".join([*leads, f"{self.messages:,} messages", f"time {self.time:,}"])
        violated = [watched for watched in self.properties if watched.witness is not None]
        groups = {
            "violated": [watched.name for watched in violated if watched.promised],
            "not promised and violated": [watched.name for watched in violated if not watched.promised],
            "still open": [watched.name for watched in self.properties if watched.holds is None],
        }
        judged = "; ".join(f"{', '.join(names)} {what}" for what, names in groups.items() if names)
        return f"<Outcome of {self.algorithm}, n = {self.n}: {figures}; {judged or 'all properties hold'}>"

    @property
    def algorithm(self) -> str:
        return self.scenario.algorithm

    @property
    def n(self) -> int:
        return self.topology.n

    @property
    def ids(self) -> list[Pid]:
        return self.topology.ids

    @property
    def seed(self) -> int:
        return self.scenario.seed

    @property
    def leader(self) -> Pid | None:
        """The leader that all live processes agree on."""
        return self.world.leader()

    @property
    def messages(self) -> int:
        return sum(self.messages_by_type.values())

    @property
    def bottleneck(self) -> Bottleneck | None:
        """The process that handled most messages; None if there were none."""
        most = max(self.handled)
        seat = self.handled.index(most)
        return Bottleneck(self.ids[seat], most, most / sum(self.handled)) if most else None

    @property
    def rounds(self) -> int | None:
        """The longest causal chain of messages; None if the run was not recorded."""
        return self.recorder.rounds if self.recorder is not None else None

    @property
    def values_carried(self) -> int | None:
        """How many values all messages carried together; None if the run was not recorded."""
        return self.recorder.values_carried if self.recorder is not None else None

    @property
    def digest(self) -> str | None:
        """The digest of the run; None if it was not recorded."""
        return self.recorder.digest if self.recorder is not None else None

    @property
    def claims(self) -> Any:
        return self.world.claims

    @property
    def downtimes(self) -> Any:
        return self.world.downtimes

    @property
    def cls(self) -> type[Process]:
        """The class of the topmost layer."""
        found: type[Process] = self.stack[-1].cls
        return found

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the topmost layer."""
        return {name: getattr(self.layers[-1], name) for name in self.stack[-1].parameters}

    @property
    def delay_bound(self) -> int | None:
        """The longest that a message may take, if the topmost layer relies on one."""
        return self.layers[-1].delay_bound

    @property
    def holds(self) -> bool:
        """Whether no promised property is violated."""
        return not any(watched.promised and watched.witness is not None for watched in self.properties)

    @property
    def violated(self) -> list[str]:
        """The violated properties, promised or not."""
        return [watched.name for watched in self.properties if watched.witness is not None]

    @property
    def bound(self) -> Bound | None:
        """What is proven never to be exceeded, if the proof speaks of such a run: one election, no fault, no option."""
        run = self.scenario
        faults = run.faults or run.network.loss or run.schedule  # the steps of a schedule may be faults
        if faults or run.parameters or run.workload or run.layers or self.broken_assumption:
            return None
        return next((bound for bound in self.cls.bounds if bound.case == WORST), None)

    @property
    def waiting_bound(self) -> dict[str, Any] | None:
        """How often others may enter while one waits, as the mutex declares it; None if it declares no bound."""
        bounds = [anatomy.cls.waiting_bound for anatomy in self.stack if issubclass(anatomy.cls, Mutex)]
        if not bounds or bounds[0] is None:
            return None
        return {"formula": bounds[0].formula, "entries": bounds[0].entries(self.n)}

    @cached_property
    def counts(self) -> list[Series]:
        """What the algorithm declares to be counted; empty if the run was not kept as a whole."""
        recorder = self.recorder
        if recorder is None or recorder.count > len(recorder.events):
            return []
        return follow_counts(self.stack[-1], self.ids, recorder.events)

    @property
    def broken_assumption(self) -> str:
        """What the algorithm takes for granted and this network does not give, in one sentence; empty if nothing."""
        allowed = self.delay_bound
        longest = longest_delay(self.scenario)
        if self.scenario.schedule is not None:  # it has its own timing, which the checker knows
            return ""
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
            if watched.witness is None and watched.name in expect.violated:
                found.append(f"{watched.name} should fail")
            elif watched.witness is not None and watched.promised and watched.name not in expect.violated:
                found.append(f"{watched.name} should hold")
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
            "handled": self.handled,
            "bottleneck": self.bottleneck.as_dict() if self.bottleneck is not None else None,
            "time": self.time,
            "rounds": self.rounds,
            "properties": {watched.name: watched.holds for watched in self.properties},
            "promised": [watched.name for watched in self.properties if watched.promised],
            "witnesses": {watched.name: watched.witness.text for watched in self.properties if watched.witness},
            "bound": bound.messages(self.n, self.topology.m) if bound is not None else None,
            "bound_formula": bound.formula if bound is not None else None,
            "counts": [series.as_dict() for series in self.counts],
            **(self.lock.as_dict() if self.lock is not None else {}),
            **({"waiting_bound": self.waiting_bound} if self.lock is not None else {}),
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
