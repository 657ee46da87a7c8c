"""BTCP's claims: n - 1 duels, votes that add up, one coordinator that knows everyone; and what haste costs."""

import pytest
from graphs import final_processes, violated
from hypothesis import given
from hypothesis import strategies as st

from habemus.election.btcp import BTCP, SILENT
from habemus.scenario import Network, Scenario, TopologySpec
from habemus.simulation import simulate


def radios(n: int, seed: int, algorithm: str = "btcp", starters="all", **parameters) -> Scenario:
    network = Network(delay="uniform:1:10")
    return Scenario(
        algorithm, topology=TopologySpec(n=n), network=network, starters=starters, seed=seed, parameters=parameters
    )


@given(st.integers(1, 36), st.sampled_from(["all", "one", 1]), st.integers(0, 2**32))
def test_one_coordinator_after_exactly_n_minus_1_duels_and_n_minus_1_pages(n, starters, seed):
    outcome = simulate(radios(n, seed, starters=starters))
    assert not violated(outcome)
    assert outcome.claims == 1 and outcome.ended == "quiescence"
    assert outcome.messages_by_type.get("Yield", 0) == outcome.messages_by_type.get("Page", 0) == n - 1


@given(st.integers(1, 36), st.integers(0, 2**32))
def test_the_coordinator_has_all_votes_and_knows_everyone(n, seed):
    processes = final_processes(radios(n, seed))
    (coordinator,) = [process for process in processes if process.leader == process.id]
    assert coordinator.votes == n
    assert sorted([coordinator.id, *coordinator.won]) == sorted(process.id for process in processes)


@given(st.integers(2, 12), st.integers(0, 2**32))
def test_at_every_moment_the_votes_of_those_not_yet_beaten_add_up_to_n(n, seed):
    """But for those that a loser has just sent on their way."""
    state, votes, under_way = {}, dict.fromkeys(range(1, n + 1), 1), 0
    for event in simulate(radios(n, seed), keep=10**6).trace.events:
        state[event.process] = event.changed.get("state", state.get(event.process))
        if "won" in event.changed:
            votes[event.process] = 1 + len(event.changed["won"])
        under_way += sum(len(m.fields["members"]) for m in event.sent if m.type == "Yield")
        under_way -= sum(len(m.fields["members"]) for m in event.received if m.type == "Yield")
        assert under_way + sum(v for p, v in votes.items() if state.get(p) != SILENT) == n


@given(st.integers(2, 12), st.integers(0, 2**32))
def test_in_every_duel_the_radio_with_more_votes_wins_and_the_larger_address_breaks_ties(n, seed):
    votes = dict.fromkeys(range(1, n + 1), 1)
    for event in simulate(radios(n, seed), keep=10**6).trace.events:
        for message in event.sent:
            if message.type == "Yield":
                loser, winner = event.process, message.to
                assert (votes[winner], winner) > (votes[loser], loser)
        if "won" in event.changed:
            votes[event.process] = 1 + len(event.changed["won"])


def share_with_two_coordinators(patience: int, algorithm: str = "btcp", runs: int = 150) -> float:
    outcomes = [simulate(radios(6, seed, algorithm, patience=patience)) for seed in range(runs)]
    return sum("uniqueness" in violated(outcome) for outcome in outcomes) / runs


def test_two_coordinators_become_exponentially_rare_with_patience():
    share = {patience: share_with_two_coordinators(patience) for patience in (2, 4, 8, 16)}
    assert share[2] > 0.5
    assert share[4] < share[2] / 2
    assert share[8] < share[4] / 4
    assert share[16] == 0


# Broken twins ---------------------------------------------------------------------------------------------------------


class InStep(BTCP):
    """Alternates with a fixed period: two that begin alike never meet."""

    def choose(self, options):
        return options[0]


class KeepsVotes(BTCP):
    """A loser hands over itself alone, and forgets those it has beaten."""

    def hand_over(self, sender, message):
        self.won.clear()
        BTCP.hand_over.function(self, sender, message)


def test_radios_that_alternate_in_step_never_meet():
    assert "uniqueness" in violated(simulate(radios(4, 0, f"{__name__}:InStep")))


@pytest.mark.parametrize("n", [8, 20])
def test_if_losers_keep_those_they_have_beaten_some_never_learn_who_coordinates(n):
    assert any("agreement" in violated(simulate(radios(n, seed, f"{__name__}:KeepsVotes"))) for seed in range(10))
