"""What an algorithm declares to be counted, followed through a recorded run, beside its bounds.

A series is one such count: how it changed, in which events, and what it never exceeds. Candidates are counted for each
k from 1 on: how many stand at the same time whose field has that value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from habemus.process import CANDIDATES, MESSAGES, Anatomy, Count, Pid
from habemus.trace.format import Event

STANDING = ("candidate", "leader")


@dataclass
class Series:
    """How a count changed: (event, value), and its bound."""

    title: str
    formula: str
    bound: int
    k: int | None
    changes: list[tuple[int, int]] = field(default_factory=list)

    @property
    def most(self) -> int:
        return max([value for _, value in self.changes], default=0)

    @property
    def holds(self) -> bool:
        return self.most <= self.bound

    def record(self, event: int, value: int) -> None:
        if not self.changes or self.changes[-1][1] != value:
            self.changes.append((event, value))

    def as_dict(self) -> dict[str, Any]:
        return {"title": self.title, "k": self.k, "most": self.most, "bound": self.bound, "formula": self.formula}


def follow_counts(anatomy: Anatomy, ids: list[Pid], events: list[Event]) -> list[Series]:
    """The series of all counts that an algorithm declares."""
    found: list[Series] = []
    for count in anatomy.cls.counts:
        if count.kind == CANDIDATES:
            found += follow_candidates(count, len(ids), events)
        else:
            found.append(follow_total(count, len(ids), events))
    return found


def follow_candidates(count: Count, n: int, events: list[Event]) -> list[Series]:
    """For each k, how many candidates there are whose field is k."""
    values: dict[Pid, int] = {}
    standing: set[Pid] = set()
    series: dict[int, Series] = {}
    for event in events:
        pid = event.process
        if pid is None:
            continue
        before = values.get(pid, 0) if pid in standing else 0
        values[pid] = event.changed.get(count.what, values.get(pid, 0))
        if event.kind == "crash":
            standing.discard(pid)
        elif event.role is not None:
            (standing.add if event.role in STANDING else standing.discard)(pid)
        after = values[pid] if pid in standing else 0
        for k in {before, after} - {0}:
            if k not in series:
                series[k] = Series(count.title, count.formula, count.most(n, k), k)
            series[k].record(event.event, sum(values[other] == k for other in standing))
    return [series[k] for k in sorted(series)]


def follow_total(count: Count, n: int, events: list[Event]) -> Series:
    """How many messages of some types were sent, or what a field adds up to."""
    series = Series(count.title, count.formula, count.most(n, 0), None)
    total = 0
    values: dict[Pid, int] = {}
    for event in events:
        if count.kind == MESSAGES:
            total += sum(message.type in count.what.split() for message in event.sent)
        elif event.process is not None and count.what in event.changed:
            values[event.process] = event.changed[count.what]
            total = sum(values.values())
        series.record(event.event, total)
    return series
