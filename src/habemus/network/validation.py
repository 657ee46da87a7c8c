"""Was that a run? A recorded one is replayed, clause by clause.

The checker has proven things about all runs that the model allows. They hold for what really happened if every step of
it is a step of the model: the clause may run then (its message was sent to it and not yet received, in order; its timer
is armed; its guard is true), and from the state the process was in, for some fall of the coins, it sends just what was
sent and changes just what was changed. Suspicions are taken as they come, for a detector may be mistaken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec

from habemus.network.errors import NetworkError
from habemus.network.stack import Stack
from habemus.network.wire import declared_types, messages_of
from habemus.process import Anatomy, Clause, Message, Mutex, Pid
from habemus.process.anatomy import Snapshot, message_fields
from habemus.scenario import Scenario
from habemus.simulation.placing import place_processes
from habemus.simulation.run import build_stack
from habemus.trace import Carried, Event, Trace

FAULTS = ("crash", "pause", "resume", "refuse")


class Deviation(Exception):  # noqa: N818
    """The coins fell in a way in which something else would have been sent."""


class Witness(Stack):
    """A host that knows what was sent, and stops a clause as soon as it sends anything else.

    Coins fall as its script says, in all ways one after the other; those that would be tossed after the first
    difference need not be tried.
    """

    def reset(self, expected: list[Carried]) -> None:
        """Begin to try the coins of one clause."""
        self.expected = expected
        self.script: list[int] = []
        self.arities: list[int] = []

    def rewind(self) -> None:
        """The clause is about to run, once more."""
        self.outbox, self.said, self.rising = [], [], []
        self.tossed = 0

    def choose(self, options: Sequence[Any]) -> Any:
        """As the script says; the first option where it says nothing yet."""
        if self.tossed == len(self.script):
            self.script.append(0)
            self.arities.append(len(options))
        self.tossed += 1
        return options[self.script[self.tossed - 1]]

    def next_script(self) -> bool:
        """Let the coins that were tossed fall in the next way; False if all ways have been tried."""
        del self.script[self.tossed :], self.arities[self.tossed :]
        while self.script and self.script[-1] + 1 == self.arities[-1]:
            self.script.pop()
            self.arities.pop()
        if self.script:
            self.script[-1] += 1
        return bool(self.script)

    def send(self, to: Pid, message: Message) -> None:
        """Compare it with what was sent."""
        place = len(self.outbox)
        super().send(to, message)
        seen = (to, type(message).__name__, message_fields(message))
        if place >= len(self.expected) or seen != sending(self.expected[place]):
            raise Deviation


class Validation:
    """A replay in the making."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        scenario = msgspec.convert(trace.header.scenario, Scenario)
        self.stack, parameters = build_stack(scenario)
        topology = place_processes(scenario, [anatomy.cls for anatomy in self.stack])
        self.witnesses = {id: Witness(self.stack, parameters, topology, id, Random()) for id in topology.ids}
        self.states: dict[int, list[Snapshot]] = {id: self.fresh(witness) for id, witness in self.witnesses.items()}
        self.pulses = dict.fromkeys(topology.ids, 0)
        self.flights: dict[tuple[int, int], list[Carried]] = {}  # on each link, in order
        self.types = [{message.__name__: message for message in messages_of(anatomy)} for anatomy in self.stack]

    def fresh(self, witness: Witness) -> list[Snapshot]:
        """The state of all layers of a process that has done nothing yet."""
        return [a.snapshot(a.create(witness, witness.parameters[i])) for i, a in enumerate(self.stack)]

    def run(self) -> int:
        """Replay all; the number of steps. NetworkError names the first that is none."""
        steps = 0
        for event in self.trace.events:
            if event.process is None or event.kind in FAULTS:
                continue
            if event.kind == "recover" and not event.clause:
                self.come_back(event.process)
                continue
            self.take(event)
            steps += 1
        return steps

    def come_back(self, process: int) -> None:
        """All but the durable fields are lost, and all timers."""
        witness = self.witnesses[process]
        witness.timers = {}
        self.pulses[process] = 0
        reborn = self.fresh(witness)
        for layer, anatomy in enumerate(self.stack):
            kept = dict(zip(anatomy.fields, self.states[process][layer], strict=True))
            values = dict(zip(anatomy.fields, reborn[layer], strict=True))
            values |= {name: kept[name] for name in anatomy.durable}
            self.states[process][layer] = tuple(values.values())

    def take(self, event: Event) -> None:
        """One clause: may it run, and does it do that?"""
        assert event.process is not None
        layer, anatomy = self.layer_of(event)
        clause = anatomy.clauses.get(event.clause)
        if clause is None or clause.kind != event.kind:
            raise self.wrong(event, f"{anatomy.cls.__name__} has no such clause")
        witness = self.witnesses[event.process]
        anatomy.restore(witness.layers[layer], self.states[event.process][layer])
        arguments = self.permitted(event, layer, clause)
        armed = dict(witness.timers)
        witness.reset(event.sent)
        before = self.states[event.process][layer]
        for _ in self.falls_of_coins(witness):
            anatomy.restore(witness.layers[layer], before)
            witness.timers = dict(armed)
            try:
                witness.run_clause(layer, clause, arguments, None, [])
            except Deviation:
                continue
            after = anatomy.snapshot(witness.layers[layer])
            if len(witness.outbox) == len(event.sent) and anatomy.diff(before, after) == event.changed:
                self.states[event.process][layer] = after
                for carried in event.sent:
                    self.flights.setdefault((event.process, carried.to), []).append(carried)
                return
        raise self.wrong(event, "it sends or changes something else than the algorithm would")

    def falls_of_coins(self, witness: Witness) -> Iterator[None]:
        """Once for every way in which the coins of a clause can fall."""
        witness.rewind()
        yield
        while witness.next_script():
            witness.rewind()
            yield

    def permitted(self, event: Event, layer: int, clause: Clause) -> tuple[Any, ...]:
        """What the clause is called with, if it may run now."""
        assert event.process is not None
        witness = self.witnesses[event.process]
        process = witness.layers[layer]
        if event.kind == "message":
            (carried,) = event.received
            self.receive(event, carried)
            return carried.sender, self.message(event, layer, carried)
        if event.kind == "timeout":
            if witness.timers.pop((layer, str(event.subject)), None) is None:
                raise self.wrong(event, f"the timer {event.subject} is not armed")
        elif event.kind == "whenever":
            guard: Any = clause.key
            if not guard(process):
                raise self.wrong(event, "its guard is false")
        elif event.kind == "command" and isinstance(process, Mutex):
            if event.subject == "acquire" and (process.waiting or process.inside):
                raise self.wrong(event, "it waits or is inside already")
            if event.subject == "release" and not process.inside:
                raise self.wrong(event, "it is not inside")
        elif event.kind == "pulse":
            if event.subject != self.pulses[event.process]:
                raise self.wrong(event, f"pulse {self.pulses[event.process]} should come next")
            self.pulses[event.process] += 1
            for carried in event.received:
                self.receive(event, carried)
            inbox = [(each.sender, self.message(event, layer, each)) for each in event.received]
            return event.subject, sorted(inbox, key=lambda item: item[0])
        elif event.kind in ("suspect", "trust", "leader"):
            return (event.subject,)
        return ()

    def receive(self, event: Event, carried: Carried) -> None:
        """Take a message off its link; what was sent before it is lost, for links keep the order."""
        link = self.flights.get((carried.sender, event.process or 0), [])
        if carried not in link:
            raise self.wrong(event, f"{carried.label} from {carried.sender} was not sent to it, or came out of order")
        del link[: link.index(carried) + 1]

    def message(self, event: Event, layer: int, carried: Carried) -> Message:
        """A message out of the trace."""
        kind = self.types[layer].get(carried.type)
        if kind is None:
            raise self.wrong(event, f"{self.stack[layer].cls.__name__} knows no message {carried.type}")
        hints = declared_types(kind)
        values = {name: msgspec.convert(value, hints[name]) for name, value in carried.fields.items()}
        message: Message = kind(**values)
        return message

    def layer_of(self, event: Event) -> tuple[int, Anatomy]:
        """In which layer an event happened."""
        for layer, anatomy in enumerate(self.stack):
            if event.layer in ("", anatomy.cls.__name__):
                return layer, anatomy
        raise self.wrong(event, f"there is no layer {event.layer}")

    def wrong(self, event: Event, why: str) -> NetworkError:
        """The event that no run has."""
        where = f"event {event.event} ({event.clause or event.kind} at process {event.process}, {event.time:,} ms)"
        return NetworkError(f"{where} is not a step of {self.trace.header.algorithm}: {why}")


def sending(carried: Carried) -> tuple[Pid, str, dict[str, Any]]:
    """To whom what was sent."""
    return carried.to, carried.type, carried.fields


def validate(trace: Trace) -> int:
    """Whether a trace is a run of its algorithm: the number of steps; NetworkError names the first that is none."""
    return Validation(trace).run()
