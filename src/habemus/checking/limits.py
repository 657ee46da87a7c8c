"""What the runs that are explored may contain: the timing assumption, and how many faults."""

from __future__ import annotations

ASYNC, ORDERED, BOUNDED = "async", "ordered", "bounded"
TIMINGS = (ASYNC, ORDERED, BOUNDED)
FIRST, STEP, LATE = "first", "step", "late"
STARTS = (FIRST, STEP, LATE)


class Limits:
    """What the runs that are explored may contain."""

    def __init__(
        self,
        timing: str = ASYNC,
        fifo: bool = True,
        delay: int = 1,
        detection: int = -1,
        alarms: int = -1,
        crashes: int = 0,
        recoveries: int = 0,
        losses: int = 0,
        doubles: int = 0,
        entries: int = 1,
        starts: str = FIRST,
        anybody: bool = False,
        bounds: dict[str, int] | None = None,
    ) -> None:
        self.timing = timing
        self.fifo = fifo
        self.delay = delay
        self.detection = detection
        self.alarms = alarms
        self.crashes = crashes
        self.recoveries = recoveries
        self.losses = losses
        self.doubles = doubles
        self.entries = entries
        self.starts = starts
        self.anybody = anybody  # whether all sets of starters are explored, but the empty one
        self.bounds = bounds or {}
