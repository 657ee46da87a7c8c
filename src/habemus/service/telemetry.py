"""What a process tells about its leases: those it holds now, figures for Prometheus, spans for OpenTelemetry.

    span            from                            attributes
    habemus.wait    asking until granted, or not    habemus.group, habemus.kind, habemus.name; at the end habemus.token
    habemus.hold    granted until given back        the same; an event `lost` with the reason if it was lost

Spans are made if OpenTelemetry is installed and set up by the application; otherwise nothing is imported.
"""

from __future__ import annotations

import threading
from collections import Counter
from importlib.util import find_spec
from time import perf_counter
from typing import Any

from habemus.service.engine import Wish
from habemus.service.lease import BaseLease

BUCKETS = (0.001, 0.01, 0.1, 1.0, 10.0, 60.0)  # seconds


class Durations:
    """How often something took how long."""

    def __init__(self) -> None:
        self.counts = Counter[float]()  # by the smallest bucket that it fits into
        self.total = 0
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        self.total += 1
        self.sum += seconds
        self.counts[next((limit for limit in BUCKETS if seconds <= limit), float("inf"))] += 1

    def buckets(self) -> list[tuple[str, float]]:
        """Each limit with the number of all that are not longer, as Prometheus counts them."""
        passed, buckets = 0, []
        for limit in BUCKETS:
            passed += self.counts[limit]
            buckets.append((str(limit), float(passed)))
        return [*buckets, ("+Inf", float(self.total))]


class Tenure:
    """One request for a lock or a role, from asking to its end."""

    def __init__(self, telemetry: Telemetry, wish: Wish) -> None:
        self.telemetry = telemetry
        self.wish = wish
        self.begun = perf_counter()
        self.lease: BaseLease | None = None
        self.span = telemetry.start_span("habemus.wait", wish)
        with telemetry.mutex:
            telemetry.waiting += 1

    def hold(self, lease: BaseLease) -> None:
        """It was granted."""
        self.end_wait(lease.token)
        self.lease = lease
        self.span = self.telemetry.start_span("habemus.hold", self.wish, lease.token)
        with self.telemetry.mutex:
            self.telemetry.held[self] = None

    def give_up(self) -> None:
        """It was not granted."""
        self.end_wait(0)

    def end_wait(self, token: int) -> None:
        now = perf_counter()
        with self.telemetry.mutex:
            self.telemetry.waiting -= 1
            self.telemetry.waits[self.wish.kind, "granted" if token else "not granted"].add(now - self.begun)
        self.begun = now
        if self.span is not None:
            self.span.set_attribute("habemus.token", str(token))
            self.span.end()

    def end(self, reason: str) -> None:
        """It is held no longer; `reason` if it was lost."""
        with self.telemetry.mutex:
            del self.telemetry.held[self]
            self.telemetry.holds[self.wish.kind].add(perf_counter() - self.begun)
            if reason:
                self.telemetry.lost[self.wish.kind, reason] += 1
        if self.span is not None:
            if reason:
                self.span.add_event("lost", {"habemus.reason": reason})
            self.span.end()


class Telemetry:
    """The leases of one process in one group."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.mutex = threading.Lock()
        self.waiting = 0
        self.held: dict[Tenure, None] = {}
        self.waits = DurationsBy()
        self.holds = DurationsBy()
        self.lost = Counter[tuple[str, str]]()  # by kind and reason
        self.tracer: Any = None
        if find_spec("opentelemetry") is not None:
            from opentelemetry import trace

            self.tracer = trace.get_tracer("habemus")

    def start_span(self, name: str, wish: Wish, token: int = 0) -> Any:
        if self.tracer is None:
            return None
        told = {"habemus.group": self.group, "habemus.kind": wish.kind, "habemus.name": wish.name}
        return self.tracer.start_span(name, attributes={**told, **({"habemus.token": str(token)} if token else {})})

    def leases(self, kind: str, name: str | None = None) -> list[BaseLease]:
        """Those that are held at this moment, by the clock."""
        with self.mutex:
            tenures = list(self.held)
        wanted = [each for each in tenures if each.wish.kind == kind and name in (None, each.wish.name)]
        return [each.lease for each in wanted if each.lease is not None and each.lease.is_held]


class DurationsBy(dict[Any, Durations]):
    """Durations by some label."""

    def __missing__(self, label: Any) -> Durations:
        self[label] = Durations()
        return self[label]
