"""Who wants the lock, when, how often and for how long."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.scenario import Call, Crash, Demand, Pause, Recover, Resume, Scenario, ScenarioError, TopologySpec
from habemus.simulation import simulate

LOCK = "ricart-agrawala"


def run(demand: Demand | None = None, n: int = 5, **more):
    return simulate(Scenario(LOCK, topology=TopologySpec(n=n), demand=demand, **more))


def entries(outcome) -> Counter:
    return Counter(use.process for use in outcome.lock.uses)


def test_a_mutex_without_options_has_one_entry_each():
    assert entries(simulate(Scenario(LOCK))) == dict.fromkeys(range(1, 9), 1)


@pytest.mark.parametrize("kind", ["poisson", "all-at-once"])
@given(n=st.integers(1, 6), wanted=st.integers(1, 4), seed=st.integers(0, 99))
def test_everybody_enters_as_often_as_asked_for(kind, n, wanted, seed):
    outcome = run(Demand(kind, wanted), n, seed=seed)
    assert entries(outcome) == dict.fromkeys(outcome.ids, wanted)


def test_all_at_once_everybody_asks_in_the_same_tick():
    outcome = run(Demand("all-at-once"))
    asked = {use.start - wait for use, wait in zip(outcome.lock.uses, outcome.lock.waits, strict=True)}
    assert asked == {1}


def test_a_hot_spot_makes_half_of_all_entries():
    outcome = run(Demand("hot-spot", 4, hot=3))
    assert entries(outcome) == {1: 4, 2: 4, 3: 16, 4: 4, 5: 4}


def test_nobody_asks_of_an_idle_lock():
    outcome = run(Demand("idle"))
    assert outcome.lock.entries == outcome.messages == 0 and outcome.holds


def test_everybody_stays_for_as_long_as_the_demand_says():
    outcome = run(Demand("poisson", 3, hold="constant:17"))
    assert {use.end - use.start for use in outcome.lock.uses} == {17}


def test_a_call_says_how_long_its_stay_is():
    outcome = run(workload=[Call(5, [2], "acquire", 40), Call(7, [4], "acquire")])
    assert {use.process: use.end - use.start for use in outcome.lock.uses} == {2: 40, 4: 10}


def test_a_release_that_is_called_for_comes_before_the_time_is_up():
    outcome = run(workload=[Call(5, [2], "acquire", 40), Call(20, [2], "release")])
    assert [use.end for use in outcome.lock.uses] == [20]


def test_who_is_called_while_it_waits_or_is_inside_enters_once_more():
    outcome = run(workload=[Call(5, [2], "acquire"), Call(6, [2], "acquire"), Call(9, [2], "acquire")])
    assert entries(outcome) == {2: 3} and outcome.holds


def test_a_paused_holder_stays_until_it_goes_on():
    faults = [Pause(10, 2), Resume(90, 2)]
    outcome = run(workload=[Call(5, [2], "acquire", 20)], faults=faults)
    assert [use.end for use in outcome.lock.uses] == [90]


def test_who_comes_back_still_wants_what_it_had_not_asked_for():
    outcome = run(Demand("poisson", 3, "constant:10"), n=1, faults=[Crash(5, 1), Recover(50, 1)])
    assert entries(outcome) == {1: 3}


def test_two_algorithms_are_asked_the_same_under_the_same_seed():
    demand = Demand("one-each", think="uniform:1:500")
    one, other = run(demand), simulate(Scenario("lamport", topology=TopologySpec(n=5), demand=demand))
    asked = [
        sorted((use.process, use.start - wait) for use, wait in zip(o.lock.uses, o.lock.waits, strict=True))
        for o in (one, other)
    ]
    assert asked[0] == asked[1]


@pytest.mark.parametrize(
    ("demand", "said"),
    [
        (Demand("one-each", 3), "demand.entries: one-each means one entry each; poisson takes a number of entries"),
        (Demand("idle", 3), "demand.entries: idle means no entry each; poisson takes a number of entries"),
        (Demand("poisson", hot=1), "demand.hot: only a hot-spot has a hot process, not poisson"),
        (Demand("hot-spot", hot=9), "demand.hot: there is no process 9; the ids are 1 to 5"),
        (Demand("poisson", think="often"), "demand.think: time 'often' is not known; expected unit, constant:TICKS"),
        (Demand("poisson", hold="constant:0"), "demand.hold: time 'constant:0' needs whole ticks, at least 1"),
    ],
)
def test_a_wrong_demand_is_refused_in_one_sentence(demand, said):
    with pytest.raises(ScenarioError) as error:
        run(demand)
    assert str(error.value).startswith(said)


def test_only_a_mutex_has_a_demand():
    with pytest.raises(ScenarioError, match="demand: bully is not a mutex, so nobody waits to enter"):
        simulate(Scenario("bully", demand=Demand()))
    with pytest.raises(ScenarioError, match="waiting_limit: bully is not a mutex"):
        simulate(Scenario("bully", waiting_limit=3))


def test_only_who_acquires_can_hold():
    with pytest.raises(ScenarioError, match="only who acquires holds something, not who is told to release"):
        run(workload=[Call(5, [2], "release", 40)])
