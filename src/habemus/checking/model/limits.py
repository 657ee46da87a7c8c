"""What the runs that are explored may contain: the timing assumption, and how many faults."""

from __future__ import annotations

from dataclasses import dataclass, field

ASYNC, ORDERED, BOUNDED = "async", "ordered", "bounded"
TIMINGS = (ASYNC, ORDERED, BOUNDED)
FIRST, STEP, LATE = "first", "step", "late"
STARTS = (FIRST, STEP, LATE)
PERFECT, SIMULTANEOUS, EVENTUAL = "perfect", "simultaneous", "eventual"
DETECTORS = (PERFECT, SIMULTANEOUS, EVENTUAL)


@dataclass
class Limits:
    """What the runs that are explored may contain; a count of -1 is any number, a time of -1 never."""

    timing: str = ASYNC
    fifo: bool = True
    delay: int = 1
    detection: int = -1
    detector: str = PERFECT
    alarms: int = -1
    crashes: int = 0
    recoveries: int = 0
    losses: int = 0
    doubles: int = 0
    reorders: int = 0
    mistakes: int = 0
    entries: int = 1
    depth: int = -1  # steps of a run
    starts: str = FIRST
    anybody: bool = False  # whether all sets of starters are explored, but the empty one
    bounds: dict[str, int] = field(default_factory=dict)
