"""The claims of Gupta, van Renesse and Birman: constant load a member, and errors as rare as predicted."""

import math

import pytest
from graphs import final_processes, violated
from hypothesis import given
from hypothesis import strategies as st

from habemus.election.gossip_election import GossipElection, ticket
from habemus.scenario import Crash, Network, Scenario, TopologySpec
from habemus.simulation import simulate


def group(n: int, seed: int = 0, loss: float = 0.0, algorithm: str = "gossip-election", **parameters) -> Scenario:
    return Scenario(
        algorithm,
        topology=TopologySpec(n=n),
        network=Network(delay="uniform:1:10", loss=loss),
        starters="one",
        seed=seed,
        parameters={"election": str(seed), **parameters},
    )


def best_relay(members, election: str) -> int:
    return min(members, key=lambda member: ticket(election, 1, member))


@given(st.integers(1, 200), st.sampled_from(["one", "all", 1]), st.integers(0, 2**32))
def test_without_loss_the_lowest_hash_leads_and_all_know(n, starters, seed):
    scenario = group(n, seed, fanout=12)
    scenario.starters = starters
    outcome = simulate(scenario)
    assert not violated(outcome)
    assert outcome.leader == best_relay(outcome.ids, str(seed))
    assert outcome.claims == 1 and outcome.ended == "quiescence"


def test_messages_a_member_stay_within_a_tenth_from_a_thousand_members_on():
    load = {n: sum(simulate(group(n, seed)).messages for seed in range(3)) / 3 / n for n in (1000, 2000, 4000)}
    assert max(load.values()) < 1.1 * min(load.values())
    for n, messages in load.items():
        mean = GossipElection.bounds[0].messages(n, n * (n - 1) // 2) / n
        assert messages == pytest.approx(mean, rel=0.05)


def test_ten_thousand_members_agree_at_the_same_load():
    outcome = simulate(group(10_000))
    assert not violated(outcome)
    assert outcome.messages / outcome.n == pytest.approx(14, rel=0.1)


def predicted_two_leaders(loss: float, repeats: int) -> float:
    return 1 - math.prod(1 - loss ** (repeats * (k - 1)) for k in range(2, 17))


@pytest.mark.parametrize("loss, repeats", [(0.3, 1), (0.3, 2), (0.5, 2), (0.1, 1)])
def test_two_leaders_are_as_likely_as_predicted(loss, repeats):
    runs = 150
    wrong = (
        sum("uniqueness" in violated(simulate(group(60, seed, loss, repeats=repeats))) for seed in range(runs)) / runs
    )
    predicted = predicted_two_leaders(loss, repeats)
    assert wrong == pytest.approx(predicted, abs=3 * math.sqrt(predicted * (1 - predicted) / runs))


@pytest.mark.parametrize("relays", [1, 2])
def test_a_further_attempt_is_needed_as_often_as_the_filter_lets_nobody_through(relays):
    runs, n = 150, 100
    again = (
        sum(max(p.attempt for p in final_processes(group(n, seed, relays=relays))) > 1 for seed in range(runs)) / runs
    )
    predicted = (1 - relays / n) ** n
    assert again == pytest.approx(predicted, abs=3 * math.sqrt(predicted * (1 - predicted) / runs))


def predicted_ignorance(fanout: float) -> float:
    """The fraction of members that both rumours miss."""
    missed = ignorant = 0.5
    for _ in range(200):
        missed = math.exp(-fanout * (1 - missed))
        ignorant = missed * math.exp(-fanout * (1 - ignorant))
    return ignorant


@pytest.mark.parametrize("fanout", [2, 3])
def test_as_many_members_never_hear_of_it_as_predicted(fanout):
    n, runs = 1000, 20
    ignorant = sum(p.leader is None for seed in range(runs) for p in final_processes(group(n, seed, fanout=fanout)))
    assert ignorant / n / runs == pytest.approx(predicted_ignorance(fanout), rel=0.15)


def test_with_the_usual_fanout_one_in_ten_thousand_is_left_out_in_a_hundred_elections():
    assert 10_000 * predicted_ignorance(7) < 0.01


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_members_that_have_crashed_are_not_elected_and_the_living_agree(seed, crashed):
    scenario = group(100, seed, relays=30)
    dead = [p for p in range(1, 101) if p % 100 >= 100 - crashed]
    scenario.faults = [Crash(0, p) for p in dead]
    scenario.starters = [1]
    scenario.parameters["fanout"] = 40
    outcome = simulate(scenario)
    assert not violated(outcome)
    assert outcome.leader == best_relay(set(range(1, 101)) - set(dead), str(seed))


# Broken twins ---------------------------------------------------------------------------------------------------------


class NoFilter(GossipElection):
    """Everyone is a relay."""

    def is_relay(self, member):
        return True


class Hasty(GossipElection):
    """A relay does not wait for the claims of others."""

    def claim(self):
        GossipElection.claim.function(self)
        self.decide()


def test_without_the_filter_the_load_grows_with_the_group():
    small, large = (simulate(group(n, algorithm=f"{__name__}:NoFilter")).messages / n for n in (50, 200))
    assert large > 3 * small


def test_relays_that_do_not_wait_all_lead():
    assert "uniqueness" in violated(simulate(group(50, algorithm=f"{__name__}:Hasty")))
