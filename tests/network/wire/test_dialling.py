"""A name is looked up without holding anybody up, and the first address that answers is taken."""

import asyncio
import signal
import socket
import subprocess
import sys
import threading

import pytest
from groups import free_ports

from habemus.network.errors import NetworkError
from habemus.network.wire import dialling
from habemus.network.wire.addresses import is_possible, parse_address
from habemus.network.wire.dialling import ask_in_thread, connect

NODE = """
import socket, sys, threading
real = socket.getaddrinfo
def ask(host, *rest, **options):
    return threading.Event().wait() if host == "db2.example" else real(host, *rest, **options)
socket.getaddrinfo = ask
from habemus.network.operate import service
service.fails_for_now = lambda host: False  # when the node was started, the name server still answered
from habemus.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("host", ["a..b", "x" * 64, "a.b\0c", ""])
def test_a_name_that_no_host_can_have_is_refused(host):
    assert not is_possible((host, 7001))
    with pytest.raises(NetworkError, match="expected HOST:PORT"):
        parse_address(f"{host}:7001", "--peers")


def test_if_the_first_address_of_a_name_does_not_answer_the_next_one_is_tried(monkeypatch):
    monkeypatch.setattr(dialling, "CONNECT_TIMEOUT", 0.2)

    async def run():
        with socket.socket() as full, socket.create_server(("127.0.0.1", 0)) as living:
            port = living.getsockname()[1]
            full.bind(("127.0.0.2", port))
            full.listen(0)
            with socket.create_connection(("127.0.0.2", port)):  # its queue is full: whoever comes now hears nothing
                with pytest.raises(TimeoutError, match="no answer"):
                    await connect(asyncio.Protocol, ("127.0.0.2", port), None)
                found = [(0, 0, 0, "", (host, port)) for host in ("127.0.0.2", "127.0.0.1")]
                monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **options: found)
                reached = await connect(asyncio.Protocol, ("db.example", port), None)
                assert isinstance(reached, asyncio.Protocol)
                assert living.accept()

    asyncio.run(run())


def test_who_does_not_want_an_answer_any_more_does_not_wait_for_it(recwarn):
    asked, answered = threading.Event(), threading.Event()

    def question():
        asked.set()
        answered.wait(60)

    async def run():
        asking = asyncio.ensure_future(ask_in_thread(question))
        while not asked.is_set():
            await asyncio.sleep(0.005)
        asking.cancel()

    asyncio.run(run())  # the loop is closed while the thread is still asking
    answered.set()
    assert not recwarn


def test_a_name_server_that_is_silent_keeps_no_node_from_leading_or_leaving(tmp_path):
    key = tmp_path / "key"
    key.write_text("the key of the test")
    key.chmod(0o600)
    peers = "1=127.0.0.1:{},2=db2.example:{}".format(*free_ports(2))
    command = ["node", "--algorithm", "bully", "--id", "1", "--peers", peers, "--wait", "0.1"]
    command += ["--key-file", str(key), "--data", str(tmp_path / "1")]
    node = subprocess.Popen([sys.executable, "-c", NODE, *command], stdout=subprocess.PIPE, text=True)
    try:
        assert "process 1: leads" in node.stdout.readline()
        node.send_signal(signal.SIGTERM)
        assert node.wait(30) == 0
    finally:
        node.kill()
        node.communicate()
