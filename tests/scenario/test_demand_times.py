"""A call may be due at a random time: each process draws its own, again the same with the same seed."""

import pytest

from habemus.scenario import Call, Scenario, ScenarioError, TopologySpec
from habemus.simulation import simulate


def called(seed, at="uniform:30000:60000"):
    """When each process calls its election."""
    scenario = Scenario("bully", topology=TopologySpec(n=3), workload=[Call(at, [1, 2, 3])], starters=[], seed=seed)
    events = simulate(scenario, keep=1000).trace.events
    return {event.process: event.time for event in events if event.clause == "call_election"}


def test_each_process_calls_at_its_own_time_within_the_distribution():
    times = [called(seed) for seed in range(30)]
    assert all(30_000 <= time <= 60_000 for drawn in times for time in drawn.values())
    assert all(len(set(drawn.values())) == 3 for drawn in times)
    drawn = [time for each in times for time in each.values()]
    assert min(drawn) < 34_000 and max(drawn) > 56_000
    assert called(7) == called(7) != called(8)


def test_a_distribution_that_is_none_is_refused_where_it_stands():
    with pytest.raises(ScenarioError, match=r"workload\[0\].at: time 'often' is not known"):
        called(0, at="often")
