"""`habemus.check`: all runs of a scenario, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from habemus.catalogue import find_algorithm
from habemus.checking.answer.check import check
from habemus.checking.answer.defaults import default_size
from habemus.checking.answer.questions import Question, check_wanted, make_small, settle
from habemus.checking.answer.verdicts import Verdict
from habemus.checking.search.effort import Effort
from habemus.scenario import Scenario, require_scenario


def check_scenario(
    scenario: Scenario,
    *,
    timing: str | None = None,
    properties: Sequence[str] = (),
    effort: Effort | None = None,
    **limits: Any,
) -> Verdict:
    """Explore all runs of a scenario; the verdict has the shortest counterexample if a property is violated.

    `timing` is "async", "ordered" or "bounded"; `properties` are those that the algorithm guarantees if none is named;
    `limits` are those of the options of `habemus check`: crashes=1, losses=1, entries=2 and so on. Without a size the
    smallest instructive one is checked. Without `entries` each process asks for a lock once, and starvation is also
    looked for in runs in which they ask again and again.
    """
    require_scenario(scenario)
    spec = scenario.topology
    if all(size is None for size in (spec.n, spec.ids, spec.edges, spec.file)):
        spec = msgspec.structs.replace(spec, n=default_size(find_algorithm(scenario.algorithm)))
        scenario = msgspec.structs.replace(scenario, topology=spec)
    forever = "entries" not in limits
    scenario, limits = make_small(scenario, limits)
    instance, bounds = settle(scenario, timing, limits)
    check_wanted(instance, list(properties), bounds)
    return check(Question(instance, bounds, list(properties), forever), effort)
