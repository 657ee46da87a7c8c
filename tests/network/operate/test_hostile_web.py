"""Whatever comes to a node's HTTP port, the node keeps its votes and its descriptors, and answers others."""

import asyncio
import gc
import json
import os
import resource
import signal
import socket
import struct
import sys
from collections import Counter
from contextlib import suppress

import pytest
import uvloop
from crowds import crowd
from groups import free_ports, until
from webs import body_of, get, played, say, status_of

from habemus.network.operate import web_server
from habemus.network.operate.web_server import Response, WebServer
from habemus.network.wire.listener import open_sockets

HABEMUS = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())"]
DESCRIPTORS = 1024


# Too many


async def start_node(id, peers, page, folder):
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))  # noqa: E731
    return await asyncio.create_subprocess_exec(
        *(*HABEMUS, "node", "--algorithm", "raft-election", "--id", str(id), "--peers", peers, "--wait", "0.3"),
        *("--data", str(folder / str(id)), "--http", f"127.0.0.1:{page}"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=os.open(folder / f"{id}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND),
        preexec_fn=limit,
    )


def test_the_next_vote_is_written_with_a_thousand_idle_http_connections_open(tmp_path):
    async def run():
        ports = free_ports(5)
        peers = ",".join(f"{id}=127.0.0.1:{ports[id - 1]}" for id in (1, 2, 3))  # the third never comes
        pages = dict(zip((1, 2), ports[3:], strict=True))
        nodes = {id: await start_node(id, peers, pages[id], tmp_path) for id in (1, 2)}

        async def status(id):
            with suppress(OSError, json.JSONDecodeError):  # not up yet; or pushed out by the crowd before it spoke
                return body_of(await say(("127.0.0.1", pages[id]), get("/status")))
            return {"leader": None, "term": -1}

        async def agree(after):
            for _ in range(600):
                told = [await status(id) for id in (1, 2)]
                if told[0]["leader"] == told[1]["leader"] != None and told[0]["term"] > after:  # noqa: E711
                    return told[0]["term"]
                assert nodes[1].returncode is None, (tmp_path / "1.log").read_text()
                await asyncio.sleep(0.1)
            raise AssertionError("they do not agree")

        try:
            term = await agree(after=0)
            async with crowd(("127.0.0.1", pages[1]), 1000):
                nodes[2].send_signal(signal.SIGKILL)
                await nodes[2].wait()
                while (await status(1))["leader"] is not None or (await status(1))["term"] < 0:
                    await asyncio.sleep(0.1)  # else it might go on in its term, and need no vote
                nodes[2] = await start_node(2, peers, pages[2], tmp_path)
                await agree(after=term)  # no majority without a vote of the first
                assert len(os.listdir(f"/proc/{nodes[1].pid}/fd")) < DESCRIPTORS / 2
        finally:
            for node in nodes.values():
                with suppress(ProcessLookupError):
                    node.kill()
                await node.wait()

    asyncio.run(run())


def test_whoever_says_nothing_is_shown_out_and_so_is_whoever_says_it_too_slowly(tmp_path):
    async def story(server):
        assert server.server.listener.patience == web_server.PATIENCE == 10
        server.server.listener.patience = 0.3
        assert await say(server.address, b"") == b""
        assert await say(server.address, b"GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ") == b""
        assert await say(server.address, get("/election", method="POST", headers="Content-Length: 9\r\n")) == b""
        _, writer = await asyncio.open_connection(*server.address)
        sent = 0
        with suppress(ConnectionError):
            for letter in get("/status") * 100:  # one at a time, and never a whole request within the time
                writer.write(bytes([letter]))
                await writer.drain()
                await asyncio.sleep(0.05)
                sent += 1
        assert sent < 40
        assert status_of(await say(server.address, get("/status"))) == 200

    played(tmp_path, story)


def test_who_comes_late_is_answered_and_of_those_who_wait_the_oldest_goes(tmp_path):
    async def story(server):
        server.server.listener.most = 10
        idle = [await asyncio.open_connection(*server.address) for _ in range(30)]
        for _ in range(20):
            assert status_of(await say(server.address, get("/status"))) == 200
        assert len(server.server.listener.guests) <= 10
        assert await asyncio.wait_for(idle[0][0].read(), 10) == b""
        for _, writer in idle:
            writer.transport.abort()

    played(tmp_path, story)


def test_streams_that_last_leave_room_for_other_requests(tmp_path):
    async def story(server):
        server.server.listener.most = 10
        connections = [await asyncio.open_connection(*server.address) for _ in range(10)]
        await until(lambda: len(server.server.connections) == 10)
        for _, writer in connections:
            writer.write(get("/events"))  # all at the same moment
        answers = [status_of(await reader.readuntil(b"\n")) for reader, _ in connections]
        assert Counter(answers) == {200: 5, 503: 5}
        refused = await say(server.address, get("/events"))
        assert status_of(refused) == 503 and body_of(refused) == {"error": "5 others read a stream already"}
        assert status_of(await say(server.address, get("/status"))) == 200
        connections += [await asyncio.open_connection(*server.address) for _ in range(20)]  # who wait, and ask nothing
        await until(lambda: len(server.server.listener.guests) == 10)
        assert server.server.streams == 5
        for _, writer in connections:
            writer.transport.abort()
        await until(lambda: server.server.streams == 0 and not server.node.listeners)

    played(tmp_path, story)


# Too slow, too large, too much


LOOPS = pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])


