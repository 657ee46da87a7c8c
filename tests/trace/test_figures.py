"""What is measured of a lock is what happened."""

from hypothesis import given
from hypothesis import strategies as st

from habemus.scenario import Call, Scenario, TopologySpec
from habemus.simulation import simulate
from habemus.trace.figures import count_overtakings, summarise_values


@given(st.permutations(range(12)))
def test_overtaken_counts_those_who_asked_later_and_entered_earlier(order):
    expected = [sum(other > number for other in order[:place]) for place, number in enumerate(order)]
    assert count_overtakings(list(order)) == expected


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=300))
def test_p99_is_the_smallest_value_that_99_of_100_do_not_exceed(values):
    found = summarise_values(values)
    assert sum(value <= found["p99"] for value in values) >= 0.99 * len(values)
    assert sum(value < found["p99"] for value in values) < 0.99 * len(values)
    assert found["max"] == max(values)


def test_nothing_has_no_mean():
    assert summarise_values([]) is None


def test_waiting_handover_and_throughput_of_a_run_that_can_be_counted_by_hand():
    """Ricart-Agrawala with two processes and unit delays: 1 asks at 10, is inside from 12 to 32; 2 asks at 20."""
    workload = [Call(10, [1], "acquire", 20), Call(20, [2], "acquire", 5)]
    outcome = simulate(Scenario("ricart-agrawala", topology=TopologySpec(ids=[1, 2]), workload=workload))
    assert [(use.process, use.start, use.end) for use in outcome.lock.uses] == [(1, 12, 32), (2, 33, 38)]
    assert outcome.lock.waits == [2, 13] and outcome.lock.handovers == [1]
    assert outcome.lock.messages_per_entry == 2 and outcome.lock.bypassed_most == 0
    assert outcome.lock.throughput == 1000 * 2 / (38 - 10)


def test_who_is_served_in_the_order_of_asking_is_never_overtaken_but_bypassed_by_those_before():
    workload = [Call(10 * pid, [pid], "acquire", 50) for pid in (4, 5, 6, 7)]
    outcome = simulate(Scenario("ricart-agrawala", topology=TopologySpec(n=8), workload=workload))
    assert outcome.lock.overtaken == [0, 0, 0, 0] and outcome.lock.bypassed_most == 2


def test_a_token_that_travels_on_when_all_are_served_is_not_charged_to_the_entries():
    outcome = simulate(Scenario("token-ring", topology=TopologySpec(n=4), workload=[Call(50, [3], "acquire", 10)]))
    assert outcome.ended == "time" and outcome.lock.messages_per_entry < 60 < outcome.messages
