"""A simulated process and its end of the network.

A node hosts the layers of a process; a link is one direction of an edge, and is what the process sends through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import i64

from habemus.process import Host, Message, Pid, Port, Process
from habemus.simulation.delays import Delay

if TYPE_CHECKING:
    from habemus.simulation.simulation import Simulation

NEAR: Final = 63  # delays up to this one go to the wheel; one less than a power of 2, so `tick & NEAR` is the slot


class Link(Port):
    """One direction of an edge.

    Two flags spare the common case all further questions. `ready`: open, and the receiver is up, so that what arrives
    can be handed over. `plain`: open, in a network that only delays and keeps the order, unwatched.
    """

    __slots__ = ("delay", "last", "open", "plain", "process", "ready", "receiver", "sender", "simulation")

    def __init__(self, node: Node, receiver: Node, open: bool, delay: Delay | None, plain: bool) -> None:
        self.to = receiver.id
        self.simulation = node.simulation
        self.sender: i64 = node.id
        self.process = receiver.process
        self.last: i64 = 0  # when the last message on it arrives; FIFO links keep to it
        self.plain = plain
        self.ready = open and receiver.up
        self.open = open
        self.receiver = receiver
        self.delay = delay

    def carry(self, message: Message) -> None:
        simulation = self.simulation
        if not self.plain:
            simulation.transmit(self, message)
            return
        # What `transmit` comes to on a plain link, spelled out: most of a long run is spent in these lines.
        batch = simulation.batch or simulation.refill()
        now = simulation.now
        arrival: i64 = now + batch.pop()
        if arrival < self.last:
            arrival = self.last
        else:
            self.last = arrival
        bucket = simulation.wheel[arrival & NEAR] if arrival - now <= NEAR else simulation.far_bucket(arrival)
        bucket.append(self)
        bucket.append(message)


class Node(Host):
    """One simulated process: its stack of layers and its end of the network."""

    __slots__ = (
        "backlog",
        "crashed",
        "first_link",
        "indications",
        "layers",
        "life",
        "links",
        "place",
        "process",
        "rate",
        "simulation",
        "timers",
        "up",
    )

    def __init__(self, simulation: Simulation, place: int, id: Pid, n: int) -> None:
        self.id = id
        self.n = n
        self.simulation = simulation
        self.first_link: Link | None = None  # to the neighbour first sent to; on a ring that is all a process needs
        self.place = place
        self.up = True  # False while crashed or paused
        self.crashed = False
        self.life = 0
        self.links: dict[Pid, Link] | None = None  # to all others
        self.timers: dict[tuple[int, str], tuple[int, int]] | None = None  # (layer, name) -> (deadline, serial)
        self.layers: list[Process] | None = None  # bottom to top; None for a single one
        self.indications: list[tuple[int, str, Pid | None]] | None = None
        self.backlog: list[Callable[[], None]] | None = None
        self.rate = 1.0
        self.process = simulation.create_process(self)

    def send(self, to: Pid, message: Message) -> None:
        self.port(to).carry(message)

    def port(self, to: Pid) -> Port:
        link = self.used_link(to)
        if link is None:
            link = self.simulation.new_link(self, to)
            if self.first_link is None:
                self.first_link = link
            elif self.links is None:
                self.links = {to: link}
            else:
                self.links[to] = link
        return link

    def used_link(self, to: Pid) -> Link | None:
        """The link to a neighbour if it has been used already."""
        first = self.first_link
        if first is not None and first.to == to:
            return first
        return self.links.get(to) if self.links is not None else None

    def set_timer(self, layer: Process, name: str, delay: int) -> None:
        self.simulation.set_timer(self, self.simulation.layer_index(self, layer), name, delay)

    def cancel_timer(self, layer: Process, name: str) -> None:
        if self.timers is not None:
            simulation = self.simulation
            index = simulation.layer_index(self, layer)
            if self.timers.pop((index, name), None) is not None and simulation.recorder is not None:
                simulation.recorder.timer(self.id, index, name, simulation.now, -1)

    def choose(self, options: Sequence[Any]) -> Any:
        return options[int(self.simulation.coins.random() * len(options))]

    def indicate(self, layer: Process, what: str, subject: Pid | None) -> None:
        self.simulation.indicate(self, layer, what, subject)

    def neighbours(self) -> tuple[Pid, ...]:
        return self.simulation.topology.neighbours(self.place)

    def members(self) -> tuple[Pid, ...]:
        return self.simulation.members

    def ring(self) -> tuple[Pid, Pid]:
        topology = self.simulation.topology
        return topology.ids[self.place - 1], topology.ids[(self.place + 1) % topology.n]
