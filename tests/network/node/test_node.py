"""A node keeps its promises: the order of things in a turn, links that lose nothing, and time that jumps."""

import asyncio
import os

import pytest
from groups import addresses, agreed, group, until
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_algorithms import OWN, RAFT

from habemus.network.errors import NetworkError
from habemus.network.node.node import Node
from habemus.network.node.storage import Storage
from habemus.network.node.timing import complete_scenario
from habemus.network.operate.status import status
from habemus.network.wire.endpoint import Endpoint
from habemus.network.wire.link import Link
from habemus.scenario import Layer, Scenario, TopologySpec

HARDLY_EVER = Layer("heartbeat", {"period": 100_000, "timeout": 300_000, "look": 100_000})


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=12))
def test_reliable_links_lose_double_and_reorder_nothing_when_connections_break(tmp_path_factory, cuts):
    async def count():
        folder = tmp_path_factory.mktemp("counting")
        async with group(OWN + "Counting", 3, folder) as nodes:
            for place, ours in cuts:
                for node in nodes:
                    for _ in range(5):
                        node.command("count")
                victim = nodes[place]
                link = victim.peers.links[nodes[place - 1].id]
                if ours and link.connection is not None:
                    link.connection.abort("for the test")
                elif victim.peers.inbound:
                    next(iter(victim.peers.inbound.values())).abort("for the test")
                await asyncio.sleep(0.003)
            expected = list(range(1, 5 * len(cuts) + 1))
            complete = {node.id: {other.id: expected for other in nodes if other is not node} for node in nodes}
            await until(lambda: {node.id: node.stack.layers[-1].heard for node in nodes} == complete)
            await until(lambda: not any(link.unacknowledged for node in nodes for link in node.peers.links.values()))

    asyncio.run(count())


def test_messages_of_an_algorithm_that_tolerates_loss_are_sent_once(tmp_path):
    async def count():
        async with group(OWN + "CountingOnBadLinks", 2, tmp_path) as (one, two):
            one.command("count")
            await until(lambda: two.stack.layers[-1].heard == {1: [1]})
            one.peers.links[2].connection.abort("for the test")
            one.command("count")
            await until(lambda: one.peers.links[2].up)
            one.command("count")
            await until(lambda: two.stack.layers[-1].heard == {1: [1, 3]})
            assert one.peers.links[2].dropped == 1 and not one.peers.links[2].unacknowledged

    asyncio.run(count())


@pytest.mark.parametrize(("algorithm", "waits"), [("Counting", True), ("Promising", False)])
def test_what_was_sent_before_one_came_waits_for_it_unless_it_counts_as_crashed(algorithm, waits, tmp_path):
    async def come_late():
        where = addresses(2)
        nodes = [Node(Scenario(OWN + algorithm), id, where, tmp_path / str(id), wait=0.05) for id in where]
        try:
            await nodes[0].start()
            nodes[0].command("count" if waits else "promise")
            await nodes[1].start()
            await until(lambda: nodes[0].peers.links[2].up and not nodes[0].peers.links[2].unacknowledged)
            nodes[0].command("count" if waits else "promise")
            await until(lambda: not nodes[0].peers.links[2].unacknowledged)
            assert nodes[1].peers.messages_received["Number"] == (2 if waits else 1)
        finally:
            for node in nodes:
                await node.stop()

    asyncio.run(come_late())


def test_one_that_never_reads_is_given_up_and_memory_stays_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("habemus.network.wire.link.MOST_UNACKNOWLEDGED", 500)

    async def flood():
        async with group(OWN + "Counting", 2, tmp_path) as (one, two):
            for acceptor in two.peers.inbound.values():
                acceptor.transport.pause_reading()
            for _ in range(2000):
                one.command("count")
                assert len(one.peers.links[2].unacknowledged) <= 500
            assert one.peers.links[2].abandoned == two.peers.instance
            assert one.stack.suspected == [2]
            await asyncio.sleep(0.3)
            assert not one.peers.links[2].up  # it is the same instance still

    asyncio.run(flood())


def test_a_promise_is_on_disk_before_anybody_hears_of_it(tmp_path, monkeypatch):
    order = []
    write, send = Storage.write, Link.send_reliable

    def note_write(self, record):
        write(self, record)
        order.append(("disk", record.fields[-1].get("promised")))

    def note_send(self, parcel):
        order.append(("network", self.node.owner.stack.layers[-1].promised))
        send(self, parcel)

    async def promise():
        async with group(OWN + "Promising", 2, tmp_path) as (one, _):
            monkeypatch.setattr(Storage, "write", note_write)
            monkeypatch.setattr(Link, "send_reliable", note_send)
            for _ in range(3):
                one.command("promise")

    asyncio.run(promise())
    assert order == [(where, number) for number in (1, 2, 3) for where in ("disk", "network")]


