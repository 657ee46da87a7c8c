"""Data that is checked when it is made, by a program as by a file.

msgspec checks what it decodes, but not what a program passes to a constructor. So a constructor checks its arguments by
the same types, and takes plain data for what it stands for: `Scenario("bully", layers=[{"algorithm": "heartbeat"}])`.
"""

from __future__ import annotations

from functools import cache
from operator import index
from threading import Lock
from typing import Any, get_type_hints

import msgspec

CHOICES = {
    "demand.kind": "one-each, poisson, hot-spot, all-at-once or idle",
    "do": "crash, recover, pause, resume, cut, partition, heal, skew, drift, slow, drop, deliver, duplicate or delay",
    "order": "best, worst, random or sorted",
    "process": "an id or leader",
    "starters": "all, one, a number of starters or a list of ids",
}

DESCRIBING = Lock()  # msgspec crashes if two threads are the first to use a type


class ScenarioError(ValueError):
    """A scenario is not one; the text says where and what was expected."""


class Checked(msgspec.Struct):
    """Data whose fields have the declared types."""

    def __post_init__(self) -> None:
        given = {name: plain_number(getattr(self, name)) for name in self.__struct_fields__}
        try:
            read = msgspec.convert(given, describe_fields(type(self)))
        except msgspec.ValidationError as error:
            raise ScenarioError(explain_error(error)) from None
        for name in self.__struct_fields__:
            setattr(self, name, getattr(read, name))


def describe_fields(cls: type[Checked]) -> type[msgspec.Struct]:
    """A class with the same fields, into which arguments are read."""
    with DESCRIBING:
        return make_unchecked(cls)


@cache
def make_unchecked(cls: type[Checked]) -> type[msgspec.Struct]:
    unchecked = msgspec.defstruct(cls.__name__, list(get_type_hints(cls, include_extras=True).items()))
    msgspec.json.Decoder(unchecked)  # has msgspec look at all types in it, so that no other thread sees that half done
    return unchecked


def plain_number(value: Any) -> Any:
    """A whole number of another library, such as numpy's, as Python's own."""
    return index(value) if hasattr(value, "__index__") and not isinstance(value, int | type) else value


def explain_error(error: msgspec.ValidationError) -> str:
    """A validation error with the field first: `faults[0].process: expected int, got str`."""
    text, _, path = str(error).partition(" - at `$")
    field = path.rstrip("`").lstrip(".")
    sentence = (text[0].lower() + text[1:]).replace("`", "")
    choices = CHOICES.get(field) or CHOICES.get(field.rpartition(".")[2])
    if choices and sentence.startswith("invalid"):
        sentence += f"; expected {choices}"
    return f"{field}: {sentence}" if field else sentence
