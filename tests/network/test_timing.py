"""How patient real nodes are, where nobody says."""

from habemus.network.timing import in_haste, patience_of_others, settled
from habemus.process import Detector, Process
from habemus.scenario import Layer, Place, Scenario
from habemus.simulation.run import build_simulation, build_stack


def layers_of(scenario: Scenario) -> list[Process]:
    """The layers of one process of this scenario, as a real node would have them."""
    simulation = build_simulation(settled(scenario, [1, 2, 3]), None)
    node = simulation.nodes[0]
    return [simulation.layer(node, index, node.process) for index in range(len(simulation.stack))]


def detectors_of(scenario: Scenario, n: int = 3) -> list[str]:
    stack, _ = build_stack(settled(scenario, list(range(n))))
    return [anatomy.cls.name for anatomy in stack if issubclass(anatomy.cls, Detector)]


def test_who_heeds_suspicions_gets_a_detector_unless_it_has_heartbeats_of_its_own():
    assert detectors_of(Scenario("bully")) == ["heartbeat"]
    assert detectors_of(Scenario("bully", layers=[Layer("swim")])) == ["swim"]
    assert detectors_of(Scenario("raft-election")) == []
    assert detectors_of(Scenario("chang-roberts")) == []


def test_many_watch_each_other_in_turns_because_all_at_once_would_cost_too_much():
    assert detectors_of(Scenario("bully"), 24) == ["heartbeat"]
    assert detectors_of(Scenario("bully"), 25) == ["swim"]


def test_raft_heeds_closed_connections_whatever_else_is_set():
    for parameters in ({}, {"low": 150, "high": 300, "heartbeat": 50}):
        assert settled(Scenario("raft-election", parameters=parameters), [1, 2, 3]).parameters["eager"] is True
    assert settled(Scenario("raft-election", parameters={"eager": False}), [1, 2, 3]).parameters["eager"] is False


def test_what_is_settled_stays_as_it_is():
    for name in ("bully", "raft-election", "coordinator"):
        once = settled(Scenario(name, topology=Place(ids=[1, 2, 3])), [1, 2, 3])
        assert settled(once, [1, 2, 3]) == once


def test_nobody_trusts_itself_for_longer_than_others_wait_after_its_last_beat():
    """The last beat may have left a whole period before the process was stopped."""
    assert patience_of_others(layers_of(Scenario("bully"))) == 2000 - 500
    assert patience_of_others(layers_of(Scenario("raft-election"))) == 1000 - 250
    assert patience_of_others(layers_of(Scenario("chang-roberts"))) == 1000


def test_in_haste_silence_is_suspicious_soon_enough_for_100_ms():
    for name in ("bully", "raft-election"):
        detector, *_ = layers_of(in_haste(Scenario(name)))
        looks = -(-detector.usual_patience // detector.look) + 1
        assert looks * detector.look < 90 and patience_of_others([detector]) >= 50
