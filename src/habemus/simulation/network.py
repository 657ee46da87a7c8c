"""The simulated network: what becomes of a message between the clause that sends it and the one that receives it.

Most of a long run is spent here, so the plain case is spelled out: an open link that only delays, a receiver that is
up, a stack of one layer without guards. Everything else goes through `transmit` and `arrive`.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final, cast

from mypy_extensions import i64, mypyc_attr

from habemus.process import Handler, Machine, Message, Pid, Port
from habemus.scenario.delays import Constant, Delay
from habemus.scenario.topology import Topology
from habemus.simulation.node import Kernel, Link, Node
from habemus.simulation.tally import Tally
from habemus.trace import Envelope, Recorder

STRETCH: Final = 128  # items of a bucket, two a message, that are looked at ahead of their turn
COMPILED: Final = hasattr(Port, "__mypyc_attrs__")


@mypyc_attr(allow_interpreted_subclasses=True)
class Network(Kernel):
    """The nodes of a simulation and the links between them."""

    nodes: list[Node]

    def __init__(
        self,
        machine: Machine,
        topology: Topology,
        delay: Delay,
        seed: int,
        fifo: bool,
        loss: float,
        duplication: float,
        recorder: Recorder | None,
    ) -> None:
        super().__init__(Constant(Random(), 1) if machine.synchronous else delay)
        self.machine = machine
        self.topology = topology
        self.recorder = recorder
        self.direct = machine.direct
        self.handlers: dict[type, Handler] = machine.handlers
        self.fifo = fifo
        self.loss = loss
        self.duplication = duplication
        self.chance = Random(f"{seed}/chance")
        self.reliable = loss == 0 and duplication == 0
        self.plain = recorder is None and self.reliable and fifo and not machine.synchronous
        self.cuts: set[tuple[Pid, Pid]] = set()
        self.link_delays: dict[tuple[Pid, Pid], Delay] = {}
        self.tally = Tally(machine, self)
        self.inboxes: dict[int, list[tuple[Pid, Any]]] = {}  # seat -> what waits for the next pulse

    def node(self, id: Pid) -> Node:
        """The node of a process."""
        return self.nodes[self.topology.seats[id]]

    def new_link(self, node: Node, to: Pid) -> Link:
        """A link from a node to its neighbour."""
        if not self.topology.linked(node.seat, to):
            raise self.machine.missing_link(node.id, to)
        delay: Delay | None = None
        open = True
        if self.link_delays or self.cuts:
            delay = self.link_delays.get((node.id, to))
            open = (node.id, to) not in self.cuts
        return Link(node, self.node(to), open, delay, self.plain and open and delay is None)

    def transmit(self, link: Link, message: Message) -> None:
        """Put a message on a link: lose it, or have it (and perhaps a copy) arrive after its delay."""
        recorder = self.recorder
        contents: object = message if recorder is None else recorder.send(link.sender, link.to, message)
        copies = 1 if self.reliable and link.open else self.interfere(link, message, contents)
        for _ in range(copies):
            arrival: i64
            if link.delay is None:
                arrival = self.now + (self.batch or self.refill()).pop()
            else:
                arrival = self.now + link.delay.draw()
            if self.fifo:
                if arrival < link.last:
                    arrival = link.last
                else:
                    link.last = arrival
            bucket = self.bucket(arrival)
            bucket.append(link)
            bucket.append(contents)

    def interfere(self, link: Link, message: Message, contents: object) -> int:
        """How many copies arrive of a message on a link that is cut or unreliable."""
        why = ""
        if not link.open:
            why = "the link is cut"
        elif self.loss and self.chance.random() < self.loss:
            why = "the network lost it"
        if why:
            self.tally.count(message)
            if self.recorder is not None:
                self.recorder.lose(self.now, cast(Envelope, contents), why)
            return 0
        if self.duplication and self.chance.random() < self.duplication:
            self.tally.count(message, -1)
            return 2
        return 1

    def deliver(self, bucket: list[Any]) -> None:
        """Hand over what is in a bucket, in order."""
        position: i64 = 0
        end = len(bucket)
        while COMPILED and end - position > STRETCH:
            if self.recorder is None:
                self.look_ahead(bucket, position, position + STRETCH)
            else:
                self.look_ahead_recorded(bucket, position, position + STRETCH)
            self.hand_over(bucket, position, position + STRETCH)
            position += STRETCH
        self.hand_over(bucket, position, end)

    def look_ahead(self, bucket: list[Any], position: i64, end: i64) -> int:
        """Touch all that a stretch of a bucket leads to, and make nothing of it.

        In a large run a link, its receiver, the receiver's next link and the message have all left the processor's
        cache when their turn comes, and are fetched one after the other. Touched in a row they are fetched at once:
        a fifth faster at n = 10^6 when compiled, and no slower anywhere; interpreted, looking costs more than it gains.
        (The count only keeps the C compiler from leaving it out.)
        """
        fresh = 0
        while position < end:
            link: Link = bucket[position]
            if type(bucket[position + 1]) is not Link and link.process._port.to < 0:
                fresh += 1
            position += 2
        return fresh

    def look_ahead_recorded(self, bucket: list[Any], position: i64, end: i64) -> int:
        """The same with what the recorder reads: the state of the receiver, and the contents of the message."""
        fresh = 0
        while position < end:
            link: Link = bucket[position]
            envelope: Envelope = bucket[position + 1]
            record = link.record
            if type(envelope.message) is Message or link.process._port.to < 0:
                fresh += 1
            if envelope.contents.hash == 0:
                fresh += 1
            if record is not None and record.state and record.state[0] is None:
                fresh += 1
            position += 2
        return fresh

    def hand_over(self, bucket: list[Any], position: i64, end: i64) -> None:
        """Hand over a stretch of a bucket, in order."""
        if self.recorder is not None and self.machine.simple:
            self.hand_over_recorded(self.recorder, bucket, position, end)
            return
        handlers = self.handlers
        handler: Handler | None = None
        kind: object = None
        while position < end:
            link: Link = bucket[position]
            contents: object = bucket[position + 1]
            position += 2
            if type(contents) is not kind:
                kind = type(contents)
                handler = handlers.get(type(contents)) if self.direct else None
            if handler is not None and link.ready:
                handler.count += 1
                link.handled += 1
                handler.function(link.process, link.sender, contents)
            else:
                self.arrive(link, contents)

    def hand_over_recorded(self, recorder: Recorder, bucket: list[Any], position: i64, end: i64) -> None:
        """The same where a clause that runs is all there is to record."""
        handlers, anatomy = self.handlers, self.machine.stack[0]
        handler: Handler | None = None
        kind: object = None
        while position < end:
            link: Link = bucket[position]
            envelope: Envelope = bucket[position + 1]
            position += 2
            message = envelope.message
            if type(message) is not kind:
                kind = type(message)
                handler = handlers.get(type(message))
            record = link.record
            if handler is None or not link.ready or record is None:
                self.arrive(link, envelope)
                continue
            handler.count += 1
            link.handled += 1
            recorder.begin_receipt(self.now, record, handler.clause.name, "", envelope)
            handler.function(link.process, link.sender, message)
            recorder.end(link.process, 0, anatomy)
            self.record_refusals()

    def arrive(self, link: Link, contents: object) -> None:
        """A message reaches the end of its link: the way for everything but the plain case."""
        node = link.receiver
        envelope = cast(Envelope, contents) if self.recorder is not None else None
        message = envelope.message if envelope is not None else cast(Message, contents)
        if node.crashed or not link.open:
            self.tally.count(message)
            if self.recorder is not None and envelope is not None:
                why = "the receiver has crashed" if node.crashed else "the link is cut"
                self.recorder.lose(self.now, envelope, why)
            return
        if not node.up:
            self.hold_back(link, contents, message)
            return
        link.handled += 1
        if self.machine.waits_for_pulse(type(message)):
            self.tally.count(message)
            self.inboxes.setdefault(node.seat, []).append((link.sender, contents))
            return
        node.deliver(link.sender, message, [envelope] if envelope is not None else [])

    def count_handled(self) -> list[int]:
        """How many messages each process has handled, by seat."""
        found = [0] * len(self.nodes)
        for node in self.nodes:
            for link in node.used_links():
                found[link.receiver.seat] += int(link.handled)
        return found

    def hold_back(self, link: Link, contents: object, message: Message) -> None:
        """A message waits until its receiver, which is paused, resumes."""
        self.tally.count(message)  # it was sent, whether or not the process ever resumes
        link.receiver.hold(lambda: self.arrive_late(link, contents, message))

    def arrive_late(self, link: Link, contents: object, message: Message) -> None:
        """A message that was held at the end of its link is let through."""
        self.tally.count(message, -1)
        self.arrive(link, contents)
