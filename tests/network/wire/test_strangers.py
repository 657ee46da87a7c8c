"""Strangers at the port, however many, cost little and keep no member out."""

import asyncio
import os
import resource
import socket
import ssl
import sys
import time
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest
import uvloop
from crowds import crowd
from groups import addresses, agreed, free_ports, group, until

from habemus.network.node.node import Node
from habemus.network.wire.connection import HANDSHAKE_TIMEOUT
from habemus.network.wire.endpoint import MOST_STRANGERS, Endpoint
from habemus.network.wire.frames import VERSION, Hello, Knock, Proof, Refusal, encode, make_frame
from habemus.network.wire.listener import Listener
from habemus.network.wire.security import Certificates
from habemus.scenario import Scenario

HABEMUS = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())"]
PEMS = Path(__file__).parent / "certificates"
RAFT = Scenario("raft-election", parameters={"low": 1000, "high": 2000, "heartbeat": 200})
OF_MEMBERS, OF_STRANGERS = "127.0.0.1", "127.0.0.2"
KNOCK = make_frame(encode(Knock(VERSION, "habemus", b"n" * 16)))
HOSTILE = [
    b"GET / HTTP/1.1\r\nHost: here\r\n\r\n",
    b"\xff" * 400,
    KNOCK + make_frame(encode(Proof(b"p" * 32))),
    KNOCK + make_frame(encode(Hello(2, 1, "", 9, b"", (), (), b"", (1, 2, 3)))),
]


# A whole group


