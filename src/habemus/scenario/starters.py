"""Who calls the first election."""

from __future__ import annotations

from random import Random

from habemus.scenario.checked import ScenarioError
from habemus.scenario.scenario import Scenario
from habemus.scenario.targets import list_ids
from habemus.scenario.topology import Topology


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
            raise ScenarioError(f"starters: a process can start once, but {list_ids(starters)} names one twice")
        return starters
    if not 0 <= starters <= topology.n:
        raise ScenarioError(f"starters: {starters} of {topology.n} processes cannot start; expected 0 to {topology.n}")
    random = Random(f"{scenario.seed}/starters")
    chosen = sorted(topology.ids, key=lambda pid: random.random())[:starters]
    return sorted(chosen)
