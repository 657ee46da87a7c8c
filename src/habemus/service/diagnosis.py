"""How well this machine keeps time, and which ttl is safe on it.

A lease is lost if no renewal is answered for the length of its ttl. A renewal is sent every quarter of it. So all that
can delay one, together, has to fit into a quarter: the longest time in which this process did not run although it was
due, the slowest round trip to those who decide, and the slowest write to disk that one of them may have to wait for.
"""

from __future__ import annotations

import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

NAP = 0.001  # seconds, between two looks at the clock
SHORTEST_TTL = 1.0
WRITES = 20
ROUND_TRIPS = 20


@dataclass(frozen=True)
class Measure:
    """Times in seconds."""

    median: float
    worst: float

    @classmethod
    def of(cls, times: list[float]) -> Measure:
        return cls(statistics.median(times), max(times))


@dataclass(frozen=True)
class Diagnosis:
    gaps: Measure  # beyond the naps that were asked for
    fsync: Measure | None  # None if nothing can be written there
    round_trip: Measure
    clock_rate: float  # of the clock that leases use, against the hardware's; 0 is perfect
    slept: float  # seconds in which the machine was suspended since it started

    @property
    def quarter(self) -> float:
        """What has to fit into a quarter of the ttl."""
        return self.gaps.worst + self.round_trip.worst + (self.fsync.worst if self.fsync is not None else 0.0)

    @property
    def safe_ttl(self) -> float:
        """In whole seconds."""
        return max(SHORTEST_TTL, math.ceil(4 * self.quarter / (1 - abs(self.clock_rate))))


def diagnose(directory: Path, ask: Callable[[], object], seconds: float) -> Diagnosis:
    """`ask` is a round trip to those who decide; `directory` is where they write; it takes that many seconds."""
    raw = getattr(time, "CLOCK_MONOTONIC_RAW", time.CLOCK_MONOTONIC)
    begun, begun_raw = time.clock_gettime(time.CLOCK_MONOTONIC), time.clock_gettime(raw)
    round_trips = [measure(ask) for _ in range(ROUND_TRIPS)]
    fsync = measure_fsync(directory)
    gaps = [max(0.0, measure(lambda: time.sleep(NAP)) - NAP)]
    while time.clock_gettime(time.CLOCK_MONOTONIC) - begun < seconds:
        gaps.append(max(0.0, measure(lambda: time.sleep(NAP)) - NAP))
    passed, passed_raw = time.clock_gettime(time.CLOCK_MONOTONIC) - begun, time.clock_gettime(raw) - begun_raw
    boot = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    slept = time.clock_gettime(boot) - time.clock_gettime(time.CLOCK_MONOTONIC)
    return Diagnosis(Measure.of(gaps), fsync, Measure.of(round_trips), passed / passed_raw - 1, max(0.0, slept))


def measure(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def measure_fsync(directory: Path) -> Measure | None:
    try:
        with tempfile.TemporaryFile(dir=directory) as file:

            def write() -> None:
                file.write(bytes(4096))
                file.flush()
                os.fsync(file.fileno())

            return Measure.of([measure(write) for _ in range(WRITES)])
    except OSError:
        return None
