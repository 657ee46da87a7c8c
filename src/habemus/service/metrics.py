"""The metrics of a joined process for Prometheus: its leases, and its group as it sees it.

`GroupMetrics(group)` can be registered in an application's own registry; with `join(http=...)` they are at /metrics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from habemus.service.errors import GroupError
from habemus.service.membership import Membership
from habemus.service.view import LOCK, ROLE


class GroupMetrics(Collector):
    """Reads the metrics when they are asked for."""

    def __init__(self, membership: Membership) -> None:
        self.membership = membership

    def collect(self) -> Iterator[Metric]:
        group, telemetry = self.membership.name, self.membership.telemetry
        of_a_lease = ["group", "kind", "name"]
        held = GaugeMetricFamily("habemus_lease_held", "1 while this process holds it.", labels=of_a_lease)
        remaining = GaugeMetricFamily(
            "habemus_lease_remaining_seconds", "Until it ends unless it is renewed.", labels=of_a_lease
        )
        for kind in (LOCK, ROLE):
            for lease in telemetry.leases(kind):
                held.add_metric([group, kind, lease.name], 1)
                if lease.deadline != math.inf:
                    remaining.add_metric([group, kind, lease.name], lease.remaining())
        waiting = GaugeMetricFamily("habemus_leases_waiting", "Requests that wait for a grant.", labels=["group"])
        waiting.add_metric([group], telemetry.waiting)
        lost = CounterMetricFamily("habemus_leases_lost", "Leases that were lost.", labels=["group", "kind", "reason"])
        for (kind, reason), count in sorted(telemetry.lost.items()):
            lost.add_metric([group, kind, reason], count)
        waits = HistogramMetricFamily(
            "habemus_lease_wait_seconds", "How long requests waited.", labels=["group", "kind", "result"]
        )
        for (kind, result), durations in sorted(telemetry.waits.items()):
            waits.add_metric([group, kind, result], durations.buckets(), durations.sum)
        holds = HistogramMetricFamily(
            "habemus_lease_hold_seconds", "How long leases were held.", labels=["group", "kind"]
        )
        for kind, durations in sorted(telemetry.holds.items()):
            holds.add_metric([group, kind], durations.buckets(), durations.sum)
        yield from (held, remaining, waiting, lost, waits, holds)
        yield from self.collect_view()

    def collect_view(self) -> Iterator[Metric]:
        """What concerns the group; missing while nobody knows."""
        group = self.membership.name
        with suppress(GroupError):
            view = self.membership.joined.view
            for name, text, value in (
                ("members", "Members of the group.", len(view.members)),
                ("has_quorum", "1 if the group can decide, else 0.", view.has_quorum),
                ("paused", "1 while the group is paused, else 0.", view.paused),
                ("version", "Grows with every event of the group.", view.version),
            ):
                gauge = GaugeMetricFamily(f"habemus_group_{name}", text, labels=["group"])
                gauge.add_metric([group], value)
                yield gauge
            holders = GaugeMetricFamily("habemus_group_holders", "Holders of a lock.", labels=["group", "kind", "name"])
            waiters = GaugeMetricFamily("habemus_group_waiters", "Waiters for it.", labels=["group", "kind", "name"])
            for lock in view.locks:
                holders.add_metric([group, lock.kind, lock.name], len(lock.holders))
                waiters.add_metric([group, lock.kind, lock.name], len(lock.waiters))
            yield holders
            yield waiters
