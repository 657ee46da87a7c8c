"""How safe is a quorum whose members may forget?

Of n coordinators m > n/2 have to grant before a process is inside; so two quorums share at least 2m - n coordinators,
and a coordinator grants once. But it keeps its grants in memory: when it fails and comes back it has forgotten them.
Say that each of them does so with probability P, independently, while the first process is inside, and that a second
process asks all n in that time. It gets in if m coordinators are free: the n - m that the first did not need, and of
the first's m as many as have forgotten. So mutual exclusion is violated if at least 2m - n of m have forgotten:

    P_v = sum over k from 2m-n to m of C(m,k) P^k (1-P)^(m-k)

Such numbers leave the range of floats soon (n = 1000, m = 750, P = 1e-4: 6.4e-1795). Decimals of sixty digits have
room for their exponents, and P is the decimal number that was written, not its nearest float.

`simulate_quorum` does not draw from that formula: it hands out grants, lets coordinators forget, and lets the second
process ask.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation, localcontext
from functools import cached_property
from math import comb, inf, sqrt
from pathlib import Path

from habemus.extras import require
from habemus.measuring.drawing import (
    BLUE,
    GOLD,
    GREEN,
    GROUND,
    SOFT,
    format_power_of_ten,
    make_figure,
    save_figure,
    set_title,
    style_axes,
)
from habemus.scenario import ScenarioError

MOST_COORDINATORS = 10_000
PRECISE = Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX)
CERTAIN = Context(prec=50, Emin=MIN_EMIN, Emax=MAX_EMAX)
SEEN = 10  # expected violations, and trials without one, from which on a simulation can tell
BATCH = 2_000_000  # coordinators simulated at once
DRAWN_QUORUMS = 60
DRAWN_DECADES = 5


@dataclass(frozen=True)
class QuorumRisk:
    """m of n coordinators, each of which forgets with probability p while someone is inside."""

    n: int
    m: int
    p: Decimal

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST_COORDINATORS:
            raise ScenarioError(f"n = {self.n}: expected 1 to {MOST_COORDINATORS:,} coordinators")
        least = smallest_majority(self.n)
        if not least <= self.m <= self.n:
            raise ScenarioError(f"m = {self.m}: expected more than half of n = {self.n}, from {least} to {self.n}")
        if not 0 <= self.p <= 1:
            raise ScenarioError(f"p = {self.p}: expected a probability from 0 to 1")

    @property
    def overlap(self) -> int:
        """How many coordinators any two quorums share at least."""
        return 2 * self.m - self.n

    @property
    def spare(self) -> int:
        """How many coordinators may be down while a quorum can still be found."""
        return self.n - self.m

    @cached_property
    def violation(self) -> Decimal:
        """P_v, in fifty digits."""
        with localcontext(PRECISE):
            q = 1 - self.p
            if not q:
                return Decimal(1)
            odds = self.p / q
            total = Decimal(0)
            term = comb(self.m, self.overlap) * self.p**self.overlap * q ** (self.m - self.overlap)
            for k in range(self.overlap, self.m + 1):
                # The terms rise to one peak and fall. While they rise, no term is small beside the sum of those before
                # it; so one that does not move the sum is past the peak, and nor does any later one.
                if total + term == total:
                    break
                total += term
                term *= odds * (self.m - k) / (k + 1)
            return CERTAIN.plus(total)  # the last digits are not

    @property
    def log10_violation(self) -> float:
        """The logarithm of P_v; minus infinity if it is 0."""
        return float(self.violation.log10(PRECISE))


def smallest_majority(n: int) -> int:
    return n // 2 + 1


def parse_probability(text: str, name: str) -> Decimal:
    """A probability, exactly as it was written."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ScenarioError(f"{name} = {text}: expected a probability from 0 to 1, such as 0.0001 or 1e-4") from None
    if not number.is_finite() or not 0 <= number <= 1:
        raise ScenarioError(f"{name} = {text}: expected a probability from 0 to 1")
    return number


def smallest_quorum(n: int, p: Decimal, wanted: Decimal) -> QuorumRisk | None:
    """The smallest m with P_v at most `wanted`; None if even all n are not enough."""
    if not 0 < wanted <= 1:
        raise ScenarioError(f"wanted = {wanted}: expected a probability above 0, at most 1")
    quorums = [QuorumRisk(n, m, p) for m in range(smallest_majority(n), n + 1)]  # P_v falls as m grows
    position = bisect_left(quorums, True, key=lambda quorum: quorum.violation <= wanted)
    return quorums[position] if position < len(quorums) else None