def play_without_failures(loop, story):
    """Run a story with a web server of its own; nothing may fail that nobody waits for."""
    failures = []

    async def play():
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: failures.append(context))
        reached, leave = asyncio.Event(), asyncio.Event()

        async def think(query):
            reached.set()
            await leave.wait()
            return Response(b"thought")

        server = WebServer({"/think": think}, {})
        sockets = await open_sockets(("127.0.0.1", 0))
        server.start(sockets)
        await story(server, sockets[0].getsockname(), reached, leave)
        await server.stop()
        assert not server.connections and not server.listener.guests

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(play())
    gc.collect()
    assert failures == []


@LOOPS
def test_a_client_that_has_gone_before_its_answer_is_no_failure(loop):
    async def story(server, address, reached, leave):
        _, writer = await asyncio.open_connection(*address)
        writer.write(get("/think"))
        await reached.wait()
        (guest,) = server.listener.guests
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()  # and its kernel resets the connection
        await until(lambda: guest.transport.is_closing())
        leave.set()
        await until(lambda: not server.connections)

    play_without_failures(loop, story)


@LOOPS
@pytest.mark.parametrize("request_", [b"", get("/think")], ids=["silent", "asking"])
@pytest.mark.parametrize("turns", range(8))
def test_a_server_may_stop_at_any_moment_of_a_connection(loop, request_, turns):
    async def story(server, address, reached, leave):
        leave.set()
        with socket.create_connection(address) as client:
            client.sendall(request_)
            for _ in range(turns):
                await asyncio.sleep(0)
            await server.stop()
            for _ in range(8):
                await asyncio.sleep(0)
            assert not server.connections

    play_without_failures(loop, story)


def test_a_reader_of_events_that_does_not_read_is_shown_out(tmp_path, monkeypatch):
    monkeypatch.setattr("habemus.network.operate.web_server.PATIENCE", 0.3)

    async def story(server):
        for listening in server.server.listener.sockets:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # connections inherit it
        _, writer = await asyncio.open_connection(*server.address, limit=1)
        writer.transport.pause_reading()
        writer.write(get("/events"))
        await until(lambda: server.node.listeners)
        (hear,) = server.node.listeners
        change = server.node.history[0]
        while server.node.listeners:
            for _ in range(100):
                hear(change)
            await asyncio.sleep(0.005)
        await until(lambda: not server.server.listener.guests)
        writer.transport.abort()

    played(tmp_path, story)


def test_an_answer_that_nobody_takes_does_not_keep_its_connection(tmp_path, monkeypatch):
    monkeypatch.setattr("habemus.network.operate.web_server.PATIENCE", 0.3)

    async def story(server):
        told = []

        async def tell(query):
            told.append(query)
            return Response(b"x" * 10_000_000)  # more than a kernel buffers

        server.server.routes["/large"] = tell
        served = []
        for _ in range(3):
            reader, writer = await asyncio.open_connection(*server.address, limit=1)
            writer.transport.pause_reading()
            writer.write(get("/large"))
            served.append((reader, writer))
        await until(lambda: len(told) == 3)
        await until(lambda: not server.server.connections and not server.server.listener.guests)
        for reader, writer in served:
            writer.transport.resume_reading()
            taken = 0
            with suppress(ConnectionError):
                while data := await asyncio.wait_for(reader.read(1 << 20), 30):
                    taken += len(data)
            assert taken < 10_000_000  # what the kernel had, and no more
            writer.transport.abort()

    played(tmp_path, story)
