"""What theorems 5.1 and 5.3 and their corollaries bound is watched in a run, and a broken twin is caught by it."""

import pytest

from habemus.election.capture import CaptureElection
from habemus.process import CANDIDATES, Count, Election, upon_start
from habemus.scenario import Network, Scenario, TopologySpec
from habemus.simulation import simulate


def counts(name, n, seed=0, delay="unit"):
    settings = {"topology": TopologySpec(n=n), "starters": "all", "seed": seed, "network": Network(delay)}
    return simulate(Scenario(name, **settings), keep=100_000).counts


@pytest.mark.parametrize("n", [2, 3, 8, 16, 33])
@pytest.mark.parametrize("name", ["capture-sync", "capture"])
def test_no_run_exceeds_what_the_theorems_bound(name, n):
    for seed in range(5):
        series = counts(name, n, seed, "unit" if name == "capture-sync" else "uniform:1:9")
        assert series and all(each.holds for each in series), [each.as_dict() for each in series]


def test_the_bounds_are_those_of_the_theorems():
    bounds = {(each.title, each.k): each.bound for each in counts("capture-sync", 16)}
    assert [bounds["candidates in pulse 2k", k] for k in (1, 2, 3, 4)] == [16, 8, 4, 2]  # n / 2^(k-1)
    assert bounds["captures", None] == 2 * 16 * 4 - 16 and bounds["acknowledgements", None] == 16 * 4
    bounds = {(each.title, each.k): each.bound for each in counts("capture", 16)}
    assert [bounds["candidates at level k", k] for k in (1, 2, 3, 4)] == [16, 5, 2, 1]  # n / (2^k - 1)
    assert bounds["attempts to capture", None] == 2 * 16 * 4 + 16


def test_captures_and_acknowledgements_are_counted_as_they_are_sent():
    outcome = simulate(Scenario("capture-sync", topology=TopologySpec(n=16), starters="all"), keep=100_000)
    found = {each.title: each.most for each in outcome.counts}
    assert found["captures"] == outcome.messages_by_type["Capture"]
    assert found["acknowledgements"] == outcome.messages_by_type["Ack"]


class Generous(CaptureElection):
    """Counts two levels where there is one."""

    name = "generous"

    def own(self, sender, message):
        super().own(sender, message)
        self.level += 1


def test_a_twin_that_calls_itself_stronger_than_it_is_exceeds_theorem_5_3():
    exceeded = [each for seed in range(10) for each in counts(f"{__name__}:Generous", 16, seed) if not each.holds]
    assert exceeded and all(each.title == "candidates at level k" for each in exceeded)


class Waiting(Election):
    """Its own count: nobody may stand with a patience of 1."""

    name = "waiting"
    counts = (Count(CANDIDATES, "patience", "candidates with patience k", "0", lambda n, k: 0),)
    patience: int = 0

    @upon_start
    def stand(self):
        self.patience = 1
        self.elect(self.id)  # who leads counts as a candidate, too


def test_any_algorithm_can_declare_such_a_count():
    (series,) = counts(f"{__name__}:Waiting", 3)
    assert (series.k, series.most, series.holds) == (1, 3, False)
    assert series.changes == [(0, 1), (1, 2), (2, 3)]


def test_a_run_that_was_not_kept_as_a_whole_counts_nothing():
    assert simulate(Scenario("capture", topology=TopologySpec(n=8)), keep=5).counts == []
