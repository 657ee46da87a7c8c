"""The layers of one process on a real node, and the steps they take.

This is the same machine as a node of the simulator: one clause at a time, then what it announced goes up to the layers
above, then the `whenever` clauses whose guards have become true. It touches no socket and no file. What a step sends
and announces is put aside in `outbox` and `said`; whoever drives it first makes the durable fields safe and only then
lets these out, so that nobody ever hears of a promise that a crash could undo. Time is told to it, in nanoseconds; a
tick of an algorithm is a millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from random import Random
from typing import Any

from habemus.network.errors import NetworkError
from habemus.network.synchroniser import EndOfPulse, Pulses
from habemus.process import (
    Anatomy,
    Clause,
    Detector,
    Election,
    Host,
    Message,
    MisuseError,
    Mutex,
    Pid,
    Process,
)
from habemus.process.anatomy import frozen
from habemus.process.source import place
from habemus.simulation.topology import Topology
from habemus.trace import Envelope, Recorder

TICK = 1_000_000  # nanoseconds
GUARD_LIMIT = 1000

State = list[dict[str, Any]]
"""The durable fields of each layer, bottom to top."""


def assumes_reliable_links(anatomy: Anatomy) -> bool:
    """Whether a layer relies on its messages; a detector, or whose model speaks of loss, does not."""
    return "loss" not in anatomy.cls.model and not issubclass(anatomy.cls, Detector)


class Stack(Host):
    """The host of one process, be it a single algorithm or a stack of them."""

    def __init__(
        self,
        stack: list[Anatomy],
        parameters: list[dict[str, Any]],
        topology: Topology,
        id: Pid,
        coins: Random,
        recorder: Recorder | None = None,
    ) -> None:
        self.id = id
        self.n = topology.n
        self.stack = stack
        self.parameters = parameters
        self.topology = topology
        self.seat = topology.place[id]
        self.coins = coins
        self.recorder = recorder
        self.now = 0
        self.epoch = 0  # what to add for the time since 1970, for the trace
        self.outbox: list[tuple[Pid, int, Message, Envelope | None]] = []  # to whom, from which layer, what
        self.said: list[tuple[int, str, Pid | None]] = []  # which layer announced what
        self.handlers = {m: (layer, c) for layer, a in enumerate(stack) for m, c in a.messages.items()}
        self.guarded = [(layer, clause) for layer, anatomy in enumerate(stack) for clause in anatomy.guarded]
        self.promises = [(layer, name) for layer, anatomy in enumerate(stack) for name in anatomy.durable]
        self.commands: dict[str, tuple[int, Clause]] = {}
        for layer, anatomy in enumerate(stack):
            if "start" in anatomy.events and issubclass(anatomy.cls, Election):
                self.commands["start"] = (layer, anatomy.events["start"])
            for name, clause in anatomy.commands.items():
                self.commands[name] = (layer, clause)
        synchronous = any("pulse" in anatomy.events for anatomy in stack)
        self.pulses = Pulses(self.neighbours()) if synchronous else None
        self.doubts: dict[Pid, set[int]] = {}  # who is suspected, and by which layers; -1: by the links themselves
        self.begin_life()

    def begin_life(self) -> None:
        """Fresh processes in all layers."""
        self.timers: dict[tuple[int, str], tuple[int, int]] = {}  # (layer, name) -> (deadline, serial)
        self.alarms: list[tuple[int, int, int, str]] = []
        self.serial = 0
        self.rising: list[tuple[int, str, Pid | None]] = []  # what layers announced, for those above
        self.words: list[tuple[int, str, Pid]] = []  # what is new about who is suspected, and from which layer
        self.running = -1  # the layer whose clause runs
        self.layers = [anatomy.create(self, self.parameters[i]) for i, anatomy in enumerate(self.stack)]
        for subject in list(self.doubts):
            self.doubts[subject] &= {-1}  # what detectors thought is forgotten, what the links know is not
        if self.recorder is not None:
            for layer, anatomy in enumerate(self.stack):
                self.recorder.begin_life(self.layers[layer], layer, anatomy)

    # What a process may ask of its host

    def send(self, to: Pid, message: Message) -> None:
        if not self.topology.linked(self.seat, to):
            raise MisuseError(
                f"{place(self.stack[-1].cls)} makes process {self.id} send to {to}, to which it has no link in this "
                f"{self.topology.kind}."
            )
        envelope = self.recorder.send(self.id, to, message) if self.recorder is not None else None
        self.outbox.append((to, self.running, message, envelope))

    def set_timer(self, layer: Process, name: str, delay: int) -> None:
        index = self.layer_index(layer)
        cls = self.stack[index].cls
        if name not in self.stack[index].timeouts:
            raise MisuseError(f'{place(cls)} sets the timer "{name}", for which it has no @upon_timeout("{name}").')
        if delay < 1:
            raise MisuseError(f'{place(cls)} sets the timer "{name}" to {delay} ticks; at least 1 is needed.')
        self.serial += 1
        deadline = self.now + delay * TICK
        self.timers[(index, name)] = (deadline, self.serial)
        heappush(self.alarms, (deadline, self.serial, index, name))

    def cancel_timer(self, layer: Process, name: str) -> None:
        self.timers.pop((self.layer_index(layer), name), None)

    def choose(self, options: Sequence[Any]) -> Any:
        return options[self.coins.randrange(len(options))]

    def indicate(self, layer: Process, what: str, subject: Pid | None) -> None:
        index = self.layer_index(layer)
        self.said.append((index, what, subject))
        if what in ("suspect", "trust") and subject is not None:
            self.doubt(index, what, subject)
        else:
            self.rising.append((index, what, subject))

    def neighbours(self) -> tuple[Pid, ...]:
        return self.topology.neighbours(self.seat)

    def members(self) -> tuple[Pid, ...]:
        return tuple(self.topology.ids)

    def ring(self) -> tuple[Pid, Pid]:
        ids = self.topology.ids
        return ids[self.seat - 1], ids[(self.seat + 1) % self.n]

    # What can happen to a process

    def start_below(self) -> None:
        """Start every layer that does not wait to be called upon: all but elections."""
        for layer, anatomy in enumerate(self.stack):
            if not issubclass(anatomy.cls, Election):
                self.run_event(layer, "start", None)
        self.pass_words()

    def recover(self, durable: State) -> None:
        """Begin again with the durable fields only."""
        self.begin_life()
        self.put_back(durable)
        if self.recorder is not None:
            self.recorder.note(self.written_time, "recover", self.id, None)
        for layer, anatomy in enumerate(self.stack):
            if "recover" in anatomy.events:
                self.run_event(layer, "recover", None)
            elif not issubclass(anatomy.cls, Election):
                self.run_event(layer, "start", None)
        for subject in self.suspected:
            self.tell("suspect", subject, -1)
        self.pass_words()

    @property
    def knows_crashes(self) -> bool:
        """Whether some layer reckons with crashes, its own or those of others."""
        return any({"suspect", "trust", "recover"} & anatomy.events.keys() for anatomy in self.stack)

    @property
    def calls_when_back(self) -> bool:
        """Whether its elections begin by themselves after a crash, and need not be called."""
        return any(issubclass(anatomy.cls, Election) and "recover" in anatomy.events for anatomy in self.stack)

    def command(self, name: str) -> bool:
        """Give a command to the topmost layer that knows it; says whether it was one that could be followed."""
        if name not in self.commands:
            return False
        layer, clause = self.commands[name]
        process = self.layers[layer]
        if isinstance(process, Mutex):
            if name == "acquire" and (process.waiting or process.inside):
                return False
            if name == "release" and not process.inside:
                return False
        self.step(layer, clause, (), None if clause.kind == "start" else name, [])
        return True

    def deliver(self, sender: Pid, message: Message, envelope: Envelope | None) -> None:
        """A message has arrived."""
        received = [envelope] if envelope is not None else []
        if self.pulses is not None:
            if isinstance(message, EndOfPulse):
                self.pulses.end(sender, message)
            else:
                self.pulses.receive(sender, message, received)
            self.run_pulses()
            return
        layer, clause = self.handlers[type(message)]
        self.step(layer, clause, (sender, message), None, received)

    def link_lost(self, peer: Pid) -> None:
        """The other end of a link is gone."""
        self.doubt(-1, "suspect", peer)
        self.pass_words()

    def link_made(self, peer: Pid) -> None:
        """The other end of a link is there."""
        self.doubt(-1, "trust", peer)
        self.pass_words()

    def ring_alarms(self) -> None:
        """Let the timers run out that are due, in the order of their deadlines."""
        now = self.now
        while self.alarms and self.alarms[0][0] <= now:
            _, serial, layer, name = heappop(self.alarms)
            armed = self.timers.get((layer, name))
            if armed is not None and armed[1] == serial:
                del self.timers[(layer, name)]
                self.step(layer, self.stack[layer].timeouts[name], (), name, [])

    @property
    def next_deadline(self) -> int | None:
        """When the next timer runs out."""
        while self.alarms:
            deadline, serial, layer, name = self.alarms[0]
            armed = self.timers.get((layer, name))
            if armed is not None and armed[1] == serial:
                return deadline
            heappop(self.alarms)
        return None

    # Durable fields

    def durable(self) -> State:
        """The fields that have to survive a crash, as they are now."""
        return [
            {name: getattr(process, name) for name in anatomy.durable}
            for process, anatomy in zip(self.layers, self.stack, strict=True)
        ]

    def memory(self) -> tuple[Any, ...]:
        """The same as one value that can be compared later."""
        return tuple([frozen(getattr(self.layers[layer], name)) for layer, name in self.promises])

    def put_back(self, durable: State) -> None:
        """Set the durable fields."""
        for layer, (process, fields) in enumerate(zip(self.layers, durable, strict=True)):
            for name, value in fields.items():
                setattr(process, name, value)
            if self.recorder is not None:
                self.recorder.begin_life(process, layer, self.stack[layer])

    # Steps

    def step(
        self, layer: int, clause: Clause, arguments: tuple[Any, ...], subject: object, received: list[Envelope]
    ) -> None:
        """Something happens to the process: a clause runs, whatever it made true, and what follows from suspicions."""
        self.take(layer, clause, arguments, subject, received)
        if self.words:
            self.pass_words()

    def take(
        self, layer: int, clause: Clause, arguments: tuple[Any, ...], subject: object, received: list[Envelope]
    ) -> None:
        """Run one clause, then whatever it made true."""
        self.run_clause(layer, clause, arguments, subject, received)
        if self.rising or self.guarded:
            self.settle()

    def pass_words(self) -> None:
        """A word about who is suspected is an event of its own for those who hear it; it comes when all is at rest."""
        while self.words:
            source, what, subject = self.words.pop(0)
            self.tell(what, subject, source)

    def run_clause(
        self, layer: int, clause: Clause, arguments: tuple[Any, ...], subject: object, received: list[Envelope]
    ) -> None:
        """Run one clause and write it down, if anybody does."""
        if self.running >= 0:
            raise NetworkError("a clause was to run inside another; this is a mistake in the driver")
        process, anatomy, recorder = self.layers[layer], self.stack[layer], self.recorder
        self.running = layer
        try:
            if recorder is None:
                clause.function(process, *arguments)
            else:
                name = anatomy.cls.__name__ if len(self.stack) > 1 else ""
                recorder.begin(self.written_time, clause.kind, self.id, clause.name, name, subject, received)
                clause.function(process, *arguments)
                recorder.end(process, layer, anatomy)
        finally:
            self.running = -1

    def settle(self) -> None:
        """Pass indications up and run the `whenever` clauses whose guards have become true."""
        for _ in range(GUARD_LIMIT):
            if self.rising:
                layer, what, subject = self.rising.pop(0)
                self.tell(what, subject, layer)
                continue
            ready = self.ready_guard()
            if ready is None:
                return
            self.run_clause(*ready, (), None, [])
        raise MisuseError(
            f"{place(self.stack[-1].cls)} does not come to rest: {GUARD_LIMIT} steps in a row at one moment; "
            f"a `whenever` clause has to make its own guard false."
        )

    def ready_guard(self) -> tuple[int, Clause] | None:
        """The first `whenever` clause whose guard is true."""
        for layer, clause in self.guarded:
            guard: Any = clause.key
            if guard(self.layers[layer]):
                return layer, clause
        return None

    def tell(self, what: str, subject: Pid | None, below: int) -> None:
        """Every layer above that one hears what happened below it."""
        for layer in range(below + 1, len(self.stack)):
            self.run_event(layer, what, subject)

    def run_event(self, layer: int, kind: str, subject: Pid | None) -> None:
        """Run the layer's clause for an event other than a message, if it has one."""
        clause = self.stack[layer].events.get(kind)
        if clause is not None:
            named = kind in ("suspect", "trust", "leader")
            self.take(layer, clause, (subject,) if named else (), subject, [])

    def layer_index(self, process: Process) -> int:
        """Which layer this process is."""
        for index, layer in enumerate(self.layers):
            if layer is process:
                return index
        raise ValueError(f"{process!r} is not a layer of process {self.id}")

    # Suspicion

    def doubt(self, source: int, what: str, subject: Pid) -> None:
        """One who is suspected by its link or by a detector is suspected; one whom none of them suspects is not."""
        sources = self.doubts.setdefault(subject, set())
        before = bool(sources)
        if what == "suspect":
            sources.add(source)
        else:
            sources.discard(source)
        if bool(sources) != before:
            self.words.append((source, what, subject))

    @property
    def suspected(self) -> list[Pid]:
        """All who are suspected."""
        return sorted(subject for subject, sources in self.doubts.items() if sources)

    # Pulses

    def start_pulses(self) -> None:
        """From now on take part in the pulses, if there are any."""
        if self.pulses is not None:
            self.pulses.started = True
            self.run_pulses()

    def run_pulses(self) -> None:
        """Take part in every pulse for which all is there."""
        pulses = self.pulses
        while pulses is not None and pulses.ready:
            pulse, inbox, received = pulses.begin()
            sent = len(self.outbox)
            for layer, anatomy in enumerate(self.stack):
                clause = anatomy.events.get("pulse")
                if clause is not None:
                    self.step(layer, clause, (pulse, inbox), pulse, received)
            marker = EndOfPulse(len(self.outbox) == sent)
            pulses.end(self.id, marker)
            self.outbox += [(to, len(self.stack) - 1, marker, None) for to in self.neighbours()]

    # For onlookers

    @property
    def written_time(self) -> int:
        """The time as a trace has it: ticks since 1970, so that traces of several machines can be compared."""
        return (self.now + self.epoch) // TICK

    @property
    def election(self) -> Election | None:
        """The topmost layer that elects."""
        return next((process for process in reversed(self.layers) if isinstance(process, Election)), None)

    @property
    def mutex(self) -> Mutex | None:
        """The topmost layer that lets in."""
        return next((process for process in reversed(self.layers) if isinstance(process, Mutex)), None)
