"""What an algorithm is proven to cost, and how long it may let one wait."""

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


class WaitingBound:
    """How often others may enter while a process waits, counted from when all who decide know of its request."""

    def __init__(self, formula: str, entries: Callable[[int], int]) -> None:
        self.formula = formula
        self.entries = entries


CANDIDATES, MESSAGES, SUM = "candidates", "messages", "sum"


class Count:
    """Something that a theorem bounds, counted while a run goes on.

    `kind` is CANDIDATES (how many stand at the same time whose field `what` is k, for each k from 1 on), MESSAGES (of
    the types that `what` names, all together) or SUM (of the field `what` over all processes). `most` is the bound as a
    function of n and, for CANDIDATES, of k.
    """

    def __init__(self, kind: str, what: str, title: str, formula: str, most: Callable[[int, int], int]) -> None:
        self.kind = kind
        self.what = what
        self.title = title
        self.formula = formula
        self.most = most


def harmonic(n: int) -> float:
    """H_n = 1 + 1/2 + ... + 1/n."""
    return sum([1 / k for k in range(n, 0, -1)])
