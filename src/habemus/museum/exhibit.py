"""The label of a piece: its name, what it violates, where that happened, and the smallest instance that shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from habemus.process import Pid, Process

Piece = TypeVar("Piece", bound=type[Process])

TEXTBOOK = "A textbook mistake."


@dataclass(frozen=True)
class Instance:
    """A setting so small that every run can be explored: who is there, and what may happen."""

    n: int = 2
    ids: tuple[Pid, ...] = ()  # in the order of their seats; 1 to n if not given
    edges: tuple[tuple[Pid, Pid], ...] = ()  # where the graph is not the algorithm's own
    starters: tuple[Pid, ...] = ()  # of an election; everybody if not given
    parameters: dict[str, Any] = field(default_factory=dict)
    timing: str = "async"
    fifo: bool = True
    limits: dict[str, Any] = field(
        default_factory=dict
    )  # crashes, recoveries, losses, doubles, entries, bounds, alarms

    @property
    def members(self) -> tuple[Pid, ...]:
        return self.ids or tuple(range(1, self.n + 1))


@dataclass(frozen=True)
class Run:
    """A run that shows a mistake, where all runs would be too many: a scenario as plain data, without its algorithm.

    `below` are the parameters of the raft below it; with `above`, the broken class is that raft, under this algorithm.
    """

    scenario: Mapping[str, Any]
    below: Mapping[str, Any] | None = None
    above: str = ""


@dataclass(frozen=True)
class Exhibit:
    """A broken variant of an algorithm. Its docstring says what goes wrong."""

    name: str
    cls: type[Process]
    violates: str
    instance: Instance | None  # in which the checker finds the mistake
    run: Run | None  # or one that shows it
    mended: Instance | None  # where not the code is wrong but its surroundings: those in which it is sound
    happened: str
    source: str

    @property
    def bug(self) -> str:
        """What goes wrong, in a sentence or two."""
        return " ".join((self.cls.__doc__ or "").split())

    @property
    def sound(self) -> type[Process]:
        """What the variant is made from, which is sound."""
        base: type[Process] = self.cls.__bases__[0]
        return base

    @property
    def original(self) -> type[Process]:
        """The algorithm of the catalogue that this is about."""
        return next(base for base in self.cls.__mro__ if not base.__module__.startswith("habemus.museum"))

    @property
    def sound_instance(self) -> Instance | None:
        """Where its sound twin is checked."""
        return self.mended or self.instance


EXHIBITS: dict[str, Exhibit] = {}


def exhibit(
    name: str,
    violates: str,
    instance: Instance | None = None,
    mended: Instance | None = None,
    run: Run | None = None,
    happened: str = TEXTBOOK,
    source: str = "",
) -> Callable[[Piece], Piece]:
    """Put a class on show."""

    def show(cls: Piece) -> Piece:
        EXHIBITS[name] = Exhibit(name, cls, violates, instance, run, mended, happened, source)
        return cls

    return show
