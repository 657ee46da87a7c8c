"""Tel's claims: the smallest starter's wave drowns all others and comes home, at no more than 2m a wave."""

import pytest
from graphs import elections, violated
from hypothesis import given

from habemus.election.echo_extinction import EchoExtinction
from habemus.scenario import Network, Scenario, TopologySpec
from habemus.simulation import simulate

SIZES = range(2, 65)


@given(elections("echo-extinction"))
def test_the_smallest_id_among_the_starters_leads_and_everyone_learns_it(scenario):
    outcome = simulate(scenario)
    starters = outcome.ids if scenario.starters == "all" else scenario.starters
    assert not violated(outcome)
    assert outcome.leader == min(starters)
    assert outcome.claims == 1 and outcome.ended == "quiescence"


@given(elections("echo-extinction"))
def test_never_more_than_2m_a_starter_and_2m_to_announce_it(scenario):
    outcome = simulate(scenario)
    starters = outcome.n if scenario.starters == "all" else len(scenario.starters)
    assert (
        outcome.messages
        <= 2 * outcome.topology.m * (starters + 1)
        <= outcome.bound.messages(outcome.n, outcome.topology.m)
    )
    assert outcome.messages_by_type.get("Leader", 0) == 2 * outcome.topology.m


@pytest.mark.parametrize("kind", ["random", "ring", "complete", "tree", "grid"])
@pytest.mark.parametrize("n", SIZES)
def test_one_starter_costs_exactly_4m_whoever_it_is(n, kind):
    outcome = simulate(Scenario("echo-extinction", topology=TopologySpec(kind=kind, n=n), starters="one", seed=n))
    m = outcome.topology.m
    assert outcome.messages_by_type == {"Wave": 2 * m, "Leader": 2 * m}


@pytest.mark.parametrize("n", SIZES)
def test_ids_that_rise_along_a_line_make_the_order_of_n_times_m_waves(n):
    outcome = simulate(
        Scenario("echo-extinction", topology=TopologySpec(kind="line", n=n, order="sorted"), starters="all")
    )
    assert outcome.messages_by_type["Wave"] >= n * outcome.topology.m / 2


# Broken twins ---------------------------------------------------------------------------------------------------------


class LastComeDrowns(EchoExtinction):
    """Lets whatever wave is in progress die when another comes."""

    def drowns(self, wave, other):
        return wave != other


class ProudStarter(EchoExtinction):
    """Takes part in no wave but its own once it stands."""

    def drowns(self, wave, other):
        return wave < other and other != self.id


def found(twin: str) -> set[str]:
    """The properties that a twin violates in twenty small elections."""
    network = Network(delay="uniform:1:9")
    scenarios = [
        Scenario(
            f"{__name__}:{twin}", topology=TopologySpec(kind="random", n=6), network=network, seed=seed, events=5000
        )
        for seed in range(20)
    ]
    return {name for scenario in scenarios for name in violated(simulate(scenario))}


@pytest.mark.parametrize("twin", ["LastComeDrowns", "ProudStarter"])
def test_if_the_wrong_wave_dies_the_properties_see_it(twin):
    assert found(twin)
