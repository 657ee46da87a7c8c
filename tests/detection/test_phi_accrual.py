"""Phi accrual: suspicion by the tail of what was usual; the time-out fits itself to each link."""

import math
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from watched_groups import groups, verdicts

from habemus.detection.phi_accrual import FINE, PhiAccrual, deviations, phi
from habemus.process import Host, Process, dissect, upon_level
from habemus.scenario import Crash, Layer, LinkDelay, Network, Pause, Recover, Resume, Scenario, TopologySpec
from habemus.simulation import simulate
from habemus.simulation.run import build_simulation


class Nowhere(Host):
    """A host for a process that is only asked to reckon."""

    def __init__(self):
        self.id, self.n = 1, 2


@given(groups("phi-accrual", until=9000, recovering=True))
def test_every_crash_is_suspected_on_any_network(scenario):
    assert verdicts(simulate(scenario))["completeness"]


@given(groups("phi-accrual", until=9000, loss=0.2, most=8), st.floats(0.1, 12))
def test_every_crash_is_suspected_at_any_threshold_although_beats_are_lost(scenario, threshold):
    scenario.parameters["threshold"] = threshold
    assert verdicts(simulate(scenario))["completeness"]


def test_phi_is_the_tail_of_the_normal_distribution():
    assert phi(100, 100, 10) == pytest.approx(math.log10(2))
    for beyond, tail in ((1, 0.158655), (2, 0.0227501), (3, 0.00134990), (6, 9.86588e-10)):
        assert phi(100 + beyond * 10, 100, 10) == pytest.approx(-math.log10(tail), rel=1e-5)
    assert phi(1e9, 100, 10) == math.inf


@given(st.floats(0.01, 250))
def test_the_threshold_in_deviations_is_where_phi_reaches_it(threshold):
    assert phi(deviations(threshold) / FINE, 0, 1) == pytest.approx(threshold, abs=0.025, rel=1e-3)


@given(
    st.lists(st.integers(0, 400), min_size=2, max_size=60),
    st.floats(0.3, 20),
    st.integers(1, 30),
    st.integers(1, 20),
)
def test_it_is_suspected_at_the_first_look_at_which_phi_has_passed_the_threshold(intervals, threshold, look, least):
    """Reckoned in whole numbers, and checked against the formula; on the very edge the two may differ by a look."""
    process = dissect(PhiAccrual).create(Nowhere(), {"threshold": threshold, "look": look, "least_deviation": least})
    process.strictness = deviations(threshold)
    process.intervals[2] = intervals
    process.reckon(2)
    mean, deviation = fmean(intervals), max(least, pstdev(intervals))

    def level(looks):
        return phi((looks - 1) * look, mean, deviation)

    patience = process.patience[2]
    slack = 0.02 + threshold / 500
    assert level(patience) > threshold - slack
    assert patience <= 1 or level(patience - 1) < threshold + slack


@given(groups("phi-accrual", until=2000, most=4))
def test_the_state_is_in_whole_numbers_so_that_it_is_the_same_on_every_machine(scenario):
    simulation = build_simulation(scenario, None)
    simulation.run(scenario.until, 10**9)

    def whole(value):
        if isinstance(value, dict):
            return all(whole(item) for item in value.values())
        return all(map(whole, value)) if isinstance(value, list | set | tuple) else isinstance(value, int)

    for node in simulation.nodes:
        assert all(whole(getattr(node.process, name)) for name in dissect(PhiAccrual).fields)


def test_a_higher_threshold_takes_longer_and_errs_less():
    def tried(threshold):
        mistakes, times = 0, []
        for seed in range(3):
            outcome = simulate(
                Scenario(
                    "phi-accrual",
                    parameters={"threshold": threshold},
                    topology=TopologySpec(n=6),
                    network=Network("lognormal:20:0.8", fifo=False),
                    faults=[Crash(9000 + 37 * seed, 3)],
                    seed=seed,
                    until=12_000,
                )
            )
            mistakes += outcome.detection.mistakes
            times.append(outcome.detection.detection_times[-1])
        return mistakes, fmean(times)

    low, middle, high = map(tried, (1, 3, 8))
    assert low[0] > 2 * middle[0] > 4 * high[0]
    assert low[1] < middle[1] < high[1]


