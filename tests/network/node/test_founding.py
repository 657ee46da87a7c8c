"""A group is founded once: whoever has another roll says so, and does not lead."""

import asyncio
import math
import shutil

import pytest
from groups import addresses, agreed, group, until

from habemus.network.errors import NetworkError, StorageError
from habemus.network.node import founding
from habemus.network.node.node import Node
from habemus.network.node.storage import PeerIncarnation
from habemus.scenario import Scenario

RAFT = Scenario("raft-election", parameters={"low": 300, "high": 600, "heartbeat": 100})
BOTH = pytest.mark.parametrize("scenario", [RAFT, Scenario("bully")], ids=lambda scenario: scenario.algorithm)


@pytest.fixture(autouse=True)
def short_times(monkeypatch):
    monkeypatch.setattr(founding, "LISTENING", 0.3)
    monkeypatch.setattr("habemus.network.wire.link.LONGEST_REFUSED", 0.1)
    monkeypatch.setattr(founding, "DISPUTED", 1.0)


def some(where, *ids):
    return {id: where[id] for id in ids}


async def begin(node):
    """Start a node; a task, because it may have to wait for others."""
    starting = asyncio.ensure_future(node.start())
    await until(lambda: node.memory.record.incarnation)
    return starting


async def end(nodes, tasks=()):
    for task in tasks:
        task.cancel()
    for node in nodes:
        await node.stop()
    await asyncio.gather(*tasks, return_exceptions=True)


@BOTH
def test_a_group_that_was_discovered_begins_when_all_its_members_have_met_and_then_without_some(scenario, tmp_path):
    async def run():
        where = addresses(3)
        nodes = [Node(scenario, id, where, tmp_path / str(id), wait=0.1, discovered=True) for id in where]
        early = [await begin(node) for node in nodes[:2]]
        await until(lambda: all(len(node.peers.connected) == 1 for node in nodes[:2]))
        await asyncio.sleep(1.5)
        assert not any(node.begun or node.leads for node in nodes)
        late = await begin(nodes[2])
        await until(lambda: agreed(nodes))
        await end(nodes, [*early, late])
        again = [Node(scenario, id, where, tmp_path / str(id), wait=0.1, discovered=True) for id in (1, 2)]
        tasks = [await begin(node) for node in again]
        await until(lambda: agreed(again))
        await end(again, tasks)

    asyncio.run(run())


@pytest.mark.parametrize("scenario", [Scenario("raft-election"), Scenario("bully")], ids=lambda each: each.algorithm)
def test_a_founded_group_keeps_its_leader_beside_a_process_with_another_roll(scenario, tmp_path, caplog):
    async def run():
        where = addresses(4)
        async with group(scenario, 3, tmp_path, some(where, 1, 2, 3)) as nodes:
            await until(lambda: agreed(nodes))
            leader, term = nodes[0].leader, nodes[0].term
            stranger = Node(scenario, 4, where, tmp_path / "4", wait=0.1)
            starting = await begin(stranger)
            await until(lambda: stranger.founding.disputed)
            await asyncio.sleep(1.5)
            assert not stranger.begun and not stranger.leads
            assert agreed(nodes) and (nodes[0].leader, nodes[0].term) == (leader, term)
            await end([stranger], [starting])

    asyncio.run(run())
    assert "has the members 1, 2, 3, this one has 1, 2, 3, 4" in caplog.text


@BOTH
def test_of_two_rolls_that_are_both_new_none_leads_until_they_are_one(scenario, tmp_path):
    async def run():
        where = addresses(3)
        one = Node(scenario, 1, some(where, 1, 2), tmp_path / "1", wait=0.1)
        two = Node(scenario, 2, some(where, 1, 2, 3), tmp_path / "2", wait=0.1)
        tasks = [await begin(one), await begin(two)]
        await until(lambda: one.founding.disputed and two.founding.disputed)
        await asyncio.sleep(1.5)
        assert not any(node.begun or node.leads for node in (one, two))
        await end([two], tasks[1:])
        two = Node(scenario, 2, some(where, 1, 2), tmp_path / "new", wait=0.1)
        tasks[1] = await begin(two)
        await until(lambda: agreed([one, two]))
        await end([one, two], tasks)

    asyncio.run(run())


