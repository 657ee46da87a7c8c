"""The simulator: integer time, one queue, every fault; deterministic to the last bit.

Time is a whole number of ticks. The queue is a wheel of buckets, one for each of the next 64 ticks, so a message costs
two list appends and no comparison. Messages that take longer go to a dict of buckets (tick -> what arrives then); a
heap holds the ticks of these, of timers and of faults. Within a tick faults and commands come first, then messages in
the order of sending, then timers: what is due by a deadline arrives before the timer set to that deadline runs out.
"""

from __future__ import annotations

import gc
from heapq import heappop, heappush
from random import Random
from typing import Any, Final, cast

from mypy_extensions import i64

from habemus.process import Anatomy, Clause, Message, MisuseError, Mutex, Pid, Port
from habemus.process.anatomy import check_message
from habemus.process.source import place
from habemus.properties import Property
from habemus.simulation.delays import BATCH, Constant, Delay
from habemus.simulation.node import NEAR, Link, Node
from habemus.simulation.steps import Steps
from habemus.simulation.topology import Topology
from habemus.trace import Envelope, Recorder

VERY_MANY = 100_000
STRETCH: Final = 128  # items of a bucket, two a message, that are looked at ahead of their turn
NEVER: Final = 1 << 62
COMPILED: Final = hasattr(Port, "__mypyc_attrs__")


def pause_collector() -> bool:
    """Keep the cyclic collector away: a run makes no cycles, and it would walk every process again and again."""
    was_on = gc.isenabled()
    gc.disable()
    return was_on


def resume_collector(was_on: bool, processes: int) -> None:
    """Let it go on. Very many processes count as old at once, for walking them would take longer than it could free."""
    if was_on:
        if processes >= VERY_MANY:
            gc.freeze()
            gc.unfreeze()
        gc.enable()


class Handler:
    """The clause for a type of message, and how many of that type it has handled."""

    def __init__(self, clause: Clause, layer: int) -> None:
        self.clause = clause
        self.function: Any = clause.function
        self.layer = layer
        self.count: i64 = 0


