"""A program can rely on what a node says: after a stall, after its end, and whatever its listeners do."""

import asyncio
import os
import re
import time
from pathlib import Path

import pytest
from groups import addresses, agreed, group, until

import habemus.process
from habemus import Change, ChangeKind, Cluster, Node, Scenario
from habemus.network.errors import NetworkError
from habemus.network.node import clock
from habemus.network.node.peers import Peers
from habemus.network.node.storage import Storage

RAFT = Scenario("raft-election", parameters={"low": 300, "high": 600, "heartbeat": 100})
STEADFAST = 60_000  # milliseconds; a stall that no busy machine causes
LATER = (STEADFAST + 1) * 1_000_000


def one_alone(algorithm, folder, **options):
    """A group of one process, which leads, or enters, at once."""
    return Node(Scenario(algorithm), 1, addresses(1), folder, stall=STEADFAST, wait=0.05, **options)


async def led(nodes):
    await until(lambda: agreed(nodes))
    return next(node for node in nodes if node.leads)


@pytest.mark.parametrize("question", ["leads", "leader", "role"])
def test_whoever_asks_a_leader_that_was_stopped_hears_that_it_leads_no_longer(question, tmp_path, monkeypatch):
    async def run():
        async with group(RAFT, 3, tmp_path, stall=STEADFAST) as nodes:
            leader = await led(nodes)
            before = getattr(leader, question)
            real = clock.now
            monkeypatch.setattr(clock, "now", lambda: real() + LATER)
            after = getattr(leader, question)  # nobody has called look()
            monkeypatch.setattr(clock, "now", real)
            assert (before, after) in [(True, False), (leader.id, None), ("leader", "follower")]
            assert leader.counts["stalls"] == 1

    asyncio.run(run())


def test_a_listener_that_asks_after_a_stall_is_not_told_the_old_leader(tmp_path, monkeypatch):
    """The turn is still running, so the recovery has to wait; the answer does not."""

    async def run():
        async with group(RAFT, 3, tmp_path, stall=STEADFAST) as nodes:
            leader = await led(nodes)
            real, heard = clock.now, []

            def slow(change):
                if not heard:
                    monkeypatch.setattr(clock, "now", lambda: real() + LATER)
                    heard.append((leader.leads, leader.leader))

            leader.listeners.append(slow)
            leader.turn(lambda: leader.publish(ChangeKind.LEADER, leader.id))
            assert heard == [(False, None)]
            monkeypatch.setattr(clock, "now", real)

    asyncio.run(run())


def test_a_program_that_asks_all_the_time_does_not_hide_a_stall(tmp_path):
    """It holds the loop up, so this process sends nothing while it asks."""

    async def run():
        async with group(RAFT, 3, tmp_path, stall=300) as nodes:
            leader = await led(nodes)
            deadline = time.monotonic() + 30
            while leader.leads:
                assert time.monotonic() < deadline, "it still takes itself for the leader"
            leader.look()
            assert leader.counts["stalls"] >= 1

    asyncio.run(run())


@pytest.mark.parametrize("end", ["leave", "stop", "fail"])
def test_a_node_that_has_ended_leads_nothing_and_has_said_so(end, tmp_path):
    async def run():
        node = one_alone("bully", tmp_path)
        await node.start()
        await until(lambda: node.leads)
        seen = []
        node.listeners.append(lambda change: seen.append((change.what, change.subject)))
        if end == "fail":
            node.fail(NetworkError("for the test"))
        else:
            await getattr(node, end)()
        assert (node.leads, node.leader, node.role) == (False, None, "")
        assert seen == [("leader", None)]
        await node.stop()
        assert isinstance(node.failure, NetworkError) == (end == "fail")

    asyncio.run(run())


@pytest.mark.parametrize("end", ["leave", "stop", "fail"])
def test_a_node_that_has_ended_has_no_lock_and_has_said_so(end, tmp_path):
    async def run():
        node = one_alone("ricart-agrawala", tmp_path)
        await node.start()
        assert node.command("acquire") and node.inside and node.role == "inside"
        seen = []
        node.listeners.append(lambda change: seen.append(change.what))
        if end == "fail":
            node.fail(NetworkError("for the test"))
        else:
            await getattr(node, end)()
        assert not node.inside and node.role == "" and seen == [ChangeKind.LEAVE]
        assert node.command("acquire") is False
        await node.stop()
        assert isinstance(node.failure, NetworkError) == (end == "fail")

    asyncio.run(run())


def test_who_does_not_wait_for_a_node_to_leave_does_not_keep_its_directory(tmp_path, monkeypatch):
    async def run():
        async with group(RAFT, 2, tmp_path) as (one, two):
            await until(lambda: agreed((one, two)))
            # As if the last messages were never acknowledged.
            monkeypatch.setattr(Peers, "wait_for_acknowledgements", lambda self: asyncio.Event().wait())
            leaving = asyncio.ensure_future(one.leave())
            await until(lambda: one.leaving)
            leaving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaving
            assert one.ended.done() and not one.peers.connected
            Storage(tmp_path / "1").open()  # raises if it is in use

    asyncio.run(run())


def test_an_exception_in_a_listener_is_logged_and_ends_nothing(tmp_path, caplog):
    async def run():
        async with one_alone("bully", tmp_path) as node:
            heard = []

            def broken(change):
                raise RuntimeError("a bug of the program")

            node.listeners += [broken, heard.append]
            node.command("start")
            node.publish(ChangeKind.LEADER, None)
            assert heard and isinstance(heard[-1], Change) and not node.ended.done()

    asyncio.run(run())
    assert "a listener failed" in caplog.text and "a bug of the program" in caplog.text