@asynccontextmanager
async def real_group(folder):
    """Three processes; gives functions that ask for their status, and restart one."""
    key = folder / "key"
    key.write_text("the key of this group")
    key.chmod(0o600)
    ports = free_ports(6)
    where = {id: ("127.0.0.1", port) for id, port in enumerate(ports[:3], 1)}
    peers = ",".join(f"{id}=127.0.0.1:{port}" for id, (_, port) in where.items())
    running = {}
    logs = {id: os.open(folder / f"{id}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND) for id in where}

    async def start(id):
        if id in running:
            running[id].kill()
            await running[id].wait()
        running[id] = await asyncio.create_subprocess_exec(
            *(*HABEMUS, "node", "--algorithm", "raft-election", "--id", str(id), "--peers", peers, "--wait", "2"),
            *("--data", str(folder / str(id)), "--http", f"127.0.0.1:{ports[2 + id]}", "--key-file", str(key)),
            *(word for setting in RAFT.parameters.items() for word in ("--set", "{}={}".format(*setting))),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=logs[id],
        )

    def ask(id, path):
        with urlopen(f"http://127.0.0.1:{ports[2 + id]}{path}", timeout=30) as answer:
            return answer.read()

    async def read(id, path="/status"):
        with suppress(OSError):
            return msgspec.json.decode(await asyncio.to_thread(ask, id, path))
        return {"leader": None, "connected": []}

    try:
        for id in where:
            await start(id)
        yield where, running, read, start
    finally:
        for process in running.values():
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        for file in logs.values():
            os.close(file)


async def are_heard_late(address, source, strangers, count):
    """Whether some from that host still have their places after strangers enough for all places have come."""
    for _ in range(20):
        came, begun = strangers.come, time.monotonic()
        coming = [asyncio.open_connection(*address, local_addr=(source, 0)) for _ in range(count)]
        connections = await asyncio.gather(*coming)
        try:
            while strangers.come < came + MOST_STRANGERS + 50:
                await asyncio.sleep(0.02)
            if time.monotonic() - begun > 0.8 * HANDSHAKE_TIMEOUT:
                continue  # the machine is busy: they may have been dropped because their own time was up
            if await dropped(connections):
                return False
            reader, writer = connections[0]
            writer.write(KNOCK)
            return bool(await asyncio.wait_for(reader.read(1), 10))
        finally:
            for _, writer in connections:
                writer.transport.abort()
    raise AssertionError("too few strangers come")


def test_a_group_keeps_its_leader_beside_two_thousand_strangers_and_a_restarted_member_gets_in(tmp_path):
    async def run():
        async with real_group(tmp_path) as (where, running, read, start), AsyncExitStack() as crowds:
            told = []
            while len(told) != 3 or None in (leaders := {each["leader"] for each in told}) or len(leaders) != 1:
                told = [each for each in [await read(id) for id in where] if len(each["connected"]) == 2]
            leader = told[0]["leader"]
            term = told[0]["term"]
            idle = await crowds.enter_async_context(crowd(where[leader], 1000, source=OF_STRANGERS))
            for said in HOSTILE:
                await crowds.enter_async_context(crowd(where[leader], 250, said, source=OF_STRANGERS))
            most = 3 * MOST_STRANGERS // 4  # more than the strangers have, from one host
            assert await are_heard_late(where[leader], OF_MEMBERS, idle, most)
            assert not await are_heard_late(where[leader], OF_STRANGERS, idle, 1)
            follower = next(id for id in where if id != leader)
            before = len((tmp_path / f"{follower}.log").read_text())
            await start(follower)
            begun = time.monotonic()
            while len((await read(follower))["connected"]) != 2:
                assert time.monotonic() - begun < 15, "the restarted member does not get in"
                await asyncio.sleep(0.1)
            for id in where:
                while (told := await read(id))["leader"] is None:  # the restarted one may have yet to hear of it
                    assert time.monotonic() - begun < 15, f"{id} knows no leader"
                    await asyncio.sleep(0.1)
                assert (told["leader"], told["term"]) == (leader, term)
            assert len(os.listdir(f"/proc/{running[leader].pid}/fd")) < 400
            told = (tmp_path / f"{follower}.log").read_text()[before:]
            assert f"no connection to process {leader}" not in told  # it was let in when it first came
        lines = (tmp_path / f"{leader}.log").read_text().splitlines()
        refused = [line for line in lines if f"refused a connection from {OF_STRANGERS}:" in line]
        assert refused and len(lines) < 200

    asyncio.run(run())


# One port


@asynccontextmanager
async def listening(most, patience=60.0, knows=lambda host: False):
    """A listener whose guests say nothing, and its address."""
    listener = Listener("a connection", most, patience, lambda guest: Silent(guest), knows=knows)
    opened = socket.create_server(("127.0.0.1", 0))
    listener.start([opened])
    try:
        yield listener, opened.getsockname()
    finally:
        listener.close()
        for guest in list(listener.guests):
            guest.transport.abort()


class Silent(asyncio.Protocol):
    def __init__(self, guest):
        self.guest = guest

    def connection_lost(self, error):
        self.guest.leave()


async def come(address, count, source="127.0.0.1"):
    """So many connections, in their order."""
    return [await asyncio.open_connection(*address, local_addr=(source, 0)) for _ in range(count)]


async def dropped(connections):
    """Which of them have been closed."""
    await asyncio.sleep(0.2)
    return [place for place, (reader, _) in enumerate(connections) if reader.at_eof() or reader.exception()]


def test_the_oldest_goes_first():
    async def run():
        async with listening(5) as (listener, address):
            connections = await come(address, 8)
            assert await dropped(connections) == [0, 1, 2]
            assert len(listener.guests) == 5 and listener.refusals == 3

    asyncio.run(run())


def test_the_address_with_most_guests_loses_one_first():
    async def run():
        async with listening(6) as (_, address):
            few = await come(address, 2, "127.0.0.3")
            many = await come(address, 20, "127.0.0.2")
            assert await dropped(few) == []
            assert await dropped(many) == list(range(16))

    asyncio.run(run())


def test_a_known_address_comes_first_however_many_guests_it_has():
    async def run():
        async with listening(6, knows=lambda host: host == "127.0.0.3") as (_, address):
            known = await come(address, 5, "127.0.0.3")
            strangers = await come(address, 10, "127.0.0.2")
            assert await dropped(known) == []
            assert await dropped(strangers) == list(range(9))

    asyncio.run(run())


def test_the_listed_addresses_of_peers_are_known_before_any_of_them_has_come(tmp_path):
    async def run():
        where = {1: (OF_MEMBERS, free_ports(1)[0]), 2: ("127.0.0.3", 1)}
        node = Node(RAFT, 1, where, tmp_path)
        await node.open()
        assert node.endpoint.knows("127.0.0.3") and not node.endpoint.knows(OF_STRANGERS)
        await node.stop()

    asyncio.run(run())


def test_who_is_being_served_is_not_dropped_for_others():
    async def run():
        async with listening(3) as (listener, address):
            served = await come(address, 3)
            await until(lambda: len(listener.guests) == 3)
            for guest in listener.guests:
                guest.settle()
            late = await come(address, 4)
            assert await dropped(late) == [0, 1, 2, 3] and await dropped(served) == []

    asyncio.run(run())


def test_a_process_without_descriptors_accepts_again_when_it_has_some(caplog):
    async def run():
        async with listening(50) as (listener, address):
            early = await come(address, 1)
            late = [socket.create_connection(address)]
            hoard = []
            with suppress(OSError):
                while True:
                    hoard.append(os.dup(0))
            await until(lambda: "Too many open files" in caplog.text)
            assert await dropped(early) == [0]  # its descriptor is worth more to others
            for each in hoard:
                os.close(each)
            last = await come(address, 3)
            await until(lambda: len(listener.guests) >= 3)
            assert await dropped(last) == []
            for each in late:
                each.close()

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, limits[1]))
    try:
        asyncio.run(run())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_of_many_lines_in_the_log_the_first_are_written_and_the_rest_counted(monkeypatch, caplog):
    monkeypatch.setattr("habemus.network.wire.listener.LINES_WITHIN", 0.5)

    async def run():
        async with listening(1) as (listener, address):
            await come(address, 101)
            await until(lambda: "left out" in caplog.text)
            assert listener.refusals == 100

    asyncio.run(run())
    *first, last = [record.getMessage() for record in caplog.records if "TLS" not in record.getMessage()]
    assert len(first) == 10 and last == "90 more lines like these were left out"


