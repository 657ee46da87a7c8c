"""The perfect detector: every crash, after the set time, and never a mistake."""

from hypothesis import given
from hypothesis import strategies as st
from watched_groups import groups, verdicts

from habemus.scenario import Crash, Layer, Recover, Scenario, TopologySpec
from habemus.simulation import simulate


@given(groups("perfect", until=1000, recovering=True))
def test_it_is_complete_and_accurate_whoever_crashes_and_comes_back(scenario):
    assert verdicts(simulate(scenario)) == {"completeness": True, "accuracy": True}


@given(groups("perfect", until=1000), st.integers(1, 100))
def test_every_crash_is_known_after_the_set_time_and_no_mistake_is_made(scenario, detection):
    scenario.parameters["detection"] = detection
    outcome = simulate(scenario)
    assert outcome.detection.mistakes == 0 and outcome.messages == 0
    assert set(outcome.detection.detection_times) <= {detection}


def test_it_ends_when_nothing_is_left_to_tell():
    outcome = simulate(Scenario("perfect", topology=TopologySpec(n=5), faults=[Crash(200, 3)]))
    assert (outcome.ended, outcome.time) == ("quiescence", 221)
    assert outcome.detection.detection_times == [21] * 4


def test_as_a_layer_it_tells_the_election_above_and_after_its_own_time():
    def downtime(detection):
        layers = [Layer("perfect", {"detection": detection})]
        faults = [Crash(100, 5), Recover(400, 5)]
        ids = TopologySpec(ids=[1, 2, 3, 4, 5])
        outcome = simulate(Scenario("bully", layers=layers, topology=ids, faults=faults, until=350))
        assert outcome.leader == 4
        return outcome.downtimes[0]

    assert downtime(61) == downtime(21) + 40
