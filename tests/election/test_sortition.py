"""Sortition's claims: the lowest genuine lot leads, in proportion to stake; forgers do not; forks heal."""

from collections import Counter

import pytest
from graphs import elections, final_processes, violated
from hypothesis import given
from hypothesis import strategies as st

from habemus.election.sortition import Sortition, Ticket, lot
from habemus.scenario import Network, Scenario, TopologySpec
from habemus.simulation import simulate

IN_TIME = ("unit", "uniform:1:10")


def lowest(seed: str, round: int, ids, stake) -> int:
    """Who has the lowest of all lots."""
    return min((lot(seed, round, p, unit), p) for p in ids for unit in range(stake.get(p, 1)))[1]


@given(elections("sortition", delays=IN_TIME), st.text("abc", max_size=5))
def test_the_lowest_lot_of_all_leads_whoever_starts(scenario, seed):
    scenario.parameters = {"seed": seed}
    outcome = simulate(scenario)
    assert not violated(outcome)
    assert outcome.leader == lowest(seed, 1, outcome.ids, {})
    assert outcome.claims == 1 and outcome.ended == "quiescence"
    assert outcome.messages <= 2 * outcome.topology.m * outcome.n


@given(elections("sortition", most=10, delays=IN_TIME), st.integers(1, 6), st.data())
def test_every_round_has_one_leader_at_a_time_and_all_agree_on_the_whole_history(scenario, rounds, data):
    ids = scenario.topology.ids
    stake = {p: data.draw(st.integers(0, 3)) for p in ids}
    stake[ids[0]] += 1
    scenario.parameters = {"rounds": rounds, "stake": {str(p): s for p, s in stake.items()}}
    assert not violated(simulate(scenario)).keys() - {"stability"}
    expected = [lowest("habemus", round, ids, stake) for round in range(1, rounds + 1)]
    for process in final_processes(scenario):
        assert [ticket.owner for ticket in process.chain] == expected


def test_leadership_is_proportional_to_stake():
    """Chi-square over 2000 rounds with four degrees of freedom; beyond 18.5 once in a thousand."""
    stake, rounds = {1: 1, 2: 2, 3: 3, 4: 4, 5: 10, 6: 0}, 2000
    parameters = {"rounds": rounds, "stake": {str(p): s for p, s in stake.items()}, "slot": 3}
    scenario = Scenario("sortition", topology=TopologySpec(kind="complete", n=6), parameters=parameters)
    winners = Counter(ticket.owner for ticket in final_processes(scenario)[0].chain)
    assert winners.total() == rounds and winners[6] == 0
    share = {p: rounds * s / 20 for p, s in stake.items() if s}
    assert sum((winners[p] - share[p]) ** 2 / share[p] for p in share) < 18.5


@pytest.mark.parametrize("n", range(2, 65))
def test_no_graph_costs_more_than_2m_times_n(n):
    for kind in ("random", "ring", "complete", "line"):
        outcome = simulate(
            Scenario("sortition", topology=TopologySpec(kind=kind, n=n), network=Network(delay="uniform:1:10"))
        )
        assert outcome.messages <= outcome.bound.messages(n, outcome.topology.m)


def test_without_any_stake_nobody_leads():
    scenario = Scenario("sortition", topology=TopologySpec(n=3), parameters={"stake": {"1": 0, "2": 0, "3": 0}})
    assert violated(simulate(scenario)).keys() == {"termination", "agreement"}


# Beyond the assumption ------------------------------------------------------------------------------------------------


def hasty(seed: int):
    """Slots far shorter than messages take."""
    network = Network(delay="uniform:1:60")
    place = TopologySpec(kind="random", n=10)
    return simulate(Scenario("sortition", topology=place, network=network, seed=seed, parameters={"slot": 20}))


def test_slots_too_short_make_forks_and_all_turn_to_the_lowest_ticket_in_the_end():
    outcomes = [hasty(seed) for seed in range(60)]
    assert any("uniqueness" in violated(outcome) for outcome in outcomes)
    assert not any("agreement" in violated(outcome) for outcome in outcomes)
    assert {outcome.leader for outcome in outcomes} == {lowest("habemus", 1, range(1, 11), {})}


# Broken twins ---------------------------------------------------------------------------------------------------------


class Forger(Sortition):
    """Process 2 claims the lowest draw there can be."""

    def draw_ticket(self, round):
        return Ticket(round, 0, 2, 0) if self.id == 2 else Sortition.draw_ticket(self, round)


class Stranger(Sortition):
    """Process 2 sends the best of a thousand tickets of processes that do not exist."""

    def draw_ticket(self, round):
        if self.id != 2:
            return Sortition.draw_ticket(self, round)
        draw, owner = min((lot(self.seed, round, p, 0), p) for p in range(1000, 2000))
        return Ticket(round, draw, owner, 0)


class Gullible(Forger):
    """And nobody checks."""

    def is_genuine(self, ticket):
        return True


def led_by(twin: str) -> set[int]:
    """Whom all but the cheat name leader."""
    processes = final_processes(Scenario(f"{__name__}:{twin}", topology=TopologySpec(kind="complete", n=5)))
    return {process.leader for process in processes if process.id != 2}


def test_a_forged_ticket_convinces_nobody_who_checks():
    honest = {lowest("habemus", 1, [1, 3, 4, 5], {})}
    assert led_by("Forger") == honest
    assert led_by("Stranger") == honest
    assert led_by("Gullible") == {2}
