"""A forked child keeps nothing that belongs to the process: no lock, no port, no connection."""

import os
import signal
import socket
import subprocess
import sys
import time

from groups import free_ports

from habemus.network.node.storage import Storage

PROGRAM = """
import asyncio, os, sys, time
from habemus import Node, Scenario

async def main():
    peers = {1: ("127.0.0.1", int(sys.argv[2])), 2: ("127.0.0.1", int(sys.argv[3]))}
    async with Node(Scenario("bully"), 1, peers, sys.argv[1], wait=0.1) as one, Node(
        Scenario("bully"), 2, peers, sys.argv[1] + "-2", wait=0.1
    ) as two:
        while not (two.leads and one.peers.connected):
            await asyncio.sleep(0.01)
        child = os.fork()
        if child == 0:
            print("child", os.getpid(), two.leads, two.command("start"), flush=True)
            time.sleep(60)
            os._exit(0)
        await asyncio.sleep(0.2)
        print("parent", two.leads, one.peers.connected, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


def test_the_lock_and_the_port_are_free_when_the_process_is_killed_though_a_child_lives(tmp_path):
    ports = free_ports(2)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "1"), *map(str, ports)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    child = None
    try:
        said = sorted([parent.stdout.readline().split(), parent.stdout.readline().split()])
        assert said[0][0] == "child" and said[0][2:] == ["False", "False"]  # it leads nothing
        child = int(said[0][1])
        assert said[1] == ["parent", "True", "[2]"]  # which has lost nothing
        parent.kill()
        parent.wait()
        os.kill(child, 0)
        storage = Storage(tmp_path / "1")
        storage.open()
        storage.close()
        deadline = time.monotonic() + 30
        for port in ports:
            with socket.socket() as free:
                while free.connect_ex(("127.0.0.1", port)) == 0:
                    assert time.monotonic() < deadline, "the child listens"
                    time.sleep(0.05)
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
        if child is not None:
            os.kill(child, signal.SIGKILL)