def test_a_disk_that_fails_stops_the_process_before_it_says_anything(tmp_path, monkeypatch):
    async def promise():
        async with group(OWN + "Promising", 2, tmp_path) as (one, two):
            heard = two.peers.messages_received["Number"]

            def full(*arguments):
                raise OSError(28, "No space left on device")

            with monkeypatch.context() as patch:
                patch.setattr(os, "fsync", full)
                one.command("promise")
            with pytest.raises(NetworkError, match="No space left"):
                await one.ended
            await asyncio.sleep(0.05)
            assert two.peers.messages_received["Number"] == heard

    asyncio.run(promise())


def test_terms_and_votes_are_kept_over_a_restart(tmp_path):
    where = addresses(3)

    async def elect():
        async with group(RAFT, 3, tmp_path, where) as nodes:
            await until(lambda: agreed(nodes))
            return [node.term for node in nodes]

    async def elect_again(before):
        async with group(RAFT, 3, tmp_path, where) as nodes:
            assert all(node.incarnation == 2 for node in nodes)
            assert all(node.term >= term for node, term in zip(nodes, before, strict=True))
            await until(lambda: agreed(nodes))
            assert min(node.term for node in nodes) > min(before)

    before = asyncio.run(elect())
    asyncio.run(elect_again(before))


def test_a_process_that_restarts_tells_no_term_before_it_remembers_its_own(tmp_path):
    async def run():
        where = addresses(1)
        async with Node(RAFT, 1, where, tmp_path / "1", wait=0.05) as node:
            await until(lambda: node.leads)
            term = node.term
        again = Node(RAFT, 1, where, tmp_path / "1", wait=0.05)
        assert status(again)["term"] is None
        async with again:
            assert status(again)["term"] >= term

    asyncio.run(run())


def test_one_that_has_lost_its_memory_is_refused_however_often_it_comes(tmp_path):
    async def forget():
        where = addresses(3)
        async with group(RAFT, 3, tmp_path, where) as nodes:
            await until(lambda: agreed(nodes))
            forgetful = nodes[0]
            await forgetful.stop()
            for _ in range(3):  # by its peers, and from then on by its own directory
                with pytest.raises(NetworkError, match="process 1 has lost its state"):
                    async with Node(RAFT, forgetful.id, where, tmp_path / "another") as amnesiac:
                        await asyncio.wait_for(amnesiac.wait_ended(), 60)
            assert not nodes[1].ended.done() and not nodes[2].ended.done()
        with pytest.raises(NetworkError, match="process 1 has lost its state"):  # though nobody is there to refuse it
            async with Node(RAFT, forgetful.id, where, tmp_path / "another", wait=0.1):
                pass

    asyncio.run(forget())


def test_the_same_directory_serves_one_process_at_a_time(tmp_path):
    async def start_twice():
        async with group(RAFT, 2, tmp_path, addresses(2)) as _:
            second = Node(RAFT, 1, addresses(2), tmp_path / "1")
            with pytest.raises(NetworkError, match="in use by another process"):
                await second.start()
            await second.stop()

    asyncio.run(start_twice())


def test_a_directory_of_another_process_is_refused(tmp_path):
    async def start():
        async with group(RAFT, 2, tmp_path):
            pass
        wrong = Node(RAFT, 2, addresses(2), tmp_path / "1")
        with pytest.raises(NetworkError, match="belongs to process 1 of the group 'habemus'"):
            await wrong.start()
        await wrong.stop()

    asyncio.run(start())


def test_a_closed_connection_is_a_suspicion_at_once_and_a_new_one_ends_it(tmp_path):
    async def close():
        async with group("bully", 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes))
            nodes[0].peers.links[3].connection.abort("for the test")
            assert nodes[0].stack.suspected == [3]
            await until(lambda: nodes[0].stack.suspected == [])

    asyncio.run(close())


def test_a_leader_that_leaves_says_so_and_the_others_elect_at_once(tmp_path):
    async def leave():
        async with group(Scenario("bully", layers=[HARDLY_EVER]), 3, tmp_path) as nodes:
            await until(lambda: agreed(nodes) and nodes[0].leader == 3)
            await nodes[2].leave()
            assert nodes[2].leader is None and nodes[2].role == ""
            await until(lambda: [node.leader for node in nodes[:2]] == [2, 2])

    asyncio.run(leave())


