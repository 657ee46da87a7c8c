"""Barbosa's claims for S_Elect_Leader_C: theorem 5.1 and corollary 5.2 of seed 004, checked while the run goes on."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.election.capture_sync import CaptureSync
from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate


def ceil_log(n: int) -> int:
    return (n - 1).bit_length()


def candidates_by_pulse(outcome) -> dict[int, int]:
    """How many stand at the end of each pulse; who has just taken office stands, too."""
    standing: set[int] = set()
    counts: dict[int, int] = {}
    for event in outcome.trace.events:
        if "standing" in event.changed:
            if event.changed["standing"] or event.changed.get("leader") == event.process:
                standing.add(event.process)
            else:
                standing.discard(event.process)
        counts[event.time] = len(standing)
    return counts


def check_theorem_5_1(outcome) -> None:
    n, counts = outcome.n, candidates_by_pulse(outcome)
    for k in range(1, ceil_log(n)):
        assert counts.get(2 * k, 0) <= n // 2 ** (k - 1), f"pulse {2 * k} of n={n}"


def check_corollary_5_2(outcome) -> None:
    n, sent = outcome.n, outcome.messages_by_type
    assert sent.get("Capture", 0) <= 2 * n * ceil_log(n) - n
    assert sent.get("Ack", 0) <= n * ceil_log(n)
    assert sent.get("Elected", 0) == n - 1
    assert outcome.messages <= outcome.bound.messages(n, 0)


@pytest.mark.parametrize("n", range(2, 65))
def test_candidates_captures_and_acks_stay_within_theorem_5_1_and_corollary_5_2(n):
    for order, seed in [("sorted", 0), ("best", 0), ("worst", 0), ("random", 1), ("random", 2)]:
        outcome = simulate(
            Scenario("capture-sync", topology=TopologySpec(n=n, order=order), starters="all", seed=seed), keep=100_000
        )
        assert outcome.holds and outcome.leader == n
        check_theorem_5_1(outcome)
        check_corollary_5_2(outcome)


@pytest.mark.parametrize("n", range(2, 65))
def test_one_candidate_captures_everybody_once_and_leads_after_2_ceil_log_n_pulses(n):
    outcome = simulate(Scenario("capture-sync", topology=TopologySpec(n=n), starters="one"), keep=100_000)
    assert outcome.messages_by_type == {"Capture": n - 1, "Ack": n - 1, "Elected": n - 1}
    assert {e.time for e in outcome.trace.events if e.role == "leader"} == {2 * ceil_log(n)}
    assert max(e.time for e in outcome.trace.events if "leader" in e.changed) == 2 * ceil_log(n) + 1


@pytest.mark.parametrize("n", range(1, 7))
def test_the_largest_wins_in_every_arrangement(n):
    for ids in permutations(range(1, n + 1)):
        outcome = simulate(Scenario("capture-sync", topology=TopologySpec(ids=list(ids)), starters="all"))
        assert outcome.holds and outcome.leader == n


@st.composite
def settings(draw):
    ids = draw(st.lists(st.integers(0, 10**6), min_size=2, max_size=24, unique=True))
    return Scenario(
        "capture-sync",
        topology=TopologySpec(ids=ids),
        starters=draw(st.lists(st.sampled_from(ids), min_size=1, unique=True)),
        seed=draw(st.integers(0, 2**32)),
    )


@given(settings())
def test_the_largest_candidate_wins_whoever_stands(scenario):
    outcome = simulate(scenario, keep=100_000)
    assert outcome.holds and outcome.claims == 1
    assert outcome.leader == max(scenario.starters)
    check_theorem_5_1(outcome)
    check_corollary_5_2(outcome)


# Broken twins


class StandsOn(CaptureSync):
    """Stands on when it is captured, and when not everybody it tried has yielded."""

    def yield_to_largest(self, captors):
        stood = self.standing
        CaptureSync.yield_to_largest(self, captors)
        self.standing = stood

    def capture_more(self, acknowledged):
        CaptureSync.capture_more(self, max(acknowledged, self.awaited))


class IgnoresItsOwner(CaptureSync):
    """Yields to the largest of the pulse even if its owner is larger, and stands on when it is captured."""

    def yield_to_largest(self, captors):
        stood, self.owner = self.standing, -1
        CaptureSync.yield_to_largest(self, captors)
        self.standing = stood


def test_who_stands_on_leaves_more_candidates_than_theorem_5_1_allows():
    """The first bound that bites is at pulse 4, as in pulse 2 all n may be left."""
    outcome = simulate(Scenario(f"{__name__}:StandsOn", topology=TopologySpec(n=32), starters="all"), keep=100_000)
    with pytest.raises(AssertionError, match="pulse 4"):
        check_theorem_5_1(outcome)
    assert {p.name for p in outcome.properties if p.witness} >= {"uniqueness"}


def test_who_ignores_its_owner_does_not_always_seat_the_largest():
    def leader(seed: int) -> int | None:
        scenario = Scenario(f"{__name__}:IgnoresItsOwner", topology=TopologySpec(n=8), starters="all", seed=seed)
        return simulate(scenario).leader

    assert {leader(seed) for seed in range(20)} != {8}
