"""The demand for a lock: who asks when, and how long each one stays inside.

Every process draws its thinking and holding times from a generator of its own, so that two algorithms under the same
seed are asked the same, whatever they make of it.
"""

from __future__ import annotations

from random import Random

from habemus.process import Pid
from habemus.scenario import Demand, ScenarioError
from habemus.simulation.delays import Delay, parse_delay
from habemus.simulation.simulation import Simulation
from habemus.simulation.steps import Customers

MANY = 10  # entries of each process where the demand goes on and the scenario does not say for how long


class Workload(Customers):
    """Gives the processes of a mutex their commands, in answer to what becomes of them."""

    def __init__(self, simulation: Simulation, demand: Demand, seed: int) -> None:
        self.simulation = simulation
        self.kind = demand.kind
        self.hot: Pid | None = None
        self.left_to_ask: dict[Pid, int] = {}
        self.holds: dict[Pid, list[int]] = {}  # what calls say of the next stays
        self.stays: dict[Pid, int] = {}  # how many stays each has begun: a release is for the stay it was meant for
        self.postponed: dict[Pid, int] = {}  # calls that came while the process was busy with an earlier one
        ids = simulation.topology.ids
        self.think: dict[Pid, Delay] = {}
        self.hold: dict[Pid, Delay] = {}
        for pid in ids:
            self.think[pid] = checked_times(demand.think, f"{seed}/think/{pid}", "demand.think")
            self.hold[pid] = checked_times(demand.hold, f"{seed}/hold/{pid}", "demand.hold")
        if demand.kind == "hot-spot":
            self.hot = ids[0] if demand.hot is None else demand.hot
        elif demand.hot is not None:
            raise ScenarioError(f"demand.hot: only a hot-spot has a hot process, not {demand.kind}")
        if demand.kind in ("one-each", "idle") and demand.entries is not None:
            number = "one entry" if demand.kind == "one-each" else "no entry"
            raise ScenarioError(f"demand.entries: {demand.kind} means {number} each; poisson takes a number of entries")
        entries = demand.entries or (MANY if demand.kind in ("poisson", "hot-spot") else 1)
        for pid in ids if demand.kind != "idle" else []:
            self.left_to_ask[pid] = entries * max(1, len(ids) - 1) if pid == self.hot else entries

    def satisfied(self) -> bool:
        lock = self.simulation.world.lock
        return not (self.left_to_ask or self.postponed or lock.waiting or lock.inside)

    def begin(self) -> None:
        """Have everybody ask for the first time."""
        for pid in list(self.left_to_ask):
            self.think_then_ask(pid)

    def think_then_ask(self, id: Pid) -> None:
        """The process will ask after a while, if it wants to enter again at all."""
        wanted = self.left_to_ask.pop(id, 0)
        if wanted:
            hurried = self.kind == "all-at-once" or id == self.hot
            pause = 1 if hurried else self.think[id].sample(1)[0]
            self.left_to_ask[id] = wanted
            self.simulation.at(int(self.simulation.now) + pause, lambda: self.ask(id))

    def ask(self, id: Pid) -> None:
        """The process asks for one of the entries it wants."""
        wanted = self.left_to_ask.pop(id, 0)
        if self.simulation.node(id).crashed:
            if wanted:
                self.left_to_ask[id] = wanted  # it will, when it is back
            return
        if wanted > 1:
            self.left_to_ask[id] = wanted - 1
        if wanted:
            self.simulation.command(id, "acquire")

    def call(self, id: Pid, hold: int | None) -> None:
        """The process is called upon to enter and to stay for so long."""
        if hold is not None:
            self.holds.setdefault(id, []).append(hold)
        self.simulation.command(id, "acquire")

    def engaged(self, id: Pid) -> None:
        self.postponed[id] = self.postponed.get(id, 0) + 1

    def entered(self, id: Pid) -> None:
        stay = self.stays[id] = self.stays.get(id, 0) + 1
        said = self.holds.get(id)
        hold = said.pop(0) if said else self.hold[id].sample(1)[0]
        self.simulation.at(int(self.simulation.now) + hold, lambda: self.release(id, stay))

    def release(self, id: Pid, stay: int) -> None:
        """The process has been inside for long enough."""
        if self.stays[id] == stay:
            self.simulation.command(id, "release")

    def left(self, id: Pid) -> None:
        if self.postponed.get(id, 0):
            self.postponed[id] -= 1
            self.simulation.at(int(self.simulation.now) + 1, lambda: self.simulation.command(id, "acquire"))
            if not self.postponed[id]:
                del self.postponed[id]
        else:
            self.think_then_ask(id)

    def recovered(self, id: Pid) -> None:
        self.postponed.pop(id, None)
        self.think_then_ask(id)


def checked_times(text: str, seed: str, field: str) -> Delay:
    """The distribution of times that a demand names."""
    try:
        return parse_delay(text, Random(seed))
    except ValueError as error:
        raise ScenarioError(f"{field}: {str(error).replace('delay', 'time', 1)}") from None
