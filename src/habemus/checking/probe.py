"""One process in the checker's hands: put into a local state, given an event, and watched.

A clause is a pure function of (local state, event, coins), so this is the only place where clauses run; everything
else looks their outcomes up. Coins are scripted: a clause that calls `choose` is run once for each way they may fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mypy_extensions import mypyc_attr

from habemus.process import Anatomy, Clause, Election, Host, Message, MisuseError, Pid, Process
from habemus.process.source import place
from habemus.simulation.topology import Topology
from habemus.trace import Envelope, Recorder

GUARD_LIMIT = 1000
MOST_BRANCHES = 4096
WORDS = ("suspect", "trust")  # what a detector says
ARRIVALS = ("deliver", *WORDS)

Timers = tuple[tuple[int, str, int], ...]
"""The armed timers: (layer, name, ticks left), sorted."""


class Local:
    """The local state of one process: its layers and all that belongs to it and is not in their fields."""

    def __init__(
        self,
        place: int,
        up: bool,
        awake: bool,
        wishes: int,
        alarms: int,
        timers: Timers,
        layers: tuple[Any, ...],
    ) -> None:
        self.place = place
        self.up = up
        self.awake = awake  # whether it has taken its first step, if that is its to take
        self.wishes = wishes  # how often it will still ask to enter
        self.alarms = alarms  # how many of its timers may still run out; -1: any number
        self.timers = timers
        self.layers = layers  # a snapshot each, bottom to top

    @property
    def key(self) -> tuple[Any, ...]:
        """The whole state as one hashable value."""
        return (self.place, self.up, self.awake, self.wishes, self.alarms, self.timers, self.layers)


class Event:
    """Something that may happen: at one process (`place`), or to all (-1)."""

    def __init__(
        self, kind: str, place: int, name: str = "", layer: int = 0, sender: Pid = -1, message: Any = None
    ) -> None:
        self.kind = kind  # as at the head of `semantics`
        self.place = place
        self.name = name  # of the timer or the command
        self.layer = layer
        self.sender = sender  # of the message; the subject of a suspicion
        self.message = message

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes it this event."""
        return (self.kind, self.place, self.name, self.layer, self.sender, type(self.message), self.message)