@BOTH
def test_a_running_process_whose_roll_is_disputed_ends_and_says_why(scenario, tmp_path):
    """Whether it leads, as one of bully does that is alone, or not, as one of raft."""

    async def run():
        where = addresses(3)
        alone = Node(scenario, 1, some(where, 1, 2), tmp_path / "1", wait=0.1)
        await alone.start()
        await until(lambda: alone.leads or scenario is RAFT)
        other = Node(scenario, 2, some(where, 1, 2, 3), tmp_path / "2", wait=0.1)
        starting = await begin(other)
        with pytest.raises(NetworkError, match="start all members with the same list"):
            await asyncio.wait_for(alone.wait_ended(), 60)
        assert not alone.leads and not other.begun
        await end([alone, other], [starting])

    asyncio.run(run())


def test_a_process_that_peers_elect_while_its_roll_is_disputed_ends_before_it_says_that_it_leads(tmp_path):
    async def run():
        where = addresses(2)
        one, two = (Node(Scenario("bully"), id, where, tmp_path / str(id), wait=0.1) for id in where)
        two.founding.dispute, two.founding.disputed_until = "somebody has another list", math.inf
        said = []
        two.listeners.append(said.append)
        tasks = [await begin(two), await begin(one)]
        with pytest.raises(NetworkError, match="somebody has another list"):
            await asyncio.wait_for(two.wait_ended(), 60)
        assert not two.begun and not any(change.what == "leader" and change.subject == 2 for change in said)
        await end([one, two], tasks)

    asyncio.run(run())


def test_what_could_not_be_written_is_not_believed_to_be_on_disk(tmp_path, monkeypatch):
    async def run():
        where = addresses(2)
        async with Node(RAFT, 1, where, tmp_path, wait=0.1, discovered=False) as node:
            memory = node.memory

            def fail_to_write(record):
                raise StorageError("the disk is full")

            monkeypatch.setattr(memory.storage, "write", fail_to_write)
            with pytest.raises(StorageError):
                node.founding.confirm()
            with pytest.raises(StorageError):
                memory.recognise(2, PeerIncarnation("its directory", 1, "its life"), ["its life"])
            assert not node.founding.founded and not memory.record.met

    asyncio.run(run())


@pytest.mark.parametrize(
    ("scenario", "late"),
    [(RAFT, False), (Scenario("bully"), False), (Scenario("bully"), True)],
    ids=["raft", "bully", "bully-late"],
)
def test_a_wiped_member_founds_nothing_with_newcomers_while_its_group_lives(scenario, late, tmp_path, monkeypatch):
    """As the registry of a group that has lost its list, and hears from newcomers before it hears from the group."""

    async def run():
        where = addresses(5)
        async with group(scenario, 3, tmp_path, some(where, 1, 2, 3), discovered=True) as nodes:
            await until(lambda: agreed(nodes))
            await nodes[0].leave()
            shutil.rmtree(tmp_path / "1")
            roll = some(where, 1, 4, 5)
            new = [Node(scenario, id, roll, tmp_path / str(id), wait=0.1, discovered=True) for id in roll]
            tasks = [await begin(node) for node in new[1:]]
            if late:  # the newcomers admit it at once, and it is alone with them until its group dials it again
                await asyncio.sleep(2 * founding.LISTENING)
                monkeypatch.setattr(founding, "LISTENING", 30.0)
                for node in nodes[1:]:
                    node.peers.block([1])
            tasks.append(await begin(new[0]))
            if late:
                await until(lambda: len(new[0].peers.connected) == 2)
                for node in nodes[1:]:
                    node.peers.block([])
            await until(lambda: new[0].founding.disputed)
            await until(lambda: agreed(nodes[1:]))
            for _ in range(30):
                await asyncio.sleep(0.05)
                assert not any(node.leads or node.begun for node in new)
            assert agreed(nodes[1:])
            await end(new, tasks)

    asyncio.run(run())
