"""The ring elections at their published costs, under their own assumptions."""

from itertools import permutations
from math import floor, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from soak import runs

from habemus.election.itai_rodeh import ItaiRodeh
from habemus.election.peterson import Peterson
from habemus.process import harmonic
from habemus.scenario import Call, Crash, Network, Recover, Scenario, TopologySpec, named_scenarios
from habemus.simulation import simulate

LARGEST = ["chang-roberts", "lcr", "lcr-skipping", "franklin", "hirschberg-sinclair", "peterson", "ring-coordinator"]
PARAMETERS = {"peterson-improved": {"improved": True}}
ALL = [*LARGEST, "peterson-improved", "ring-collect", "itai-rodeh"]


def scenario(name, **fields):
    return Scenario(name.removesuffix("-improved"), parameters=PARAMETERS.get(name, {}), **fields)


def elected(name, ids):
    return {"ring-collect": min(ids), "itai-rodeh": None}.get(name, max(ids))


@st.composite
def rings(draw):
    """A ring of processes with unique ids, a network, and some of them starting."""
    ids = draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=24, unique=True))
    starters = draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))
    delay = draw(st.sampled_from(["unit", "uniform:1:10", "exponential:7", "lognormal:5:1.5"]))
    return {
        "topology": TopologySpec(ids=ids),
        "network": Network(delay),
        "starters": starters,
        "seed": draw(st.integers(0, 10**6)),
    }


@pytest.mark.parametrize("name", ALL)
@given(ring=rings())
def test_elects_on_any_ring_whoever_starts_and_however_long_messages_take(name, ring):
    if name == "ring-collect":
        ring = {**ring, "starters": "all"}  # only who starts learns the result
    outcome = simulate(scenario(name, **ring))
    assert outcome.ended == "quiescence" and not outcome.violated, [
        p.witness.text for p in outcome.properties if p.witness
    ]
    assert outcome.leader == (elected(name, outcome.ids) or outcome.leader)
    if name == "peterson-improved":
        assert outcome.messages <= improved_bound(outcome.n)
    elif outcome.bound is not None:
        assert outcome.messages <= outcome.bound.messages(outcome.n, outcome.topology.m)


@pytest.mark.parametrize("name", ALL)
def test_elects_in_every_order_of_the_ids(name):
    for n in range(1, runs(7, soak=8)):
        for order in permutations(range(1, n)):
            outcome = simulate(scenario(name, topology=TopologySpec(ids=[n, *order]), seed=n))
            assert not outcome.violated and outcome.leader == (elected(name, outcome.ids) or outcome.leader), (
                outcome.ids
            )


def messages(name, n, order="random", starters="all", seed=0, **fields):
    outcome = simulate(scenario(name, topology=TopologySpec(n=n, order=order), starters=starters, seed=seed, **fields))
    assert not outcome.violated
    return outcome.messages


@pytest.mark.parametrize("n", range(1, 65))
def test_anonymous_ring_takes_2n_messages_for_one_candidate(n):
    assert messages("anonymous-ring", n, starters="one") == 2 * n


@pytest.mark.parametrize("n", range(2, 65))
def test_ring_collect_takes_n_messages_a_starter(n):
    one = simulate(Scenario("ring-collect", topology=TopologySpec(n=n), starters="one"), digest=True)
    assert one.messages == n
    assert one.values_carried == n * (n + 1) // 2
    assert messages("ring-collect", n) == n * n


@pytest.mark.parametrize("n", range(1, 65))
def test_lcr_never_swallows_so_every_order_costs_the_same(n):
    for order in ("best", "worst", "random"):
        assert messages("lcr", n, order, network=Network("uniform:1:9")) == n * (3 * n + 1) / 2


@pytest.mark.parametrize("n", range(2, 65))
def test_franklin_needs_at_most_log_n_plus_1_rounds_of_2n_messages(n):
    for seed in range(8):
        run = simulate(scenario("franklin", topology=TopologySpec(n=n), seed=seed), keep=10**6)
        rounds = max(event.changed.get("round", 0) for event in run.trace.events)
        assert rounds <= floor(log2(n)) + 1
        assert run.messages == 2 * n * rounds + n


