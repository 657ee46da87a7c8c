"""Phi accrual: the longer the silence, compared to what was usual, the stronger the suspicion.

Every `period` a process tells all others that it is alive. A receiver keeps the last intervals between beats, for each
sender its own, and takes them for normally distributed. The suspicion of a sender that has been silent for t is

    phi(t) = -log10 P(an interval is longer than t)

and whoever passes `threshold` is suspected, until it is heard again. Whoever wants another threshold, or several, gets
the level itself: `level` has it, in hundredths, and `upon_level` hears whenever it passes a whole number. At a
threshold of 1 one beat in ten comes too late, at 2 one in a hundred, if intervals are normal. So one number suits near
and far: the time-out fits each link.

Assumes   a complete graph, crash and recovery; delays of any kind, but with a mean and a deviation that do not change
          faster than the window. Messages may be lost or overtake each other.
Gives     completeness. Mistakes are made and corrected; how many is what the threshold is for.
Costs     n(n-1) messages a period, and `window` numbers for every other process.
Why safe  phi grows without bound in silence, so it passes any threshold.

The normal tail turns the threshold into a number of deviations z once and for all, with phi(mean + z deviations) =
threshold; what is left to do at a beat is to reckon when phi will get there, in whole numbers, the same everywhere. It
has no clock, so it counts: every `look` ticks it looks whom it has not heard since the last look.

Options   `least_deviation`: a link that has been steady so far is not held to that; `window`, how many intervals. They
          begin with two made up around `period`, so that who never says a word is suspected, too.

N. Hayashibara, X. Défago, R. Yared, T. Katayama. The phi accrual failure detector. SRDS 2004.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import Detector, Message, Parameter, Pid, upon, upon_start, upon_timeout

FINE = 1000  # parts of a tick, and of a deviation, that are reckoned with
STEPS = 50
HUNDRED = 100  # a level is given in hundredths
MOST_LEVEL = 100 * HUNDRED


@dataclass(frozen=True)
class Alive(Message):
    """The beat; the first one after a start ends no interval."""

    first: bool = False


def phi(silence: float, mean: float, deviation: float) -> float:
    """How suspicious a silence is."""
    tail = math.erfc((silence - mean) / deviation / math.sqrt(2)) / 2
    return -math.log10(tail) if tail > 0 else math.inf


def deviations(threshold: float) -> int:
    """How many deviations above the mean phi reaches the threshold; in parts, so that the last bits do not matter."""
    low, high = -40.0, 40.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if phi(middle, 0.0, 1.0) < threshold:
            low = middle
        else:
            high = middle
    return round(FINE * high)


@mypyc_attr(allow_interpreted_subclasses=True)
class PhiAccrual(Detector):
    name = "phi-accrual"
    topology = "complete"
    model = "partially synchronous, crash-recovery, loss"
    guarantees = ("completeness",)
    horizon = 5000
    small_limits = {"crashes": 0}  # after a crash the silence is counted without end
    positive = ("period", "threshold", "window", "look")
    tolerates_loss = True
    plotted_field = "level"
    on_network = ({"period": 500, "look": 250, "least_deviation": 100},)

    period: Parameter[int] = 100
    threshold: Parameter[float] = 8.0
    window: Parameter[int] = 100
    least_deviation: Parameter[int] = 10
    look: Parameter[int] = 10

    strictness: int = 0  # the threshold in deviations
    silence: dict[Pid, int] = {}  # looks since each one's last beat
    intervals: dict[Pid, list[int]] = {}  # the last ones between two beats, in ticks
    usual: dict[Pid, tuple[int, int]] = {}  # mean and deviation of the intervals, in parts of ticks
    patience: dict[Pid, int] = {}  # how many looks it takes until phi has passed the threshold
    suspected: set[Pid] = set()
    level: dict[Pid, int] = {}  # phi in hundredths, of those who have been silent for longer than is usual

    @upon_start
    def begin(self) -> None:
        self.strictness = deviations(self.threshold)
        for process in self.neighbours:
            self.silence[process] = 0
            self.intervals[process] = [self.period // 2, self.period + self.period // 2]
            self.reckon(process)
        self.set_timer("look", self.look)
        self.send(self.neighbours, Alive(first=True))
        self.set_timer("beat", self.period)

    @upon_timeout("beat")
    def beat(self) -> None:
        self.send(self.neighbours, Alive())
        self.set_timer("beat", self.period)

    @upon(Alive)
    def hear(self, sender: Pid, message: Alive) -> None:
        if not message.first:  # else the silence before it says nothing of the link
            intervals = self.intervals[sender]
            intervals.append(self.silence[sender] * self.look)
            self.intervals[sender] = intervals[-max(1, self.window) :]
            self.reckon(sender)
        self.silence[sender] = 0
        if self.level.pop(sender, 0) >= HUNDRED:
            self.rate(sender, 0)
        if sender in self.suspected:
            self.suspected.remove(sender)
            self.trust(sender)

    def reckon(self, process: Pid) -> None:
        """From which look on will its silence be too suspicious?"""
        intervals = self.intervals[process]
        count, total = len(intervals), sum(intervals)
        squares = sum([interval * interval for interval in intervals])
        deviation = math.isqrt(FINE * FINE * (count * squares - total * total)) // count
        deviation = max(deviation, FINE * self.least_deviation)
        limit = FINE * FINE * total // count + self.strictness * deviation  # in parts of parts of ticks
        self.usual[process] = (FINE * total // count, deviation)
        self.patience[process] = 1 - (-limit // (FINE * FINE * self.look))  # a look more: it may just have passed

    @upon_timeout("look")
    def look_around(self) -> None:
        self.set_timer("look", self.look)
        for process in self.neighbours:
            self.silence[process] += 1
            self.raise_level(process)
            if self.silence[process] >= self.patience[process] and process not in self.suspected:
                self.suspected.add(process)
                self.suspect(process)

    def raise_level(self, process: Pid) -> None:
        mean, deviation = self.usual[process]
        silence = FINE * self.look * self.silence[process]
        if silence > mean:
            level = min(MOST_LEVEL, round(HUNDRED * min(MOST_LEVEL, phi(silence, mean, deviation))))
            passed = level // HUNDRED > self.level.get(process, 0) // HUNDRED
            self.level[process] = level
            if passed:
                self.rate(process, level)