@dataclass(frozen=True)
class Confirmation:
    """The result of simulating a quorum."""

    quorum: QuorumRisk
    trials: int
    violations: int

    @property
    def estimate(self) -> float:
        """The share of trials that ended in a violation."""
        return self.violations / self.trials

    @property
    def standard_error(self) -> float:
        """The standard deviation of the estimate, if the formula is right."""
        expected = float(self.quorum.violation)
        return sqrt(expected * (1 - expected) / self.trials)

    @property
    def can_tell(self) -> bool:
        """Whether P_v is certain, or far enough from 0 and 1 to be judged by so many trials."""
        expected = self.quorum.violation * self.trials
        return self.quorum.violation in (0, 1) or SEEN <= expected <= self.trials - SEEN

    @property
    def distance(self) -> float:
        """The difference between estimate and formula, in standard errors."""
        difference = abs(self.estimate - float(self.quorum.violation))
        return difference and (difference / self.standard_error if self.standard_error else inf)

    @property
    def agrees(self) -> bool | None:
        """Whether formula and simulation are within three standard errors; None if so few trials cannot tell."""
        return self.distance <= 3 if self.can_tell else None


def simulate_quorum(
    quorum: QuorumRisk, trials: int, seed: int, progress: Callable[[int], None] = lambda done: None
) -> Confirmation:
    """Let two processes ask for the lock one after the other, many times, and count how often both are inside."""
    require("The simulation of a quorum", "numpy")

    import numpy

    if trials < 1:
        raise ScenarioError(f"trials = {trials}: expected at least 1")
    random = numpy.random.Generator(numpy.random.PCG64(seed % 2**64))
    at_once = max(1, BATCH // quorum.n)
    violations = done = 0
    while done < trials:
        count = min(at_once, trials - done)
        answers = random.random((count, quorum.n))  # when each coordinator's answer reaches the first process
        enough = numpy.partition(answers, quorum.m - 1, axis=1)[:, quorum.m - 1 : quorum.m]
        granted = answers <= enough  # it takes the first m, and releases the others
        forgot = random.random((count, quorum.n)) < float(quorum.p)
        free = ~(granted & ~forgot)
        violations += int(numpy.count_nonzero(free.sum(axis=1) >= quorum.m))
        done += count
        progress(done)
    return Confirmation(quorum, trials, violations)


def draw_quorum(
    quorum: QuorumRisk, path: str | Path, wanted: QuorumRisk | None = None, limit: Decimal | None = None
) -> None:
    """Draw P_v over m for several P; the quorum and the one for the limit are marked."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    from habemus.measuring.plot import label_ends

    if not quorum.p:
        raise ScenarioError("p = 0: P_v is 0 for every m, and a logarithmic axis has no place for 0")
    figure = make_figure(7.2, 4.6)
    axes = figure.subplots()
    first = smallest_majority(quorum.n)
    step = max(1, (quorum.n - first) // DRAWN_QUORUMS)
    sizes = sorted({*range(first, quorum.n, step), quorum.m, quorum.n})
    ends = []
    for p in list_decades(quorum.p):
        asked = p == quorum.p
        heights = [QuorumRisk(quorum.n, m, p).log10_violation for m in sizes]
        axes.plot(
            sizes,
            heights,
            marker="o",
            markersize=(3.5 if asked else 2) if step == 1 else 0,
            color=BLUE if asked else SOFT,
            linewidth=1.8 if asked else 0.9,
            zorder=3 if asked else 2,
        )
        ends.append((heights[-1], f"P = {typeset(p)}", BLUE if asked else SOFT))
    if limit is not None:
        height = float(limit.log10(PRECISE))
        axes.axhline(height, color=GREEN, linewidth=1, linestyle=(0, (6, 3)), zorder=1)
        ends.append((height, f"wanted: {typeset(limit)}", GREEN))
    for mark, colour in ((wanted, GREEN), (quorum, GOLD)):
        if mark is not None:
            axes.plot(
                [mark.m],
                [mark.log10_violation],
                "o",
                markersize=9,
                color=colour,
                markeredgecolor=GROUND,
                markeredgewidth=1.5,
                zorder=4,
            )
    style_axes(axes, "quorum m; n − m coordinators may be down", "P_v, that two are inside at once")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda height, _: format_power_of_ten(round(height))))
    axes.set_xlim(sizes[0] - 0.5, sizes[-1] + (sizes[-1] - sizes[0]) * 0.02 + 0.5)
    words = f"{quorum.m} of {quorum.n} coordinators, P = {typeset(quorum.p)}:  P_v = {typeset(quorum.violation)}"
    if limit is not None and wanted is not None:
        words += f"\nat most {typeset(limit)} from m = {wanted.m} on"
    set_title(axes, words)
    label_ends(axes, ends)
    save_figure(figure, path)


def list_decades(p: Decimal) -> list[Decimal]:
    """The probability and its neighbours by powers of ten; none above one half but itself."""
    above = [p.scaleb(k, PRECISE) for k in (2, 1) if p.scaleb(k, PRECISE) <= Decimal("0.5")]
    return [*above, p, *(p.scaleb(-k, PRECISE) for k in range(1, DRAWN_DECADES - len(above)))]


def typeset(number: Decimal) -> str:
    """7.349·10⁻⁵⁹, 10⁻⁴, 0.2: as in print."""
    if not number or number >= Decimal("0.01"):
        return f"{number:.4g}"
    mantissa, _, exponent = f"{number:.3e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return format_power_of_ten(int(exponent)) if mantissa == "1" else f"{mantissa}·{format_power_of_ten(int(exponent))}"
