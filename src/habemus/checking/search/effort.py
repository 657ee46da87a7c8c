"""How to search, and how much that may take."""

from __future__ import annotations

from habemus.checking.search.search import BREADTH

MOST_STATES = 50_000_000
COMPACT_STATES = 1_000_000_000
MOST_BYTES = 8_000_000_000


class Effort:
    def __init__(
        self,
        reduced: bool = True,
        order: str = BREADTH,
        states: int = MOST_STATES,
        memory: int = MOST_BYTES,
        walk: int | None = None,
        jobs: int = 1,
        compact: bool = False,
    ) -> None:
        self.reduced = reduced and not compact
        self.order = order
        self.states = states
        self.memory = memory
        self.walk = walk  # the seed of random runs, in place of a search
        self.jobs = jobs  # processes that the question may take
        self.compact = compact  # keep a hash of each state, in place of the state
