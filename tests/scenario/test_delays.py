"""Delays: whole ticks from one on, the distribution that was asked for, the same for a seed."""

import math
from random import Random
from statistics import mean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.scenario import LinkDelay, Network, Scenario, ScenarioError, TopologySpec
from habemus.scenario.delays import parse_delay
from habemus.simulation import simulate

SPELLINGS = ["unit", "uniform:1:9", "uniform:4:4", "exponential:6", "lognormal:10:0.5"]


def drawn(text: str, seed: int = 0, count: int = 20_000) -> list[int]:
    delay = parse_delay(text, Random(seed))
    return [delay.draw() for _ in range(count)]


@pytest.mark.parametrize("text", SPELLINGS)
def test_delays_are_whole_ticks_from_one_on_and_within_their_bound(text):
    delays = drawn(text)
    assert all(type(delay) is int and delay >= 1 for delay in delays)
    longest = parse_delay(text, Random(0)).longest
    if longest is not None:
        assert max(delays) == longest


def test_uniform_takes_every_value_of_its_range_and_no_other():
    assert set(drawn("uniform:3:7")) == {3, 4, 5, 6, 7}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unit", 1),
        ("uniform:1:9", 5),
        ("uniform:10:30", 20),
        ("exponential:50", 50),
        ("lognormal:100:0.5", 100 * math.exp(0.125)),
    ],
)
def test_the_mean_is_near_what_is_expected(text, expected):
    assert mean(drawn(text)) == pytest.approx(expected, rel=0.03)


def test_the_median_of_a_lognormal_is_the_one_asked_for():
    assert median(drawn("lognormal:100:1")) == pytest.approx(100, rel=0.05)


@given(st.sampled_from(SPELLINGS), st.integers(0, 2**32))
def test_same_seed_same_delays_one_by_one_or_in_batches(text, seed):
    assert drawn(text, seed, 50) == drawn(text, seed, 50) == parse_delay(text, Random(seed)).sample(50)


def test_other_seed_other_delays():
    assert drawn("uniform:1:9", 1, 50) != drawn("uniform:1:9", 2, 50)


BAD = [
    "",
    "uni",
    "unit:3",
    "uniform",
    "uniform:5",
    "uniform:0:5",
    "uniform:9:5",
    "uniform:1.5:3",
    "uniform:a:b",
    "uniform:1:nan",
    "exponential:0",
    "exponential:-2",
    "exponential:inf",
    "exponential:1:2",
    "lognormal:5",
    "lognormal:0:1",
    "lognormal:5:0",
    "lognormal:5:1e99",
]


@pytest.mark.parametrize("text", BAD)
def test_a_bad_spelling_is_refused_in_one_sentence_that_quotes_it(text):
    with pytest.raises(ScenarioError) as caught:
        simulate(Scenario("chang-roberts", network=Network(delay=text)))
    said = str(caught.value)
    assert said.startswith("network.delay: ") and repr(text) in said and "\n" not in said


def test_a_link_can_have_delays_of_its_own_in_one_direction():
    network = Network(links=[LinkDelay(1, 2, "uniform:50:50")])
    scenario = Scenario("chang-roberts", topology=TopologySpec(ids=[1, 2, 3]), network=network, starters=[3])
    events = simulate(scenario, keep=100).trace.events
    arrivals = {(e.received[0].sender, e.process): e.time for e in events if e.clause == "weigh_candidate"}
    assert arrivals == {(3, 1): 1, (1, 2): 51, (2, 3): 52}


def test_a_bad_delay_of_a_link_is_refused_with_its_place():
    network = Network(links=[LinkDelay(1, 2, "unit"), LinkDelay(2, 3, "snail")])
    with pytest.raises(ScenarioError, match=r"^network\.links\[1\]\.delay: delay 'snail' is not known"):
        simulate(Scenario("chang-roberts", topology=TopologySpec(ids=[1, 2, 3]), network=network))
