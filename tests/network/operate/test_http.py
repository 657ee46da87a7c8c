"""What a load balancer, Prometheus and a person see of a node."""

import asyncio
import http.client
import json

import msgspec
import pytest
from groups import agreed, group, traced_group, until

from habemus.network.errors import NetworkError
from habemus.network.node import clock
from habemus.network.operate.http import HttpServer
from habemus.scenario import Scenario
from habemus.trace import Event, read_trace

RAFT = Scenario("raft-election")


def served(scenario, tmp_path, test):
    """Run a test with three nodes and their web addresses."""

    async def run():
        async with group(scenario, 3, tmp_path) as nodes:
            webs = [HttpServer(node, ("127.0.0.1", 0)) for node in nodes]
            for web in webs:
                await web.start()
            try:
                await until(lambda: agreed(nodes))
                await test(nodes, {web.node.id: web.address for web in webs})
            finally:
                for web in webs:
                    await web.stop()

    asyncio.run(run())


async def ask(address, path, method="GET"):
    def request():
        connection = http.client.HTTPConnection(*address, timeout=60)
        connection.request(method, path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    return await asyncio.to_thread(request)


def test_exactly_the_leader_says_yes_and_exactly_the_followers_follow(tmp_path):
    async def test(nodes, where):
        for method in ("GET", "HEAD"):
            for node in nodes:
                leads, _ = await ask(where[node.id], "/leader", method)
                follows, body = await ask(where[node.id], "/follower", method)
                assert (leads, follows) == ((200, 503) if node.leads else (503, 200))
                assert (body == b"") == (method == "HEAD")

    served(RAFT, tmp_path, test)


def test_a_leader_that_was_stopped_does_not_say_yes_when_it_is_asked_first(tmp_path, monkeypatch):
    async def test(nodes, where):
        leader = next(node for node in nodes if node.leads)
        assert (await ask(where[leader.id], "/leader"))[0] == 200
        real = clock.now
        monkeypatch.setattr(clock, "now", lambda: real() + 10_000_000_000)
        assert (await ask(where[leader.id], "/leader"))[0] == 503
        monkeypatch.setattr(clock, "now", real)

    served(RAFT, tmp_path, test)


def test_status_members_and_history_tell_one_story(tmp_path):
    async def test(nodes, where):
        node = nodes[0]
        status = json.loads((await ask(where[1], "/status"))[1])
        assert status.keys() >= {"id", "leader", "term", "role", "members", "group", "algorithm", "incarnation"}
        assert (status["id"], status["leader"], status["members"]) == (1, node.leader, [1, 2, 3])
        assert status["term"] == node.term >= 1
        members = json.loads((await ask(where[1], "/members"))[1])
        assert [member["id"] for member in members if member["leader"]] == [node.leader]
        assert all(member["connected"] and not member["suspected"] for member in members)
        history = json.loads((await ask(where[1], "/history"))[1])
        assert history[-1]["subject"] == node.leader
        assert (await ask(where[1], "/healthz"))[0] == 200
        assert (await ask(where[1], "/nowhere"))[0] == 404

    served(RAFT, tmp_path, test)


def test_figures_are_there_for_prometheus(tmp_path):
    async def test(nodes, where):
        leader = nodes[0].leader
        text = (await ask(where[leader], "/metrics"))[1].decode()
        assert f'habemus_leader{{group="habemus",process="{leader}"}} 1.0' in text
        assert f'habemus_connected{{group="habemus",process="{leader}"}} 2.0' in text
        assert 'type="Heartbeat"' in text and "# HELP habemus_term" in text

    served(RAFT, tmp_path, test)


def test_events_tell_every_change_as_it_happens(tmp_path):
    async def test(nodes, where):
        follower = next(node for node in nodes if not node.leads)
        leader = next(node for node in nodes if node.leads)
        reader, writer = await asyncio.open_connection(*where[follower.id])
        writer.write(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"event: status\n")
        await leader.stop()
        told = await asyncio.wait_for(reader.readuntil(b'"what":"leader"'), 60)
        assert b"event: leader" in told
        writer.close()
        await until(lambda: len(follower.listeners) == 0)

    served(RAFT, tmp_path, test)


def test_events_tell_every_step_of_a_node_that_records(tmp_path):
    async def read(where):
        reader, writer = await asyncio.open_connection(*where)
        writer.write(b"GET /events?trace=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await asyncio.wait_for(reader.readuntil(b"event: trace\ndata: "), 60)
        line = await asyncio.wait_for(reader.readuntil(b"\n"), 60)
        writer.close()
        return msgspec.json.decode(line, type=Event)

    async def run():
        async with traced_group(RAFT, 2, tmp_path) as nodes:
            web = HttpServer(nodes[0], ("127.0.0.1", 0))
            await web.start()
            told = await read(web.address)
            await web.stop()
        assert told in read_trace(tmp_path / "1.jsonl").events

    asyncio.run(run())


def test_a_node_that_does_not_record_says_how_it_would(tmp_path):
    async def test(nodes, where):
        status, body = await ask(where[1], "/events?trace=1")
        assert status == 404 and b"start it with --trace FILE" in body

    served(RAFT, tmp_path, test)


def test_a_port_that_is_taken_is_named(tmp_path):
    async def run():
        async with group(RAFT, 1, tmp_path) as (node,):
            with pytest.raises(NetworkError, match="cannot listen there: Address already in use"):
                await HttpServer(node, ("127.0.0.1", node.endpoint.port)).start()

    asyncio.run(run())
