"""How a node tells of itself: to programs, and to people."""

from __future__ import annotations

from typing import Any

from habemus.network import clock
from habemus.network.node import Change, Node


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
        "connected": sorted(peer for peer, link in node.links.items() if link.up),
        "incarnation": node.incarnation,
        "messages": sum(node.sent.values()),
        "changes": len(node.history),
        "last_change": node.history[-1].time if node.history else None,
        "uptime": round((clock.now() - node.born) / 1e9, 3),
    }


def described(change: Change) -> dict[str, Any]:
    """A change as JSON."""
    return {"time": round(change.time, 3), "what": change.what, "subject": change.subject, "term": change.term}


def sentence(node: Node) -> str:
    """How things stand."""
    parts = []
    if node.stack.election is not None:
        if node.leads:
            parts.append("I am the coordinator")
        else:
            parts.append("there is no coordinator" if node.leader is None else f"the coordinator is {node.leader}")
        if node.term is not None:
            parts.append(f"term {node.term}")
    if node.stack.mutex is not None:
        role = node.stack.mutex.role
        parts.append({"inside": "I am inside", "waiting": "I am waiting"}.get(role, "I am outside"))
    return ", ".join(parts) or "running"
