"""What goes wrong with processes, links and clocks in a simulation, and right again.

The perfect detector tells of crashes and recoveries after the simulation's `detection` ticks, if anybody listens.
"""

from __future__ import annotations

from habemus.process import Pid
from habemus.scenario.delays import Delay
from habemus.simulation.node import Node
from habemus.simulation.simulation import Simulation


class Faults:
    """What can be done to the processes and links of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    # Processes -----------------------------------------------------------------------------------------------------

    def crash(self, id: Pid) -> None:
        """The process stops at once; what it sent is still under way."""
        simulation = self.simulation
        node = simulation.node(id)
        if node.crashed:
            return
        node.up = False
        node.crashed = True
        node.life += 1
        node.timers = None
        node.backlog = None
        node.indications = None
        self.refresh_receiver(node)
        simulation.note("crash", id, None)
        simulation.world.time = simulation.now
        simulation.world.crashed(id)
        simulation.observers.judge()
        if simulation.detection >= 0:
            life = node.life
            simulation.at(self.told_at(), lambda: self.tell_all(node, life, "suspect"))

    def recover(self, id: Pid) -> None:
        """The process is back with its durable fields only."""
        simulation = self.simulation
        node = simulation.node(id)
        if not node.crashed:
            return
        node.begin_life(node.durable_fields())
        node.up = True
        node.crashed = False
        node.life += 1
        self.refresh_receiver(node)
        simulation.note("recover", id, None)
        simulation.world.time = simulation.now
        simulation.world.recovered(id)
        simulation.observers.judge()
        node.recover()
        simulation.customers.recovered(id)
        if simulation.detection >= 0:
            life = node.life
            simulation.at(self.told_at(), lambda: self.tell_all(node, life, "trust"))
            simulation.at(self.told_at(), lambda: self.brief(node, life))

    def told_at(self) -> int:
        """When the perfect detector speaks of what happens now."""
        return self.simulation.now + max(1, self.simulation.detection)

    def tell_all(self, subject: Node, life: int, what: str) -> None:
        """The perfect detector speaks to every live process, if what it says is still true."""
        if subject.life != life:
            return
        for node in self.simulation.nodes:
            if node is not subject:
                self.inform(node, what, subject.id)

    def brief(self, newcomer: Node, life: int) -> None:
        """The perfect detector tells a process that is back who else is down."""
        if newcomer.life == life:
            for node in self.simulation.nodes:
                if node.crashed:
                    self.inform(newcomer, "suspect", node.id)

    def inform(self, node: Node, what: str, subject: Pid) -> None:
        """Give the detector's word to all layers of a live process."""
        if node.crashed:
            return
        if not node.up:
            node.hold(lambda: self.inform(node, what, subject))
            return
        node.hear(self.simulation.machine.hearing, what, subject)

    def pause(self, id: Pid) -> None:
        """The process does nothing until it resumes; what reaches it meanwhile waits."""
        node = self.simulation.node(id)
        if node.up:
            node.up = False
            self.refresh_receiver(node)
            self.simulation.note("pause", id, None)

    def resume(self, id: Pid) -> None:
        """The process goes on, with what has piled up first."""
        node = self.simulation.node(id)
        if node.crashed or node.up:
            return
        node.up = True
        self.refresh_receiver(node)
        self.simulation.note("resume", id, None)
        backlog = node.backlog or []
        node.backlog = None
        for position, action in enumerate(backlog):
            if not node.up:  # a step of its own made it stop again
                node.backlog = backlog[position:]
                return
            action()

    def refresh_receiver(self, receiver: Node) -> None:
        """Make the links to a process agree with what has become of it."""
        for node in self.simulation.nodes:
            link = node.used_link(receiver.id)
            if link is not None:
                link.process = receiver.process
                link.ready = link.open and receiver.up

    # Links ---------------------------------------------------------------------------------------------------------

    def cut(self, pairs: list[tuple[Pid, Pid]], kind: str, subject: object) -> None:
        """Messages sent or under way from a to b are lost, for each pair (a, b) of a cut or a partition."""
        self.simulation.note(kind, None, subject)
        self.simulation.cuts.update(pairs)
        self.refresh_links(pairs)

    def heal(self, pairs: list[tuple[Pid, Pid]], subject: object) -> None:
        """The links work again; without pairs, all of them."""
        self.simulation.note("heal", None, subject)
        healed = pairs or sorted(self.simulation.cuts)
        self.simulation.cuts.difference_update(healed)
        self.refresh_links(healed)

    def slow(self, delays: dict[tuple[Pid, Pid], Delay], subject: str) -> None:
        """What is sent over these links from now on takes as long as their new delays say."""
        self.simulation.note("slow", None, subject)
        self.simulation.link_delays.update(delays)
        self.refresh_links(list(delays))

    def refresh_links(self, pairs: list[tuple[Pid, Pid]]) -> None:
        """Make links in use agree with the cuts and with their delays."""
        simulation = self.simulation
        for a, b in pairs:
            link = simulation.node(a).used_link(b)
            if link is not None:
                link.open = (a, b) not in simulation.cuts
                link.delay = simulation.link_delays.get((a, b))
                link.ready = link.open and link.receiver.up
                link.plain = simulation.plain and link.open and link.delay is None

    # Clocks --------------------------------------------------------------------------------------------------------

    def skew(self, id: Pid, by: int) -> None:
        """The clock of the process jumps ahead (behind, if negative): its armed timers run out that much sooner."""
        simulation = self.simulation
        node = simulation.node(id)
        simulation.note("skew", id, by)
        for (layer, name), (deadline, _) in list((node.timers or {}).items()):
            node.arm_until(layer, name, max(simulation.now + 1, deadline - by))

    def drift(self, id: Pid, rate: float) -> None:
        """From now on the clock of the process runs at `rate` ticks a tick."""
        self.simulation.note("drift", id, rate)
        self.simulation.node(id).rate = rate
