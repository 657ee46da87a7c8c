"""The clauses of a submission, watched while they run.

What reading the source cannot show is refused when it happens, as a clause that fails:

- A value in a field or a message that is not plain. The checker compares and restores values: one that says by itself
  what it is equal to, or that remembers, would deceive it. Two processes with the same object can speak through it.
- A process that leaves the critical section before it is told to: nobody could ever be inside together with it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from enum import Enum
from functools import wraps
from types import FunctionType
from typing import Any

from habemus.process import Clause, Message, Mutex, dissect

ATOMS = (type(None), bool, int, float, str, bytes, range)
FROZEN = (tuple, frozenset)
CONTAINERS = (list, set, dict)
PLAIN = "use numbers, strings, tuples, sets, lists, dicts and frozen dataclasses"


def classes_of(module: Any) -> list[type]:
    """The classes that a module defines, those within others too."""
    found: list[type] = []
    waiting = [*vars(module).values()]
    while waiting:
        value = waiting.pop()
        if isinstance(value, type) and value.__module__ == module.__name__ and value not in found:
            found.append(value)
            waiting += vars(value).values()
    return found


def find_own_operator(classes: list[type], file: str) -> str | None:
    """A special method such as __eq__ that a submission wrote itself, however it came into the class."""
    for cls in classes:
        for name, member in vars(cls).items():
            function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            written = isinstance(function, FunctionType) and function.__code__.co_filename == file
            if written and name.startswith("__") and name.endswith("__"):
                return f"{cls.__name__}.{name}"
    return None


class Watch:
    """What the clauses of one class do."""

    def __init__(self, cls: Any, classes: list[type], may_leave: bool) -> None:
        """Make one before the class is dissected: from then on nobody may change it.

        `may_leave`: a process may leave by itself, as when its lease ends.
        """
        self.running: Clause | None = None
        self.cls = cls
        self.own = set(classes)
        self.may_leave = may_leave
        if issubclass(cls, Mutex):
            self.watch_leaving(cls)

    def watch_clauses(self) -> None:
        for clause in dissect(self.cls).clauses.values():
            clause.function = self.watch_clause(clause, clause.function)
        for message in self.own:
            if issubclass(message, Message):
                self.watch_making(message)

    def watch_clause(self, clause: Clause, function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def run(process: Any, *given: Any) -> None:
            if self.running is not None:  # a clause that another one calls
                function(process, *given)
                return
            self.running = clause
            try:
                function(process, *given)
            except Exception:
                raise
            except BaseException as error:  # SystemExit, say: only a clause has failed
                raise RuntimeError(f"it raises {type(error).__name__}") from error
            finally:
                self.running = None
            for name in dissect(type(process)).fields:
                for part in self.walk(getattr(process, name)):
                    if not self.is_plain(part):
                        raise TypeError(f"the field {name} has a {type(part).__name__}: {PLAIN}")

        return run

    def watch_making(self, message: Any) -> None:
        make = message.__init__

        def make_checked(made: Any, *given: Any, **named: Any) -> None:
            make(made, *given, **named)
            for part in self.walk(made):
                if type(part) in CONTAINERS or not self.is_plain(part):
                    raise TypeError(
                        f"{message.__name__} carries what can be changed, a {type(part).__name__}; "
                        f"use tuples and frozen values"
                    )

        message.__init__ = make_checked

    def watch_leaving(self, cls: Any) -> None:
        leave = cls.leave

        def leave_if_told(process: Any) -> None:
            told = self.running is not None and (self.running.kind, self.running.key) == ("command", "release")
            if not told and not self.may_leave:
                raise RuntimeError('it leaves before it is told to: call self.leave() in upon_command("release")')
            leave(process)

        cls.leave = leave_if_told

    def is_plain(self, value: Any) -> bool:
        """Whether a value is what it seems, and nothing else; `walk` gives what is in it."""
        kind = type(value)
        if kind in ATOMS or kind in FROZEN or kind in CONTAINERS or (isinstance(value, type) and value in self.own):
            return True
        return kind in self.own and (issubclass(kind, tuple | Enum) or compares_all(kind))

    def walk(self, value: Any) -> Iterator[Any]:
        """A value and all that is in it."""
        yield value
        parts: list[Any] = []
        if isinstance(value, dict):
            parts = [*value, *value.values()]
        elif isinstance(value, FROZEN + CONTAINERS):
            parts = list(value)
        elif type(value) in self.own and dataclasses.is_dataclass(value):
            parts = [getattr(value, field.name) for field in dataclasses.fields(value)]
        for part in parts:
            yield from self.walk(part)


def compares_all(kind: Any) -> bool:
    """Whether a class is a frozen dataclass whose values are equal only if all of their fields are."""
    settings = getattr(kind, "__dataclass_params__", None)
    if settings is None or not (settings.frozen and settings.eq):
        return False
    return all(field.compare and field.hash is not False for field in dataclasses.fields(kind))