class Simulation(Steps):
    """A run in the making: build it, schedule faults and commands with `at`, then `run`."""

    def __init__(
        self,
        stack: list[Anatomy],
        parameters: list[dict[str, Any]],
        topology: Topology,
        delay: Delay,
        seed: int,
        properties: list[Property],
        fifo: bool = True,
        loss: float = 0.0,
        duplication: float = 0.0,
        detection: int = -1,
        recorder: Recorder | None = None,
    ) -> None:
        super().__init__(stack, parameters, topology, properties, recorder)
        self.members = tuple(topology.ids)
        self.delay: Delay = Constant(Random(), 1) if self.synchronous else delay
        self.batch: list[int] = []
        self.fifo = fifo
        self.loss = loss
        self.duplication = duplication
        self.detection = detection  # ticks from a crash until all know of it; negative: nobody is told
        self.coins = Random(f"{seed}/coins")
        self.chance = Random(f"{seed}/chance")
        self.plain = recorder is None and loss == 0 and duplication == 0 and fifo and not self.synchronous

        self.wheel: list[list[Any]] = [[] for _ in range(NEAR + 1)]  # slot -> link, message, link, message, ...
        self.buckets: dict[int, list[Any]] = {}  # tick -> the same, for ticks that were far away when it was sent
        self.cuts: set[tuple[Pid, Pid]] = set()
        self.link_delays: dict[tuple[Pid, Pid], Delay] = {}
        self.tally: dict[Any, int] = {}  # messages by type that no handler counts: lost ones, and those of a pulse
        self.handlers: dict[type, Handler] = {}
        for layer, anatomy in enumerate(stack):
            for message, clause in anatomy.messages.items():
                self.handlers[message] = Handler(clause, layer)
        self.messages_when_served = -1  # what the mutex had sent when all who wanted in had been in; -1: not yet
        self.goal: Property | None = None
        self.inboxes: dict[int, list[tuple[Pid, Any]]] = {}
        self.pulse = 0
        self.silent = 0  # pulses in a row in which nobody sent anything
        if topology.n >= VERY_MANY:
            gc.collect()  # an earlier simulation of that size, held together by its cycles, may still be around
        collecting = pause_collector()
        try:
            self.nodes = [Node(self, i, id, topology.n) for i, id in enumerate(topology.ids)]
        finally:
            resume_collector(collecting, topology.n)

    # Messages ------------------------------------------------------------------------------------------------------

    def new_link(self, node: Node, to: Pid) -> Link:
        """A link from a node to its neighbour."""
        if not self.topology.linked(node.place, to):
            raise MisuseError(
                f"{place(self.stack[-1].cls)} makes process {node.id} send to {to}, to which it has no link in this "
                f"{self.topology.kind}."
            )
        delay: Delay | None = None
        open = True
        if self.link_delays or self.cuts:
            delay = self.link_delays.get((node.id, to))
            open = (node.id, to) not in self.cuts
        return Link(node, self.node(to), open, delay, self.plain and open and delay is None)

    def refill(self) -> list[int]:
        """Draw the next delays of the common network, the first to be used last in the list."""
        self.batch = self.delay.sample(BATCH)
        self.batch.reverse()
        return self.batch

    def far_bucket(self, tick: int) -> list[Any]:
        """The place for what arrives in a tick that is not on the wheel yet."""
        bucket = self.buckets.get(tick)
        if bucket is None:
            bucket = self.buckets[tick] = []
            heappush(self.ticks, tick)
        return bucket

    def transmit(self, link: Link, message: Message) -> None:
        """Put a message on a link: lose it, or have it (and perhaps a copy) arrive after its delay."""
        parcel, copies = self.interfere(link, message)
        for _ in range(copies):
            arrival: i64
            if link.delay is None:
                arrival = self.now + (self.batch or self.refill()).pop()
            else:
                arrival = self.now + link.delay.draw()
            if self.fifo:
                arrival = max(arrival, link.last)
                link.last = arrival
            bucket = self.wheel[arrival & NEAR] if arrival - self.now <= NEAR else self.far_bucket(arrival)
            bucket.append(link)
            bucket.append(parcel)

    def interfere(self, link: Link, message: Message) -> tuple[object, int]:
        """What becomes of a message on a link that is cut, unreliable or watched: what to send on, how many times."""
        parcel: object = message
        recorder = self.recorder
        if recorder is not None:
            parcel = recorder.send(link.sender, link.receiver.id, message)
        why = ""
        if not link.open:
            why = "the link is cut"
        elif self.loss and self.chance.random() < self.loss:
            why = "the network lost it"
        if why:
            self.count(message)
            if recorder is not None:
                recorder.lose(self.now, cast(Envelope, parcel), why)
            return parcel, 0
        if self.duplication and self.chance.random() < self.duplication:
            self.count(message, -1)
            return parcel, 2
        return parcel, 1

    def count(self, message: Message, by: int = 1) -> None:
        """Count a message that no handler will count, or discount a copy that one will."""
        kind = type(message)
        self.tally[kind] = self.tally.get(kind, 0) + by

    def deliver(self, bucket: list[Any]) -> None:
        """Hand over what is in a bucket, in order."""
        position: i64 = 0
        end = len(bucket)
        while COMPILED and end - position > STRETCH:
            self.look_ahead(bucket, position, position + STRETCH)
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

    def hand_over(self, bucket: list[Any], position: i64, end: i64) -> None:
        """Hand over a stretch of a bucket, in order."""
        handlers = self.handlers
        handler: Handler | None = None
        kind: object = None
        while position < end:
            link: Link = bucket[position]
            parcel: object = bucket[position + 1]
            position += 2
            if type(parcel) is not kind:
                kind = type(parcel)
                handler = handlers.get(type(parcel)) if self.direct else None
            if handler is not None and link.ready:
                handler.count += 1
                handler.function(link.process, link.sender, parcel)
            else:
                self.arrive(link, parcel)

    def arrive(self, link: Link, parcel: object) -> None:
        """A message reaches the end of its link: the way for everything but the plain case."""
        node = link.receiver
        envelope = cast(Envelope, parcel) if self.recorder is not None else None
        message = envelope.message if envelope is not None else cast(Message, parcel)
        if node.crashed or not link.open:
            self.count(message)
            if self.recorder is not None and envelope is not None:
                why = "the receiver has crashed" if node.crashed else "the link is cut"
                self.recorder.lose(self.now, envelope, why)
            return
        if not node.up:
            self.count(message)  # it was sent, whether or not the process ever resumes
            self.hold(node, lambda: self.arrive_late(link, parcel, message))
            return
        if self.synchronous and type(message) not in self.handlers:
            if type(message) not in self.tally:
                check_message(type(message), self.stack[-1].cls)  # a pulse does not say beforehand what it takes
            self.count(message)
            self.inboxes.setdefault(node.place, []).append((link.sender, parcel))
            return
        handler = self.handlers.get(type(message))
        if handler is None:
            raise self.unhandled(message)
        handler.count += 1
        received = [envelope] if envelope is not None else []
        self.step(node, handler.layer, handler.clause, (link.sender, message), None, received)

    def arrive_late(self, link: Link, parcel: object, message: Message) -> None:
        """A message that was held at the end of its link is let through."""
        self.count(message, -1)
        self.arrive(link, parcel)

    def unhandled(self, message: Message) -> MisuseError:
        """What to say of a message that no clause is for."""
        kind = type(message).__name__
        return MisuseError(f"{place(self.stack[-1].cls)} sends {kind}, but has no clause for it: add @upon({kind}).")

    # The run -------------------------------------------------------------------------------------------------------

    def run(self, until: int, budget: int) -> str:
        """Go on until nothing is left to do, the goal is reached, time is up or so many events have happened.

        Says which: "quiescence", "property", "time" or "budget". With more time or budget it can go on from there.
        """
        collecting = pause_collector()
        try:
            return self.run_pulses(until, budget) if self.synchronous else self.run_ticks(until, budget)
        finally:
            resume_collector(collecting, self.topology.n)

    def run_ticks(self, until: int, budget: int) -> str:
        """The loop over ticks."""
        wheel, ticks = self.wheel, self.ticks
        last: i64 = until if 0 <= until < NEVER else NEVER
        tick = busy = self.now  # `busy`: the last tick in which anything happened; cancelled timers are nothing
        while True:
            scheduled: i64 = ticks[0] if ticks else NEVER  # until then, all there is to do is on the wheel
            end = tick + NEAR + 1 if tick + NEAR < scheduled else scheduled
            while tick < end and not wheel[tick & NEAR]:
                tick += 1
            if tick >= end:
                tick = scheduled
            if tick == NEVER:
                self.now = busy
                return "quiescence"
            if self.events >= budget:
                return "budget"
            if tick > last:
                self.now = last
                return "time"
            self.now = tick
            before = self.events
            if tick == scheduled:
                self.pop_ticks(tick)
                self.run_agenda(tick)
            bucket = wheel[tick & NEAR]
            wheel[tick & NEAR] = []
            if self.buckets:
                bucket = self.buckets.pop(tick, []) + bucket  # what was sent while this tick was far away comes first
            count = len(bucket) // 2
            if self.events + count > budget:
                count = max(0, budget - self.events)
                wheel[tick & NEAR] = bucket[2 * count :]
                heappush(ticks, tick)
                self.events += count
                self.deliver(bucket[: 2 * count])
                return "budget"
            self.events += count
            self.deliver(bucket)
            if tick == scheduled:
                self.ring_alarms(tick)
            if self.goal is not None and self.goal.holds is not None:
                return "property"
            if self.events != before:
                busy = tick

    def pop_ticks(self, tick: int) -> None:
        """Forget the ticks up to this one, which is about to be dealt with."""
        while self.ticks and self.ticks[0] <= tick:
            heappop(self.ticks)

    def ring_alarms(self, tick: int) -> None:
        """Let the timers run out that are set to a tick."""
        for node, layer, name, serial in self.alarms.pop(tick, []):
            self.ring_alarm(node, layer, name, serial)

    def run_agenda(self, tick: int) -> None:
        """Carry out the faults and commands of a tick, including those they bring about at once."""
        agenda = self.agenda.pop(tick, None)
        if agenda is not None:
            for action in agenda:
                self.events += 1
                action()

    def run_pulses(self, until: int, budget: int) -> str:
        """The lock-step loop: each tick is a pulse, and every live process takes part in every pulse.

        It ends after two silent pulses with no timer running: what a process would do next, it would have begun.
        """
        while self.silent < 2 or self.ticks or any(self.wheel):
            pulse = self.pulse
            if until >= 0 and pulse > until:
                return "time"
            if self.events >= budget:
                return "budget"
            self.now = pulse
            self.pop_ticks(pulse)
            self.run_agenda(pulse)
            bucket = self.wheel[pulse & NEAR]
            self.wheel[pulse & NEAR] = []
            if self.buckets:
                bucket = self.buckets.pop(pulse, []) + bucket
            self.events += len(bucket) // 2
            self.deliver(bucket)
            for node in self.nodes:
                if node.up:
                    self.pulse_node(node, pulse)
            self.ring_alarms(pulse)
            sent = self.wheel[(pulse + 1) & NEAR] or pulse + 1 in self.buckets
            self.silent = 0 if sent else self.silent + 1
            self.pulse += 1
            if self.goal is not None and self.goal.holds is not None:
                return "property"
        return "quiescence"

    def pulse_node(self, node: Node, pulse: int) -> None:
        """One process takes part in a pulse."""
        inbox = sorted(self.inboxes.pop(node.place, []), key=lambda item: item[0])
        recorded = self.recorder is not None
        messages = [(sender, cast(Envelope, parcel).message if recorded else parcel) for sender, parcel in inbox]
        for layer, anatomy in enumerate(self.stack):
            clause = anatomy.events.get("pulse")
            if clause is not None:
                addressed = layer == self.pulsing[-1]
                received = [cast(Envelope, parcel) for _, parcel in inbox] if recorded and addressed else []
                self.step(node, layer, clause, (pulse, messages if addressed else []), pulse, received)

    # What came of it -----------------------------------------------------------------------------------------------

    def messages_by_type(self) -> dict[str, int]:
        """How many messages of each type were sent."""
        counts: dict[str, int] = {}
        for kind, count in self.message_counts().items():
            counts[kind.__name__] = counts.get(kind.__name__, 0) + count
        return {name: count for name, count in counts.items() if count}

    def messages_of(self, kind: type) -> int:
        """How many messages the layers of a kind sent: Mutex, Detector."""
        own = [message for anatomy in self.stack if issubclass(anatomy.cls, kind) for message in anatomy.messages]
        counts = self.message_counts()
        return sum([counts.get(message, 0) for message in own])

    def message_counts(self) -> dict[Any, int]:
        """How many messages of each class were sent."""
        counts: dict[Any, int] = {}
        for kind, handler in self.handlers.items():
            counts[kind] = handler.count
        for kind, count in self.tally.items():
            counts[kind] = counts.get(kind, 0) + count
        for bucket in [*self.wheel, *self.buckets.values()]:
            for position in range(1, len(bucket), 2):
                parcel = bucket[position]
                kind = type(cast(Envelope, parcel).message if self.recorder is not None else parcel)
                counts[kind] = counts.get(kind, 0) + 1
        return counts

    def all_were_served(self) -> None:
        """Take note of what that took."""
        self.messages_when_served = self.messages_of(Mutex)

    def mutex_stands_still(self) -> bool:
        """Whether no message of the mutex is under way and none of its timers is running."""
        layers = [layer for layer, anatomy in enumerate(self.stack) if issubclass(anatomy.cls, Mutex)]
        own = [message for layer in layers for message in self.stack[layer].messages]
        for bucket in [*self.wheel, *self.buckets.values()]:
            for position in range(1, len(bucket), 2):
                parcel = bucket[position]
                if type(cast(Envelope, parcel).message if self.recorder is not None else parcel) in own:
                    return False
        return not any(layer in layers for node in self.nodes if node.timers for layer, _ in node.timers)

    def conclude(self, over: bool, given_up: bool = False) -> None:
        """The run has ended: let every property decide.

        `over`: because nothing was left to do. `given_up`: because nobody had entered for as long as it is reasonable
        to wait, and nothing else was planned.
        """
        self.world.time = self.now
        self.world.over = over
        lock = self.world.lock
        lock.satisfied = self.customers.satisfied()
        if lock.waiting:
            lock.at_standstill = not lock.inside and (given_up or self.mutex_stands_still())
            for node in self.nodes:
                if isinstance(node.process, Mutex) and not node.crashed:
                    lock.waits_for[node.id] = node.process.waits_for
        for watched in self.properties:
            watched.conclude(self.world)