@pytest.mark.parametrize("n", range(1, 65))
def test_chang_and_roberts_as_listed_cost_n_n_plus_1_halves_when_ids_fall_along_the_ring(n):
    falling = simulate(Scenario("chang-roberts-listing", topology=TopologySpec(ids=list(range(n, 0, -1)))))
    rising = simulate(Scenario("chang-roberts-listing", topology=TopologySpec(ids=list(range(1, n + 1)))))
    assert (falling.leader, rising.leader) == (n, n)
    assert (falling.messages, rising.messages) == (n * (n + 1) // 2, 2 * n - 1)


def test_chang_and_roberts_as_listed_end_if_and_only_if_the_largest_starts():
    for starters in ([1], [2], [3], [1, 3], [4], [2, 4]):
        outcome = simulate(
            Scenario("chang-roberts-listing", topology=TopologySpec(ids=[3, 1, 4, 2]), starters=starters)
        )
        assert outcome.leader == (4 if 4 in starters else None) and outcome.holds
        assert set(outcome.world.beliefs) <= {4}  # nobody else learns it


@given(
    n=st.integers(2, 8),
    seed=st.integers(0, 10**6),
    crashes=st.dictionaries(st.integers(1, 8), st.integers(0, 200), max_size=7),
)
def test_lcr_skips_whoever_crashes_whenever(n, seed, crashes):
    victims = {process: at for process, at in crashes.items() if process <= n}
    alive = set(range(1, n + 1)) - set(victims) or {1}
    faults = [Crash(at, process) for process, at in victims.items() if process not in alive]
    ring = Scenario(
        "lcr-skipping", topology=TopologySpec(n=n), network=Network("uniform:1:10"), faults=faults, seed=seed
    )
    outcome = simulate(ring)
    assert outcome.ended == "quiescence" and not outcome.violated and outcome.leader == max(alive)


def listed(n, seed=0, **fields):
    fields.setdefault("topology", TopologySpec(n=n))
    return simulate(Scenario("franklin-listing", network=Network("uniform:1:7"), seed=seed, **fields))


def test_franklin_as_listed_elects_one_leader_in_every_random_run():
    for seed in range(runs(1000, soak=20_000)):
        n = 1 + seed % 12
        starters = "all" if seed % 3 else "one"
        outcome = listed(n, seed, starters=starters)
        assert outcome.leader == n and outcome.messages <= 4 * n * n + 3 * n and outcome.holds, seed


def test_franklin_as_listed_costs_about_3_n_squared_because_numbers_stay_on_the_ring():
    for n in (16, 32, 64):
        assert 2.9 * n * n <= sum(listed(n, seed).messages for seed in range(5)) / 5 <= 3.3 * n * n


@pytest.mark.parametrize("n", range(2, 65))
def test_hirschberg_sinclair_stays_below_its_bound(n):
    bound = 8 * n * (1 + (n - 1).bit_length()) + n
    assert max(messages("hirschberg-sinclair", n, order) for order in ("best", "worst", "sorted")) <= bound
    assert max(messages("hirschberg-sinclair", n, seed=seed) for seed in range(8)) <= bound


def improved_bound(n):
    return 1.4404 * n * log2(n) + 3 * n


@pytest.mark.parametrize("n", range(2, 65))
def test_peterson_stays_below_its_bounds(n):
    for seed in range(8):
        assert messages("peterson", n, seed=seed) <= 2 * n * floor(log2(n)) + 2 * n
        assert messages("peterson-improved", n, seed=seed) <= improved_bound(n)


def test_improved_peterson_beats_the_basic_form():
    basic, improved = (sum(messages(name, 64, seed=s) for s in range(50)) for name in ("peterson", "peterson-improved"))
    assert improved < 0.85 * basic


class Reversed(Peterson):
    """A broken twin: only the larger goes on in even phases, too, so a rising ring loses one process a phase."""

    name = "peterson-reversed"

    def compare_once(self, before):
        if self.temporary > before:
            self.begin_phase(self.temporary)
        else:
            self.active = False


def test_improved_peterson_needs_its_alternation(monkeypatch):
    twin = f"{__name__}:Reversed"
    falling = Scenario(twin, parameters={"improved": True}, topology=TopologySpec(n=64, order="best"))
    assert simulate(falling).messages > improved_bound(64)


def test_itai_rodeh_takes_n_log_n_messages_on_average():
    for n in (8, 16, 32, 64, 128):
        mean = sum(messages("itai-rodeh", n, seed=seed) for seed in range(60)) / 60
        assert mean <= 2 * n * harmonic(n) + n


@pytest.mark.parametrize("n", range(2, 9))
def test_two_anonymous_candidates_both_take_the_seat(n):
    outcome = simulate(Scenario("anonymous-ring", topology=TopologySpec(n=n), starters=2, seed=n))
    assert {p.name for p in outcome.properties if p.witness} == {"uniqueness", "agreement", "stability"}
    assert outcome.messages == 2 * n


def test_with_coins_no_run_of_the_same_rings_seats_two():
    for seed in range(runs(2_000, soak=10_000)):
        ring = Scenario("itai-rodeh", topology=TopologySpec(n=2 + seed % 7), network=Network("uniform:1:5"), seed=seed)
        outcome = simulate(ring)
        assert not outcome.violated and outcome.leader is not None, seed


class Hasty(ItaiRodeh):
    """A broken twin: forgets that an equal number may be another's."""

    name = "hasty"

    def weigh_lot(self, sender, message):
        if self.active and (message.round, message.number) == (self.round, self.number):
            self.elect(self.id)
        else:
            super().weigh_lot(sender, message)


def test_itai_rodeh_needs_its_unique_bit():
    twins = (simulate(Scenario(f"{__name__}:Hasty", topology=TopologySpec(n=4), seed=seed)) for seed in range(50))
    assert any(p.name == "uniqueness" and p.witness for outcome in twins for p in outcome.properties)


def test_franklin_as_listed_takes_as_many_rounds_as_there_are_numbers_to_take_in():
    run = simulate(named_scenarios()["franklin-listing-eight"], keep=10**5)
    assert max(event.changed.get("round", 0) for event in run.trace.events) >= 8


def test_franklin_halves_the_active_processes_every_round():
    run = simulate(named_scenarios()["franklin-halving"], keep=10**5)
    rounds = [event.changed["round"] for event in run.trace.events if "round" in event.changed]
    assert [rounds.count(number) for number in range(1, 6)] == [16, 8, 4, 2, 1]


@pytest.mark.parametrize("n", range(1, 65))
def test_ring_coordinator_takes_2k_messages_with_k_alive(n):
    outcome = simulate(
        Scenario(
            "ring-coordinator",
            topology=TopologySpec(n=n + 1, order="sorted"),
            faults=[Crash(0, n + 1)],
            workload=[Call(30, [1])],
        )
    )
    assert not outcome.violated and outcome.leader == n
    assert outcome.messages == (2 * n if n > 1 else 0)


@pytest.mark.parametrize("victim", range(1, 6))
def test_ring_coordinator_ends_in_agreement_whoever_crashes_at_any_moment(victim):
    for time in range(60):
        for starters in ("all", "one", [2, 5]):
            crash = Scenario(
                "ring-coordinator",
                topology=TopologySpec(n=5, order="sorted"),
                network=Network("uniform:1:6"),
                starters=starters,
                faults=[Crash(time, victim)],
                seed=time,
            )
            outcome = simulate(crash)
            bad = [p.witness.text for p in outcome.properties if p.witness and p.name != "stability"]
            silent = outcome.messages == 0  # the only starter crashed before it could start
            assert silent or (not bad and outcome.leader == (4 if victim == 5 else 5)), (time, starters, bad)


@given(
    n=st.integers(2, 7),
    seed=st.integers(0, 10**6),
    lives=st.lists(st.tuples(st.integers(1, 7), st.integers(0, 300), st.integers(1, 200)), max_size=4),
)
def test_ring_coordinator_agrees_after_crashes_and_recoveries(n, seed, lives):
    faults = []
    for process, crash, outage in lives:
        if process <= n and process not in [fault.process for fault in faults]:
            faults += [Crash(crash, process), Recover(crash + outage, process)]
    outcome = simulate(
        Scenario(
            "ring-coordinator",
            topology=TopologySpec(n=n, order="sorted"),
            network=Network("uniform:1:10"),
            faults=faults,
            seed=seed,
        )
    )
    assert outcome.ended == "quiescence"
    assert [p.witness.text for p in outcome.properties if p.witness and p.name in ("termination", "agreement")] == []
    assert outcome.leader == n


def test_two_ring_elections_at_once_converge():
    assert simulate(named_scenarios()["ring-coordinator-two-elections"]).leader == 5
