"""What changes behind the back of whoever saves a process: surroundings that clauses change, and values of fields that
can be neither saved nor compared."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from typing import Any

from habemus.process.misuse import MisuseError
from habemus.process.reach import Watched
from habemus.process.source import locate
from habemus.process.state import State

CONTAINERS = (list, set, dict, bytearray, deque)
SIMPLE = (int, float, complex, str, bytes, type(None), Enum, State, type, range)
SEQUENCES = (tuple, frozenset, *CONTAINERS)
KNOWN = (*SIMPLE, *SEQUENCES)


def refuse_shared_changes(cls: Any, shared: list[Watched]) -> None:
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
            if not can_be_saved(part):
                raise MisuseError(
                    f"{locate(cls, name)} keeps a {type(part).__name__} in the field {name}, which cannot be saved "
                    f"and compared: use numbers, strings, tuples, sets, lists, dicts, frozen dataclasses, or a State."
                )


def can_be_saved(value: Any) -> bool:
    """Whether a value, apart from what is in it, is of a kind that can be frozen, thawed and compared."""
    if isinstance(value, CONTAINERS):
        return type(value) in (list, set, dict)  # not a defaultdict: it would come back as a dict
    return isinstance(value, KNOWN) or (is_frozen_dataclass(value) and not differs_unseen(type(value)))


def differs_unseen(cls: Any) -> bool:
    """Whether objects of a dataclass can be equal although a field differs, or differ although none does."""
    if not cls.__dataclass_params__.eq or not all(field.compare for field in fields(cls)):
        return True
    equals = vars(cls).get("__eq__")
    written = getattr(getattr(equals, "__code__", None), "co_filename", "<string>")
    return bool(written != "<string>")  # what a dataclass defines by itself has no file


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


def kinds_of(value: Any) -> Any:
    """What tells apart values that Python takes for equal, like 1, True and 1.0; None if there is nothing to tell."""
    kind = type(value)
    if kind is bool or kind is float:
        return kind
    if isinstance(value, tuple):
        kinds = tuple([kinds_of(part) for part in value])
    elif isinstance(value, frozenset):
        kinds = tuple([(part, kinds_of(part)) for part in value if kinds_of(part) is not None])
        return frozenset(kinds) or None
    elif is_frozen_dataclass(value):
        kinds = tuple([kinds_of(getattr(value, field.name)) for field in fields(value)])
    else:
        return None
    return kinds if set(kinds) - {None} else None
