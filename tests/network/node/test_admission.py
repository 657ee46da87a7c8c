"""Who is admitted: not whoever is running already, nor an old copy; and nobody suffers for another's trouble."""

import asyncio
import errno
import os
import shutil
import time

import pytest
from groups import addresses, agreed, group, until

from habemus.network.errors import NetworkError, StorageError, WireError
from habemus.network.node import storage
from habemus.network.node.node import Node
from habemus.network.operate.http import HttpServer
from habemus.network.wire.handshake import new_hello
from habemus.network.wire.link import FIRST_WAIT
from habemus.scenario import Scenario

RAFT = Scenario("raft-election", parameters={"low": 300, "high": 600, "heartbeat": 100})
PATIENT = Scenario("raft-election", parameters={"low": 50_000, "high": 60_000, "heartbeat": 10_000})
STEADFAST = 60_000  # milliseconds; a stall that no busy machine causes


def test_a_full_disk_keeps_a_restarting_member_waiting_but_does_not_end_it(tmp_path, monkeypatch):
    async def run():
        where = addresses(3)
        async with group(RAFT, 3, tmp_path, where) as nodes:
            await until(lambda: agreed(nodes))
            full = next(node for node in nodes if node.leads)  # it has nothing to write while it leads
            back = next(node for node in nodes if not node.leads)
            await back.stop()

            def fail_to_write(record):
                full.memory.storage.trouble = "the disk is full"
                raise StorageError("the disk is full; the process stops")

            again = Node(RAFT, back.id, where, tmp_path / str(back.id))
            with monkeypatch.context() as patch:
                patch.setattr(full.memory.storage, "write", fail_to_write)
                await again.start()
                link = again.peers.links[full.id]
                await until(lambda: link.logged_reason == "refused by the peer: 'not now: the disk is full'")
                assert not again.ended.done() and not link.up and not full.ended.done()
                answer = await HttpServer(full, ("127.0.0.1", 0)).health({})
                assert answer.status == 503 and b"the disk is full" in answer.body
            await until(lambda: link.up)
            assert (await HttpServer(full, ("127.0.0.1", 0)).health({})).status == 200
            await again.stop()

    asyncio.run(run())


def test_a_node_is_ready_again_when_its_disk_is_though_no_peer_comes(tmp_path, monkeypatch):
    async def run():
        where = addresses(2)
        async with group(PATIENT, 2, tmp_path, where, stall=STEADFAST) as (one, two):
            after_a_crash = two.peers.identity._replace(instance=b"its next")
            with monkeypatch.context() as patch:
                patch.setattr(storage, "write_all", refuse_to_write)
                with pytest.raises(WireError, match=r"not now: .* cannot be written: No space left on device"):
                    one.peers.recognise(new_hello(after_a_crash, 1))
                assert one.trouble
                one.peers.try_disk()
                assert one.trouble and not one.ended.done()
            await until(lambda: not one.trouble)
            assert one.memory.record.met[2].instance == two.memory.instance.hex()

    asyncio.run(run())


def refuse_to_write(file, content):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("scenario", [RAFT, Scenario("bully")], ids=lambda scenario: scenario.algorithm)
def test_the_second_process_with_an_id_is_refused_with_the_address_of_the_first(scenario, tmp_path):
    async def run():
        where = addresses(4)
        members = {id: where[id] for id in (1, 2, 3)}
        async with group(scenario, 3, tmp_path, members) as nodes:
            await until(lambda: agreed(nodes) and all(len(node.peers.inbound) == 2 for node in nodes))
            first = nodes[1].peers.inbound[1]
            second = Node(scenario, 1, {**members, 1: where[4]}, tmp_path / "second", wait=0.5)
            start = asyncio.ensure_future(second.start())
            for peer in (2, 3):
                link = second.peers.links[peer]
                await until(lambda link=link: "process 1 is running already, at 127.0.0.1:" in link.logged_reason)
            assert nodes[1].peers.inbound[1] is first and not first.ended
            assert not second.peers.connected and not second.failure
            await asyncio.sleep(1)  # twice as long as it waits for others
            assert not second.begun and "is running already" in second.founding.obstacle
            start.cancel()
            await asyncio.wait([start])

    asyncio.run(run())


def test_a_process_that_led_alone_ends_when_it_hears_that_another_one_has_its_id(tmp_path):
    async def run():
        where = addresses(4)
        members = {id: where[id] for id in (1, 2, 3)}
        second = Node(Scenario("bully"), 3, {**members, 3: where[4]}, tmp_path / "second", wait=0.1)
        second.peers.block([1, 2])
        await second.start()
        await until(lambda: second.leads)
        async with group("bully", 3, tmp_path, members) as nodes:
            await until(lambda: agreed(nodes) and all(len(node.peers.inbound) == 2 for node in nodes))
            second.peers.block([])
            await until(second.ended.done)
            assert not second.leads and nodes[2].leads
            with pytest.raises(NetworkError, match="process 3 is running already, at"):
                await second.wait_ended()
        await second.stop()

    asyncio.run(run())


