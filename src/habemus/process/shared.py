"""What clauses can reach and is no field: values are compared with what they were when the class was read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields
from enum import Enum
from typing import Any

from habemus.process.misuse import MisuseError
from habemus.process.source import locate
from habemus.process.state import State

CONTAINERS = (list, set, dict, bytearray, deque)
SIMPLE = (int, float, complex, str, bytes, type(None), Enum, State, type, range)
SEQUENCES = (tuple, frozenset, *CONTAINERS)
KNOWN = (*SIMPLE, *SEQUENCES)
CONSTANTS = (int, float, complex, str, bytes, tuple, frozenset, type(None))


class Shared:
    """Something that clauses can reach and that is no field: its value when the class was read."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value
        self.before = deepcopy(value)

    @property
    def changed(self) -> bool:
        return bool(self.value != self.before)


def watch_value(name: str, value: Any) -> Shared | None:
    """What shows whether a value is changed: itself, or its attributes; None if neither can be compared."""
    if callable(value) or (
        isinstance(value, CONSTANTS) and not any(isinstance(p, CONTAINERS) for p in walk_value(value))
    ):
        return None
    for watched in (value, getattr(value, "__dict__", None)):
        try:
            shared = Shared(name, watched)
            if watched is not None and not shared.changed:
                return shared
        except Exception:  # what cannot be copied cannot be compared
            continue
    return None


def refuse_shared_changes(cls: Any, shared: list[Shared]) -> None:
    """Refuse a class whose clauses have changed something that is no field."""
    for one in shared:
        if one.changed:
            raise MisuseError(f"{cls.__name__} changes {one.name}, which all processes share: keep it in a field.")


def refuse_hidden_state(cls: Any, values: dict[str, Any]) -> None:
    """Refuse values of fields that change behind the back of whoever saved them: objects of unknown classes, and a
    list, set or dict that is in two places, each of which would be restored on its own."""
    owners: dict[int, str] = {}
    for name, value in values.items():
        if isinstance(value, SIMPLE):
            continue
        for part in walk_value(value):
            if isinstance(part, CONTAINERS) and id(part) in owners:
                raise MisuseError(
                    f"{locate(cls, name)} keeps one and the same {type(part).__name__} in two places, "
                    f"in {owners[id(part)]} and in {name}: copy it, so that each has its own."
                )
            owners[id(part)] = name
            if not isinstance(part, KNOWN) and not is_frozen_dataclass(part):
                raise MisuseError(
                    f"{locate(cls, name)} keeps a {type(part).__name__} in the field {name}, which cannot be saved "
                    f"and compared: use numbers, strings, tuples, sets, lists, dicts, frozen dataclasses, or a State."
                )


def walk_value(value: Any) -> Iterator[Any]:
    """A value and all that is in it."""
    yield value
    parts: list[Any] = []
    if isinstance(value, dict):
        parts = [*value, *value.values()]
    elif isinstance(value, SEQUENCES):
        parts = list(value)
    elif is_frozen_dataclass(value):
        parts = [getattr(value, field.name) for field in fields(value)]
    for part in parts:
        yield from walk_value(part)


def is_frozen_dataclass(value: Any) -> bool:
    settings = getattr(type(value), "__dataclass_params__", None)
    return settings is not None and bool(settings.frozen)
