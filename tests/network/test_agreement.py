"""A message that came too late leaves nobody with the wrong leader for good."""

import asyncio

import pytest
from groups import agreed, group, traced_group, until, validated

from habemus.network import agreement
from habemus.network.cluster import Cluster
from habemus.scenario import Scenario


def named(cluster, ids):
    return {cluster.members[id].status.get("leader") for id in ids}


def test_who_was_told_of_a_leader_that_has_given_way_follows_the_true_one_in_the_end(tmp_path):
    """The answer of 3 comes too late: 2 takes over, and gives way when it comes; 1 hears of the first alone."""

    async def run():
        made = Cluster(Scenario("bully"), 3, tmp_path)
        try:
            await made.start()
            await until(lambda: made.leader == 3, 40)
            made.pause(3)
            made.command(2, "start")
            await until(lambda: named(made, [1, 2]) == {2})
            made.resume(3)
            await until(lambda: made.leader == 3, 20)
        finally:
            for id in made.members:
                made.kill(id)
            await made.end()

    asyncio.run(run())


@pytest.mark.parametrize("algorithm", ["bully", "ring-coordinator"])
def test_a_leader_calls_when_it_hears_that_another_is_followed_and_the_trace_stays_valid(
    algorithm, tmp_path, monkeypatch
):
    monkeypatch.setattr(agreement, "PASSING", 0.05)

    async def run():
        async with traced_group(Scenario(algorithm), 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes) and nodes[0].leader == 3)
            leader = nodes[2]
            for times in (1, 2):
                leader.agreement.hear(1, 2)
                await until(lambda times=times: leader.counts["disagreements"] == times)
                await until(lambda: agreed(nodes) and nodes[0].leader == 3)

    asyncio.run(run())
    validated(tmp_path, 3)


def test_who_follows_one_that_follows_another_doubts_and_who_follows_nobody_does_not(tmp_path):
    async def run():
        async with group("bully", 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes) and nodes[0].leader == 3)
            view = nodes[0].agreement
            await until(lambda: view.followed == {2: 3, 3: 3})
            view.hear(2, 1)
            assert view.doubt is None  # it is for 2 and 3 to see to that
            view.hear(3, None)
            assert view.doubt is None  # it is about to choose
            view.hear(3, 2)
            assert view.doubt is not None
            view.forget(3)
            assert view.doubt is None
            view.hear(3, 2)
            nodes[0].link_lost(3)  # who is suspected will be replaced anyhow
            assert view.doubt is None

    asyncio.run(run())


def test_calling_in_vain_is_done_ever_more_rarely(tmp_path, monkeypatch):
    monkeypatch.setattr(agreement, "PASSING", 0.05)

    async def run():
        async with group("bully", 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes) and nodes[0].leader == 3)
            view = nodes[2].agreement
            view.hear(1, 2)  # and nothing that 3 can say changes it
            await until(lambda: nodes[2].counts["disagreements"] == 3)
            assert view.patience == 8 * 0.05
            view.hear(1, 3)
            assert view.patience == 0.05 and view.doubt is None

    asyncio.run(run())


def test_elections_with_terms_and_those_held_only_once_are_left_alone(tmp_path):
    async def run():
        for algorithm, needed in {"raft-election": False, "chang-roberts": False, "ring-coordinator": True}.items():
            folder = tmp_path / algorithm
            folder.mkdir()
            async with group(algorithm, 3, folder) as nodes:
                assert [node.agreement.needed for node in nodes] == [needed] * 3

    asyncio.run(run())
