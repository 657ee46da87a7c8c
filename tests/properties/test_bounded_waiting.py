"""Bounded waiting is more than freedom from starvation: a limit in entries, in time, or as declared."""

import pytest
from soak import runs

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.scenario import Demand, Scenario, ScenarioError, TopologySpec, named_scenarios
from habemus.simulation import simulate

MUTEXES = [name for name in algorithm_names() if find_algorithm(name).kind == "mutex"]
DECLARING = [name for name in MUTEXES if find_algorithm(name).waiting_bound is not None]


def run(name, seed=0, n=5, kind="all-at-once", entries=4, **fields):
    demand = Demand(kind, entries=entries, hold="uniform:1:20")
    return simulate(Scenario(name, topology=TopologySpec(n=n), demand=demand, seed=seed, **fields))


def test_coordinator_ring_and_timestamps_declare_n_minus_1_and_quorums_nothing():
    assert {"coordinator", "token-ring", "lamport", "ricart-agrawala"} <= set(DECLARING)
    assert all(find_algorithm(name).waiting_bound.entries(9) == 8 for name in DECLARING)
    assert not {"quorum", "quorum-abort", "coordinator-elected"} & set(DECLARING)


@pytest.mark.parametrize("name", DECLARING)
def test_no_run_exceeds_what_its_algorithm_declares(name):
    for seed in range(runs(12, soak=500)):
        n = 2 + seed % 6
        outcome = run(name, seed, n, kind=["all-at-once", "poisson"][seed % 2], waiting_limit="declared")
        assert outcome.violated == [], (seed, [p.witness.text for p in outcome.properties if p.witness])
        assert outcome.lock.bypassed_most <= n - 1


@pytest.mark.parametrize("name", ["coordinator", "token-ring", "ricart-agrawala"])
def test_the_declared_bound_is_reached(name):
    assert max(run(name, seed).lock.bypassed_most for seed in range(10)) >= 3


def test_a_run_may_be_free_of_starvation_and_violate_bounded_waiting():
    outcome = simulate(named_scenarios()["quorum-abort-overtaken"])
    verdicts = {watched.name: watched.holds for watched in outcome.properties}
    assert verdicts["starvation_freedom"] is True and verdicts["bounded_waiting"] is False
    witness = next(watched.witness for watched in outcome.properties if watched.name == "bounded_waiting")
    assert "while others entered 2 times; the limit is 1" in witness.text


def test_a_limit_in_time_is_violated_by_who_waits_longer_and_by_nobody_else():
    longest = max(run("coordinator").lock.waits)
    assert run("coordinator", waiting_time=longest).violated == []
    outcome = run("coordinator", waiting_time=longest - 1)
    assert outcome.violated == ["bounded_waiting"]
    witness = next(watched.witness for watched in outcome.properties if watched.witness)
    assert (
        witness.text.endswith(f"the limit is {longest - 1} ticks") or f"entered {longest} ticks later" in witness.text
    )


def test_what_is_not_declared_cannot_be_the_limit():
    with pytest.raises(ScenarioError, match="waiting_limit: quorum declares no bound on waiting"):
        run("quorum", waiting_limit="declared")