@mypyc_attr(native_class=False)
class NonDeterminismError(MisuseError):
    """A clause gave two outcomes for the same state and event."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Probe(Host):
    """The host of one process under check."""

    def __init__(
        self, stack: list[Anatomy], parameters: list[dict[str, Any]], topology: Topology, seat: int, timed: bool
    ) -> None:
        self.id = topology.ids[seat]
        self.n = topology.n
        self.stack = stack
        self.parameters = parameters
        self.topology = topology
        self.seat = seat
        self.timed = timed  # whether it matters how long timers run
        self.everyone = tuple(topology.ids)
        self.next_to = topology.neighbours(seat)
        self.processes: list[Process] = [anatomy.create(self, parameters[i]) for i, anatomy in enumerate(stack)]
        self.recorder: Recorder | None = None
        self.time = 0
        self.timers: dict[tuple[int, str], int] = {}
        self.sent: list[tuple[Pid, Message]] = []
        self.envelopes: list[Envelope] = []
        self.said: list[tuple[Pid, str, Any]] = []  # what onlookers hear
        self.said_in: list[int] = []  # in which recorded event
        self.rising: list[tuple[int, str, Any]] = []  # what layers above have yet to hear
        self.script: list[int] = []
        self.arities: list[int] = []
        self.tossed = 0
        self.clauses_run = 0

    # What a process may ask of its host

    def send(self, to: Pid, message: Message) -> None:
        if not self.topology.linked(self.seat, to):
            raise MisuseError(
                f"{place(self.stack[-1].cls)} makes process {self.id} send to {to}, to which it has no link in this "
                f"{self.topology.kind}."
            )
        self.sent.append((to, message))
        if self.recorder is not None:
            self.envelopes.append(self.recorder.send(self.id, to, message))

    def set_timer(self, layer: Process, name: str, delay: int) -> None:
        index = self.layer_index(layer)
        if name not in self.stack[index].timeouts:
            cls = self.stack[index].cls
            raise MisuseError(f'{place(cls)} sets the timer "{name}", for which it has no @upon_timeout("{name}").')
        if delay < 1:
            cls = self.stack[index].cls
            raise MisuseError(f'{place(cls)} sets the timer "{name}" to {delay} ticks; at least 1 is needed.')
        self.timers[(index, name)] = delay if self.timed else 0

    def cancel_timer(self, layer: Process, name: str) -> None:
        self.timers.pop((self.layer_index(layer), name), None)

    def choose(self, options: Sequence[Any]) -> Any:
        if self.tossed == len(self.script):
            self.script.append(0)
        if self.tossed == len(self.arities):
            self.arities.append(len(options))
        choice = options[self.script[self.tossed]]
        self.tossed += 1
        return choice

    def indicate(self, layer: Process, what: str, subject: Any) -> None:
        if what == "leader" and subject == self.id and isinstance(layer, Election) and layer.term_field:
            self.say("term", getattr(layer, layer.term_field))
        self.say(what, subject)
        if len(self.stack) > 1:
            self.rising.append((self.layer_index(layer), what, subject))

    def say(self, what: str, subject: Any) -> None:
        """Let onlookers know."""
        self.said.append((self.id, what, subject))
        if self.recorder is not None:
            self.said_in.append(self.recorder.count - 1)

    def neighbours(self) -> tuple[Pid, ...]:
        return self.next_to

    def members(self) -> tuple[Pid, ...]:
        return self.everyone

    def ring(self) -> tuple[Pid, Pid]:
        ids = self.topology.ids
        return ids[self.seat - 1], ids[(self.seat + 1) % self.n]

    def layer_index(self, process: Process) -> int:
        """Which layer this process is."""
        for index, layer in enumerate(self.processes):
            if layer is process:
                return index
        raise ValueError(f"{process!r} is not a layer of process {self.id}")

    # Running clauses

    def birth(self, wishes: int, alarms: int, awake: bool) -> Local:
        """The local state of a process that has done nothing yet."""
        fresh = [anatomy.create(self, self.parameters[i]) for i, anatomy in enumerate(self.stack)]
        layers = tuple([anatomy.snapshot(process) for anatomy, process in zip(self.stack, fresh, strict=True)])
        return Local(self.seat, True, awake, wishes, alarms, (), layers)

    def rebirth(self, local: Local) -> tuple[Any, ...]:
        """The layers of a process that has crashed, as it comes back: durable fields only."""
        layers = []
        for index, anatomy in enumerate(self.stack):
            process = anatomy.create(self, self.parameters[index])
            kept = dict(zip(anatomy.fields, local.layers[index], strict=True))
            old = anatomy.create(self, self.parameters[index])
            anatomy.restore(old, local.layers[index])
            for name in anatomy.durable:
                if name in kept:
                    setattr(process, name, getattr(old, name))
            layers.append(anatomy.snapshot(process))
        return tuple(layers)

    def be(self, local: Local) -> None:
        """Put the process into a local state."""
        for index, anatomy in enumerate(self.stack):
            anatomy.restore(self.processes[index], local.layers[index])
        self.timers = {(layer, name): ticks for layer, name, ticks in local.timers}
        self.sent = []
        self.envelopes = []
        self.said = []
        self.said_in = []
        self.rising = []
        self.tossed = 0

    def layers(self) -> tuple[Any, ...]:
        """The state of the layers now."""
        return tuple([anatomy.snapshot(p) for anatomy, p in zip(self.stack, self.processes, strict=True)])

    def armed(self) -> Timers:
        """The timers that are armed now."""
        return tuple(sorted([(layer, name, ticks) for (layer, name), ticks in self.timers.items()]))

    def react(self, event: Event, received: list[Envelope]) -> None:
        """Run the clauses that the event sets off, in the state the process is in."""
        kind = event.kind
        if kind == "deliver":
            layer, clause = self.clause_for(event.message)
            self.step(layer, clause, (event.sender, event.message), None, received)
        elif kind in ("suspect", "trust"):
            for layer in self.hearing():
                self.run_event(layer, kind, event.sender)
        elif kind == "start":
            for layer, anatomy in enumerate(self.stack):
                if not issubclass(anatomy.cls, Election) or event.name == "election":
                    self.run_event(layer, "start", None)
        elif kind == "timeout":
            self.timers.pop((event.layer, event.name))
            self.step(event.layer, self.stack[event.layer].timeouts[event.name], (), event.name, received)
        elif kind == "command":
            self.step(event.layer, self.stack[event.layer].commands[event.name], (), event.name, received)
        elif kind == "recover":
            for layer, anatomy in enumerate(self.stack):
                if "recover" in anatomy.events:
                    self.run_event(layer, "recover", None)
                elif not issubclass(anatomy.cls, Election):
                    self.run_event(layer, "start", None)
        else:
            pulse, inbox = event.message
            for layer, anatomy in enumerate(self.stack):
                pulsed = anatomy.events.get("pulse")
                if pulsed is not None:
                    mine = [(sender, message) for sender, message in inbox if self.layer_of(message) == layer]
                    self.step(layer, pulsed, (pulse, mine), pulse, received)

    def hearing(self) -> list[int]:
        """The layers that the perfect detector speaks to."""
        detectors = [layer for layer, anatomy in enumerate(self.stack) if anatomy.cls.kind == "detector"]
        return detectors or list(range(len(self.stack)))

    def clause_for(self, message: Message) -> tuple[int, Clause]:
        """The layer and the clause that a message is for."""
        for layer in range(len(self.stack) - 1, -1, -1):
            clause = self.stack[layer].messages.get(type(message))
            if clause is not None:
                return layer, clause
        kind = type(message).__name__
        raise MisuseError(f"{place(self.stack[-1].cls)} sends {kind}, but has no clause for it: add @upon({kind}).")

    def layer_of(self, message: Message) -> int:
        """Which layer's pulse a message belongs to: the one with a clause for it, else the top one."""
        for layer, anatomy in enumerate(self.stack):
            if type(message) in anatomy.messages:
                return layer
        return len(self.stack) - 1

    def run_event(self, layer: int, kind: str, subject: Any) -> None:
        """Run the layer's clause for an event other than a message, if it has one."""
        clause = self.stack[layer].events.get(kind)
        if clause is not None:
            named = kind in ("suspect", "trust", "leader")
            self.step(layer, clause, (subject,) if named else (), subject, [])

    def step(
        self, layer: int, clause: Clause, arguments: tuple[Any, ...], subject: Any, received: list[Envelope]
    ) -> None:
        """Run one clause, then whatever it made true."""
        self.run_clause(layer, clause, arguments, subject, received)
        for _ in range(GUARD_LIMIT):
            if self.rising:
                below, what, about = self.rising.pop(0)
                for above in range(below + 1, len(self.stack)):
                    self.run_event(above, what, about)
                continue
            ready = self.ready_guard()
            if ready is None:
                return
            self.run_clause(ready[0], ready[1], (), None, [])
        raise MisuseError(
            f"{place(self.stack[-1].cls)} does not come to rest: {GUARD_LIMIT} steps in a row at one moment; "
            f"a `whenever` clause has to make its own guard false."
        )

    def run_clause(
        self, layer: int, clause: Clause, arguments: tuple[Any, ...], subject: Any, received: list[Envelope]
    ) -> None:
        """Run one clause, and write it down if somebody wants that."""
        self.clauses_run += 1
        process = self.processes[layer]
        if self.recorder is None:
            clause.function(process, *arguments)
            return
        name = self.stack[layer].cls.__name__ if len(self.stack) > 1 else ""
        self.recorder.begin(self.time, clause.kind, self.id, clause.name, name, subject, received)
        clause.function(process, *arguments)
        self.recorder.end(process, layer, self.stack[layer])

    def ready_guard(self) -> tuple[int, Clause] | None:
        """The first `whenever` clause whose guard is true."""
        for layer, anatomy in enumerate(self.stack):
            for clause in anatomy.guarded:
                guard: Any = clause.key
                if guard(self.processes[layer]):
                    return layer, clause
        return None

    def next_script(self) -> bool:
        """Let the coins fall in the next way; False if all ways have been tried."""
        script = self.script[: self.tossed]
        arities = self.arities[: self.tossed]
        while script and script[-1] + 1 >= arities[len(script) - 1]:
            script.pop()
        if not script:
            return False
        script[-1] += 1
        self.script = script
        self.arities = arities[: len(script)]
        return True
