"""One node's stack of layers: an event goes in, effects come out. The same machine under every driver.

A node is a stack of processes: a detector below, an election above it, a mutex on top, or any one of them alone. An
event goes to the layer that has a clause for it. The clause runs; what it announces goes up, layer by layer, and what
it requests goes down to the nearest layer that does it, in the order in which it was said; then every `whenever` clause
runs whose guard has become true, until the node is at rest. What a detector found out goes up last, one piece of news
at a time, each when the node is at rest. All of this is one step.

    event                    method             goes to
    a message arrives        deliver            the layer with a clause for its type
    a timer runs out         time_out           the layer that set it
    the run begins           start_below        every layer but elections, which wait to be called
    a command                command            the topmost layer that knows it; `start` calls an election
    news about a process     hear               the layers that the driver names, if they have a clause for it
    the process is back      recover            every layer: its recover clause, else its start if it is no election
    a pulse                  pulse              every layer with a pulse clause; messages to the topmost of these

What comes out is a call to the driver, which subclasses `Layers`: `send`, `arm`, `disarm`, `choose`, `announce`. The
driver decides what time, network, disk and chance make of it. In a synchronous stack a message that has a clause is
handed to it when it arrives; all others wait for the next pulse.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from mypy_extensions import mypyc_attr

from habemus.process.anatomy import Snapshot, to_plain
from habemus.process.clause import Clause
from habemus.process.machine import DurableFields, Machine
from habemus.process.message import Message, Pid
from habemus.process.misuse import MisuseError
from habemus.process.process import Election, Host, Mutex, Process
from habemus.process.source import locate

STEP_LIMIT = 1000  # clauses that one event may set off before the stack counts as restless
SUSPICIONS = ("suspect", "trust")  # what a detector finds out
NAMING = (*SUSPICIONS, "level", "leader")  # the events whose clauses are told about whom
REQUEST = "request"
OF_A_LOCK = ("ask", "enter", "leave")  # what observers see of a mutex
OF_A_LOG = ("log", "commit", "restore", "amnesty")  # what observers see of a replicated log, and no layer hears


@mypyc_attr(allow_interpreted_subclasses=True)
class Layers(Host):
    """The layers of one node. A driver subclasses it and says what becomes of their effects."""

    __slots__ = ("below", "indications", "machine", "news", "process", "seat")

    machine: Machine
    seat: int
    process: Process  # the topmost layer
    below: list[Process] | None  # the layers below it, bottom to top; None if there are none
    indications: list[tuple[int, str, Any]] | None  # what layers announced or requested and others have yet to hear
    news: list[tuple[int, str, Any]] | None  # the same of who is suspected

    def __init__(self, machine: Machine, seat: int) -> None:
        self.machine = machine
        self.seat = seat
        self.id = machine.graph.ids[seat]
        self.n = machine.graph.n
        self.begin_life()

    def begin_life(self, durable: DurableFields | None = None) -> None:
        """Fresh processes in all layers; of an earlier life only the durable fields are left."""
        machine = self.machine
        layers = machine.create_layers(self, durable)
        if machine.journal is not None:
            for layer, process in enumerate(layers):
                machine.journal.begin_life(process, layer, machine.stack[layer])
        self.process = layers.pop()
        self.below = layers or None
        self.indications = None
        self.news = None

    @property
    def layers(self) -> list[Process]:
        """The processes of all layers, bottom to top."""
        return [self.process] if self.below is None else [*self.below, self.process]

    def layer(self, index: int) -> Process:
        """The process of a layer."""
        below = self.below
        return self.process if below is None or index == len(below) else below[index]

    def durable_fields(self) -> DurableFields:
        """The fields that survive a crash, as they are now."""
        return [
            {name: getattr(process, name) for name in anatomy.durable}
            for anatomy, process in zip(self.machine.stack, self.layers, strict=True)
        ]

    def snapshot(self) -> tuple[Snapshot, ...]:
        """The state of all layers as one hashable value."""
        return tuple([a.snapshot(process) for a, process in zip(self.machine.stack, self.layers, strict=True)])

    # What the driver decides

    @abstractmethod
    def time(self) -> int:
        """The time, as the journal writes it."""

    @abstractmethod
    def arm(self, layer: int, name: str, delay: int) -> None:
        """Have a layer's timer run out after so many ticks, in place of an earlier one."""

    @abstractmethod
    def disarm(self, layer: int, name: str) -> None:
        """Forget a layer's timer; nothing happens if it is not armed."""

    @abstractmethod
    def announce(self, process: Process, what: str, subject: Any) -> bool:
        """A layer makes something known to observers. Says whether the layers above hear of it, too."""

    def on_recorded(self) -> None:
        """The journal has written a clause down."""

    # What a process asks of its host

    def set_timer(self, layer: Process, name: str, delay: int) -> None:
        anatomy = self.machine.stack[layer._layer]
        if name not in anatomy.timeouts:
            at = locate(anatomy.cls)
            raise MisuseError(f'{at} sets the timer "{name}", for which it has no @upon_timeout("{name}").')
        if delay < 1:
            raise MisuseError(f'{locate(anatomy.cls)} sets the timer "{name}" to {delay} ticks; at least 1 is needed.')
        self.arm(layer._layer, name, delay)

    def cancel_timer(self, layer: Process, name: str) -> None:
        self.disarm(layer._layer, name)

    def indicate(self, layer: Process, what: str, subject: Any) -> None:
        rises = self.announce(layer, what, subject)
        if not rises or self.below is None or what in OF_A_LOG or layer is self.process:  # above it is nobody
            return
        found = (layer._layer, what, subject)
        if what in SUSPICIONS:
            self.news = [found] if self.news is None else [*self.news, found]
        else:
            self.queue(found)

    def request(self, layer: Process, what: Message) -> None:
        self.queue((self.machine.servant_of(layer._layer, type(what)), REQUEST, what))

    def queue(self, said: tuple[int, str, Any]) -> None:
        """Have other layers hear of something when the clause that said it is done."""
        if self.indications is None:
            self.indications = [said]
        else:
            self.indications.append(said)

    def neighbours(self) -> tuple[Pid, ...]:
        return self.machine.graph.neighbours(self.seat)

    def members(self) -> tuple[Pid, ...]:
        return self.machine.members

    def ring(self) -> tuple[Pid, Pid]:
        ids = self.machine.graph.ids
        return ids[self.seat - 1], ids[(self.seat + 1) % len(ids)]

    # Events

    def deliver(self, sender: Pid, message: Message, received: list[Any]) -> None:
        """A message arrives; `received` is what the journal calls it."""
        handler = self.machine.handler_of(type(message))
        handler.count += 1
        self.step(handler.layer, handler.clause, (sender, message), None, received)

    def time_out(self, layer: int, name: str) -> None:
        """A timer runs out."""
        self.step(layer, self.machine.stack[layer].timeouts[name], (), name, [])

    def start_below(self) -> None:
        """Start every layer that does not wait to be called: all but elections."""
        for layer in self.machine.self_starting:
            self.run_event(layer, "start", None)

    def command(self, name: str, data: Message | None = None) -> bool:
        """Give a command to the topmost layer that knows it. Says whether it came at a time when it makes sense.

        Without data, `acquire` and `release` are about the one lock that every mutex has. With data, the algorithm
        knows what they are about, and whether they make sense.
        """
        layer, clause = self.machine.commands[name]
        process = self.layer(layer)
        if isinstance(process, Mutex) and data is None:
            if name == "acquire" and (process.waiting or process.inside):
                return False
            if name == "release" and not process.inside:
                return False
        if clause.data is None and data is None:
            self.step(layer, clause, (), None if clause.kind == "start" else name, [])
        else:
            given = self.machine.check_data(name, clause, data)
            self.step(layer, clause, (given,), name if data is None else (name, given), [])
        return True

    def hear(self, layers: list[int], what: str, subject: Pid) -> None:
        """There is news about a process: some layers are told that it is suspected, or is no longer."""
        for layer in layers:
            self.run_event(layer, what, subject)

    def recover(self) -> None:
        """The process is back, with the state that `begin_life` gave it."""
        for layer, anatomy in enumerate(self.machine.stack):
            if "recover" in anatomy.events:
                self.run_event(layer, "recover", None)
            elif not issubclass(anatomy.cls, Election):
                self.run_event(layer, "start", None)

    def pulse(self, pulse: int, inbox: list[tuple[Pid, Any]], received: list[Any]) -> None:
        """A pulse begins. `inbox` is what arrived with it, by sender; `received` the same as the journal calls it.

        A driver that does not hand messages over before the pulse leaves those that have a clause in the inbox: they
        are handed to it first.
        """
        machine = self.machine
        waiting: list[tuple[Pid, Any]] = []
        noted: list[Any] = []
        for position, (sender, message) in enumerate(inbox):
            envelopes = received[position : position + 1]
            if machine.waits_for_pulse(type(message)):
                waiting.append((sender, message))
                noted += envelopes
            else:
                self.deliver(sender, message, envelopes)
        for layer in machine.pulsing:
            clause = machine.stack[layer].events["pulse"]
            if layer == machine.pulsing[-1]:
                self.step(layer, clause, (pulse, waiting), pulse, noted)
            else:
                self.step(layer, clause, (pulse, []), pulse, [])

    # Steps

    def step(
        self, layer: int, clause: Clause, arguments: tuple[Any, ...], subject: object, received: list[Any]
    ) -> None:
        """Run one clause, then whatever it made true, then what follows from suspicions."""
        self.run_clause(layer, clause, arguments, subject, received)
        if self.machine.settles:
            self.settle()
            while self.news:
                source, what, suspect = self.news[0]
                self.news = self.news[1:]
                self.tell_above(source, what, suspect)

    def run_clause(
        self, layer: int, clause: Clause, arguments: tuple[Any, ...], subject: object, received: list[Any]
    ) -> None:
        """Run one clause and have it written down, if there is a journal."""
        machine = self.machine
        machine.clauses_run += 1
        process = self.layer(layer)
        journal = machine.journal
        if journal is None:
            clause.function(process, *arguments)
            return
        plain = subject if subject is None or isinstance(subject, int | str) else to_plain(subject)
        journal.begin(self.time(), clause.kind, self.id, clause.name, machine.names[layer], plain, received)
        clause.function(process, *arguments)
        journal.end(process, layer, machine.stack[layer])
        self.on_recorded()

    def run_event(self, layer: int, kind: str, subject: Any) -> None:
        """Take the step of an event other than a message, if the layer has a clause for it."""
        clause = self.machine.stack[layer].events.get(kind)
        if clause is not None:
            self.step(layer, clause, (subject,) if kind in NAMING else (), subject, [])

    def tell_above(self, source: int, what: str, subject: Any) -> None:
        """Every layer above hears what a layer announced; each comes to rest before the next hears it."""
        for layer in range(source + 1, len(self.machine.stack)):
            clause = self.machine.stack[layer].events.get(what)
            if clause is not None:
                self.run_clause(layer, clause, (subject,) if what in NAMING else (), subject, [])
                self.settle()

    def pass_on(self, layer: int, what: str, subject: Any) -> None:
        """Others hear what a layer announced or requested."""
        stack = self.machine.stack
        if what == REQUEST:
            self.run_clause(layer, stack[layer].requests[type(subject)], (subject,), subject, [])
        elif isinstance(subject, Message):
            for above in range(layer + 1, len(stack)):
                clause = stack[above].indications.get(type(subject))
                if clause is not None:
                    self.run_clause(above, clause, (subject,), subject, [])
        else:
            self.tell_above(layer, what, subject)

    def settle(self) -> None:
        """Pass indications up and run the `whenever` clauses whose guards have become true."""
        machine = self.machine
        for _ in range(STEP_LIMIT):
            if self.indications:
                layer, what, subject = self.indications.pop(0)  # one by one: what is said first is heard first
                self.pass_on(layer, what, subject)
                continue
            ready = self.ready_guard()
            if ready is None:
                return
            self.run_clause(ready[0], ready[1], (), None, [])
        raise MisuseError(
            f"{locate(machine.stack[-1].cls)} does not come to rest: {STEP_LIMIT} steps in a row at one moment; "
            f"a `whenever` clause has to make its own guard false."
        )

    def ready_guard(self) -> tuple[int, Clause] | None:
        """The first `whenever` clause whose guard is true."""
        for layer, clause in self.machine.guarded:
            guard: Any = clause.key
            if guard(self.layer(layer)):
                return layer, clause
        return None
