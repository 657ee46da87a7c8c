"""Detectors as layers: the election above hears of crashes, and pays for mistakes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from habemus.catalogue import find_algorithm
from habemus.scenario import Crash, Layer, Network, Scenario, TopologySpec, named_scenarios
from habemus.simulation import simulate

PATIENCE = {"perfect": 600, "heartbeat": 600, "phi-accrual": 3000, "swim": 5000}


@st.composite
def stacks(draw, election, detector):
    """An election over a detector, delays within bounds, in which the leader crashes, and perhaps the next one."""
    n = draw(st.integers(2, 8))
    crash = draw(st.integers(100, 300))
    faults = [Crash(crash, "leader")]
    if n > 2 and draw(st.booleans()):
        faults.append(Crash(crash + PATIENCE[detector], "leader"))
    return Scenario(
        election,
        layers=[Layer(detector)],
        topology=TopologySpec(n=n),
        network=Network("uniform:1:10"),
        faults=faults,
        seed=draw(st.integers(0, 2**32)),
        until=crash + 2 * PATIENCE[detector],
    )


@pytest.mark.parametrize("detector", PATIENCE)
@pytest.mark.parametrize("election", ["bully", "ring-coordinator"])
def test_a_new_leader_is_elected_after_each_crash_of_the_leader(election, detector):
    @given(stacks(election, detector))
    @settings(max_examples=25 if detector in ("perfect", "heartbeat") else 8)
    def elected(scenario):
        outcome = simulate(scenario)
        assert outcome.leader == scenario.topology.n - len(scenario.faults)
        assert len(outcome.downtimes) == len(scenario.faults)
        promised = set(find_algorithm(election).guarantees) | {"uniqueness"}
        assert {p.name: p.holds for p in outcome.properties if p.name in promised} == dict.fromkeys(promised, True)

    elected()


def test_the_layers_are_judged_and_measured_together():
    layers = [Layer("heartbeat")]
    outcome = simulate(
        Scenario("bully", layers=layers, topology=TopologySpec(n=5, order="sorted"), faults=[Crash(100, 5)], until=400)
    )
    assert outcome.leader == 4 and not outcome.violated
    assert len(outcome.detection.detection_times) == 4
    assert {p.name for p in outcome.properties} == {"termination", "uniqueness", "agreement", "stability"}


def test_the_faster_the_detector_the_shorter_the_group_is_without_a_leader():
    def downtime(timeout):
        layers = [Layer("heartbeat", {"timeout": timeout, "look": 1})]
        place = TopologySpec(n=5, order="sorted")
        return simulate(Scenario("bully", layers=layers, topology=place, faults=[Crash(100, 5)], until=900)).downtimes[
            0
        ]

    assert downtime(100) - downtime(20) == 80


def test_a_mistake_makes_two_leaders_in_bully_until_the_suspect_speaks_again():
    outcome = simulate(named_scenarios()["bully-mistaken"], keep=10_000)
    witnesses = {p.name: p.witness for p in outcome.properties if p.witness}
    assert set(witnesses) == {"uniqueness", "stability"}
    assert sorted(witnesses["uniqueness"].processes) == [2, 3]
    assert outcome.detection.mistakes == 2  # 1 and 2 were wrong about 3
    events = outcome.trace.events
    assert [event.process for event in events if event.role == "leader"] == [3, 2]
    resumed = next(event.time for event in events if event.kind == "resume")
    stepped_down = next(event.time for event in events if (event.process, event.role) == (2, "") and event.time > 200)
    assert witnesses["uniqueness"].time < resumed < stepped_down <= resumed + 10
    assert outcome.leader == 3
