"""SWIM: complete on any network, accurate within its bounds, at a load that does not grow with the group."""

from math import log2
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watched_groups import groups, verdicts

from habemus.detection.swim import ALIVE, STANDINGS, Swim
from habemus.scenario import Crash, Heal, Network, Partition, Pause, Resume, Scenario, TopologySpec
from habemus.simulation import simulate
from habemus.simulation.run import build_simulation

LONG = 12_000  # 120 periods: every other asked at least three times, and every suspicion decided


@given(groups("swim", until=LONG, recovering=True))
@settings(max_examples=30)
def test_every_crash_is_suspected_on_any_network(scenario):
    assert verdicts(simulate(scenario))["completeness"]


@given(groups("swim", until=LONG, loss=0.2))
@settings(max_examples=20)
def test_every_crash_is_suspected_although_messages_are_lost(scenario):
    assert verdicts(simulate(scenario))["completeness"]


@given(groups("swim", until=LONG, delays=("unit", "uniform:1:10")))
@settings(max_examples=30)
def test_within_its_bounds_it_is_never_mistaken(scenario):
    outcome = simulate(scenario)
    assert verdicts(outcome) == {"completeness": True, "accuracy": True}
    assert outcome.detection.mistakes == 0


@given(groups("swim", until=LONG, delays=("unit", "uniform:1:10"), recovering=True))
@settings(max_examples=30)
def test_who_comes_back_is_taken_in_again(scenario):
    assert verdicts(simulate(scenario)) == {"completeness": True, "accuracy": True}


class Resigned(Swim):
    """Does not deny what is said of it."""

    name = "resigned"

    def learn(self, process, standing):
        if process != self.id:
            Swim.learn(self, process, standing)


@pytest.mark.parametrize(("cls", "holds"), [(Swim, True), (Resigned, False)])
def test_a_slow_member_is_cleared_because_it_denies(cls, holds):
    scenario = Scenario(
        f"{cls.__module__}:{cls.__name__}",
        topology=TopologySpec(n=6),
        faults=[Pause(500, 3), Resume(900, 3)],
        until=6000,
        seed=2,
    )
    outcome = simulate(scenario)
    assert outcome.detection.mistakes == (0 if holds else 5)
    assert verdicts(outcome)["accuracy"] is holds


class Silenced(Swim):
    """Does not tell the dead that they are thought so."""

    name = "silenced"

    def news_for(self, receiver):
        return tuple(news for news in Swim.news_for(self, receiver) if news[0] != receiver)


@pytest.mark.parametrize(("cls", "holds"), [(Swim, True), (Silenced, False)])
def test_after_a_partition_both_sides_find_together_because_the_dead_are_told(cls, holds):
    scenario = Scenario(
        f"{cls.__module__}:{cls.__name__}",
        topology=TopologySpec(n=6),
        faults=[Partition(500, [[1, 2, 3], [4, 5, 6]]), Heal(6000)],
        until=12_000,
    )
    outcome = simulate(scenario)
    assert outcome.detection.mistakes == 2 * 3 * 3  # each side has taken the other for dead
    assert verdicts(outcome)["accuracy"] is holds


@given(st.integers(2, 40), st.integers(0, 2**32))
def test_in_each_round_it_asks_every_other_once(n, seed):
    simulation = build_simulation(Scenario("swim", topology=TopologySpec(n=n), seed=seed), None)
    process = simulation.nodes[0].process
    process.begin()
    for _ in range(3):
        assert sorted([process.next_in_turn() for _ in range(n - 1)]) == sorted(process.neighbours)


@given(st.integers(3, 12), st.integers(0, 6), st.integers(0, 2**32))
def test_helpers_are_others_than_the_asker_and_the_asked_and_none_is_asked_twice(n, helpers, seed):
    scenario = Scenario("swim", parameters={"helpers": helpers}, topology=TopologySpec(n=n), seed=seed)
    process = build_simulation(scenario, None).nodes[0].process
    process.begin()
    subject = process.next_in_turn()
    found = process.next_helpers(subject)
    assert len(found) == len(set(found)) == min(helpers, n - 2)
    assert not {process.id, subject} & set(found)


@given(st.permutations([(2, s) for s in range(9)] + [(3, s) for s in range(5)]))
def test_whatever_the_order_of_the_news_all_come_to_believe_the_same(news):
    process = build_simulation(Scenario("swim", topology=TopologySpec(ids=[1, 2, 3])), None).node(1).process
    process.hear(tuple(news))
    assert process.known == {2: 8, 3: 4}


@given(st.lists(st.integers(0, 20), min_size=1, max_size=20))
def test_nobody_believes_ill_of_itself(standings):
    process = build_simulation(Scenario("swim", topology=TopologySpec(ids=[1, 2])), None).node(1).process
    for standing in standings:
        process.hear(((1, standing),))
        assert process.standing(1) == ALIVE and process.incarnation(1) >= standing - standing % STANDINGS


def test_the_load_of_a_member_is_the_same_for_50_and_for_5000():
    def load(n, until):
        crash = [Crash(250, n)]
        scenario = Scenario(
            "swim", topology=TopologySpec(n=n), network=Network("uniform:1:10"), faults=crash, until=until
        )
        return simulate(scenario).detection.load

    reference = load(50, 10_000)
    assert reference == pytest.approx(20, rel=0.03)  # two messages a period of 100 ticks
    assert load(500, 2000) == pytest.approx(reference, rel=0.03)
    assert load(5000, 1000) == pytest.approx(reference, rel=0.03)


def test_what_a_member_keeps_does_not_grow_with_the_group():
    scenario = Scenario("swim", topology=TopologySpec(n=1000), faults=[Crash(250, 7), Crash(400, 9)])
    simulation = build_simulation(scenario, None)
    simulation.run(3000, 10**9)
    kept = [len(p.known) + len(p.since) + len(p.rumours) for p in (node.process for node in simulation.nodes)]
    assert 0 < max(kept) <= 3 * 2


def test_no_message_carries_more_than_the_most_news_allowed():
    scenario = Scenario(
        "swim",
        parameters={"most": 2},
        topology=TopologySpec(n=16),
        faults=[Crash(100, p) for p in range(1, 9)],
        until=4000,
    )
    sent = [message for event in simulate(scenario, keep=100_000).trace.events for message in event.sent]
    assert max(len(message.fields.get("news", [])) for message in sent) == 2


def first_and_last_detection(n, seed):
    scenario = Scenario(
        "swim",
        parameters={"patience": 0},
        topology=TopologySpec(n=n),
        network=Network("uniform:1:10"),
        faults=[Crash(1000 + 13 * seed % 100, 1)],
        seed=seed,
        until=3500,
    )
    outcome = simulate(scenario)
    assert len(outcome.detection.detection_times) == n - 1
    return min(outcome.detection.detection_times) / 100, max(outcome.detection.detection_times) / 100


def test_a_crash_is_first_noticed_after_two_periods_whatever_the_size_and_spreads_in_log_n():
    for n, seeds in ((16, 60), (64, 30), (256, 10)):
        first, last = map(fmean, zip(*[first_and_last_detection(n, seed) for seed in range(seeds)], strict=True))
        assert first == pytest.approx(2, rel=0.25)
        assert last - first < 1.5 * log2(n)


def test_without_an_end_it_runs_for_a_while_and_has_seen_the_crash():
    outcome = simulate(Scenario("swim", topology=TopologySpec(n=5), faults=[Crash(200, 3)]))
    assert (outcome.ended, outcome.time) == ("time", Swim.horizon)
    assert len(outcome.detection.detection_times) == 4 and outcome.holds
