"""The clock of a real node.

It never goes back, and where the system has such a clock it counts the time in which the machine slept: peers go on
while this machine sleeps, so a leader that slept has to learn for how long.
"""

from __future__ import annotations

import time

CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def now() -> int:
    """Nanoseconds since some moment in the past."""
    return time.clock_gettime_ns(CLOCK)
