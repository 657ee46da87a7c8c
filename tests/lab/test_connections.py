"""Connections that send nothing, or read nothing, do not keep a page from the lab."""

import asyncio
import os
import resource
import socket
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import pytest
from labs import running_lab

from habemus.lab import connections
from habemus.lab.server import Lab


@pytest.fixture(scope="module")
def lab():
    with running_lab() as lab:
        resource.prlimit(lab.process.pid, resource.RLIMIT_NOFILE, (512, 512))
        yield lab


def come(lab):
    return socket.create_connection(("127.0.0.1", lab.port), timeout=30)


def descriptors(lab):
    return len(os.listdir(f"/proc/{lab.process.pid}/fd"))


def test_a_page_is_answered_beside_a_thousand_idle_connections(lab):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(2000, hard)), hard))
    with ExitStack() as crowd:
        for place in range(1000):
            idle = crowd.enter_context(come(lab))
            if place % 2:
                idle.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        for _ in range(5):
            assert lab.post("/api/run", {"scenario": {"algorithm": "chang-roberts"}}, timeout=20).json["leader"] == 8
        assert descriptors(lab) < 400


HEAD = b"POST /api/run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n"
LARGE = b"GET /static/large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def test_who_sends_no_request_or_half_of_one_or_takes_no_answer_is_shown_out(monkeypatch, tmp_path):
    monkeypatch.setattr(connections, "PATIENCE", 0.5)
    monkeypatch.setattr("habemus.lab.server.STATIC", tmp_path)
    (tmp_path / "large").write_bytes(bytes(20_000_000))

    async def run():
        lab = Lab()
        lab.listener.patience = 0.5
        parts = urlsplit(await lab.start(0))
        try:
            waiting = [await asyncio.open_connection(parts.hostname, parts.port) for _ in range(5)]
            for (_, writer), said in zip(waiting, (b"", b"GET / HTTP/1.1\r\n", HEAD, HEAD + b"{", LARGE), strict=True):
                writer.write(said)
            waiting[-1][1].transport.pause_reading()
            for reader, _ in waiting[:-1]:
                with suppress(ConnectionError):
                    assert await asyncio.wait_for(reader.read(), 10) == b""
            async with asyncio.timeout(10):
                while lab.listener.guests:
                    await asyncio.sleep(0.02)
            for _, writer in waiting:
                writer.transport.abort()
        finally:
            await lab.stop()

    asyncio.run(run())


def test_a_connection_that_has_had_its_answer_makes_room_for_a_newcomer():
    ask = b"GET /api/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    async def run():
        lab = Lab()
        lab.listener.most = 3
        parts = urlsplit(await lab.start(0))
        try:
            stay = []  # in case they have another request
            for _ in range(6):
                reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
                stay.append(writer)
                writer.write(ask)
                assert (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)).startswith(b"HTTP/1.1 ")
        finally:
            await lab.stop()

    asyncio.run(run())


def test_requests_in_a_row_are_answered_in_a_row(lab):
    with come(lab) as connection:
        connection.sendall(b"GET /api/scenarios/bully-seven-steps HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20)
        heard = b""
        while heard.count(b"HTTP/1.1 200 OK") < 20:
            heard += connection.recv(65536)


def test_malformed_requests_are_refused_and_do_not_fill_the_terminal(capfd):
    with running_lab() as lab:
        for said in (
            b"\x16\x03\x01\r\n\r\n",
            b"GET /\xff HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        ):
            with come(lab) as connection:
                connection.sendall(said)
                assert connection.recv(65536).startswith(b"HTTP/1.1 400 ")
    assert capfd.readouterr().err == ""
