"""What a run cost those who wanted the lock, who bore most of it, and how well its failure detector judged."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from habemus.process import Pid
from habemus.properties import Lock, Suspicions, Use


@dataclass(frozen=True)
class Bottleneck:
    """The process that handled most messages: how many, and which share of all that were handled."""

    process: Pid
    handled: int
    share: float

    def as_dict(self) -> dict[str, Any]:
        return {"process": self.process, "handled": self.handled, "share": self.share}


class LockFigures:
    """How a mutex served its processes.

    `messages` are its own, without those of the layers below it, and, if it never comes to rest, until all were served.
    """

    def __init__(self, lock: Lock, messages: int, time: int) -> None:
        self.entries = lock.entries
        self.messages_per_entry = messages / lock.entries if lock.entries else None
        self.waits = lock.waits
        self.handovers = lock.handovers
        self.overtaken = count_overtakings(lock.order)
        still = [lock.bypassed(request) for request in lock.waiting.values()]
        self.bypassed_most = max([*lock.bypasses, *still], default=0)
        self.refusals: list[Use] = lock.resource.refusals
        self.uses: list[Use] = lock.resource.uses
        self.throughput = compute_throughput(lock, time)

    def as_dict(self) -> dict[str, Any]:
        """The figures as `--json` prints them; times in ticks, throughput in entries per 1000 ticks."""
        return {
            "entries": self.entries,
            "messages_per_entry": self.messages_per_entry,
            "waiting": summarise_values(self.waits),
            "synchronisation_delay": summarise_values(self.handovers),
            "throughput": self.throughput,
            "overtaken": summarise_values(self.overtaken),
            "bypassed_most": self.bypassed_most,
            "refused": [{"process": use.process, "token": use.token, "time": use.refused} for use in self.refusals],
        }


class DetectionFigures:
    """How well a failure detector judged: the figures of Chen, Toueg and Aguilera, and what it cost."""

    def __init__(self, suspicions: Suspicions, n: int, time: int, messages: int) -> None:
        self.detection_times = suspicions.detection_times
        self.mistakes = suspicions.mistakes
        self.mistake_durations = [
            *suspicions.mistake_durations,
            *(time - since for since in suspicions.mistaken.values()),
        ]
        suspicions.advance(time)
        self.mistake_rate = 1000 * self.mistakes / suspicions.pair_ticks if suspicions.pair_ticks else 0.0
        self.load = 1000 * messages / (n * time) if time else 0.0

    def as_dict(self) -> dict[str, Any]:
        """The figures as `--json` prints them; times in ticks.

        `mistake_rate` is for one process watching one other for 1000 ticks, `load` the messages that a member sends in
        1000 ticks.
        """
        return {
            "detection_time": summarise_values(self.detection_times),
            "mistakes": self.mistakes,
            "mistake_rate": self.mistake_rate,
            "mistake_duration": summarise_values(self.mistake_durations),
            "load": self.load,
        }


def summarise_values(values: Sequence[int]) -> dict[str, float] | None:
    """Mean, 99th percentile and maximum; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    return {
        "mean": sum(ordered) / len(ordered),
        "p99": ordered[max(0, -(-99 * len(ordered) // 100) - 1)],
        "max": ordered[-1],
    }


def count_overtakings(order: list[int]) -> list[int]:
    """For each entry, in the order of entering, how many who asked later had entered before."""
    before: list[int] = []
    counts = []
    for number in order:
        counts.append(len(before) - bisect_right(before, number))
        insort(before, number)
    return counts


def compute_throughput(lock: Lock, time: int) -> float | None:
    """Entries per 1000 ticks, from the first request to the last exit, or to the end of the run if that is to come."""
    if not lock.entries:
        return None
    last = max([time if use.end < 0 else use.end for use in lock.resource.uses])
    return 1000 * lock.entries / (last - lock.first_request) if last > lock.first_request else None
