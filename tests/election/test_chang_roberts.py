"""Chang and Roberts' claims: the largest id wins, at exactly the published cost, and every part is needed."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from habemus.election.chang_roberts import Candidate, ChangRoberts, Elected
from habemus.process import harmonic
from habemus.scenario import Call, Network, Scenario, TopologySpec
from habemus.simulation import simulate

SIZES = range(1, 65)


def run(n: int, order: str, starters: str, **network):
    place = TopologySpec(n=n, order=order)
    return simulate(Scenario("chang-roberts", topology=place, starters=starters, network=Network(**network)))


@pytest.mark.parametrize("n", SIZES)
def test_one_starter_costs_2n_when_it_is_the_largest(n):
    assert run(n, "best", "one").messages == 2 * n


@pytest.mark.parametrize("n", SIZES)
def test_one_starter_costs_3n_minus_1_when_the_largest_is_its_predecessor(n):
    assert run(n, "worst", "one").messages == 3 * n - 1


@pytest.mark.parametrize("n", SIZES)
def test_all_starters_cost_2n_minus_1_plus_n_when_ids_rise(n):
    outcome = run(n, "best", "all")
    assert outcome.messages_by_type == {"Candidate": 2 * n - 1, "Elected": n}


@pytest.mark.parametrize("n", SIZES)
def test_all_starters_cost_n_times_n_plus_1_over_2_plus_n_when_ids_fall(n):
    outcome = run(n, "worst", "all")
    assert outcome.messages_by_type == {"Candidate": n * (n + 1) // 2, "Elected": n}
    assert outcome.messages == outcome.bound.messages(n, n)


def test_a_thousand_random_rings_cost_n_harmonic_n_plus_n_on_average():
    n, rings = 64, 1000
    total = sum(
        simulate(Scenario("chang-roberts", topology=TopologySpec(n=n), seed=seed, starters="all")).messages
        for seed in range(rings)
    )
    assert total / rings == pytest.approx(n * harmonic(n) + n, rel=0.02)


@st.composite
def rings(draw):
    """A random ring: any ids, any delays, any non-empty set of starters, at any moments."""
    ids = draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=12, unique=True))
    delay = draw(st.sampled_from(["unit", "uniform:1:20", "exponential:8", "lognormal:5:1.5"]))
    starters = draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))
    return Scenario(
        "chang-roberts",
        topology=TopologySpec(ids=ids),
        network=Network(delay=delay),
        starters=starters,
        seed=draw(st.integers(0, 2**32)),
    )


@given(rings())
def test_the_largest_id_of_all_wins_once_and_for_all_whoever_starts(scenario):
    outcome = simulate(scenario)
    assert {p.name: p.witness and p.witness.text for p in outcome.properties} == {
        "termination": None,
        "uniqueness": None,
        "agreement": None,
        "stability": None,
    }
    assert outcome.leader == max(scenario.topology.ids)
    assert outcome.claims == 1
    assert outcome.ended == "quiescence"


@given(rings())
def test_no_ring_costs_more_than_the_worst_or_less_than_the_best(scenario):
    outcome = simulate(scenario)
    assert 2 * outcome.n <= outcome.messages <= outcome.bound.messages(outcome.n, outcome.n)


@given(rings(), st.data())
def test_a_second_election_later_names_the_same_leader_again(scenario, data):
    scenario.starters = [*scenario.starters]
    first = simulate(scenario)
    assume(first.n > 1)
    caller = data.draw(st.sampled_from(first.ids))
    scenario.workload = [Call(at=first.time + 1, who=[caller])]
    outcome = simulate(scenario)
    assert outcome.holds
    assert outcome.leader == first.leader
    assert outcome.messages >= first.messages + 2 * first.n


# Broken twins: a few lines apart, and the same tests see the difference.


class NeverSwallows(ChangRoberts):
    """Stands anew for every weaker id instead of swallowing it."""

    def weigh_candidate(self, sender, message):
        if message.id < self.id:
            self.take_part()
            self.send(self.successor, Candidate(self.id))
        else:
            ChangRoberts.weigh_candidate.function(self, sender, message)


class FirstCome(ChangRoberts):
    """Takes any candidate that comes by for the winner, and itself for elected, without waiting for its own id."""

    def weigh_candidate(self, sender, message):
        self.participant = False
        self.elect(self.id)
        self.send(self.successor, Elected(self.id))


def test_without_swallowing_the_worst_case_bound_is_broken():
    scenario = Scenario(
        f"{__name__}:NeverSwallows", topology=TopologySpec(n=6, order="worst"), starters="all", events=10_000
    )
    assert simulate(scenario).messages > 6 * 7 // 2 + 6


def test_electing_before_ones_own_id_is_home_makes_two_leaders():
    outcome = simulate(Scenario(f"{__name__}:FirstCome", topology=TopologySpec(n=4), starters="all", events=1000))
    uniqueness = next(p for p in outcome.properties if p.name == "uniqueness")
    assert uniqueness.holds is False
    first, second = uniqueness.witness.processes
    assert first != second
    assert str(first) in uniqueness.witness.text and str(second) in uniqueness.witness.text


def test_without_fifo_links_a_weaker_id_is_left_behind_and_the_leader_has_to_be_elected_twice():
    """The proof says "links are FIFO, so no weaker id is left behind it"; an overtaken one calls a second election."""

    def elections(seed: int, fifo: bool) -> int:
        network = Network(delay="lognormal:3:2", fifo=fifo)
        scenario = Scenario("chang-roberts", topology=TopologySpec(n=4), network=network, starters="all", seed=seed)
        return simulate(scenario).claims

    assert max(elections(seed, fifo=False) for seed in range(300)) > 1
    assert {elections(seed, fifo=True) for seed in range(300)} == {1}
