"""The demand for a lock, put to the processes of a simulation."""

from __future__ import annotations

from habemus.process import Pid
from habemus.scenario import Demand
from habemus.scenario.demand import appetites_of
from habemus.simulation.customers import Customers
from habemus.simulation.simulation import Simulation


class Workload(Customers):
    """Gives the processes of a mutex their commands, in answer to what becomes of them."""

    def __init__(self, simulation: Simulation, demand: Demand, seed: int) -> None:
        self.simulation = simulation
        self.appetites = appetites_of(demand, simulation.topology.ids, seed)
        self.hungry = {pid for pid, appetite in self.appetites.items() if appetite.entries}
        self.holds: dict[Pid, list[int]] = {}  # what calls say of the next stays
        self.stays: dict[Pid, int] = {}  # how many stays each has begun: a release is for the stay it was meant for
        self.postponed: dict[Pid, int] = {}  # calls that came while the process was busy with an earlier one

    def satisfied(self) -> bool:
        lock = self.simulation.world.lock
        return not (self.hungry or self.postponed or lock.waiting or lock.inside)

    def begin(self) -> None:
        """Have everybody ask for the first time."""
        for pid in self.appetites:
            self.think_then_ask(pid)

    def think_then_ask(self, id: Pid) -> None:
        """The process will ask after a while, if it wants to enter again at all."""
        if id in self.hungry:
            self.simulation.at(int(self.simulation.now) + self.appetites[id].pause(), lambda: self.ask(id))

    def ask(self, id: Pid) -> None:
        """The process asks for one of the entries it wants; one that is down will when it is back."""
        if id in self.hungry and not self.simulation.node(id).crashed:
            self.appetites[id].entries -= 1
            if not self.appetites[id].entries:
                self.hungry.discard(id)
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
        hold = said.pop(0) if said else self.appetites[id].stay()
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
