"""The time-out that costs least: against brute force, against calculus, against the simulator's own draws."""

import math
from itertools import cycle, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from soak import SOAK

from habemus.measuring.timeout import (
    Costs,
    DistributedTrips,
    MeasuredTrips,
    advise,
    draw_timeout,
    find_best_timeout,
    find_break_even,
    read_samples,
    weigh,
)
from habemus.scenario import ScenarioError
from habemus.scenario.delays import parse_delay

DISTRIBUTIONS = ["unit", "uniform:3:3", "uniform:5:40", "exponential:20", "exponential:0.2", "lognormal:15:0.6"]
DISTRIBUTIONS += ["lognormal:30:2", "lognormal:1:0.3", "lognormal:40:0.05"]

amounts = st.floats(0.01, 100, allow_nan=False)
samples = st.lists(st.floats(0, 100, allow_nan=False).map(lambda value: round(value, 1)), min_size=1, max_size=40)
round_trips = st.sampled_from(DISTRIBUTIONS).map(DistributedTrips) | samples.map(
    lambda values: MeasuredTrips(values, "samples")
)
all_costs = st.tuples(amounts, st.just(0.0) | st.floats(0.001, 200)).map(lambda pair: Costs(pair[0], pair[0] * pair[1]))


def brute_force(trips, costs):
    """The least cost over every tick, or every sample, up to where waiting alone costs more than the mistake."""
    ticks = range(math.ceil(costs.horizon) + 2)
    candidates = [0.0, *trips.samples] if isinstance(trips, MeasuredTrips) else ticks
    return min(weigh(trips, costs, time).cost for time in candidates)


@given(round_trips, all_costs)
def test_no_other_time_out_costs_less(trips, costs):
    assert find_best_timeout(trips, costs).cost == pytest.approx(brute_force(trips, costs), rel=1e-12)


@given(round_trips, all_costs, st.floats(0, 300))
def test_nor_does_any_time_out_between_ticks_or_samples(trips, costs, time):
    assert weigh(trips, costs, time).cost >= find_best_timeout(trips, costs).cost * (1 - 1e-12)


@given(round_trips, all_costs)
def test_mistakes_cost_less_than_waiting_beyond_the_break_even_and_not_before(trips, costs):
    start = find_break_even(trips, costs).timeout
    for factor in (1.0001, 1.1, 2, 10):
        beyond = weigh(trips, costs, start * factor + 1e-9)
        assert beyond.mistakes < beyond.waiting
    for factor in (0, 0.5, 0.9, 0.9999):
        before = weigh(trips, costs, start * factor)
        assert before.mistakes >= before.waiting or not start


@given(round_trips, all_costs)
def test_to_give_up_at_the_break_even_costs_at_most_twice_the_best(trips, costs):
    assert find_break_even(trips, costs).cost <= 2 * find_best_timeout(trips, costs).cost * (1 + 1e-12)


@pytest.mark.parametrize("text", DISTRIBUTIONS)
def test_p_is_the_share_of_the_simulators_own_delays_that_are_longer(text):
    trips, delay = DistributedTrips(text), parse_delay(text, Random(7))
    drawn = [int(delay.draw()) for _ in range(40_000)]
    for time in (0, 0.5, 1, 1.5, 2, 3, 7, 15, 20.9, 35, 60, 300):
        p = trips.longer(time)
        share = sum(delay > time for delay in drawn) / len(drawn)
        assert abs(share - p) <= 4 * math.sqrt(p * (1 - p) / len(drawn)) + 1e-12


def test_the_best_exponential_time_out_is_that_of_calculus():
    """E = C·f(T) with f(T) = exp(-T/mean)/mean."""
    for mean, costs in ((100, Costs(1, 1_000)), (5_000, Costs(2, 3_000_000))):
        exact = mean * math.log(costs.mistake / (costs.waiting * mean))
        assert abs(find_best_timeout(DistributedTrips(f"exponential:{mean}"), costs).timeout - exact) <= 1


def test_the_best_time_out_grows_with_the_cost_of_a_mistake_and_p_falls():
    found = [
        find_best_timeout(DistributedTrips("lognormal:50:0.5"), Costs(1, cost)) for cost in (0, 10, 1e3, 1e5, 1e7, 1e12)
    ]
    assert [w.timeout for w in found] == sorted(w.timeout for w in found) and found[0].timeout == 0
    assert found[-1].p < 1e-10


