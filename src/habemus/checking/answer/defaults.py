"""At which size, and within which limits, each algorithm of the catalogue is checked by default."""

from __future__ import annotations

from typing import Any

from habemus.checking.answer.questions import Question, make_small, settle
from habemus.scenario import Scenario, TopologySpec

SIZES = {"ring": 5, "complete": 3, "any": 4, "tree": 4}


def default_size(cls: Any) -> int:
    size: int = cls.small_n or SIZES.get(cls.topology, 3)
    return size


def default_question(name: str, cls: Any) -> Question:
    """What is asked of an algorithm in the report of the whole catalogue."""
    scenario, given = make_small(Scenario(name, topology=TopologySpec(n=default_size(cls))), {})
    scenario, limits = settle(scenario, None, given)
    return Question(scenario, limits, [], forever=True)
