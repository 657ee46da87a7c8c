"""At which size, and under which limits, each algorithm of the catalogue is checked if nobody says otherwise."""

from __future__ import annotations

from typing import Any

from habemus.checking.instances import Question, settled
from habemus.scenario import Place, Scenario

SIZES = {"ring": 5, "complete": 3, "any": 4, "tree": 4}

SETTINGS: dict[str, dict[str, Any]] = {
    "raft-election": {"parameters": {"low": 1, "high": 1, "heartbeat": 1}, "bounds": {"term": 2}},
    "invitation": {"parameters": {"period": 1, "patience": 1}, "bounds": {"counter": 2}},
    "itai-rodeh": {"n": 3, "bounds": {"round": 2}},
    "gossip-election": {"parameters": {"fanout": 1, "repeats": 1, "relays": 3}},
    "btcp": {"parameters": {"patience": 1}},
    "sortition": {"n": 3},
    "ghs": {"n": 4},
}
"""What is small by itself needs no settings. Coins with many sides and counters without end do."""


def default_size(cls: Any) -> int:
    """How many processes."""
    size: int = SETTINGS.get(cls.name, {}).get("n", SIZES.get(cls.topology, 3))
    return size


def default_question(name: str, cls: Any) -> Question:
    """What is asked of an algorithm in the report of the whole catalogue."""
    setting = SETTINGS.get(name, {})
    scenario = Scenario(name, topology=Place(n=default_size(cls)), parameters=dict(setting.get("parameters", {})))
    given: dict[str, Any] = {key: setting[key] for key in ("bounds", "alarms") if key in setting}
    scenario, limits = settled(scenario, setting.get("timing"), given)
    return Question(scenario, limits, [])