def test_it_is_patient_with_a_restless_link_and_strict_with_a_steady_one():
    links = [LinkDelay(1, 3, "uniform:1:150"), LinkDelay(2, 3, "constant:150")]
    scenario = Scenario("phi-accrual", topology=TopologySpec(ids=[1, 2, 3]), network=Network(links=links, fifo=False))
    simulation = build_simulation(scenario, None)
    simulation.run(8000, 10**9)
    patience = simulation.node(3).process.patience
    assert patience[1] > 1.5 * patience[2]  # how far away it is does not matter, only how regular


def test_the_time_a_process_was_down_says_nothing_of_its_link():
    faults = [Crash(1000, 2), Recover(4000, 2)]
    simulation = build_simulation(Scenario("phi-accrual", topology=TopologySpec(ids=[1, 2]), faults=faults), None)
    simulation.run(5000, 10**9)
    assert max(simulation.node(1).process.intervals[2]) <= 150
    assert 2 not in simulation.node(1).process.suspected


def test_the_window_holds_the_last_intervals_only():
    scenario = Scenario("phi-accrual", parameters={"window": 7}, topology=TopologySpec(ids=[1, 2]))
    simulation = build_simulation(scenario, None)
    simulation.run(5000, 10**9)
    assert simulation.node(1).process.intervals[2] == [100] * 7


def test_without_an_end_it_runs_for_a_while_and_has_seen_the_crash():
    outcome = simulate(Scenario("phi-accrual", topology=TopologySpec(n=5), faults=[Crash(200, 3)]))
    assert (outcome.ended, outcome.time) == ("time", PhiAccrual.horizon)
    assert len(outcome.detection.detection_times) == 4 and not outcome.violated


# The level itself


def levels(threshold=8.0, **fields):
    scenario = Scenario("phi-accrual", parameters={"threshold": threshold}, topology=TopologySpec(n=3), **fields)
    events = simulate(scenario, keep=100_000).trace.events
    return [(event.time, event.changed["level"]) for event in events if event.process == 1 and "level" in event.changed]


def test_the_level_grows_in_silence_and_is_gone_with_the_next_beat():
    crashed = [level.get("3", 0) for time, level in levels(until=1400, faults=[Crash(1000, 3)]) if time > 1010]
    assert crashed == sorted(crashed) and crashed[-1] > 800
    assert all("3" not in level for time, level in levels(until=2000, faults=[Pause(1000, 3), Resume(1300, 3)])[-1:])


def test_it_does_not_depend_on_the_threshold():
    crash = {"until": 1500, "faults": [Crash(1000, 3)]}
    assert levels(1.0, **crash) == levels(12.0, **crash)


def test_layers_above_hear_whenever_it_passes_a_whole_number():
    scenario = Scenario(
        f"{__name__}:Listener",
        layers=[Layer("phi-accrual")],
        topology=TopologySpec(n=3),
        faults=[Crash(1000, 3)],
        until=1400,
    )
    outcome = simulate(scenario, keep=100_000)
    heard = [
        event.changed["heard"] for event in outcome.trace.events if event.process == 1 and "heard" in event.changed
    ]
    whole = [level // 100 for subject, level in heard[-1] if subject == 3]
    assert whole == sorted(set(whole)) and whole[-1] >= 8


class Listener(Process):
    """Writes down which levels it hears of."""

    name = "listener"
    topology = "complete"
    heard: list[tuple[int, int]] = []

    @upon_level
    def note_level(self, rating):
        self.heard.append(rating)