def test_groups_share_a_port_and_do_not_hear_each_other(tmp_path):
    async def share():
        where = addresses(2)
        async with group(Scenario("bully"), 2, tmp_path / "jobs", where, group="jobs") as jobs:
            mail = [
                Node(RAFT, node.id, where, tmp_path / "mail" / str(node.id), group="mail", endpoint=node.endpoint)
                for node in jobs
            ]
            await asyncio.gather(*(node.start() for node in mail))
            await until(lambda: agreed(jobs) and agreed(mail))
            assert not any(
                name in node.peers.messages_received for node in mail for name in ("ElectionCall", "Coordinator")
            )
            for node in mail:
                await node.leave()
            assert agreed(jobs)

    asyncio.run(share())


def test_groups_that_start_together_open_their_port_once(tmp_path):
    async def start():
        where = addresses(2)
        nodes = []
        for id, address in where.items():
            port = Endpoint(*address)
            for name in ("jobs", "mail"):
                nodes.append(Node(RAFT, id, where, tmp_path / name / str(id), group=name, endpoint=port))
        await asyncio.gather(*(node.start() for node in nodes))
        await until(lambda: agreed(nodes[0::2]) and agreed(nodes[1::2]))
        await asyncio.gather(*(node.leave() for node in nodes))
        assert not any(node.endpoint.listener.sockets for node in nodes)

    asyncio.run(start())


def test_a_member_with_another_key_gets_no_word_in(tmp_path):
    async def knock():
        where = addresses(3)
        honest = {id: where[id] for id in (1, 2, 3)}
        async with group(RAFT, 3, tmp_path, honest, key=b"k" * 16) as nodes:
            await until(lambda: agreed(nodes))
            await nodes[0].stop()
            stranger = Node(RAFT, 1, where, tmp_path / "stranger", key=b"x" * 16)
            await stranger.start()
            assert not any(link.up for link in stranger.peers.links.values())
            assert nodes[1].peers.inbound.keys() == {3} and nodes[2].peers.inbound.keys() == {2}
            await stranger.stop()

    asyncio.run(knock())


def test_a_member_with_other_parameters_is_refused_and_told_which(tmp_path, caplog):
    async def meet():
        where = addresses(2)
        scenarios = [Scenario("bully", parameters={"transmission": time}) for time in (50, 20)]
        nodes = [
            Node(scenario, id, where, tmp_path / str(id), wait=0.3)
            for id, scenario in zip(where, scenarios, strict=True)
        ]
        try:
            with caplog.at_level("INFO", logger="habemus.network"):
                await asyncio.gather(*(node.start() for node in nodes))
            assert not any(node.peers.inbound or node.peers.links[3 - node.id].up for node in nodes)
        finally:
            for node in nodes:
                await node.stop()

    asyncio.run(meet())
    told = "the peer runs with transmission=20, not with transmission=50: all members need the same parameters"
    assert any(record.getMessage().startswith("refused a connection from 127.0.0.1:") for record in caplog.records)
    assert told in caplog.text


def test_times_are_patient_unless_they_are_given():
    ids = [1, 2, 3]
    bully = complete_scenario(Scenario("bully"), ids)
    assert [layer.algorithm for layer in bully.layers] == ["heartbeat"]
    assert bully.parameters == {"transmission": 50} and bully.layers[0].parameters["timeout"] == 2000
    hasty = complete_scenario(Scenario("raft-election", parameters={"low": 50, "high": 90}), ids).parameters
    assert (hasty["low"], hasty["high"]) == (50, 90)
    assert "heartbeat" not in hasty  # a patient one would come too late for these
    assert complete_scenario(Scenario("bully", layers=[Layer("swim")]), ids).layers[0].algorithm == "swim"
    crowd = complete_scenario(Scenario("bully"), list(range(1, 101)))
    assert [layer.algorithm for layer in crowd.layers] == ["swim"]  # 9,900 heartbeats every half second are too many


def test_a_graph_that_does_not_join_the_members_is_refused(tmp_path):
    async def start():
        with pytest.raises(NetworkError, match="the graph connects"):
            Node(Scenario("yoyo", topology=TopologySpec(edges=[(1, 2), (2, 7)])), 1, addresses(3), tmp_path)

    asyncio.run(start())
