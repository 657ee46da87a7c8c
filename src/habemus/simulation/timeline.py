"""Virtual time and what is due: messages, timers, planned actions.

Time is a whole number of ticks. Messages that arrive within the next 64 ticks are on a wheel of buckets, one a tick, so
that a message costs two list appends and no comparison. Those that take longer are in a dict of buckets (tick -> what
arrives then); a heap holds the ticks of these, of timers and of planned actions.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Final

from mypy_extensions import i64, mypyc_attr

from habemus.process import Layers
from habemus.scenario.delays import BATCH, Delay

NEAR: Final = 63  # delays up to this one go to the wheel; one less than a power of 2, so `tick & NEAR` is the slot


@mypyc_attr(allow_interpreted_subclasses=True)
class Timeline:
    """The present, and what lies ahead."""

    def __init__(self, delay: Delay) -> None:
        self.now: i64 = 0
        self.delay = delay
        self.batch: list[int] = []  # the next delays, the first to be used last in the list
        self.wheel: list[list[Any]] = [[] for _ in range(NEAR + 1)]  # slot -> link, message, link, message, ...
        self.buckets: dict[int, list[Any]] = {}  # tick -> the same, for ticks that were far away when it was sent
        self.alarms: dict[int, list[tuple[Layers, int, str, int]]] = {}
        self.agenda: dict[int, list[Callable[[], None]]] = {}
        self.ticks: list[int] = []
        self.serial = 0  # of the timer armed last

    def refill(self) -> list[int]:
        """Draw the next delays of the common network."""
        self.batch = self.delay.sample(BATCH)
        self.batch.reverse()
        return self.batch

    def far_bucket(self, tick: int) -> list[Any]:
        """The bucket of a tick that is not on the wheel yet."""
        bucket = self.buckets.get(tick)
        if bucket is None:
            bucket = self.buckets[tick] = []
            heappush(self.ticks, tick)
        return bucket

    def bucket(self, tick: i64) -> list[Any]:
        """The bucket of any tick from now on."""
        return self.wheel[tick & NEAR] if tick - self.now <= NEAR else self.far_bucket(tick)

    def all_buckets(self) -> list[list[Any]]:
        """Everything under way, in no particular order."""
        return [*self.wheel, *self.buckets.values()]

    def take_bucket(self, tick: i64) -> list[Any]:
        """What arrives in a tick that is about to be dealt with; what was sent while it was far away comes first."""
        bucket = self.wheel[tick & NEAR]
        self.wheel[tick & NEAR] = []
        return self.buckets.pop(tick, []) + bucket if self.buckets else bucket

    def at(self, time: int, action: Callable[[], None]) -> None:
        """Plan a fault or a command."""
        if time not in self.agenda:
            self.agenda[time] = []
            heappush(self.ticks, time)
        self.agenda[time].append(action)

    def add_alarm(self, node: Layers, layer: int, name: str, deadline: int) -> int:
        """Have a timer run out at a moment. Its number tells it from others of the same name."""
        self.serial += 1
        if deadline not in self.alarms:
            self.alarms[deadline] = []
            heappush(self.ticks, deadline)
        self.alarms[deadline].append((node, layer, name, self.serial))
        return self.serial

    def pop_ticks(self, tick: int) -> None:
        """Forget the ticks up to this one, which is about to be dealt with."""
        while self.ticks and self.ticks[0] <= tick:
            heappop(self.ticks)
