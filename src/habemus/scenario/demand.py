"""The demand for a lock: who asks, how often, after what pause, and how long it stays inside. When calls are due.

Every process draws its thinking and holding times from a generator of its own, so that two algorithms under the same
seed are asked the same, whatever they make of it.
"""

from __future__ import annotations

from random import Random

from habemus.process import Pid
from habemus.scenario.checked import ScenarioError
from habemus.scenario.delays import Delay, parse_delay
from habemus.scenario.scenario import Call, Demand

MANY = 10  # entries of each process where the demand goes on and the scenario does not say for how long


class Appetite:
    """How one process wants the lock. `entries`: how often it will still ask."""

    def __init__(self, entries: int, hurried: bool, think: Delay, hold: Delay) -> None:
        self.entries = entries
        self.hurried = hurried
        self.think = think
        self.hold = hold

    def pause(self) -> int:
        """How long it thinks before it asks again."""
        return 1 if self.hurried else self.think.sample(1)[0]

    def stay(self) -> int:
        """How long it stays inside."""
        return self.hold.sample(1)[0]


def appetites_of(demand: Demand, ids: list[Pid], seed: int) -> dict[Pid, Appetite]:
    """How each process wants the lock."""
    hot: Pid | None = None
    if demand.kind == "hot-spot":
        hot = ids[0] if demand.hot is None else demand.hot
    elif demand.hot is not None:
        raise ScenarioError(f"demand.hot: only a hot-spot has a hot process, not {demand.kind}")
    if demand.kind in ("one-each", "idle") and demand.entries is not None:
        number = "one entry" if demand.kind == "one-each" else "no entry"
        raise ScenarioError(f"demand.entries: {demand.kind} means {number} each; poisson takes a number of entries")
    entries = demand.entries or (MANY if demand.kind in ("poisson", "hot-spot") else 1)
    found = {}
    for pid in ids if demand.who is None else demand.who:
        wanted = entries * max(1, len(ids) - 1) if pid == hot else entries
        think = parse_times(demand.think, Random(f"{seed}/think/{pid}"), "demand.think")
        hold = parse_times(demand.hold, Random(f"{seed}/hold/{pid}"), "demand.hold")
        hurried = demand.kind == "all-at-once" or pid == hot
        found[pid] = Appetite(0 if demand.kind == "idle" else wanted, hurried, think, hold)
    return found


def time_of(call: Call, number: int, pid: Pid, seed: int) -> int:
    """When a process is called upon by the call of this number."""
    if isinstance(call.at, int):
        return call.at
    return parse_times(call.at, Random(f"{seed}/call/{number}/{pid}"), f"workload[{number}].at").draw()


def parse_times(text: str, random: Random, field: str) -> Delay:
    """The distribution of times that a demand or a call names."""
    try:
        return parse_delay(text, random)
    except ValueError as error:
        raise ScenarioError(f"{field}: {str(error).replace('delay', 'time', 1)}") from None
