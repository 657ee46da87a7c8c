"""A stack is judged by the properties of its layers, and each layer promises what its class guarantees."""

import pytest

from habemus.properties import properties_of
from habemus.scenario import Layer, Scenario, TopologySpec
from habemus.scenario.stack import build_stack
from habemus.simulation import simulate


def promises(*names):
    scenario = Scenario(names[-1], layers=[Layer(name) for name in names[:-1]])
    return {watched.name: watched.promised for watched in properties_of(build_stack(scenario)[0], None)}


def test_each_layer_promises_its_own_properties():
    election = {"termination": True, "uniqueness": False, "agreement": True, "stability": False}
    mutex = {"mutual_exclusion": True, "deadlock_freedom": False, "starvation_freedom": False, "bounded_waiting": False}
    assert promises("invitation") == election
    assert promises("heartbeat", "invitation", "quorum") == election | mutex
    assert promises("phi-accrual") == {"completeness": True, "accuracy": False}


def test_a_run_holds_unless_it_violates_what_is_promised():
    outcome = simulate(Scenario("invitation", topology=TopologySpec(n=4)))
    assert outcome.holds and outcome.violated == ["uniqueness", "stability"] and outcome.surprises == []
    cut_short = simulate(Scenario("invitation", topology=TopologySpec(n=4), until=10))
    assert not cut_short.holds and "agreement" in cut_short.violated


@pytest.mark.parametrize("starters", ["all", [1], [3]])
def test_ring_collect_elects_only_if_the_smallest_id_starts(starters):
    outcome = simulate(Scenario("ring-collect", topology=TopologySpec(ids=[2, 1, 3]), starters=starters))
    assert outcome.holds and ("termination" in outcome.violated) == (starters == [3])