def test_a_log_line_names_the_strangers_address_and_not_whom_it_claims_to_be(tmp_path, caplog):
    async def run():
        async with group(RAFT, 2, tmp_path, key=b"k" * 16) as nodes:
            await until(lambda: agreed(nodes))
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", nodes[0].endpoint.port, local_addr=("127.0.0.9", 0)
            )
            port = writer.get_extra_info("sockname")[1]
            writer.write(HOSTILE[3])
            await asyncio.wait_for(reader.read(), 10)
            writer.close()
            return port

    with caplog.at_level("WARNING", "habemus.network"):
        port = asyncio.run(run())
    (line,) = [record.getMessage() for record in caplog.records if "refused" in record.getMessage()]
    assert line == f"refused a connection from 127.0.0.9:{port}: unexpected Hello"


# TLS


def tls_node(id, where, folder):
    tls = Certificates(*(str(PEMS / name) for name in ("member.pem", "member.key", "ca.pem")))
    return Node(RAFT, id, where, folder, endpoint=Endpoint(*where[id], tls.accepting), dialling_tls=tls.dialling)


@pytest.mark.parametrize("factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_half_open_tls_handshakes_count_as_strangers_and_members_get_in_beside_them(tmp_path, caplog, factory):
    async def run():
        where = addresses(2)
        nodes = [tls_node(id, where, tmp_path / str(id)) for id in where]
        for node in nodes:
            node.endpoint.listener.most = 20
        try:
            await nodes[0].endpoint.open()
            hello = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            hello.check_hostname = False
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            with suppress(ssl.SSLWantReadError):
                hello.wrap_bio(incoming, outgoing).do_handshake()
            flight = outgoing.read()
            async with crowd(where[1], 200, flight), crowd(where[1], 200), crowd(where[1], 10, b"no TLS at all"):
                listener = nodes[0].endpoint.listener
                await until(lambda: len(listener.guests) == 20)  # those without TLS leave, and others come again
                await asyncio.gather(*(node.start() for node in nodes))
                await until(lambda: agreed(nodes) and all(len(node.peers.connected) == 1 for node in nodes))
                assert len(listener.guests) <= 20
                own = len(os.listdir("/proc/self/fd"))
            assert listener.refusals > 300
            assert own < 2 * 410 + 150  # ours and theirs; none of those that were dropped
        finally:
            for node in nodes:
                await node.stop()

    with caplog.at_level("WARNING", "habemus.network"), asyncio.Runner(loop_factory=factory) as runner:
        runner.run(run())
    assert "refused a connection from 127.0.0.1:" in caplog.text
    assert len(caplog.records) < 100


@pytest.mark.parametrize("factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_failed_tls_handshake_is_logged_and_counted_with_the_strangers_address(tmp_path, caplog, factory):
    async def run():
        where = addresses(2)
        node = tls_node(1, where, tmp_path / "1")
        await node.endpoint.open()
        reader, writer = await asyncio.open_connection(*where[1])
        name = "{}:{}".format(*writer.get_extra_info("sockname"))
        writer.write(b"no TLS at all")
        with suppress(ConnectionError):
            await asyncio.wait_for(reader.read(), 10)
        writer.close()
        await until(lambda: node.endpoint.listener.refusals == 1 and not node.endpoint.listener.guests)
        await node.stop()
        return name

    with caplog.at_level("WARNING", "habemus.network"), asyncio.Runner(loop_factory=factory) as runner:
        name = runner.run(run())
    assert f"refused a connection from {name}: the TLS handshake failed" in caplog.text


# At the other end


def test_whoever_took_the_address_of_a_peer_and_has_no_key_ends_nobody(tmp_path):
    """A refusal counts only after the proof: final ones, other members, another process with this id."""
    said = make_frame(encode(Refusal("go away", True, (1, 2, 7), True, True)))

    async def refuse(reader, writer):
        await reader.read(1000)
        writer.write(said)

    async def run():
        where = addresses(2)
        node = Node(Scenario("bully"), 1, where, tmp_path, key=b"k" * 16, wait=0.5)
        link = node.peers.links[2]
        async with await asyncio.start_server(refuse, *where[2]):
            start = asyncio.ensure_future(node.start())
            await until(lambda: "go away" in link.logged_reason and link.redials > 3)
            assert not node.founding.disputed
            await start
            await until(lambda: node.leads)
            await node.leave()

    asyncio.run(run())
