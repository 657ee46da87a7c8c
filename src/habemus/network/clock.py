"""Time on a real node.

Nanoseconds of a clock that never goes back and counts the time in which the machine slept, where the system has one:
others go on while this machine sleeps, so a leader that was asleep has to learn how long it was gone.
"""

from __future__ import annotations

import time

CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def now() -> int:
    """The time since some moment in the past, in nanoseconds."""
    return time.clock_gettime_ns(CLOCK)
