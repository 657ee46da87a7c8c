"""The local states of processes, by number, with what can be read off each."""

from __future__ import annotations

from typing import Any

from habemus.checking.model.instance import Instance
from habemus.checking.model.limits import LATE
from habemus.process import MisuseError
from habemus.process.shared import kinds_of
from habemus.process.source import locate

Timers = tuple[tuple[int, str, int], ...]
"""The armed timers: (layer, name, ticks left), sorted."""


class LocalState:
    """The state of one process: its layers, and what belongs to it and is not in their fields."""

    def __init__(
        self,
        seat: int,
        up: bool,
        awake: bool,
        requests_left: int,
        timeouts_left: int,
        timers: Timers,
        layers: tuple[Any, ...],
    ) -> None:
        self.seat = seat
        self.up = up
        self.awake = awake  # whether it has taken its first step, if it has one to take
        self.requests_left = requests_left  # how often it will still ask to enter, or propose; -1: again and again
        self.timeouts_left = timeouts_left  # how many of its timers may still expire; -1: any number
        self.timers = timers
        self.layers = layers  # a snapshot each, bottom to top

    @property
    def key(self) -> tuple[Any, ...]:
        """The whole state as one hashable value."""
        return (self.seat, self.up, self.awake, self.requests_left, self.timeouts_left, self.timers, self.layers)

    def with_timers(self, timers: Timers) -> LocalState:
        return LocalState(self.seat, self.up, self.awake, self.requests_left, self.timeouts_left, timers, self.layers)

    def with_layers(self, layers: tuple[Any, ...]) -> LocalState:
        return LocalState(self.seat, self.up, self.awake, self.requests_left, self.timeouts_left, self.timers, layers)

    def without_limit(self) -> LocalState:
        """The same with any number of timeouts left."""
        return LocalState(self.seat, self.up, self.awake, self.requests_left, -1, self.timers, self.layers)

    def crash(self, layers: tuple[Any, ...]) -> LocalState:
        """The process is down and keeps these layers for its recovery."""
        return LocalState(self.seat, False, True, self.requests_left, self.timeouts_left, (), layers)

    def recover(self) -> LocalState:
        """The process is up again, with no timer armed."""
        return LocalState(self.seat, True, True, self.requests_left, self.timeouts_left, (), self.layers)


def crash_for_good(seat: int) -> LocalState:
    """A process that will not recover: nothing in its state matters any more."""
    return LocalState(seat, False, True, 0, 0, (), ())


def measure(value: Any) -> int | None:
    """What a bound is compared with: a number, or how many elements there are; nothing else has a size."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return len(value) if isinstance(value, tuple | frozenset) else None


class LocalStates:
    """All local states met so far."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.known: list[LocalState] = []
        self.numbers: dict[Any, int] = {}
        self.receives: list[bool] = []  # whether messages reach a process in this local state
        self.out_of_bounds: list[bool] = []  # whether a field exceeds the bound that was set for it
        self.at_rest: list[bool] = []  # whether no timer is armed that only a limit keeps from expiring

    def number_of(self, local: LocalState) -> int:
        key = (local.key, kinds_of(local.layers))
        try:
            number = self.numbers.get(key)
        except TypeError:
            raise self.blame_field(local) from None
        if number is None:
            number = self.numbers[key] = len(self.known)
            self.known.append(local)
            self.receives.append(local.awake or self.instance.limits.starts == LATE)
            self.out_of_bounds.append(self.exceeds_bounds(local))
            self.at_rest.append(not (local.timers and local.timeouts_left == 0))
        return number

    def blame_field(self, local: LocalState) -> MisuseError:
        """The error that names the field that cannot be hashed."""
        stack = self.instance.stack
        for anatomy, snapshot in zip(stack, local.layers, strict=True):
            for name, value in zip(anatomy.fields, snapshot, strict=True):
                try:
                    hash(value)
                except TypeError:
                    return MisuseError(
                        f"{locate(anatomy.cls, name)} has the field {name}, whose value cannot be hashed "
                        f"({type(value).__name__}): use numbers, strings, tuples, sets, lists or dicts of these."
                    )
        return MisuseError(f"{locate(stack[-1].cls)} has a state that cannot be hashed.")

    def exceeds_bounds(self, local: LocalState) -> bool:
        bounds = self.instance.limits.bounds
        if not bounds or not local.layers:
            return False
        for anatomy, snapshot in zip(self.instance.stack, local.layers, strict=True):
            for name, value in zip(anatomy.fields, snapshot, strict=True):
                bound = bounds.get(name)
                if bound is not None and (measure(value) or 0) > bound:
                    return True
        return False
