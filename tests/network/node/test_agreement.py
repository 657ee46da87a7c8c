"""Late messages, broken connections and stops leave nobody with the wrong leader for good, or with none."""

import asyncio

import pytest
from groups import agreed, group, traced_group, until, validated
from hypothesis import given, settings
from hypothesis import strategies as st

from habemus.network.node import agreement
from habemus.network.operate.cluster import Cluster
from habemus.scenario import Layer, Scenario

BEATS = [Layer("heartbeat", {"period": 100, "timeout": 500, "look": 50})]
KINDS = {
    "bully": Scenario("bully", layers=BEATS),
    "stable": Scenario("bully-stable", layers=BEATS),
    "candidates": Scenario("bully-weighted", parameters={"candidates": (2, 3)}, layers=BEATS),
    "one candidate": Scenario("bully-weighted", parameters={"candidates": (3,)}, layers=BEATS),
    "weight": Scenario("bully-weighted", parameters={"weight": {1: 5}}, layers=BEATS),
    "ring-coordinator": Scenario("ring-coordinator", layers=BEATS),
}
EACH = pytest.mark.parametrize("scenario", KINDS.values(), ids=KINDS)
STEADFAST = 60_000  # milliseconds; a stall that no busy machine causes


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(agreement, "FIRST_WAIT", 0.1)


def named(cluster, ids):
    return {cluster.members[id].status.get("leader") for id in ids}


def test_who_was_told_of_a_leader_that_has_given_way_follows_the_true_one_in_the_end(tmp_path):
    """The answer of 3 comes too late: 2 takes over, and gives way when it comes; 1 hears of the first alone."""

    async def run():
        made = Cluster(Scenario("bully"), 3, tmp_path)
        try:
            await made.start()
            await until(lambda: made.leader == 3)
            made.pause(3)
            made.command(2, "start")
            await until(lambda: named(made, [1, 2]) == {2})
            made.resume(3)
            await until(lambda: made.leader == 3)
        finally:
            for id in made.members:
                made.kill(id)
            await made.end()

    asyncio.run(run())


@pytest.mark.parametrize("algorithm", ["bully", "ring-coordinator"])
def test_a_leader_calls_when_it_hears_that_another_is_followed_and_the_trace_stays_valid(algorithm, tmp_path, soon):
    async def run():
        async with traced_group(Scenario(algorithm), 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes) and nodes[0].leader == 3)
            leader = nodes[2]
            for times in (1, 2):
                leader.agreement.hear(1, 2)
                await until(lambda times=times: leader.counts["disagreements"] >= times)
                await until(lambda: agreed(nodes) and nodes[0].leader == 3)

    asyncio.run(run())
    validated(tmp_path, 3)


def test_whom_each_has_reason_to_doubt(tmp_path):
    async def run():
        async with group("bully", 3, tmp_path, stall=STEADFAST) as nodes:
            await until(lambda: agreed(nodes) and nodes[0].leader == 3)
            view = nodes[0].agreement
            await until(lambda: view.followed == {2: 3, 3: 3})
            view.hear(2, 1)
            assert view.timer is None  # it is for 2 and 3 to see to that
            view.hear(3, None)
            assert view.timer is None  # it is about to choose
            view.hear(3, 2)
            assert view.timer is not None  # it follows one that follows another
            view.forget(3)
            assert view.timer is None
            view.hear(3, 2)
            view.hear(2, 3)
            nodes[0].peers.link_lost(3)
            assert nodes[0].leader is None and view.timer is None  # nobody knows one that is alive
            nodes[0].peers.link_made(3)
            assert view.timer is not None  # somebody does

    asyncio.run(run())


def test_who_follows_one_that_is_dead_because_its_last_word_came_after_its_death_does_not_for_long(tmp_path, soon):
    async def run():
        async with group("bully", 2, tmp_path, stall=STEADFAST) as (one, two):
            await until(lambda: agreed([one, two]) and one.leader == 2)
            heard = one.peers.messages_received["Coordinator"]
            one.peers.inbound[2].transport.pause_reading()
            two.command("start")  # it says once more that it leads
            await asyncio.sleep(0.05)
            await two.stop()
            await until(lambda: one.leader == 1)
            one.peers.inbound[2].transport.resume_reading()
            await until(lambda: one.peers.messages_received["Coordinator"] == heard + 1 and one.leader == 1)
            assert [change.subject for change in one.history][-3:] == [2, None, 1]

    asyncio.run(run())


@EACH
def test_one_whose_connection_broke_for_a_moment_does_not_stay_without_a_leader(scenario, tmp_path, soon):
    async def run():
        async with traced_group(scenario, 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes))
            for node in nodes:
                for link in node.peers.links.values():
                    await until(lambda link=link: link.up)
                    link.connection.abort("for the test")
                await until(lambda: agreed(nodes))

    asyncio.run(run())
    validated(tmp_path, 3)


