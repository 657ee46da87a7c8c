"""The simulator: integer time, one queue, every fault; deterministic to the last bit.

Time is a whole number of ticks. The queue is a wheel of buckets, one for each of the next 64 ticks, so a message costs
two list appends and no comparison. Messages that take longer go to a dict of buckets (tick -> what arrives then); a
heap holds the ticks of these, of timers and of faults. Within a tick faults and commands come first, then messages in
the order of sending, then timers: what is due by a deadline arrives before the timer set to that deadline runs out.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from heapq import heappop, heappush
from random import Random
from typing import Any, Final, cast

from mypy_extensions import i64, mypyc_attr

from habemus.process import (
    Anatomy,
    Clause,
    Detector,
    Election,
    Message,
    MisuseError,
    Mutex,
    Pid,
    Port,
    Process,
)
from habemus.process.anatomy import check_message
from habemus.process.source import place
from habemus.properties import Property, World
from habemus.simulation.delays import BATCH, Constant, Delay
from habemus.simulation.node import NEAR, Link, Node
from habemus.simulation.topology import Topology
from habemus.trace import Envelope, Recorder

GUARD_LIMIT = 1000
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


@mypyc_attr(allow_interpreted_subclasses=True)
class Customers:
    """Whoever gives the commands: told when a process enters, leaves or is back, and whom it could not ask."""

    def entered(self, id: Pid) -> None:
        """The process is inside."""

    def left(self, id: Pid) -> None:
        """The process is outside again."""

    def recovered(self, id: Pid) -> None:
        """The process is back, and neither waits nor is inside."""

    def engaged(self, id: Pid) -> None:
        """The process was asked to acquire the lock while it waited or was inside."""

    def satisfied(self) -> bool:
        """Whether nobody waits, is inside, or will ask again."""
        return True


class Simulation:
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
        self.stack = stack
        self.parameters = parameters
        self.pulsing = [layer for layer, anatomy in enumerate(stack) if "pulse" in anatomy.events]
        self.synchronous = bool(self.pulsing)  # what no clause is for comes with the pulses of the topmost of these
        self.topology = topology
        self.members = tuple(topology.ids)
        self.delay: Delay = Constant(Random(), 1) if self.synchronous else delay
        self.batch: list[int] = []
        self.fifo = fifo
        self.loss = loss
        self.duplication = duplication
        self.detection = detection  # ticks from a crash until all know of it; negative: nobody is told
        self.recorder = recorder
        self.coins = Random(f"{seed}/coins")
        self.chance = Random(f"{seed}/chance")

        self.now: i64 = 0
        self.wheel: list[list[Any]] = [[] for _ in range(NEAR + 1)]  # slot -> link, message, link, message, ...
        self.buckets: dict[int, list[Any]] = {}  # tick -> the same, for ticks that were far away when it was sent
        self.alarms: dict[int, list[tuple[Node, int, str, int]]] = {}
        self.agenda: dict[int, list[Callable[[], None]]] = {}
        self.ticks: list[int] = []
        self.serial = 0
        self.cuts: set[tuple[Pid, Pid]] = set()
        self.link_delays: dict[tuple[Pid, Pid], Delay] = {}
        self.events: i64 = 0
        self.tally: dict[Any, int] = {}  # messages by type that no handler counts: lost ones, and those of a pulse

        self.handlers: dict[type, Handler] = {}
        self.commands: dict[str, tuple[int, Clause]] = {}  # name -> the topmost layer that knows it, and its clause
        guards = 0
        for layer, anatomy in enumerate(stack):
            guards += len(anatomy.guarded)
            if "start" in anatomy.events and issubclass(anatomy.cls, Election):
                self.commands["start"] = (layer, anatomy.events["start"])
            for name, clause in anatomy.commands.items():
                self.commands[name] = (layer, clause)
            for message, clause in anatomy.messages.items():
                self.handlers[message] = Handler(clause, layer)
        # One layer, nothing to guard, nobody writing it down: delivery can call the clause and go on.
        self.direct = recorder is None and guards == 0 and len(stack) == 1 and not self.synchronous
        self.plain = recorder is None and loss == 0 and duplication == 0 and fifo and not self.synchronous

        self.world = World(topology.ids)
        self.properties: list[Property] = []
        self.heeding_office: list[Property] = []
        self.heeding_followers: list[Property] = []
        self.heeding_lock: list[Property] = []
        for watched in properties:
            self.watch(watched)
        self.customers = Customers()
        self.messages_when_served = -1  # what the mutex had sent when all who wanted in had been in; -1: not yet
        self.refusals: list[tuple[Pid, object]] = []  # by the resource, in the step that is under way
        detectors = [layer for layer, anatomy in enumerate(stack) if issubclass(anatomy.cls, Detector)]
        self.hearing = detectors or list(range(len(stack)))  # the layers that the perfect detector speaks to
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

    def watch(self, watched: Property) -> None:
        """Judge the run by one more property."""
        self.properties.append(watched)
        if watched.topic == "election":
            self.heeding_office.append(watched)
            if watched.heeds_followers:
                self.heeding_followers.append(watched)
        elif watched.topic == "mutex":
            self.heeding_lock.append(watched)

    # Processes -----------------------------------------------------------------------------------------------------

    def create_process(self, node: Node) -> Process:
        """Fresh processes for all layers of a node; the top one is returned."""
        layers = [anatomy.create(node, self.parameters[index]) for index, anatomy in enumerate(self.stack)]
        if len(layers) > 1:
            node.layers = layers
        if self.recorder is not None:
            for index, anatomy in enumerate(self.stack):
                self.recorder.begin_life(layers[index], index, anatomy)
        return layers[-1]

    def layer(self, node: Node, index: int, top: Process) -> Process:
        """The process in a layer of a node."""
        return top if node.layers is None else node.layers[index]

    def layer_index(self, node: Node, process: Process) -> int:
        """Which layer of the node this process is."""
        if node.layers is None:
            return 0
        for index, layer in enumerate(node.layers):
            if layer is process:
                return index
        raise ValueError(f"{process!r} is not a layer of process {node.id}")

    def node(self, id: Pid) -> Node:
        """The node of a process."""
        return self.nodes[self.topology.place[id]]

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

    def hold(self, node: Node, action: Callable[[], None]) -> None:
        """Keep what reaches a paused process until it resumes."""
        if node.backlog is None:
            node.backlog = []
        node.backlog.append(action)

    # Steps ---------------------------------------------------------------------------------------------------------

    def step(
        self,
        node: Node,
        layer: int,
        clause: Clause,
        arguments: tuple[Any, ...],
        subject: object,
        received: list[Envelope],
    ) -> None:
        """Run one clause, then whatever it made true."""
        self.run_clause(node, layer, clause, arguments, subject, received)
        if not self.direct:
            self.settle(node)

    def run_clause(
        self,
        node: Node,
        layer: int,
        clause: Clause,
        arguments: tuple[Any, ...],
        subject: object,
        received: list[Envelope],
    ) -> None:
        """Run one clause and write it down, if anybody does."""
        process = self.layer(node, layer, node.process)
        recorder = self.recorder
        if recorder is None:
            clause.function(process, *arguments)
        else:
            anatomy = self.stack[layer]
            name = anatomy.cls.__name__ if len(self.stack) > 1 else ""
            recorder.begin(self.now, clause.kind, node.id, clause.name, name, subject, received)
            clause.function(process, *arguments)
            recorder.end(process, layer, anatomy)
            if self.refusals:
                for id, tokens in self.refusals:
                    recorder.note(self.now, "refuse", id, tokens)
                self.refusals = []

    def settle(self, node: Node) -> None:
        """Pass indications up and run the `whenever` clauses whose guards have become true."""
        for _ in range(GUARD_LIMIT):
            if node.indications:
                layer, what, subject = node.indications.pop(0)
                for above in range(layer + 1, len(self.stack)):
                    self.run_event(node, above, what, subject)
                continue
            ready = self.ready_guard(node)
            if ready is None:
                return
            layer, clause = ready
            self.run_clause(node, layer, clause, (), None, [])
        raise MisuseError(
            f"{place(self.stack[-1].cls)} does not come to rest: {GUARD_LIMIT} steps in a row at one moment; "
            f"a `whenever` clause has to make its own guard false."
        )

    def ready_guard(self, node: Node) -> tuple[int, Clause] | None:
        """The first `whenever` clause of the node whose guard is true."""
        for layer, anatomy in enumerate(self.stack):
            for clause in anatomy.guarded:
                guard: Any = clause.key
                if guard(self.layer(node, layer, node.process)):
                    return layer, clause
        return None

    def run_event(self, node: Node, layer: int, kind: str, subject: Pid | None) -> None:
        """Run the layer's clause for an event other than a message, if it has one."""
        clause = self.stack[layer].events.get(kind)
        if clause is not None:
            named = kind in ("suspect", "trust", "leader")
            self.step(node, layer, clause, (subject,) if named else (), subject, [])

    def indicate(self, node: Node, layer: Process, what: str, subject: Pid | None) -> None:
        """A layer found something out: onlookers see it now, the layers above after the step."""
        world = self.world
        world.time = self.now
        world.event = self.recorder.count - 1 if self.recorder is not None else -1
        if what == "leader":
            if subject == node.id and isinstance(layer, Election) and layer.term_field:
                world.leads_in(node.id, getattr(layer, layer.term_field))
            office_changed = world.names_leader(node.id, subject)
            for watched in self.heeding_office if office_changed else self.heeding_followers:
                watched.observe(world)
        elif what == "suspect":
            world.suspicions.suspects(node.id, cast(Pid, subject), world.time)
        elif what == "trust":
            world.suspicions.trusts(node.id, cast(Pid, subject), world.time)
        else:
            self.use_lock(node, what, subject)
        if node.layers is not None:
            if node.indications is None:
                node.indications = []
            node.indications.append((self.layer_index(node, layer), what, subject))

    def use_lock(self, node: Node, what: str, token: int | None) -> None:
        """A process asks for the lock, is inside ("enter") or outside again ("leave")."""
        world, lock = self.world, self.world.lock
        served = True
        if what == "ask":
            lock.asks(node.id, world.time, world.event)
        elif what == "enter":
            served = lock.enters(node.id, token, world.time, world.event)
        else:
            token = lock.inside[node.id].token
            served = lock.leaves(node.id, world.time)
        if not served and self.recorder is not None:
            self.refusals.append((node.id, [token, lock.resource.highest]))
        for watched in self.heeding_lock:
            watched.observe(world)
        if what == "enter":
            self.customers.entered(node.id)
        elif what == "leave":
            self.customers.left(node.id)
            if self.customers.satisfied():
                self.messages_when_served = self.messages_of(Mutex)

    def judge(self) -> None:
        """Let every property look at the world."""
        for watched in self.properties:
            watched.observe(self.world)

    # Timers --------------------------------------------------------------------------------------------------------

    def set_timer(self, node: Node, layer: int, name: str, delay: int) -> None:
        """Arm a timer of a layer."""
        cls = self.stack[layer].cls
        if name not in self.stack[layer].timeouts:
            raise MisuseError(f'{place(cls)} sets the timer "{name}", for which it has no @upon_timeout("{name}").')
        if delay < 1:
            raise MisuseError(f'{place(cls)} sets the timer "{name}" to {delay} ticks; at least 1 is needed.')
        if node.timers is None:
            node.timers = {}
        self.arm(node, layer, name, self.now + max(1, round(delay / node.rate)))

    def arm(self, node: Node, layer: int, name: str, deadline: int) -> None:
        """Have a timer run out at a moment, in place of what it was set to before."""
        self.serial += 1
        cast(Any, node.timers)[(layer, name)] = (deadline, self.serial)
        if deadline not in self.alarms:
            self.alarms[deadline] = []
            heappush(self.ticks, deadline)
        self.alarms[deadline].append((node, layer, name, self.serial))
        if self.recorder is not None:
            self.recorder.timer(node.id, layer, name, self.now, deadline)

    def ring_alarm(self, node: Node, layer: int, name: str, serial: int) -> None:
        """A timer runs out, unless it was cancelled, set again, or lost in a crash meanwhile."""
        armed = node.timers.get((layer, name)) if node.timers is not None else None
        if armed is None or armed[1] != serial:
            return
        if not node.up:
            self.hold(node, lambda: self.ring_alarm(node, layer, name, serial))
            return
        cast(Any, node.timers).pop((layer, name))
        self.events += 1
        self.step(node, layer, self.stack[layer].timeouts[name], (), name, [])

    # Commands ------------------------------------------------------------------------------------------------------

    def at(self, time: int, action: Callable[[], None]) -> None:
        """Schedule a fault or a command."""
        if time not in self.agenda:
            self.agenda[time] = []
            heappush(self.ticks, time)
        self.agenda[time].append(action)

    def start(self, ids: list[Pid]) -> None:
        """These processes take the first step of their election by themselves."""
        for id in ids:
            self.command(id, "start")

    def start_below(self) -> None:
        """Start every layer that does not wait to be called upon: all but elections."""
        below = [layer for layer, anatomy in enumerate(self.stack) if not issubclass(anatomy.cls, Election)]
        for node in self.nodes if below else []:
            for layer in below:
                self.run_event(node, layer, "start", None)

    def command(self, id: Pid, name: str) -> None:
        """Give a command to the topmost layer that knows it; `start` makes an election start."""
        node = self.node(id)
        if node.crashed:
            return
        if not node.up:
            self.hold(node, lambda: self.command(id, name))
            return
        known = self.commands.get(name)
        if known is not None:
            layer, clause = known
            process = self.layer(node, layer, node.process)
            if isinstance(process, Mutex):
                if name == "acquire" and (process.waiting or process.inside):
                    self.customers.engaged(id)
                    return
                if name == "release" and not process.inside:
                    return
            if self.direct:
                clause.function(node.process)
                return
            self.step(node, layer, clause, (), None if clause.kind == "start" else name, [])

    def note(self, kind: str, process: Pid | None, subject: object) -> None:
        """Write down a fault."""
        if self.recorder is not None:
            self.recorder.note(self.now, kind, process, subject)

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
