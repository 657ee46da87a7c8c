"""What is a reasonable time-out?

A process that waits for an answer cannot tell a crashed process from a slow one. If it gives up after T, it pays in one
of two ways: the other has crashed, and T was lost; or the other is alive, its answer takes longer than T, and it is
suspected by mistake. With p(T) the probability that a round trip takes longer than T,

    cost(T) = E·T + C·p(T)

where E is what a unit of time spent waiting costs, and C what a mistake costs. (If crashes are rare, waiting for the
dead is, too: let E be its cost times the share of requests that meet a crashed process.) Waiting longer pays as long as
a unit more of it saves more than it costs, C·(p(T) - p(T+1)) > E; the best T is where that ends.

The rule of thumb "wait until the mistakes cost less than the waiting", C·p < E, speaks of the waiting as one sum: in
these units it is C·p(T) < E·T. It holds from some T on, and giving up right there costs at most twice the best: a
longer T costs as much for waiting alone, and a shorter one for mistakes alone.

p falls in steps, for measured round trips at each of them, for ticks at each tick, and between steps the cost only
rises. So the best T is 0 or a step. Measurements say nothing of what is beyond the longest: if none of N is longer,
then p < 3/N with 95 % confidence (the rule of three), and that is all that is known.

J. A. Hanley, A. Lippman-Hand. If nothing goes wrong, is everything all right? JAMA 249(13), 1983.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct

from habemus.measuring.drawing import (
    BLUE,
    GOLD,
    GREEN,
    GROUND,
    INK,
    PINK,
    VERMILLION,
    make_figure,
    save_figure,
    set_title,
    style_axes,
)
from habemus.scenario import ScenarioError
from habemus.scenario.delays import Constant, Delay, Exponential, LogNormal, Uniform, parse_delay

MOST_TICKS = 10**15  # so that a tick more is still a different float
DRAWN_STEPS = 2000
DRAWN_P = 1e-6


class RoundTrips(ABC):
    """How long answers take."""

    name: str
    unit: str = ""
    measured: int | None = None  # how many there are, if somebody measured them

    @abstractmethod
    def longer(self, timeout: float) -> float:
        """p: the probability, or the share, of round trips that take longer."""

    @abstractmethod
    def step(self, number: int) -> float:
        """Where p falls; step 0 is at 0."""

    @abstractmethod
    def steps(self, most: float) -> range:
        """The numbers of the steps up to `most`."""

    @abstractmethod
    def local_minima(self, costs: Costs) -> Iterable[float]:
        """Time-outs among which is the best one."""

    def unknown(self, timeout: float) -> float | None:
        """The most that p may be, with 95 % confidence, if no measurement is longer than the time-out."""
        return None

    def reached(self, share: float, most: float) -> float | None:
        """The shortest time-out up to `most` that no more than this share of round trips exceeds."""
        steps = self.steps(most)
        position = bisect_left(steps, True, key=lambda number: self.longer(self.step(number)) <= share)
        return self.step(position) if position < len(steps) else None


class Costs(Struct, frozen=True):
    """E, the cost of a unit of waiting, and C, the cost of a mistake."""

    waiting: float
    mistake: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.waiting) or self.waiting <= 0:
            reason = "; where waiting is free, no time-out is too long" if self.waiting == 0 else ""
            raise ScenarioError(f"wait-cost = {self.waiting:g}: expected a number above 0{reason}")
        if not math.isfinite(self.mistake) or self.mistake < 0:
            raise ScenarioError(f"mistake-cost = {self.mistake:g}: expected a number, at least 0")
        if self.mistake > self.waiting * MOST_TICKS:
            raise ScenarioError(f"mistake-cost = {self.mistake:g}: expected at most 10^15 times the wait-cost")

    @property
    def horizon(self) -> float:
        """To wait longer than this costs more than the mistake."""
        return self.mistake / self.waiting


class WeighedTimeout(Struct, frozen=True):
    """A time-out and its cost; `p_at_most` and `cost_at_most` beyond the longest measurement."""

    timeout: float
    p: float
    waiting: float
    mistakes: float
    cost: float
    p_at_most: float | None
    cost_at_most: float | None


def weigh(trips: RoundTrips, costs: Costs, timeout: float) -> WeighedTimeout:
    if not math.isfinite(timeout) or timeout < 0:
        raise ScenarioError(f"timeout = {timeout:g}: expected a time, at least 0")
    p, most = trips.longer(timeout), trips.unknown(timeout)
    waiting, mistakes = costs.waiting * timeout, costs.mistake * p
    cost_at_most = None if most is None else waiting + costs.mistake * most
    return WeighedTimeout(timeout, p, waiting, mistakes, waiting + mistakes, most, cost_at_most)


def find_best_timeout(trips: RoundTrips, costs: Costs) -> WeighedTimeout:
    """The time-out that costs least; the shortest of several."""
    return min((weigh(trips, costs, each) for each in trips.local_minima(costs)), key=lambda w: (w.cost, w.timeout))


def find_break_even(trips: RoundTrips, costs: Costs) -> WeighedTimeout:
    """The least time-out from which on C·p(T) < E·T."""
    steps = trips.steps(costs.horizon)
    position = bisect_left(
        steps,
        True,
        key=lambda number: costs.mistake * trips.longer(trips.step(number)) < costs.waiting * trips.step(number + 1),
    )
    start = trips.step(position)
    return weigh(trips, costs, max(start, costs.mistake * trips.longer(start) / costs.waiting))


@dataclass(frozen=True)
class Advice:
    """The best time-out, the one from which on C·p < E·T, and the cost of a given one."""

    trips: RoundTrips
    costs: Costs
    best: WeighedTimeout
    break_even: WeighedTimeout
    asked: WeighedTimeout | None


def advise(trips: RoundTrips, costs: Costs, timeout: float | None = None) -> Advice:
    asked = None if timeout is None else weigh(trips, costs, timeout)
    return Advice(trips, costs, find_best_timeout(trips, costs), find_break_even(trips, costs), asked)


class MeasuredTrips(RoundTrips):
    """Measured round trips."""

    def __init__(self, samples: Sequence[float], name: str) -> None:
        if not samples:
            raise ScenarioError(f"{name} has no round trips: expected one number a line")
        self.name = name
        self.measured = len(samples)
        self.samples = sorted(samples)
        self.points = sorted({0.0, *samples})

    def longer(self, timeout: float) -> float:
        return (len(self.samples) - bisect_right(self.samples, timeout)) / len(self.samples)

    def step(self, number: int) -> float:
        return self.points[number] if number < len(self.points) else math.inf

    def steps(self, most: float) -> range:
        return range(bisect_right(self.points, most))

    def local_minima(self, costs: Costs) -> Iterable[float]:
        return self.points[: len(self.steps(costs.horizon))]

    def unknown(self, timeout: float) -> float | None:
        return None if timeout < self.samples[-1] else min(1.0, 3 / len(self.samples))  # the rule of three


class DistributedTrips(RoundTrips):
    """Round trips as the simulator draws them: whole ticks, at least one."""

    unit = "ticks"

    def __init__(self, text: str) -> None:
        try:
            self.tail, self.peak = tail_and_peak(parse_delay(text, Random(0)))
        except ValueError as error:
            raise ScenarioError(str(error)) from None
        self.name = text

    def longer(self, timeout: float) -> float:
        return self.tail(math.floor(timeout)) if timeout >= 1 else 1.0

    def step(self, number: int) -> float:
        return float(number)

    def steps(self, most: float) -> range:
        return range(math.floor(most) + 1)

    def local_minima(self, costs: Costs) -> Iterable[float]:
        falling = range(math.ceil(self.peak) + 1, math.floor(costs.horizon) + 1)
        worth = bisect_left(falling, True, key=lambda tick: costs.mistake * self.exactly(tick) <= costs.waiting)
        beside = (math.floor(self.peak), math.ceil(self.peak), math.ceil(self.peak) + worth)
        return sorted({0.0, 1.0, *map(float, beside)})

    def exactly(self, tick: int) -> float:
        """The probability that a round trip takes exactly so many ticks."""
        return self.longer(tick - 1) - self.longer(tick)


def tail_and_peak(delay: Delay) -> tuple[Callable[[float], float], float]:
    """The probability of more than t >= 1 ticks, and after which tick probabilities do not rise any more.

    What is drawn is rounded to whole ticks: more than t means at least t + 1/2 before.
    """
    match delay:
        case Constant(ticks=ticks):
            return lambda t: float(t < ticks), ticks
        case Uniform(low=low, high=high):
            return lambda t: min(1.0, max(0.0, (high - t) / (high - low + 1))), high
        case Exponential(mean=mean):
            return lambda t: math.exp(-(t + 0.5) / mean), 1
        case LogNormal(median=median, sigma=sigma):
            spread = sigma * math.sqrt(2)
            return lambda t: math.erfc(math.log((t + 0.5) / median) / spread) / 2, median * math.exp(-(sigma**2))
    raise ScenarioError(f"the round trips of {type(delay).__name__} have no formula; give --samples")


def read_samples(path: str) -> MeasuredTrips:
    """Read measured round trips: one number a line; # begins a comment."""
    samples = []
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ScenarioError(f"{path} is not text: expected one number a line") from None
    except OSError as error:
        raise ScenarioError(f"{path} cannot be read: {error.strerror}; expected a file of one number a line") from None
    for number, line in enumerate(lines, start=1):
        word = line.partition("#")[0].strip().rstrip(",;").strip()
        if not word:
            continue
        try:
            sample = float(word)
        except ValueError:
            raise ScenarioError(
                f"{path}, line {number}: expected a number, got {word!r}; a comment begins with #"
            ) from None
        if not math.isfinite(sample) or sample < 0:
            raise ScenarioError(f"{path}, line {number}: expected a time, at least 0, got {word}")
        samples.append(sample)
    return MeasuredTrips(samples, path)