@EACH
def test_a_group_that_was_cut_in_two_agrees_when_it_is_whole_again(scenario, tmp_path, soon):
    async def run():
        async with traced_group(scenario, 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes))
            sides = {1: [3], 2: [3], 3: [1, 2]}
            for node in nodes:
                node.peers.block(sides[node.id])
            await until(lambda: all(node.stack.suspected == sides[node.id] for node in nodes))
            for node in nodes:
                node.peers.block([])
            await until(lambda: not any(node.stack.suspected for node in nodes) and agreed(nodes))

    asyncio.run(run())
    validated(tmp_path, 3)


troubles = st.lists(
    st.tuples(
        st.sampled_from(["late", "late", "cut", "cut off", "stop", "call"]),
        st.permutations([0, 1, 2]),
        st.sampled_from([0, 1, 10, 100]),
        st.sampled_from([20, 120, 400]),
    ),
    min_size=1,
    max_size=8,
)


async def befall(trouble, node, peer, milliseconds):
    """Something happens to a process, or to what another sends it; some of it lasts for so long."""
    inbound, connection = node.peers.inbound.get(peer), node.peers.links[peer].connection
    if trouble == "stop":
        node.last_look -= 10**10
        node.look()
    elif trouble == "call":
        node.command("start")
    elif trouble == "cut" and connection is not None:
        connection.abort("for the test")
    elif trouble == "cut off" and inbound is not None:
        inbound.abort("for the test")
    elif trouble == "late" and inbound is not None:
        inbound.transport.pause_reading()
        await asyncio.sleep(milliseconds / 1000)
        if not inbound.ended:
            inbound.transport.resume_reading()


@EACH
@settings(max_examples=max(8, settings().max_examples // 100))
@given(events=troubles)
def test_whatever_was_late_broken_or_stopped_all_agree_in_the_end(scenario, tmp_path_factory, events):
    folder = tmp_path_factory.mktemp("troubles")

    async def run():
        async with traced_group(scenario, 3, folder) as nodes:
            await until(lambda: agreed(nodes))
            lasting = []
            for trouble, (one, other, _), pause, duration in events:
                lasting.append(asyncio.ensure_future(befall(trouble, nodes[one], nodes[other].id, duration)))
                await asyncio.sleep(pause / 1000)
            await asyncio.gather(*lasting)
            await until(lambda: agreed(nodes))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agreement, "FIRST_WAIT", 0.1)
        asyncio.run(run())
    validated(folder, 3)


def test_calling_in_vain_is_done_ever_more_rarely(tmp_path, soon):
    async def run():
        async with group("bully", 3, tmp_path, stall=STEADFAST) as nodes:
            await until(lambda: agreed(nodes) and nodes[0].leader == 3)
            view = nodes[2].agreement
            for times in (1, 2, 3):
                view.hear(1, 2)  # and nothing that 3 can say changes it for long
                await until(lambda times=times: nodes[2].counts["disagreements"] >= times)
                assert view.wait >= 2**times * agreement.FIRST_WAIT
                view.hear(1, 3)
                assert view.timer is None
            view.last_call -= agreement.FORGET_AFTER * view.wait  # that was long ago
            view.hear(1, 2)
            assert view.wait == agreement.FIRST_WAIT

    asyncio.run(run())


def test_two_leaders_that_cannot_hear_each_other_do_not_snatch_a_third_from_each_other_for_ever(tmp_path, soon):
    async def run():
        async with group(KINDS["bully"], 3, tmp_path, stall=STEADFAST) as nodes:
            await until(lambda: agreed(nodes) and nodes[0].leader == 3)
            nodes[1].peers.block([3])
            nodes[2].peers.block([2])
            await until(lambda: min(node.agreement.wait for node in nodes[1:]) >= 8 * agreement.FIRST_WAIT)
            assert all(node.leads for node in nodes[1:])

    asyncio.run(run())


def test_elections_with_terms_and_those_held_only_once_are_left_alone(tmp_path):
    async def run():
        for algorithm, needed in {
            "raft-election-steady": False,
            "chang-roberts": False,
            "ring-coordinator": True,
        }.items():
            folder = tmp_path / algorithm
            folder.mkdir()
            async with group(algorithm, 3, folder) as nodes:
                assert [node.agreement.needed for node in nodes] == [needed] * 3

    asyncio.run(run())


def test_a_group_that_agrees_has_nothing_to_doubt(tmp_path, soon):
    async def run():
        for kind, scenario in KINDS.items():
            folder = tmp_path / kind
            folder.mkdir()
            async with group(scenario, 3, folder, stall=STEADFAST) as nodes:
                views = [node.agreement for node in nodes]
                await until(lambda nodes=nodes: agreed(nodes))
                told = {nodes[0].leader}
                await until(lambda views=views, told=told: all(set(v.followed.values()) == told for v in views))
                assert not any(view.broken or view.timer for view in views)

    asyncio.run(run())