def test_a_far_horizon_is_searched_in_no_time():
    best = find_best_timeout(DistributedTrips("lognormal:1000000:3"), Costs(1e-3, 1e12))
    shorter, longer = (
        weigh(DistributedTrips("lognormal:1000000:3"), Costs(1e-3, 1e12), best.timeout * f) for f in (0.99, 1.01)
    )
    assert best.cost < shorter.cost and best.cost < longer.cost


def test_samples_count_those_that_are_longer():
    trips = MeasuredTrips([30, 10, 20, 20], "four")
    assert [trips.longer(time) for time in (0, 9.9, 10, 19, 20, 29, 30)] == [1, 1, 0.75, 0.75, 0.25, 0.25, 0]


def test_what_is_beyond_the_longest_sample_is_unknown_not_zero():
    trips, costs = MeasuredTrips([float(k) for k in range(1, 101)], "hundred"), Costs(1, 1_000)
    assert weigh(trips, costs, 99.5).p_at_most is None
    for time in (100, 1_000):
        beyond = weigh(trips, costs, time)
        assert beyond.p_at_most == 0.03  # the rule of three
        assert beyond.cost_at_most == time + 30
    assert weigh(MeasuredTrips([5.0, 6.0], "two"), costs, 7).p_at_most == 1
    assert weigh(DistributedTrips("uniform:1:5"), costs, 5).p_at_most is None  # a distribution knows its end


@pytest.mark.parametrize(
    ("waiting", "mistake", "complaint"),
    [
        (-1, 5, "wait-cost = -1: expected a number above 0"),
        (0, 5, "where waiting is free, no time-out is too long"),
        (math.nan, 5, "wait-cost = nan"),
        (math.inf, 5, "wait-cost = inf"),
        (1, -5, "mistake-cost = -5: expected a number, at least 0"),
        (1, math.nan, "mistake-cost = nan"),
        (1, 1e16, "at most 10.15 times the wait-cost"),
    ],
)
def test_costs_are_numbers_that_can_be_weighed(waiting, mistake, complaint):
    with pytest.raises(ScenarioError, match=complaint):
        Costs(waiting, mistake)


def test_a_file_of_samples_may_have_comments_blank_lines_and_commas(tmp_path):
    path = tmp_path / "rtt.csv"
    path.write_text("\ufeff# ms\n12.5\n\n 7e0,\n3 # the fastest\n", encoding="utf-8")
    assert read_samples(str(path)).samples == [3, 7, 12.5]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "has no round trips"),
        (b"# nothing\n\n", "has no round trips: expected one number a line"),
        (b"1\n2\nfast\n", "rtt.txt, line 3: expected a number, got 'fast'; a comment begins with #"),
        (b"rtt_ms\n1\n", "line 1: expected a number"),
        (b"1 2\n", "line 1: expected a number, got '1 2'"),
        (b"1\n-2\n", "line 2: expected a time, at least 0, got -2"),
        (b"nan\n", "line 1: expected a time"),
        (b"1\ninf\n", "line 2: expected a time"),
        (b"\xff\xfe1\n", "is not text"),
    ],
)
def test_a_bad_line_is_named(tmp_path, content, complaint):
    path = tmp_path / "rtt.txt"
    path.write_bytes(content)
    with pytest.raises(ScenarioError, match=complaint):
        read_samples(str(path))


TRIPS = [*map(DistributedTrips, DISTRIBUTIONS), MeasuredTrips([4, 2, 9], "few"), MeasuredTrips([0.0], "zero")]
COSTS = [Costs(1, 0), Costs(1, 3), Costs(1, 1e5)]


@pytest.mark.parametrize("trips, costs", product(TRIPS, COSTS) if SOAK else zip(TRIPS, cycle(COSTS), strict=False))
def test_any_advice_can_be_drawn(tmp_path, trips, costs):
    draw_timeout(advise(trips, costs, 12.5), tmp_path / "plot.svg")
    assert "prefers-color-scheme: dark" in (tmp_path / "plot.svg").read_text()
