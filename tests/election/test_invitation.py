"""Garcia-Molina's claims for the invitation algorithm: one leader a group, always; one group, once all can talk."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from soak import runs

from habemus.election.invitation import InvitationElection
from habemus.scenario import Crash, Heal, Network, Partition, Pause, Recover, Resume, Scenario, TopologySpec
from habemus.simulation import simulate

SEEDS = runs(100, soak=2000)
KEEP = 10**6


def check_groups(outcome) -> int:
    """At every event: a group is founded once; who names a leader names its group's founder. How many were founded."""
    founded: set[tuple[int, int]] = set()
    group: dict[int, tuple[int, int]] = {}
    in_office: dict[int, tuple[int, int]] = {}
    for event in outcome.trace.events:
        me = event.process
        if event.kind == "crash":
            in_office.pop(me, None)
        if "group" in event.changed:
            group[me] = tuple(event.changed["group"])
            if group[me][0] == me:
                assert group[me] not in founded, f"{me} founded {group[me]} twice"
                founded.add(group[me])
            else:
                assert group[me] in founded, f"{me} joined {group[me]}, which nobody has founded"
        if "leader" in event.changed:
            in_office.pop(me, None)
            leader = event.changed["leader"]
            assert leader in (None, group[me][0]), f"{me} of {group[me]} follows {leader}"
            if leader == me:
                assert group[me] not in in_office.values(), f"two lead {group[me]}"
                in_office[me] = group[me]
    return len(founded)


def chaos(seed: int, algorithm: str = "invitation", until: int = 2000) -> Scenario:
    """Loss, copies, overtaking, delays far beyond patience, partitions, crashes, pauses."""
    random = Random(f"chaos {seed}")
    ids = sorted(random.sample(range(1, 100), random.randint(2, 6)))
    faults = []
    for _ in range(random.randint(0, 8)):
        time, pid = random.randint(0, until - 700), random.choice(ids)
        later = time + random.randint(1, 600)
        half = random.randint(1, len(ids) - 1)
        faults += random.choice(
            [
                [Crash(time, pid), Recover(later, pid)],
                [Pause(time, pid), Resume(later, pid)],
                [Partition(time, [ids[:half], ids[half:]]), Heal(later)],
            ]
        )
    return Scenario(
        algorithm,
        topology=TopologySpec(ids=ids),
        network=Network(
            delay=random.choice(["uniform:1:10", "uniform:1:100", "exponential:30"]),
            loss=random.choice([0.0, 0.2]),
            duplication=random.choice([0.0, 0.2]),
            fifo=random.random() < 0.5,
        ),
        starters=random.choice(["all", "one"]),
        faults=sorted(faults, key=lambda fault: fault.at),
        seed=seed,
        until=until,
    )


def test_a_group_has_one_leader_whatever_goes_wrong():
    founded = sum(check_groups(simulate(chaos(seed), keep=KEEP)) for seed in range(SEEDS))
    assert founded > 5 * SEEDS


@st.composite
def healthy_networks(draw):
    ids = draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=9, unique=True))
    return Scenario(
        "invitation",
        topology=TopologySpec(ids=ids),
        network=Network(delay=draw(st.sampled_from(["unit", "uniform:1:12"])), fifo=draw(st.booleans())),
        starters=draw(st.lists(st.sampled_from(ids), min_size=1, unique=True)),
        seed=draw(st.integers(0, 2**32)),
        until=3000,
    )


def assert_one_group(outcome) -> None:
    broken = {p.name: p.witness.text for p in outcome.properties if p.witness}
    assert broken.keys() <= {"uniqueness", "stability"}, broken


@given(healthy_networks())
def test_in_a_healthy_network_one_group_remains(scenario):
    outcome = simulate(scenario, keep=KEEP)
    assert_one_group(outcome)
    check_groups(outcome)


def test_groups_that_were_parted_merge_again():
    for seed in range(100):
        scenario = chaos(seed)
        scenario.network = Network(delay="uniform:1:10")
        scenario.until = 5000
        assert_one_group(simulate(scenario))


def test_each_side_of_a_partition_has_a_leader_that_its_side_agrees_on():
    for seed in range(20):
        scenario = Scenario(
            "invitation",
            topology=TopologySpec(ids=[1, 2, 3, 4, 5]),
            network=Network(delay="uniform:1:10"),
            faults=[Partition(0, [[1, 2, 3], [4, 5]])],
            seed=seed,
            until=2000,
        )
        outcome = simulate(scenario, keep=KEEP)
        names: dict[int, int | None] = {}
        for event in outcome.trace.events:
            if "leader" in event.changed:
                names[event.process] = event.changed["leader"]
        assert {names[1], names[2], names[3]} == {3} and {names[4], names[5]} == {5}


@pytest.mark.parametrize("n", range(2, 17))
def test_one_group_costs_n_minus_1_questions_to_all_and_as_many_of_its_members_a_period(n):
    """No answers to the leader's questions, because nobody else leads; one to each member's."""

    def sent(until: int) -> dict[str, int]:
        scenario = Scenario("invitation", topology=TopologySpec(n=n), starters="all", until=until)
        return simulate(scenario).messages_by_type

    before, after = sent(1020 + 200 * n), sent(1520 + 200 * n)
    more = {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
    assert more == {"AreYouCoordinator": 5 * (n - 1), "AreYouThere": 5 * (n - 1), "Here": 5 * (n - 1)}


# Broken twins


class ForgetsItsCounter(InvitationElection):
    """The counter is not on disk."""

    def come_back(self):
        self.counter = 0
        InvitationElection.come_back.function(self)


class JoinsAnyGroup(InvitationElection):
    """Takes any word of being ready for that of its own group."""

    def join(self, sender, message):
        self.group = message.group
        self.leader = None
        self.elect(sender)
        self.stage = "normal"


@pytest.mark.parametrize("twin", ["ForgetsItsCounter", "JoinsAnyGroup"])
def test_a_broken_twin_is_caught(twin):
    def caught(seed: int) -> bool:
        try:
            check_groups(simulate(chaos(seed, f"{__name__}:{twin}"), keep=KEEP))
        except AssertionError:
            return True
        return False

    assert any(caught(seed) for seed in range(100))
