"""Raft's claims: at most one leader a term, always; a leader soon, while a majority by weight is up and connected."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from soak import runs

from habemus.election.raft_election import RaftElection
from habemus.properties import Property, Witness
from habemus.scenario import (
    Crash,
    Cut,
    Drift,
    Heal,
    Layer,
    Network,
    Partition,
    Pause,
    Recover,
    Resume,
    Scenario,
    Skew,
    TopologySpec,
)
from habemus.simulation import simulate
from habemus.simulation.run import build_simulation

SEEDS = runs(200, soak=10_000)


class OneLeaderATerm(Property):
    """Watches a run: whoever is in office is the first ever seen in office in its term, and was given the votes."""

    name = "one_leader_a_term"

    def __init__(self, simulation):
        super().__init__()
        self.simulation = simulation
        self.leaders: dict[int, int] = {}

    def violation(self, world):
        for pid in world.in_office:
            term = self.simulation.node(pid).process.term
            first = self.leaders.setdefault(term, pid)
            if first != pid:
                return Witness(f"{first} and {pid} both led in term {term}", world.time, [first, pid], [])
        return None


def watched(scenario: Scenario) -> OneLeaderATerm:
    """Run a scenario under that watch."""
    simulation = build_simulation(scenario, None)
    watch = OneLeaderATerm(simulation)
    simulation.observers.watch(watch)
    simulation.run(scenario.until, scenario.events)
    return watch


def chaos(seed: int, algorithm: str = "", until: int = 3000, **parameters) -> Scenario:
    """Everything that can go wrong: loss, copies, overtaking, slow links, partitions, crashes, pauses, wild clocks."""
    random = Random(f"chaos {seed}")
    ids = sorted(random.sample(range(1, 100), random.randint(2, 7)))
    faults = []
    for _ in range(random.randint(0, 12)):
        time, pid = random.randint(0, until - 1), random.choice(ids)
        later = time + random.randint(1, 600)
        shuffled = random.sample(ids, len(ids))
        half = random.randint(1, len(ids) - 1)
        faults += random.choice(
            [
                [Crash(time, pid), Recover(later, pid)],
                [Crash(time, pid), Recover(time + 1, pid)],
                [Crash(time, pid)],
                [Pause(time, pid), Resume(later, pid)],
                [Partition(time, [shuffled[:half], shuffled[half:]]), Heal(later)],
                [Cut(time, [(shuffled[0], shuffled[1])], one_way=True), Heal(later)],
                [Drift(time, pid, random.choice([0.5, 1.5, 3.0])), Skew(later, pid, random.randint(-200, 200))],
            ]
        )
    delay = random.choice(["uniform:1:10", "uniform:1:100", "uniform:20:400", "exponential:40", "lognormal:10:1.5"])
    options = {
        "high": random.choice([150, 160, 300]),
        "weight": {pid: random.randint(0, 3) for pid in ids} if random.random() < 0.3 else {},
        "log": {pid: random.randint(0, 3) for pid in ids} if random.random() < 0.3 else {},
    }
    if not algorithm:
        algorithm = random.choice(["raft-election", "raft-election-steady"])
        if algorithm == "raft-election-steady":
            options |= {option: random.random() < 0.6 for option in ("prevote", "check_quorum", "eager")}
    return Scenario(
        algorithm,
        parameters={**options, **parameters},
        topology=TopologySpec(ids=ids),
        network=Network(
            delay=delay,
            loss=random.choice([0.0, 0.05, 0.3]),
            duplication=random.choice([0.0, 0.2]),
            fifo=random.random() < 0.5,
        ),
        starters=random.choice(["all", "one", random.randint(1, len(ids))]),
        layers=[Layer("heartbeat", {"growth": 5})] if random.random() < 0.3 else [],  # which makes mistakes here
        faults=sorted(faults, key=lambda fault: fault.at),
        seed=seed,
        until=until,
    )


def test_at_most_one_leader_a_term_whatever_goes_wrong():
    led = 0
    for seed in range(SEEDS):
        watch = watched(chaos(seed))
        assert watch.witness is None, f"seed {seed}: {watch.witness.text}"
        led += len(watch.leaders)
    assert led > SEEDS / 2  # the claim is not kept by electing nobody


# Votes, read from the trace: who voted for whom in which term, and what that weighs.


def check_votes(scenario: Scenario) -> int:
    """Nobody votes twice in a term, and whoever leads has more than half of all weight; how many led."""
    outcome = simulate(scenario, keep=10**6)
    weight = scenario.parameters["weight"]
    whole = sum(weight.get(pid, 1) for pid in outcome.ids)
    term = dict.fromkeys(outcome.ids, 0)
    vote: dict[int, int | None] = dict.fromkeys(outcome.ids)
    votes: dict[tuple[int, int], int] = {}
    led = 0
    for event in outcome.trace.events:
        me = event.process
        if me is None:
            continue
        term[me] = event.changed.get("term", term[me])
        vote[me] = event.changed.get("vote", vote[me])
        if vote[me] is not None:
            assert votes.setdefault((term[me], me), vote[me]) == vote[me], f"{me} voted twice in term {term[me]}"
        if event.role == "leader":
            led += 1
            behind = sum(weight.get(p, 1) for p in outcome.ids if votes.get((term[me], p)) == me)
            assert 2 * behind > whole, f"{me} leads term {term[me]} with {behind} of {whole}"
    return led


def test_nobody_votes_twice_in_a_term_and_no_leader_has_half_of_the_weight_or_less():
    led = 0
    for seed in range(SEEDS // 4):
        random = Random(seed)
        scenario = chaos(seed)
        scenario.parameters["weight"] = {pid: random.randint(0, 4) for pid in scenario.topology.ids}
        led += check_votes(scenario)
    assert led > SEEDS / 16


def test_the_heavier_side_of_a_partition_leads_though_it_is_smaller():
    weight = {1: 3}
    for seed in range(20):
        for groups, sides in (([[1, 2], [3, 4, 5]], (1, 2)), ([[2, 3, 4, 5], [1]], (2, 3, 4, 5))):
            outcome = simulate(
                Scenario(
                    "raft-election",
                    parameters={"weight": weight},
                    topology=TopologySpec(ids=[1, 2, 3, 4, 5]),
                    faults=[Partition(0, groups)],
                    seed=seed,
                    until=2000,
                )
            )
            assert outcome.leader in sides and outcome.claims >= 1


def test_nobody_leads_where_no_side_has_more_than_half():
    for seed in range(20):
        scenario = Scenario(
            "raft-election",
            parameters={"weight": {1: 2, 2: 2, 3: 1, 4: 1}},
            topology=TopologySpec(ids=[1, 2, 3, 4]),
            faults=[Partition(0, [[1, 3], [2, 4]])],
            seed=seed,
            until=3000,
        )
        assert simulate(scenario).claims == 0


# Termination, agreement, stability


@st.composite
def healthy_networks(draw):
    ids = draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=9, unique=True))
    return Scenario(
        "raft-election-steady",
        parameters={"prevote": draw(st.booleans()), "check_quorum": draw(st.booleans())},
        topology=TopologySpec(ids=ids),
        network=Network(delay=draw(st.sampled_from(["unit", "uniform:1:15"])), fifo=draw(st.booleans())),
        starters=draw(st.lists(st.sampled_from(ids), min_size=1, unique=True)),
        seed=draw(st.integers(0, 2**32)),
        until=4000,
    )


@given(healthy_networks())
def test_in_a_healthy_network_all_agree_on_a_leader(scenario):
    outcome = simulate(scenario)
    assert {p.name for p in outcome.properties if p.witness} <= {"uniqueness", "stability"}
    assert watched(scenario).witness is None


@given(healthy_networks(), st.integers(0, 3000))
def test_a_crashed_minority_is_survived(scenario, time):
    ids = scenario.topology.ids
    scenario.starters = "all"
    scenario.faults = [Crash(time + 50 * number, pid) for number, pid in enumerate(ids[: (len(ids) - 1) // 2])]
    scenario.until = 8000
    outcome = simulate(scenario)
    assert {p.name for p in outcome.properties if p.witness} <= {"uniqueness", "stability"}
    assert outcome.leader not in ids[: (len(ids) - 1) // 2]


def test_when_everything_works_again_there_is_a_leader_again():
    """With pre-vote, logs and check-quorum in any combination: none of them may wait for another for ever."""
    for seed in range(150):
        scenario = chaos(seed, until=3000, weight={}, high=300)
        ids = scenario.topology.ids
        scenario.network = Network(delay="uniform:1:10")
        restored = [Heal(3000), *(Recover(3000, pid) for pid in ids), *(Resume(3000, pid) for pid in ids)]
        scenario.faults += [*restored, *(Drift(3000, pid, 1.0) for pid in ids)]
        scenario.faults = [fault for fault in scenario.faults if fault.at <= 3000]
        scenario.until = 9000
        outcome = simulate(scenario)
        broken = {p.name: p.witness.text for p in outcome.properties if p.witness}
        assert broken.keys() <= {"uniqueness", "stability"}, f"seed {seed}: {broken}"


def test_nobody_leads_whose_log_is_shorter_than_those_of_a_majority():
    for seed in range(100):
        random = Random(seed)
        ids = list(range(1, random.randint(2, 8)))
        log = {pid: random.randint(0, 5) for pid in ids}
        scenario = Scenario(
            random.choice(["raft-election", "raft-election-steady"]),
            parameters={"log": log},
            topology=TopologySpec(ids=ids),
            network=Network(delay="uniform:1:10"),
            seed=seed,
            until=4000,
        )
        leader = simulate(scenario).leader
        assert leader is not None
        assert 2 * sum(log[pid] <= log[leader] for pid in ids) > len(ids)


# Costs


@pytest.mark.parametrize("n", range(2, 65))
def test_an_undisputed_election_costs_n_minus_1_requests_and_votes_then_n_minus_1_heartbeats_and_answers_a_period(n):
    # The starter stands at 150, has the votes at 152, and sends its first heartbeat then; answers take 2 ticks.
    scenario = Scenario("raft-election", topology=TopologySpec(n=n), starters="one", until=152 + 3 * 75 + 2)
    scenario.parameters = {"low": 150, "high": 150}
    outcome = simulate(scenario)
    assert outcome.messages_by_type == {
        "RequestVote": n - 1,
        "Vote": n - 1,
        "Heartbeat": 4 * (n - 1),
        "Answer": 4 * (n - 1),
    }
    assert not outcome.violated and outcome.leader == outcome.ids[0]


def test_a_process_alone_leads_at_once():
    outcome = simulate(Scenario("raft-election", topology=TopologySpec(ids=[7]), until=1000))
    assert not outcome.violated and outcome.leader == 7


# Broken twins


class ForgetsItsVote(RaftElection):
    """Its vote is not on disk."""

    def come_back(self):
        self.vote = None
        super().come_back()


class HalfIsEnough(RaftElection):
    """Leads with half of the weight."""

    def supported(self):
        return 2 * len(self.supporters) >= self.n


class CountsCopies(RaftElection):
    """Takes two copies of a vote for two votes."""

    def count_vote(self, sender, message):
        if sender in self.supporters:
            sender = -len(self.supporters)
        super().count_vote(sender, message)


class HeedsOldVotes(RaftElection):
    """Counts votes of older terms, too."""

    def is_current(self, term):
        return super().is_current(max(term, self.term))


@pytest.mark.parametrize("twin", ["ForgetsItsVote", "HalfIsEnough", "CountsCopies", "HeedsOldVotes"])
def test_two_leaders_in_one_term_are_caught(twin):
    algorithm = f"{__name__}:{twin}"
    assert any(watched(chaos(seed, algorithm, weight={}, log={})).witness for seed in range(1500))