def test_who_is_refused_dials_less_and_less_often(tmp_path):
    """The pauses double, and each is at least half of what it could be: however fast the machine, they add up."""
    refusals, pauses = 7, [FIRST_WAIT * 2**k / 2 for k in range(6)]

    async def run():
        where = addresses(3)
        members = {id: where[id] for id in (1, 2)}
        async with group(RAFT, 2, tmp_path, members) as nodes:
            await until(lambda: agreed(nodes) and all(len(node.peers.inbound) == 1 for node in nodes))
            second = Node(RAFT, 1, {**members, 1: where[3]}, tmp_path / "second", wait=0.1)
            listener = nodes[1].endpoint.listener
            start = asyncio.ensure_future(second.start())
            await until(lambda: listener.refusals >= 1)
            begun = time.monotonic()
            await until(lambda: listener.refusals >= refusals)
            assert time.monotonic() - begun > 0.8 * sum(pauses)
            start.cancel()
            await asyncio.wait([start])

    asyncio.run(run())


def test_an_old_copy_of_a_directory_is_refused_every_time(tmp_path):
    """Even if it has started so often on its own that its number is the highest ever seen."""

    async def run():
        where = addresses(3)
        async with group(RAFT, 3, tmp_path, where) as nodes:
            await until(lambda: agreed(nodes))
            await nodes[0].stop()
            shutil.copytree(tmp_path / "1", tmp_path / "old")
            async with Node(RAFT, 1, where, tmp_path / "1") as again:
                await until(lambda: len(again.peers.connected) == 2)
            alone = {1: where[1], 2: ("127.0.0.1", 1), 3: ("127.0.0.1", 2)}
            for _ in range(3):
                async with Node(RAFT, 1, alone, tmp_path / "old", wait=0.05):
                    pass
            for _ in range(2):
                with pytest.raises(NetworkError, match="process 1 has lost its state"):
                    async with Node(RAFT, 1, where, tmp_path / "old") as copy:
                        await asyncio.wait_for(copy.wait_ended(), 60)
            async with Node(RAFT, 1, where, tmp_path / "1") as again:
                await until(lambda: len(again.peers.connected) == 2)

    asyncio.run(run())


def test_a_copy_of_a_directory_is_refused_if_its_process_has_promised_something_since(tmp_path):
    """Even if it was made while the process ran, as a backup is."""

    async def run():
        where = addresses(3)
        async with group(PATIENT, 3, tmp_path, where, stall=STEADFAST) as nodes:
            term = nodes[0].term
            shutil.copytree(tmp_path / "1", tmp_path / "copy")
            nodes[1].turn(nodes[1].stack.election.stand)
            await until(lambda: agreed(nodes) and nodes[0].term > term)
            await nodes[0].stop()
            for _ in range(2):
                with pytest.raises(NetworkError, match="process 1 has lost its state"):
                    async with Node(PATIENT, 1, where, tmp_path / "copy") as copy:
                        await asyncio.wait_for(copy.wait_ended(), 60)
            for _ in range(2):
                async with Node(PATIENT, 1, where, tmp_path / "1") as again:
                    await until(lambda: len(again.peers.connected) == 2)

    asyncio.run(run())


def test_a_promise_that_could_not_be_written_is_told_to_nobody(tmp_path, monkeypatch):
    async def run():
        where = addresses(2)
        async with group(PATIENT, 2, tmp_path, where, stall=STEADFAST) as (one, two):
            with monkeypatch.context() as patch:
                patch.setattr(storage, "write_all", refuse_to_write)
                one.turn(one.stack.election.stand)
            assert isinstance(one.failure, StorageError)
            await one.stop()
            async with Node(PATIENT, 1, where, tmp_path / "1") as again:
                await until(lambda: again.peers.connected == [2] and two.peers.connected == [1])

    asyncio.run(run())


def test_what_a_peer_has_promised_is_known_after_a_restart(tmp_path):
    async def run():
        where = addresses(2)
        async with group(PATIENT, 2, tmp_path, where, stall=STEADFAST) as (one, two):
            shutil.copytree(tmp_path / "1", tmp_path / "copy")
            one.turn(one.stack.election.stand)
            await until(lambda: two.memory.record.met[1].promises == one.memory.record.promises)
            two.turn(two.stack.election.stand)  # it writes
            await two.stop()
            await one.stop()
        async with Node(PATIENT, 2, where, tmp_path / "2", wait=0.05):
            with pytest.raises(NetworkError, match="process 1 has lost its state"):
                async with Node(PATIENT, 1, where, tmp_path / "copy") as copy:
                    await asyncio.wait_for(copy.wait_ended(), 60)

    asyncio.run(run())


def test_a_start_that_fails_leaves_the_directory_and_the_port_free(tmp_path, monkeypatch):
    async def run():
        where = addresses(1)
        failing = Node(RAFT, 1, where, tmp_path)
        monkeypatch.setattr(failing.endpoint, "open", refuse_to_open)
        with pytest.raises(NetworkError, match="cannot listen"):
            await failing.start()
        async with Node(RAFT, 1, where, tmp_path) as again:  # though nobody has called stop()
            assert again.incarnation == 2

    async def refuse_to_open():
        raise NetworkError("cannot listen")

    asyncio.run(run())


def test_a_wiped_member_comes_back_if_the_algorithm_has_nothing_to_forget(tmp_path):
    async def run():
        where = addresses(3)
        async with group("bully", 3, tmp_path, where) as nodes:
            await until(lambda: agreed(nodes) and nodes[0].leader == 3)
            await nodes[2].stop()
            await until(lambda: nodes[0].leader == nodes[1].leader == 2)
            shutil.rmtree(tmp_path / "3")
            async with Node(Scenario("bully"), 3, where, tmp_path / "3") as again:
                await until(lambda: agreed([*nodes[:2], again]) and again.leads)
                assert again.incarnation == 1

    asyncio.run(run())
