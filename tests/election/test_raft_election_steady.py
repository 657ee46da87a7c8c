"""Raft's steady form: who was cut off disturbs nobody, who is cut off steps down, nobody waits for the dead."""

import pytest

from habemus.election.raft_election_steady import RaftElectionSteady
from habemus.scenario import Crash, Heal, Network, Partition, Scenario, TopologySpec
from habemus.simulation import simulate


def cut_off_and_back(prevote: bool, seed: int):
    """3 is cut off for a while, after a leader was elected; it is not the leader."""
    scenario = Scenario(
        "raft-election-steady",
        parameters={"prevote": prevote},
        topology=TopologySpec(ids=[1, 2, 3]),
        network=Network(delay="uniform:1:10"),
        starters=[1],
        faults=[Partition(500, [[1, 2], [3]]), Heal(2000)],
        seed=seed,
        until=3500,
    )
    return simulate(scenario)


def test_with_prevote_who_was_cut_off_disturbs_nobody_and_without_it_deposes_the_leader():
    with_prevote = [cut_off_and_back(True, seed) for seed in range(20)]
    assert all(not outcome.violated and outcome.claims == 1 for outcome in with_prevote)
    assert any(cut_off_and_back(False, seed).claims > 1 for seed in range(20))


@pytest.mark.parametrize("check_quorum", [True, False])
def test_a_leader_that_is_cut_off_steps_down_if_it_checks_its_quorum(check_quorum):
    for seed in range(10):
        scenario = Scenario(
            "raft-election-steady",
            parameters={"check_quorum": check_quorum},
            topology=TopologySpec(ids=[1, 2, 3]),
            starters=[1],
            faults=[Partition(500, [[1], [2, 3]])],
            seed=seed,
            until=3000,
        )
        outcome = simulate(scenario)
        if check_quorum:
            assert outcome.leader in (2, 3)
        else:
            assert outcome.leader is None and outcome.claims >= 2  # two are in office, 1 in its old term


# With a detector


def leader_dies(n: int, seed: int, algorithm: str = "raft-election-steady", **parameters) -> Scenario:
    """The leader dies at 1000, and 20 ticks later all are told."""
    return Scenario(
        algorithm,
        parameters=parameters,
        topology=TopologySpec(n=n),
        network=Network(delay="uniform:1:5"),
        detection=20,
        starters="one",
        faults=[Crash(1000, "leader")],
        seed=seed,
        until=3000,
    )


def successions(scenario: Scenario) -> list[tuple[int, int, int]]:
    """After the death of the leader: who was elected, when, and when the last one knew it."""
    outcome = simulate(scenario, keep=100_000)
    later = [event for event in outcome.trace.events if event.time > 1000 and event.process is not None]
    elected = [event for event in later if event.role == "leader"]
    return [
        (event.process, event.time, max(e.time for e in later if e.changed.get("leader") == event.process))
        for event in elected
    ]


def after_the_dead(scenario: Scenario, places: int) -> int:
    """The process so many places after the one that died."""
    outcome = simulate(scenario, keep=100_000)
    dead = next(event.process for event in outcome.trace.events if event.kind == "crash")
    return outcome.ids[(outcome.ids.index(dead) + places) % outcome.n]


@pytest.mark.parametrize("prevote", [False, True])
@pytest.mark.parametrize("n", range(3, 10))
def test_eager_the_next_member_is_elected_at_once_when_the_leader_is_reported_dead(n, prevote):
    for seed in range(10):
        scenario = leader_dies(n, seed, prevote=prevote)
        ((leader, elected, known),) = successions(scenario)
        rounds = 2 if prevote else 1
        assert leader == after_the_dead(scenario, 1)
        assert elected <= 1020 + rounds * 2 * 5 and known <= elected + 5


@pytest.mark.parametrize("n", range(5, 10))
def test_eager_if_the_next_is_dead_too_the_one_after_it_stands_a_heartbeat_later(n):
    for seed in range(10):
        scenario = leader_dies(n, seed, prevote=False, low=400, high=600)  # so that no ordinary time-out comes first
        scenario.faults.append(Crash(1001, after_the_dead(scenario, 1)))
        ((leader, elected, _),) = successions(scenario)
        assert leader == after_the_dead(scenario, 2)
        assert 1020 + 75 < elected <= 1020 + 75 + 2 * 5


def test_unless_eager_a_report_changes_nothing():
    for seed in range(20):
        told = leader_dies(5, seed, eager=False)
        untold = leader_dies(5, seed, eager=False)
        untold.detection = -1
        assert successions(told) == successions(untold) and successions(told)[0][1] > 1020 + 2 * 5


class AllAtOnce(RaftElectionSteady):
    """Whoever is told stands, without waiting for its turn."""

    def turn_after(self, leader):
        return 0


def test_if_all_stood_at_once_they_would_split_the_vote():
    late = [
        successions(leader_dies(4, seed, f"{__name__}:AllAtOnce", prevote=False))[0][1] > 1030 for seed in range(20)
    ]
    assert sum(late) > 10