def draw_timeout(advice: Advice, path: str | Path) -> None:
    """Draw the cost of a time-out and the probability of a mistake over T."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    trips, costs, best, start = advice.trips, advice.costs, advice.best, advice.break_even.timeout
    marks = [("best", best, GOLD, "o")]
    if advice.asked is not None:
        marks.append(("asked", advice.asked, PINK, "D"))
    typical = trips.reached(0.5, MOST_TICKS) or 1.0
    span = max(1.6 * best.timeout, 1.3 * start, *(1.1 * mark.timeout for _, mark, _, _ in marks), typical)
    weighed = [weigh(trips, costs, time) for time in choose_times(trips, span)]

    figure = make_figure(7.2, 5.6)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    figure.subplots_adjust(hspace=0.12)
    for axes in (upper, lower):
        axes.axvspan(start, span, color=GREEN, alpha=0.09, linewidth=0, zorder=0)
        for _, mark, colour, _ in marks:
            axes.axvline(mark.timeout, color=colour, linewidth=1.2, zorder=1)
    for _, mark, colour, shape in marks:
        style: dict[str, Any] = {"color": colour, "markeredgecolor": GROUND, "markeredgewidth": 1.2, "clip_on": False}
        upper.plot(mark.timeout, mark.cost, shape, markersize=9, zorder=4, **style)
        if mark.p:
            lower.plot(mark.timeout, mark.p, shape, markersize=7, zorder=4, **style)
    style_axes(upper, "", "cost")
    style_axes(lower, f"time-out T{', ' + trips.unit if trips.unit else ''}", "p(T), of a mistake")
    upper.set_xlim(0, span)
    upper.set_ylim(0, max(2.5 * best.cost, 1.05 * costs.waiting * span, *(1.1 * mark.cost for _, mark, _, _ in marks)))
    lower.set_yscale("log")
    lower.set_ylim(max(DRAWN_P, min([0.05, *(w.p / 3 for w in weighed if w.p)])), 1.5)
    lower.yaxis.set_minor_formatter(NullFormatter())
    for axis in (upper.xaxis, upper.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    above = ("data", "axes fraction")
    upper.annotate("C·p < E·T", (start, 1.015), xycoords=above, color=GREEN, fontsize=9, annotation_clip=False)
    set_title(upper, "\n".join(f"{name}: T = {mark.timeout:,.6g}, {describe_risk(mark)}" for name, mark, _, _ in marks))
    draw_curves(upper, lower, weighed)
    save_figure(figure, path)


def draw_curves(upper: Any, lower: Any, weighed: list[WeighedTimeout]) -> None:
    """Draw costs above and p below; beyond the measurements, the range of what is possible."""
    from habemus.measuring.plot import label_ends

    known = [w for w in weighed if w.p_at_most is None]
    unknown = [(w, w.p_at_most, w.cost_at_most) for w in weighed if w.p_at_most is not None and w.cost_at_most]
    times = [w.timeout for w in known]
    upper.plot([w.timeout for w in weighed], [w.waiting for w in weighed], color=BLUE, linewidth=1.3)
    upper.plot(times, [w.mistakes for w in known], color=VERMILLION, linewidth=1.3)
    upper.plot(times, [w.cost for w in known], color=INK, linewidth=2.0)
    lower.plot(times, [w.p or math.nan for w in known], color=VERMILLION, linewidth=1.5)
    last, most_cost, doubt = weighed[-1], weighed[-1].cost, ""
    if unknown:
        times = [w.timeout for w, _, _ in unknown]
        waiting = [w.waiting for w, _, _ in unknown]
        for axes, least, most, colour in (
            (upper, [0.0] * len(times), [cost - w.waiting for w, _, cost in unknown], VERMILLION),
            (upper, waiting, [cost for _, _, cost in unknown], INK),
            (lower, [0.0] * len(times), [p for _, p, _ in unknown], VERMILLION),
        ):
            axes.fill_between(times, least, most, color=colour, alpha=0.14, linewidth=0)
            axes.plot(times, most, color=colour, linewidth=1, linestyle=(0, (2, 3)))
        last, most_p, most_cost = unknown[-1]
        doubt = ", unknown"
        label_ends(lower, [(most_p, f"unknown, below {most_p:.2g}", VERMILLION)])
    label_ends(
        upper,
        [
            (last.waiting, "waiting E·T", BLUE),
            (most_cost * 1.0001, f"cost, both{doubt}", INK),  # where they meet, its name stands above the waiting's
            (most_cost - last.waiting, f"mistakes C·p{doubt}", VERMILLION),
        ],
    )


def describe_risk(weighed: WeighedTimeout) -> str:
    """Risk and cost in a few words; never a 0 that was not measured."""
    if weighed.p_at_most is None:
        return f"p = {weighed.p:.3g}, cost {weighed.cost:,.5g}"
    return f"p < {weighed.p_at_most:.2g}, cost {weighed.cost:,.5g} to {weighed.cost_at_most:,.5g}"


def choose_times(trips: RoundTrips, span: float) -> list[float]:
    """Where to sample the curves: evenly, and on both sides of each step unless there are very many."""
    even = [span * k / DRAWN_STEPS for k in range(DRAWN_STEPS + 1)]
    steps = trips.steps(span)
    if len(steps) > DRAWN_STEPS:
        return even
    points = [trips.step(position) for position in steps if trips.step(position) < span]
    return sorted({*even, *points, *(math.nextafter(point, 0) for point in points)})
