"""The metrics of a node for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from habemus.network.node.node import Node


class NodeMetrics(Collector):
    """Reads the metrics when they are asked for."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def collect(self) -> Iterator[Metric]:
        labels = {"group": self.node.group, "process": str(self.node.id)}
        for name, text, value in self.gauges():
            gauge = GaugeMetricFamily(f"habemus_{name}", text, labels=list(labels))
            gauge.add_metric(list(labels.values()), value)
            yield gauge
        for name, text, total in self.counters():
            counter = CounterMetricFamily(f"habemus_{name}", text, labels=list(labels))
            counter.add_metric(list(labels.values()), total)
            yield counter
        for name, text, counts in (
            ("messages_sent", "Messages sent, by type.", self.node.peers.messages_sent),
            ("messages_received", "Messages received, by type.", self.node.peers.messages_received),
        ):
            counter = CounterMetricFamily(f"habemus_{name}", text, labels=[*labels, "type"])
            for kind, count in sorted(counts.items()):
                counter.add_metric([*labels.values(), kind], count)
            yield counter

    def gauges(self) -> list[tuple[str, str, int]]:
        node = self.node
        leader, term, links = node.leader, node.term, node.peers.links.values()
        return [
            ("leader", "1 if this process leads, else 0.", int(leader == node.id)),
            ("leader_id", "The leader that this process follows; -1 if none.", -1 if leader is None else leader),
            ("term", "The current term; -1 if the algorithm has none.", -1 if term is None else term),
            ("members", "Processes in the group.", node.stack.n),
            ("connected", "Neighbours that this process is connected to.", len(node.peers.connected)),
            ("suspected", "Processes that this process suspects.", len(node.stack.suspected)),
            ("inside", "1 if this process is inside the critical section, else 0.", int(node.inside)),
            ("strangers", "Connections that have not proven their membership.", len(node.endpoint.listener.guests)),
            ("unacknowledged", "Reliable messages not yet acknowledged.", sum(len(x.unacknowledged) for x in links)),
        ]

    def counters(self) -> list[tuple[str, str, int]]:
        node = self.node
        counts = node.counts
        return [
            ("leader_changes", "Changes of the leader that this process follows.", counts["leader"]),
            ("suspicions", "Suspicions of its failure detector.", counts["suspect"]),
            ("entries", "Entries into the critical section.", counts["enter"]),
            ("stalls", "Stalls of this process that it noticed.", counts["stalls"]),
            ("disagreements", "Elections called because peers followed another leader.", counts["disagreements"]),
            ("disk_writes", "Writes of its state to disk.", node.memory.storage.writes),
            ("refused_connections", "Connections refused at its port.", node.endpoint.listener.refusals),
            ("dropped_messages", "Messages not sent.", sum(link.dropped for link in node.peers.links.values())),
        ]
