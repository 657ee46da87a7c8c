"""A simulated process and its end of the network.

A node hosts the layers of a process; a link is one direction of an edge, and is what the process sends through.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, cast

from mypy_extensions import i64, mypyc_attr

from habemus.process import Layers, Machine, Message, Pid, Port, Process
from habemus.scenario.delays import Delay
from habemus.simulation.timeline import NEAR, Timeline
from habemus.trace import Recorder


@mypyc_attr(allow_interpreted_subclasses=True)
class Kernel(Timeline):
    """What a simulated node stands on: time, and what the simulation makes of a node's effects."""

    coins: Random
    recorder: Recorder | None

    @abstractmethod
    def transmit(self, link: Link, message: Message) -> None:
        """Put a message on a link that is not plain."""

    @abstractmethod
    def new_link(self, node: Node, to: Pid) -> Link:
        """A link from a node to its neighbour."""

    @abstractmethod
    def observe(self, node: Node, process: Process, what: str, subject: Any) -> None:
        """Observers see what a layer of a node announces."""

    @abstractmethod
    def record_refusals(self) -> None:
        """Write down what the protected resource refused in the step that was just recorded."""


class Link(Port):
    """One direction of an edge.

    Two flags spare the common case all further questions. `ready`: open, and the receiver is up, so that what arrives
    can be handed over. `plain`: open, in a network that only delays and keeps the order, unwatched.
    """

    __slots__ = (
        "delay",
        "handled",
        "kernel",
        "last",
        "open",
        "plain",
        "process",
        "ready",
        "receiver",
        "record",
        "sender",
    )

    def __init__(self, node: Node, receiver: Node, open: bool, delay: Delay | None, plain: bool) -> None:
        self.to = receiver.id
        self.kernel = node.kernel
        self.sender: i64 = node.id
        self.process = receiver.process
        self.last: i64 = 0  # when the last message on it arrives; FIFO links keep to it
        self.handled: i64 = 0  # how many messages that came over it were handled
        self.plain = plain
        self.ready = open and receiver.up
        self.open = open
        self.receiver = receiver
        self.delay = delay
        recorder = node.kernel.recorder
        self.record = recorder.record_of(receiver.id) if recorder is not None else None  # of who receives

    def carry(self, message: Message) -> None:
        kernel = self.kernel
        if not self.plain:
            kernel.transmit(self, message)
            return
        # What `transmit` comes to on a plain link, spelled out: most of a long run is spent in these lines.
        batch = kernel.batch or kernel.refill()
        now = kernel.now
        arrival: i64 = now + batch.pop()
        if arrival < self.last:
            arrival = self.last
        else:
            self.last = arrival
        bucket = kernel.wheel[arrival & NEAR] if arrival - now <= NEAR else kernel.far_bucket(arrival)
        bucket.append(self)
        bucket.append(message)


class Node(Layers):
    """One simulated process: its layers and its end of the network."""

    __slots__ = ("backlog", "crashed", "first_link", "kernel", "life", "links", "rate", "timers", "up")

    def __init__(self, machine: Machine, seat: int, kernel: Kernel) -> None:
        self.kernel = kernel
        self.first_link: Link | None = None  # to the neighbour first sent to; on a ring that is all a process needs
        self.links: dict[Pid, Link] | None = None  # to all others
        self.up = True  # False while crashed or paused
        self.crashed = False
        self.life = 0
        self.timers: dict[tuple[int, str], tuple[int, int]] | None = None  # (layer, name) -> (deadline, serial)
        self.backlog: list[Callable[[], None]] | None = None  # what reached the process while it was paused
        self.rate = 1.0
        super().__init__(machine, seat)

    # Effects

    def send(self, to: Pid, message: Message) -> None:
        self.port(to).carry(message)

    def port(self, to: Pid) -> Port:
        link = self.used_link(to)
        if link is None:
            link = self.kernel.new_link(self, to)
            if self.first_link is None:
                self.first_link = link
            elif self.links is None:
                self.links = {to: link}
            else:
                self.links[to] = link
        return link

    def used_links(self) -> list[Link]:
        """The links that it has sent through."""
        first = [self.first_link] if self.first_link is not None else []
        return [*first, *(self.links.values() if self.links is not None else [])]

    def used_link(self, to: Pid) -> Link | None:
        """The link to a neighbour if it has been used already."""
        first = self.first_link
        if first is not None and first.to == to:
            return first
        return self.links.get(to) if self.links is not None else None

    def arm(self, layer: int, name: str, delay: int) -> None:
        self.arm_until(layer, name, self.kernel.now + max(1, round(delay / self.rate)))

    def arm_until(self, layer: int, name: str, deadline: int) -> None:
        """Have a timer run out at a moment, in place of what it was set to before."""
        kernel = self.kernel
        if self.timers is None:
            self.timers = {}
        self.timers[(layer, name)] = (deadline, kernel.add_alarm(self, layer, name, deadline))
        if kernel.recorder is not None:
            kernel.recorder.timer(self.id, layer, name, kernel.now, deadline)

    def disarm(self, layer: int, name: str) -> None:
        if self.timers is not None and self.timers.pop((layer, name), None) is not None:
            kernel = self.kernel
            if kernel.recorder is not None:
                kernel.recorder.timer(self.id, layer, name, kernel.now, -1)

    def choose(self, options: Sequence[Any]) -> Any:
        return options[int(self.kernel.coins.random() * len(options))]

    def announce(self, process: Process, what: str, subject: Any) -> bool:
        self.kernel.observe(self, process, what, subject)
        return True

    def time(self) -> int:
        return self.kernel.now

    def on_recorded(self) -> None:
        self.kernel.record_refusals()

    # Events

    def is_armed(self, layer: int, name: str, serial: int) -> bool:
        """Whether the alarm of this number still counts: not if it was cancelled, set again, or lost in a crash."""
        armed = self.timers.get((layer, name)) if self.timers is not None else None
        return armed is not None and armed[1] == serial

    def ring_alarm(self, layer: int, name: str) -> None:
        """A timer runs out."""
        cast(Any, self.timers).pop((layer, name))
        self.time_out(layer, name)

    def hold(self, action: Callable[[], None]) -> None:
        """Keep what reaches a paused process until it resumes."""
        if self.backlog is None:
            self.backlog = []
        self.backlog.append(action)
