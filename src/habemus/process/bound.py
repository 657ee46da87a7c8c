"""What an algorithm is proven to cost."""

from __future__ import annotations

from collections.abc import Callable

WORST = "worst"
MEAN = "mean"


class Bound:
    """A proven number of messages as a function of n processes and m links, with the formula as people write it.

    `case` is WORST (no run of the stated kind sends more) or MEAN (the mean over random orders of the ids; of a
    mutex, over random and independent requests).
    """

    def __init__(self, case: str, formula: str, messages: Callable[[int, int], float]) -> None:
        self.case = case
        self.formula = formula
        self.messages = messages


def harmonic(n: int) -> float:
    """H_n = 1 + 1/2 + ... + 1/n."""
    return sum([1 / k for k in range(n, 0, -1)])
