"""The status of a node, for programs and for people."""

from __future__ import annotations

from typing import Any

from habemus.network.node import clock
from habemus.network.node.change import Change
from habemus.network.node.node import Node


def status(node: Node) -> dict[str, Any]:
    """What `/status` shows."""
    return {
        "id": node.id,
        "group": node.group,
        "algorithm": node.scenario.algorithm,
        "leader": node.leader,
        "term": node.term,
        "role": node.role,
        "members": list(node.topology.ids),
        "suspected": node.stack.suspected,
        "connected": sorted(node.peers.connected),
        "incarnation": node.incarnation,
        "messages": sum(node.peers.messages_sent.values()),
        "changes": len(node.history),
        "last_change": node.history[-1].time if node.history else None,
        "uptime": round((clock.now() - node.created) / 1e9, 3),
    }


def change_fields(change: Change) -> dict[str, Any]:
    """A change as JSON shows it."""
    return {"time": round(change.time, 3), "what": change.what, "subject": change.subject, "term": change.term}


def status_sentence(node: Node) -> str:
    """What a report says."""
    parts = []
    if node.stack.election is not None:
        leader = node.leader
        if leader == node.id:
            parts.append("leads")
        else:
            parts.append("knows no leader" if leader is None else f"follows {leader}")
        if node.term is not None:
            parts.append(f"term {node.term}")
    if node.stack.mutex is not None:
        if node.inside:
            parts.append("has the lock")
        else:
            parts.append("waits for the lock" if node.role == "waiting" else "does not have the lock")
    return ", ".join(parts) or "running"
