"""The processes and links that a scenario names have to exist."""

from __future__ import annotations

import math

from habemus.scenario.checked import ScenarioError
from habemus.scenario.faults import Crash, Cut, Drift, Heal, Partition, Pause, Recover, Resume, Skew, Slow
from habemus.scenario.scenario import Scenario


def check_fault_targets(scenario: Scenario, ids: list[int]) -> None:
    """Refuse faults and calls that name a process that does not exist."""
    known = set(ids)
    named: list[tuple[str, int]] = []
    for number, fault in enumerate(scenario.faults):
        if isinstance(fault, Crash | Recover | Pause | Resume | Skew | Drift):
            if isinstance(fault.process, int):
                named.append((f"faults[{number}].process", fault.process))
        elif isinstance(fault, Partition):
            named += [(f"faults[{number}].groups", pid) for group in fault.groups for pid in group]
        elif isinstance(fault, Cut | Heal | Slow):
            named += [(f"faults[{number}].links", pid) for link in fault.links for pid in link]
    for number, call in enumerate(scenario.workload):
        named += [(f"workload[{number}].who", pid) for pid in call.who]
    if isinstance(scenario.starters, list):
        named += [("starters", pid) for pid in scenario.starters]
    named += [("network.links", pid) for link in scenario.network.links for pid in (link.sender, link.to)]
    if scenario.demand is not None and scenario.demand.hot is not None:
        named.append(("demand.hot", scenario.demand.hot))
    if scenario.demand is not None and scenario.demand.who is not None:
        named += [("demand.who", pid) for pid in scenario.demand.who]
    if scenario.expect is not None and scenario.expect.leader is not None:
        named.append(("expect.leader", scenario.expect.leader))
    for field, pid in named:
        if pid not in known:
            raise ScenarioError(f"{field}: there is no process {pid}; the ids are {list_ids(ids)}")
    for number, fault in enumerate(scenario.faults):
        where = f"faults[{number}]"
        if isinstance(fault, Drift) and not (math.isfinite(fault.rate) and 1e-6 <= fault.rate <= 1e6):
            raise ScenarioError(f"{where}.rate: expected a rate from 0.000001 to 1,000,000, got {fault.rate}")
        if isinstance(fault, Skew) and abs(fault.by) > 10**15:
            raise ScenarioError(f"{where}.by: expected at most 10^15 ticks, got {fault.by}")
        if isinstance(fault, Cut | Heal | Slow) and any(a == b for a, b in fault.links):
            raise ScenarioError(f"{where}.links: a link joins two processes")
        if isinstance(fault, Partition):
            grouped = [pid for group in fault.groups for pid in group]
            if len(set(grouped)) < len(grouped):
                raise ScenarioError(f"{where}.groups: a process can be in one group only")


def list_ids(ids: list[int]) -> str:
    """A list of ids short enough for a sentence."""
    ordered = sorted(ids)
    if ordered == list(range(ordered[0], ordered[0] + len(ordered))) and len(ordered) > 2:
        return f"{ordered[0]} to {ordered[-1]}"
    return ", ".join(map(str, ordered[:12])) + (" ..." if len(ordered) > 12 else "")
