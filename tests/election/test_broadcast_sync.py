"""Broadcast in lock-step: all decide in the first pulse on the largest candidate, at c(n-1) messages."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.election.broadcast_sync import BroadcastSync
from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate


@pytest.mark.parametrize("n", range(1, 65))
def test_all_candidates_cost_n_times_n_minus_1(n):
    outcome = simulate(Scenario("broadcast-sync", topology=TopologySpec(n=n), starters="all"))
    assert outcome.messages == n * (n - 1) == outcome.bound.messages(n, 0)
    assert outcome.holds and outcome.leader == n


@pytest.mark.parametrize("n", range(1, 7))
def test_the_largest_wins_in_every_arrangement(n):
    for ids in permutations(range(1, n + 1)):
        outcome = simulate(Scenario("broadcast-sync", topology=TopologySpec(ids=list(ids)), starters="all"))
        assert outcome.holds and outcome.leader == n


@st.composite
def settings(draw):
    ids = draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=16, unique=True))
    return Scenario(
        "broadcast-sync",
        topology=TopologySpec(ids=ids),
        starters=draw(st.lists(st.sampled_from(ids), min_size=1, unique=True)),
        seed=draw(st.integers(0, 2**32)),
    )


@given(settings())
def test_the_largest_candidate_wins_in_one_pulse_at_n_minus_1_messages_a_candidate(scenario):
    outcome = simulate(scenario, keep=10_000)
    assert outcome.holds and outcome.claims == 1
    assert outcome.leader == max(scenario.starters)
    assert outcome.messages == len(scenario.starters) * (outcome.n - 1)
    assert {event.time for event in outcome.trace.events if "leader" in event.changed} == {1}
    assert {event.time for event in outcome.trace.events if event.sent} <= {0}


class TakesTheFirst(BroadcastSync):
    """Decides on the first candidate it hears of."""

    def speak_then_decide(self, pulse, inbox):
        BroadcastSync.speak_then_decide.function(self, pulse, inbox[:1])


def test_who_takes_the_first_it_hears_of_disagrees_with_the_others():
    outcome = simulate(Scenario(f"{__name__}:TakesTheFirst", topology=TopologySpec(n=4), starters="all"))
    assert {p.name for p in outcome.properties if p.witness} >= {"agreement"}
