"""Heartbeats: complete on any network, accurate within the bounds, and more patient after each mistake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from watched_groups import groups, verdicts

from habemus.detection.heartbeat import Heartbeat
from habemus.scenario import Crash, Network, Pause, Recover, Resume, Scenario, TopologySpec
from habemus.simulation import simulate
from habemus.simulation.run import build_simulation


@given(groups("heartbeat", until=1500, recovering=True))
def test_every_crash_is_suspected_on_any_network(scenario):
    assert verdicts(simulate(scenario))["completeness"]


@given(groups("heartbeat", until=1500, loss=0.2))
def test_every_crash_is_suspected_although_beats_are_lost(scenario):
    assert verdicts(simulate(scenario))["completeness"]


@st.composite
def bounded_groups(draw, algorithm="heartbeat", recovering=False):
    """Delays up to `transmission`, and any period and any look."""
    transmission = draw(st.integers(1, 25))
    scenario = draw(groups(algorithm, until=600, delays=(f"uniform:1:{transmission}",), recovering=recovering))
    scenario.parameters = {
        "transmission": transmission,
        "period": draw(st.integers(1, 40)),
        "look": draw(st.integers(1, 20)),
    }
    return scenario


@given(bounded_groups())
def test_within_its_bounds_it_is_never_mistaken_and_finds_every_crash_in_time(scenario):
    outcome = simulate(scenario)
    assert verdicts(outcome) == {"completeness": True, "accuracy": True}
    assert outcome.detection.mistakes == 0
    p = outcome.parameters
    patience = p["period"] + p["transmission"] + p["processing"]
    for time in outcome.detection.detection_times:
        assert time <= patience + p["transmission"] + 2 * p["look"]


@given(bounded_groups(recovering=True))
def test_who_comes_back_is_trusted_again_and_learns_who_is_down(scenario):
    assert verdicts(simulate(scenario)) == {"completeness": True, "accuracy": True}


class Hasty(Heartbeat):
    """Forgets that beats travel."""

    name = "hasty"

    @property
    def usual_patience(self):
        return self.period


def test_a_shorter_time_out_is_caught():
    faults = 0
    for seed in range(20):
        network = Network("uniform:1:10")
        outcome = simulate(Scenario(f"{__name__}:Hasty", network=network, parameters={"look": 1}, seed=seed, until=300))
        faults += outcome.detection.mistakes
    assert faults > 0


def test_with_the_period_of_one_transmission_the_time_out_is_that_of_a_question_and_its_answer():
    simulation = build_simulation(Scenario("heartbeat"), None)
    process = simulation.nodes[0].process
    assert process.period == process.transmission
    assert process.usual_patience == 2 * process.transmission + process.processing


def test_a_slow_process_is_suspected_by_mistake_and_cleared_by_its_next_beat():
    faults = [Pause(100, 3), Resume(200, 3)]
    outcome = simulate(Scenario("heartbeat", topology=TopologySpec(n=4), faults=faults, until=400))
    assert outcome.detection.mistakes == 3 and outcome.detection.detection_times == []
    assert all(50 < duration < 100 for duration in outcome.detection.mistake_durations)
    assert verdicts(outcome)["accuracy"]


@pytest.mark.parametrize("seed", range(3))
def test_growing_patience_puts_an_end_to_mistakes(seed):
    """Delays are longer than it was told: a fixed time-out errs forever, a growing one until it is long enough."""

    def mistakes(growth, until):
        scenario = Scenario(
            "heartbeat",
            parameters={"growth": growth, "look": 1},
            topology=TopologySpec(n=4),
            network=Network("uniform:1:80", fifo=False),
            seed=seed,
            until=until,
        )
        return simulate(scenario).detection.mistakes

    pairs, enough = 4 * 3, 10 + 80  # the period and the longest delay
    assert mistakes(0, 10_000) > 1.5 * mistakes(0, 5_000) > 0
    for growth in (5, 20):
        assert 0 < mistakes(growth, 10_000) <= pairs * -(-(enough - 21) // growth)


def test_the_load_of_a_member_grows_with_the_group():
    def load(n):
        return simulate(Scenario("heartbeat", topology=TopologySpec(n=n), until=500)).detection.load

    assert load(32) == pytest.approx(load(16) * 31 / 15, rel=0.01)


def test_without_an_end_it_runs_for_a_while_and_has_seen_the_crash():
    outcome = simulate(Scenario("heartbeat", topology=TopologySpec(n=5), faults=[Crash(200, 3)]))
    assert (outcome.ended, outcome.time) == ("time", Heartbeat.horizon)
    assert len(outcome.detection.detection_times) == 4 and outcome.holds


def test_a_process_that_was_away_for_a_blink_is_never_suspected():
    faults = [Crash(100, 3), Recover(103, 3)]
    assert simulate(Scenario("heartbeat", topology=TopologySpec(n=4), faults=faults)).detection.mistakes == 0
