"""Maekawa's claims: two quorums always meet, so one vote each is safe; the repair, and all of it, makes it live."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from workloads import locks, violated

from habemus.mutex.maekawa import Maekawa, difference_set, largest_quorum, quorum_of
from habemus.scenario import Call, Crash, Demand, Network, Scenario, TopologySpec
from habemus.simulation import simulate

KINDS = ("auto", "grid")
PLANES = {7: 3, 13: 4, 31: 6, 57: 8, 133: 12, 183: 14}


# Quorums


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", range(1, 101))
def test_everybody_is_in_its_own_quorum_and_any_two_quorums_meet(n, kind):
    quorums = [set(quorum_of(place, n, kind)) for place in range(n)]
    assert all(place in quorum for place, quorum in enumerate(quorums))
    assert all(first & second for first in quorums for second in quorums)
    assert set().union(*quorums) == set(range(n))


@pytest.mark.parametrize("n", range(1, 101))
def test_a_grid_quorum_has_at_most_a_row_and_a_column(n):
    sizes = [len(quorum_of(place, n, "grid")) for place in range(n)]
    assert max(sizes) == sizes[0] <= 2 * n**0.5 + 1
    if n in (1, 4, 9, 16, 25, 36, 49, 64, 81, 100):
        assert set(sizes) == {2 * round(n**0.5) - 1}


@pytest.mark.parametrize("n", PLANES)
def test_in_a_plane_any_two_quorums_share_exactly_one_voter_and_everybody_votes_in_equally_many(n):
    quorums = [set(quorum_of(place, n, "auto")) for place in range(n)]
    assert {len(quorum) for quorum in quorums} == {PLANES[n]} == {largest_quorum(n)}
    assert {len(quorums[a] & quorums[b]) for a in range(n) for b in range(a)} == {1}
    assert {sum(place in quorum for quorum in quorums) for place in range(n)} == {PLANES[n]}


def test_where_there_is_no_plane_of_a_prime_order_the_grid_takes_its_place():
    assert [n for n in range(1, 200) if difference_set(n)] == list(PLANES)


# The four properties


@given(locks("maekawa"))
def test_one_at_a_time_and_everybody_in_the_end_whatever_the_delays_and_the_order_of_messages(scenario):
    outcome = simulate(scenario)
    assert violated(outcome) == {}
    assert outcome.ended == "quiescence"


@given(locks("maekawa", quorums="grid", delays=("uniform:1:200", "lognormal:5:2")))
def test_so_it_is_on_the_grid_under_delays_that_differ_wildly(scenario):
    assert violated(simulate(scenario)) == {}


@given(locks("maekawa", repaired=False))
def test_without_the_repair_there_are_still_never_two_inside(scenario):
    assert "mutual_exclusion" not in violated(simulate(scenario))


def crowd(algorithm: str, n: int, delay: str = "uniform:1:200", **parameters) -> list[dict[str, str]]:
    """What forty runs violate in which everybody wants in at about the same time, and messages pass each other."""
    network = Network(delay=delay, fifo=False)
    demand = Demand("poisson", 2, "uniform:1:40", "constant:1")
    base = Scenario(algorithm, parameters=parameters, topology=TopologySpec(n=n), network=network, demand=demand)
    return [violated(simulate(replace(base, seed=seed))) for seed in range(40)]


def test_without_the_repair_it_deadlocks_and_the_circle_is_named():
    assert all("wait in a circle" in run["deadlock_freedom"] for run in crowd("maekawa", 7, repaired=False))
    assert not any(crowd("maekawa", 7))


@given(st.integers(2, 16), st.data())
def test_after_a_crash_nobody_enters_who_needs_the_vote_and_the_others_stay_safe(n, data):
    dead = data.draw(st.integers(1, n))
    place = TopologySpec(ids=list(range(1, n + 1)))
    outcome = simulate(Scenario("maekawa", topology=place, faults=[Crash(0, dead)], demand=Demand("all-at-once")))
    deprived = {pid for pid in outcome.ids if dead - 1 in quorum_of(pid - 1, n, "auto")}
    assert len(deprived) > 1
    assert not deprived & {use.process for use in outcome.lock.uses}
    assert "starvation_freedom" in violated(outcome)
    assert "mutual_exclusion" not in violated(outcome)


# Costs


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 9, 12, 13, 16, 31, 57, 64, 100])
def test_alone_an_entry_takes_3_times_k_minus_1_messages(n, kind):
    for place in range(n):
        calls = [Call(at=1, who=[place + 1], call="acquire")]
        ids = list(range(1, n + 1))
        parameters = {"quorums": kind}
        run = Scenario(
            "maekawa", parameters=parameters, topology=TopologySpec(ids=ids), demand=Demand("idle"), workload=calls
        )
        outcome = simulate(run)
        assert outcome.lock.entries == 1
        assert outcome.messages == 3 * (len(quorum_of(place, n, kind)) - 1)


@given(locks("maekawa"))
def test_in_a_crowd_an_entry_takes_3_to_6_times_k_minus_1_messages(scenario):
    outcome = simulate(scenario)
    smallest = min(len(quorum_of(place, outcome.n, "auto")) for place in range(outcome.n))
    assert 3 * (smallest - 1) <= outcome.lock.messages_per_entry <= Maekawa.bounds[0].messages(outcome.n, 0)


@given(locks("maekawa"))
def test_each_request_has_its_vote_and_gives_it_back_and_costs_at_most_one_failure_or_one_yield_more(scenario):
    sent = Counter(simulate(scenario).messages_by_type)
    assert sent["Release"] == sent["Request"]
    assert sent["Grant"] == sent["Request"] + sent["Yield"]
    assert sent["Yield"] <= sent["Inquire"] <= sent["Request"] - sent["Failed"]


# Broken twins: one rule apart, and the same tests see the difference.


class VotesTwice(Maekawa):
    """Gives everybody its vote at once."""

    def weigh_request(self, sender, message):
        self.choice = None
        Maekawa.weigh_request.function(self, sender, message)


class AsPrinted(Maekawa):
    """Does not tell its favourite that it has been overtaken: what the first paper leaves out."""

    def weigh_request(self, sender, message):
        claim = (message.number, sender)
        if self.choice is not None and claim < min(self.queue | {self.choice}) < self.choice:
            self.highest = max(self.highest, message.number)
            self.queue.add(claim)
        else:
            Maekawa.weigh_request.function(self, sender, message)


class YieldsAndForgets(Maekawa):
    """Does not take a vote it has yielded for a failure."""

    def yield_votes(self):
        yielded = self.inquirers - self.missing
        Maekawa.yield_votes.function(self)
        self.failed -= yielded


class VotesWithoutNumbers(Maekawa):
    """Does not pass on the highest number it has seen."""

    def vote(self, claim):
        highest, self.highest = self.highest, 0
        Maekawa.vote(self, claim)
        self.highest = max(self.highest, highest)


def test_a_voter_with_two_votes_lets_two_in():
    assert any("mutual_exclusion" in run for run in crowd(f"{__name__}:VotesTwice", 7))


@pytest.mark.parametrize(("name", "delay"), [("AsPrinted", "uniform:1:200"), ("YieldsAndForgets", "unit")])
def test_a_favourite_not_told_that_it_was_overtaken_or_a_yield_that_counts_for_nothing_is_a_deadlock(name, delay):
    broken = [run["deadlock_freedom"] for run in crowd(f"{__name__}:{name}", 13, delay) if run]
    assert broken and all("wait in a circle" in text for text in broken)
    assert not any(crowd("maekawa", 13, delay))


def test_a_vote_that_brings_the_highest_number_keeps_newcomers_from_passing_those_who_wait():
    """1 enters sixty times, so those who voted for it take high numbers; then 2, 3 and 4 want in all the time."""
    calls = [Call(at=60 * turn, who=[1], call="acquire") for turn in range(60)]
    calls += [Call(at=3600 + 5 * turn, who=[2, 3], call="acquire") for turn in range(60)]
    calls += [Call(at=3600 + 20 * turn, who=[4], call="acquire") for turn in range(20)]
    demand, network = Demand("idle", hold="constant:2"), Network("uniform:1:20")

    def passed(algorithm: str) -> int:
        base = Scenario(algorithm, topology=TopologySpec(n=13), network=network, demand=demand, workload=calls)
        return max(simulate(replace(base, seed=seed)).lock.bypassed_most for seed in range(12))

    assert passed("maekawa") <= 2 * 3 < passed(f"{__name__}:VotesWithoutNumbers")
