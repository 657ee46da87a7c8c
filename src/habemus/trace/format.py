"""The trace: a header, then one JSON line an event.

An event is one clause that ran at one process, or one fault. It says when and where, what set it off, what arrived,
what was sent, which fields changed, and which events caused it: the one before it at the same process and those that
sent what it received.
"""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from habemus.process import Anatomy, Message
from habemus.process.anatomy import messages_of
from habemus.scenario import Scenario
from habemus.scenario.stack import build_stack
from habemus.scenario.topology import Topology
from habemus.version import VERSION

FORMAT = 1


class TraceError(ValueError):
    """A file is not a trace; the text says where and why."""


class SentMessage(msgspec.Struct, frozen=True):
    """A message as it left `sender` or reached `to`."""

    message: int
    sender: int
    to: int
    type: str
    fields: dict[str, Any]

    @property
    def label(self) -> str:
        """`Candidate(7)`: the message as a diagram writes it."""
        return f"{self.type}({', '.join(str(value) for value in self.fields.values())})" if self.fields else self.type


class Event(msgspec.Struct, omit_defaults=True):
    """One clause that ran, or one fault."""

    event: int
    time: int
    kind: str
    process: int | None = None
    clause: str = ""
    layer: str = ""
    subject: Any = None
    received: list[SentMessage] = []
    sent: list[SentMessage] = []
    changed: dict[str, Any] = {}
    role: str | None = None
    parents: list[int] = []


class Header(msgspec.Struct):
    """What the events that follow belong to."""

    habemus: str
    format: int
    algorithm: str
    ids: list[int]
    edges: list[tuple[int, int]]
    scenario: dict[str, Any] = {}
    types: list[str] = []  # of messages, as declared: each has the same colour in every picture


def trace_header(scenario: Scenario, topology: Topology) -> Header:
    """The first line of a trace."""
    types = list(declared_types(build_stack(scenario)[0]))
    return Header(VERSION, FORMAT, scenario.algorithm, topology.ids, topology.edges(), scenario.as_dict(), types)


def declared_types(stack: list[Anatomy]) -> dict[str, int]:
    """The types of messages in the order of their declaration, topmost layer first, and how deep their layer is."""
    depths: dict[str, int] = {}
    for depth, layer in enumerate(reversed(stack)):
        modules = [
            base.__module__ for base in reversed(layer.cls.__mro__)
        ]  # a variant's messages come after the others
        for message in sorted(messages_of(layer), key=lambda message: find_declaration(message, modules)):
            depths.setdefault(message.__name__, depth)
    return depths


def find_declaration(message: type[Message], modules: list[str]) -> tuple[int, int]:
    """Where a type of messages is declared: in which of these modules, and at which place there."""
    names = list(vars(sys.modules[message.__module__]))
    module = modules.index(message.__module__) if message.__module__ in modules else len(modules)
    return module, names.index(message.__name__) if message.__name__ in names else len(names)


_encoder = msgspec.json.Encoder()


def encode(event: Event) -> bytes:
    """An event as its line of the trace."""
    return _encoder.encode(event) + b"\n"


class RecordedRun:
    """A header and the events that follow it."""

    def __init__(self, header: Header, events: list[Event]) -> None:
        self.header = header
        self.events = events

    @property
    def ids(self) -> list[int]:
        """The processes, in the order of their seats."""
        return self.header.ids
