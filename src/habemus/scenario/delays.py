"""How long messages take: integer ticks, at least one, drawn in batches from a seeded generator.

Only `random.Random.random` is used, whose sequence Python promises to keep; so a seed means the same run everywhere.
"""

from __future__ import annotations

import math
from random import Random

from mypy_extensions import i64, mypyc_attr

from habemus.scenario.checked import ScenarioError

BATCH = 4096


@mypyc_attr(allow_interpreted_subclasses=True)
class Delay:
    """A distribution of delays."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.batch: list[int] = []
        self.position: i64 = 0

    def draw(self) -> i64:
        """The next delay."""
        if self.position == len(self.batch):
            self.batch = self.sample(BATCH)
            self.position = 0
        delay = self.batch[self.position]
        self.position += 1
        return delay

    def sample(self, count: int) -> list[int]:
        """The next `count` delays."""
        raise TypeError("sample is the one thing that a distribution has to define")

    @property
    def longest(self) -> int | None:
        """No delay exceeds this; None if there is no such bound."""
        return None


class Constant(Delay):
    """Always the same delay."""

    def __init__(self, random: Random, ticks: int) -> None:
        super().__init__(random)
        self.ticks = ticks

    def sample(self, count: int) -> list[int]:
        return [self.ticks] * count

    @property
    def longest(self) -> int | None:
        return self.ticks


class Uniform(Delay):
    """Every whole number of ticks from `low` to `high` is equally likely."""

    def __init__(self, random: Random, low: int, high: int) -> None:
        super().__init__(random)
        self.low = low
        self.high = high

    def sample(self, count: int) -> list[int]:
        random, low, span = self.random.random, self.low, self.high - self.low + 1
        return [low + int(random() * span) for _ in range(count)]

    @property
    def longest(self) -> int | None:
        return self.high


class Exponential(Delay):
    """Memoryless delays."""

    def __init__(self, random: Random, mean: float) -> None:
        super().__init__(random)
        self.mean = mean

    def sample(self, count: int) -> list[int]:
        random, mean = self.random.random, self.mean
        return [max(1, round(-mean * math.log(1.0 - random()))) for _ in range(count)]


class LogNormal(Delay):
    """Most delays near the median, a few far above it: what networks look like when measured."""

    def __init__(self, random: Random, median: float, sigma: float) -> None:
        super().__init__(random)
        self.median = median
        self.sigma = sigma

    def sample(self, count: int) -> list[int]:
        from statistics import NormalDist  # slow to import, and seldom wanted

        random, normal = self.random.random, NormalDist(0.0, self.sigma)
        return [max(1, round(self.median * math.exp(normal.inv_cdf(random() or 0.5)))) for _ in range(count)]


SPELLINGS = "unit, constant:TICKS, uniform:A:B, exponential:MEAN or lognormal:MEDIAN:SIGMA"


def parse_delay(text: str, random: Random) -> Delay:
    """The distribution that a text like `uniform:1:10` means; ValueError says what is wrong with it."""
    name, *arguments = text.split(":")
    try:
        numbers = [float(argument) for argument in arguments]
    except ValueError:
        raise ValueError(f"delay {text!r} has something that is not a number; expected {SPELLINGS}") from None
    if any(not math.isfinite(number) or number > 1e12 for number in numbers):
        raise ValueError(f"delay {text!r} is out of range; at most 10^12 ticks")
    if name == "unit" and not numbers:
        return Constant(random, 1)
    if name == "constant" and len(numbers) == 1:
        if numbers[0] != int(numbers[0]) or numbers[0] < 1:
            raise ValueError(f"delay {text!r} needs whole ticks, at least 1")
        return Constant(random, int(numbers[0]))
    if name == "uniform" and len(numbers) == 2:
        low, high = numbers
        if low != int(low) or high != int(high) or not 1 <= low <= high:
            raise ValueError(f"delay {text!r} needs whole ticks with 1 <= A <= B")
        return Uniform(random, int(low), int(high))
    if name == "exponential" and len(numbers) == 1:
        if numbers[0] <= 0:
            raise ValueError(f"delay {text!r} needs a mean above 0")
        return Exponential(random, numbers[0])
    if name == "lognormal" and len(numbers) == 2:
        if numbers[0] <= 0 or not 0 < numbers[1] <= 10:
            raise ValueError(f"delay {text!r} needs a median above 0 and a sigma above 0, at most 10")
        return LogNormal(random, numbers[0], numbers[1])
    raise ValueError(f"delay {text!r} is not known; expected {SPELLINGS}")


def parse_named_delay(text: str, seed: int, where: str, stream: str) -> Delay:
    """The distribution that a scenario names."""
    try:
        return parse_delay(text, Random(f"{seed}/delay{stream}"))
    except ValueError as error:
        raise ScenarioError(f"{where}: {error}") from None
