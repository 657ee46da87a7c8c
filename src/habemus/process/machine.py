"""What all nodes of a run have in common: the classes of their layers, and where each event goes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from mypy_extensions import i64, mypyc_attr

from habemus.process.anatomy import Anatomy, check_message, field_types
from habemus.process.clause import Clause
from habemus.process.message import Message, Pid
from habemus.process.misuse import MisuseError
from habemus.process.process import Detector, Election, Host, Process
from habemus.process.source import locate

DurableFields = list[dict[str, Any]]
"""The durable fields of each layer, bottom to top."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Graph:
    """Who is linked to whom. A process sits in a seat, numbered from 0; on a ring clockwise."""

    kind: str
    ids: list[Pid]
    n: int

    @abstractmethod
    def neighbours(self, seat: int) -> tuple[Pid, ...]:
        """The ids next to a seat, in the order of its ports."""

    @abstractmethod
    def linked(self, seat: int, other: Pid) -> bool:
        """Whether the process in this seat may send to that id."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Journal:
    """Whoever writes steps down: told before and after each clause, and when a life begins."""

    @abstractmethod
    def begin(
        self, time: int, kind: str, process: Pid, clause: str, layer: str, subject: object, received: list[Any]
    ) -> None:
        """A clause is about to run."""

    @abstractmethod
    def end(self, process: Process, layer: int, anatomy: Anatomy) -> None:
        """It has run."""

    @abstractmethod
    def begin_life(self, process: Process, layer: int, anatomy: Anatomy) -> None:
        """A process begins, for the first time or again after a crash."""


class Handler:
    """The clause for a type of message, its layer, and how many messages of that type it has handled."""

    def __init__(self, layer: int, clause: Clause) -> None:
        self.layer = layer
        self.clause = clause
        self.function: Any = clause.function
        self.count: i64 = 0


class Machine:
    """What all nodes of a run have in common: the classes of their layers, bottom to top, and where each event goes."""

    def __init__(
        self, stack: list[Anatomy], parameters: list[dict[str, Any]], graph: Graph, journal: Journal | None = None
    ) -> None:
        self.stack = stack
        self.parameters = parameters
        self.graph = graph
        self.journal = journal
        self.members = tuple(graph.ids)
        self.names = [anatomy.cls.__name__ if len(stack) > 1 else "" for anatomy in stack]
        self.clauses_run: i64 = 0
        self.guarded = [(layer, clause) for layer, anatomy in enumerate(stack) for clause in anatomy.guarded]
        self.pulsing = [layer for layer, anatomy in enumerate(stack) if "pulse" in anatomy.events]
        self.synchronous = bool(self.pulsing)
        # How many pulses in a row nobody sends anything or changes a field, before all are at rest. Who does not look
        # at the number of the pulse would do the same in the next one. Who does may count silent pulses by it: as many
        # as there are processes, for all that is known of its class.
        usual = [2 if not stack[layer].counts_pulses else graph.n + 2 for layer in self.pulsing]
        declared = [stack[layer].cls.silent_pulses for layer in self.pulsing]
        self.silent_pulses = max([own or other for own, other in zip(declared, usual, strict=True)], default=2)
        self.self_starting = [layer for layer, anatomy in enumerate(stack) if not issubclass(anatomy.cls, Election)]
        detectors = [layer for layer, anatomy in enumerate(stack) if issubclass(anatomy.cls, Detector)]
        self.hearing = detectors or list(range(len(stack)))  # the layers that a perfect detector speaks to
        self.settles = len(stack) > 1 or bool(self.guarded)  # whether a clause may make another run
        # One layer, no guard, no pulse: to run the clause of a message is all there is to its delivery.
        self.simple = not self.settles and not self.synchronous
        self.direct = self.simple and journal is None

        self.handlers: dict[Any, Handler] = {}
        self.commands: dict[str, tuple[int, Clause]] = {}
        for layer, anatomy in enumerate(stack):
            for message, clause in anatomy.messages.items():
                self.handlers[message] = Handler(layer, clause)
            if "start" in anatomy.events and issubclass(anatomy.cls, Election):
                self.commands["start"] = (layer, anatomy.events["start"])
            for name, clause in anatomy.commands.items():
                self.commands[name] = (layer, clause)
        self.servants: dict[tuple[int, Any], int] = {}  # (layer, what it requests) -> the layer below that does it
        self.pulsed: dict[Any, bool] = {}  # the types of messages that wait for a pulse, each checked once

    @property
    def classes(self) -> list[Any]:
        """The classes of the layers, bottom to top."""
        return [anatomy.cls for anatomy in self.stack]

    def create_layers(self, host: Host, durable: DurableFields | None = None) -> list[Process]:
        """Fresh processes for all layers; of an earlier life only the durable fields are left."""
        layers: list[Process] = []
        for layer, anatomy in enumerate(self.stack):
            process = anatomy.create(host, self.parameters[layer])
            process._layer = layer
            if durable is not None:
                for name, value in durable[layer].items():
                    setattr(process, name, value)
            layers.append(process)
        return layers

    def waits_for_pulse(self, kind: Any) -> bool:
        """Whether messages of this type are handed over with the next pulse: those that no clause is for."""
        if not self.synchronous or kind in self.handlers:
            return False
        if kind not in self.pulsed:
            check_message(kind, self.stack[-1].cls)  # a pulse clause does not say beforehand what it takes
            self.pulsed[kind] = True
        return True

    def handler_of(self, kind: Any) -> Handler:
        """The clause for a type of message."""
        handler = self.handlers.get(kind)
        if handler is None:
            name = kind.__name__
            raise MisuseError(
                f"{locate(self.stack[-1].cls)} sends {name}, but has no clause for it: add @upon({name})."
            )
        return handler

    def check_data(self, name: str, clause: Clause, data: Message | None) -> Message:
        """What a command carries: as given, else the defaults."""
        if clause.data is None or (data is not None and type(data) is not clause.data):
            expected = "nothing" if clause.data is None else clause.data.__name__
            given = type(data).__name__
            raise MisuseError(f'the command "{name}" of {locate(self.stack[-1].cls)} carries {expected}, not {given}.')
        if data is not None:
            return data
        try:
            default: Message = clause.data()
        except TypeError:
            fields = ", ".join([field for field, _ in field_types(clause.data)])
            raise MisuseError(
                f'the command "{name}" of {locate(self.stack[-1].cls)} needs {clause.data.__name__}({fields}).'
            ) from None
        return default

    def servant_of(self, layer: int, kind: Any) -> int:
        """The nearest layer below this one that does what is requested."""
        servant = self.servants.get((layer, kind), -1)
        if servant < 0:
            able = [below for below in range(layer) if kind in self.stack[below].requests]
            if not able:
                raise MisuseError(
                    f"{locate(self.stack[layer].cls)} requests {kind.__name__}, but no layer below it has a clause for "
                    f"that: add @upon_request({kind.__name__}) to one."
                )
            servant = self.servants[(layer, kind)] = able[-1]
        return servant

    def layer_of(self, kind: Any) -> int:
        """The layer that a type of message belongs to."""
        return self.pulsing[-1] if self.waits_for_pulse(kind) else self.handler_of(kind).layer

    def missing_link(self, sender: Pid, to: Pid) -> MisuseError:
        """What to say of a process that sends where it has no link."""
        return MisuseError(
            f"{locate(self.stack[-1].cls)} makes process {sender} send to {to}, to which it has no link in this "
            f"{self.graph.kind}."
        )