def test_an_unknown_command_is_an_error_that_names_the_known_ones(tmp_path):
    async def run():
        async with one_alone("ricart-agrawala", tmp_path) as node:
            with pytest.raises(
                NetworkError, match="ricart-agrawala has no command 'aquire'; it has 'acquire', 'release'"
            ):
                node.command("aquire")
            assert not node.ended.done() and node.command("release") is False

    asyncio.run(run())
    with pytest.raises(NetworkError, match="bully has no command 'acquire'; it has 'start'"):
        Cluster(Scenario("bully"), 2, tmp_path).command(1, "acquire")


def test_a_command_before_the_start_is_not_followed_and_does_nothing(tmp_path):
    async def run():
        node = one_alone("raft-election", tmp_path)
        assert node.command("start") is False
        assert node.term is None and not node.stack.outbox
        async with node:
            await until(lambda: node.leads)

    asyncio.run(run())


def test_a_listener_that_gives_a_command_is_told_whether_it_was_followed(tmp_path):
    async def run():
        async with one_alone("ricart-agrawala", tmp_path) as node:
            heard = []

            def hear(change):
                heard.append(change.what)
                if change.what == ChangeKind.ENTER:
                    heard.append((node.command("acquire"), node.command("release"), node.inside))

            node.listeners.append(hear)
            assert node.command("acquire")
            assert heard == ["ask", "enter", (False, True, False), "leave"] and not node.inside

    asyncio.run(run())


WAITING = [
    Scenario("coordinator-lease", parameters={"coordinator": 1, "lease": 50_000}),
    Scenario("coordinator-elected", parameters={"lease": 3000}),  # which a new coordinator waits out, twice
    Scenario("quorum"),
    Scenario("token-ring-regenerating"),
]


@pytest.mark.parametrize("scenario", WAITING, ids=lambda scenario: scenario.algorithm)
def test_a_process_that_stalls_while_it_waits_for_the_lock_asks_again(scenario, tmp_path):
    async def run():
        async with group(scenario, 3, tmp_path, stall=STEADFAST) as (one, _, three):
            assert one.command("acquire")
            await until(lambda: one.inside)
            assert three.command("acquire")
            await until(lambda: three.role == "waiting")
            three.last_look -= 2 * STEADFAST * 1_000_000
            three.look()
            assert three.counts["stalls"] == 1 and three.role == "waiting"
            assert one.command("release")
            await until(lambda: three.inside)

    asyncio.run(run())


def test_an_algorithm_that_does_not_survive_a_restart_says_so_at_both_ends(tmp_path, caplog):
    async def run():
        where = addresses(2)
        async with group("ricart-agrawala", 2, tmp_path, where) as (one, two):
            assert one.command("acquire")
            await until(lambda: one.inside)
            await two.stop()
            async with Node(Scenario("ricart-agrawala"), 2, where, tmp_path / "2") as again:
                await until(lambda: one.peers.links[2].up and again.peers.links[1].up)

    asyncio.run(run())
    for what in ("this process has restarted, in incarnation 2", "process 2 has restarted"):
        assert f"{what}, which ricart-agrawala does not survive" in caplog.text


def test_a_node_in_a_with_block_is_up_inside_and_gone_after(tmp_path):
    async def run():
        async with one_alone("bully", tmp_path) as node:
            await until(lambda: node.leads)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(node.wait_ended(), 0.05)
            assert node.leads  # who gives up waiting for the end does not end it
        assert node.ended.done() and not node.leads
        async with one_alone("bully", tmp_path) as again:  # the port and the directory are free
            assert again.incarnation == 2

    asyncio.run(run())


def test_a_with_block_raises_what_ended_the_node_and_frees_what_it_had(tmp_path, monkeypatch):
    async def run():
        with pytest.raises(NetworkError, match="No space left"):
            async with one_alone("raft-election", tmp_path) as node:

                def full(*arguments):
                    raise OSError(28, "No space left on device")

                with monkeypatch.context() as patch:
                    patch.setattr(os, "fsync", full)
                    await until(lambda: node.ended.done())
        async with one_alone("raft-election", tmp_path):
            with pytest.raises(NetworkError, match="in use by another process"):
                async with one_alone("raft-election", tmp_path):
                    raise AssertionError("it must not start")

    asyncio.run(run())


def test_a_change_is_whatever_a_process_may_announce():
    source = (Path(habemus.process.__file__).parent / "process.py").read_text(encoding="utf-8")
    announced = set(re.findall(r'host\.indicate\(self, "(\w+)"', source)) - {"level"}  # a level is for layers and plots
    assert announced | {ChangeKind.INDICATION} == set(ChangeKind)


def test_a_cluster_in_a_with_block_is_up_inside_and_leaves_nothing_behind(caplog):
    async def run():
        async with Cluster(Scenario("bully"), 2) as cluster:
            folder = Path(cluster.members[1].options.data).parent
            cluster.listeners.append(lambda member, event: 1 / 0)  # a bug of the program
            await until(lambda: cluster.leader == 2)
            assert folder.exists()
            processes = list(cluster.pids.values())
        assert not folder.exists()
        for pid in processes:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)

    asyncio.run(run())
    assert "a listener failed" in caplog.text
