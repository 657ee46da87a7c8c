"""Real processes and real signals: who is killed, stopped, resumed or restarted, and what the others make of it."""

import asyncio
import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from groups import free_ports, until

from habemus.network.operate.cluster import Cluster
from habemus.scenario import Scenario

BULLY = Scenario("bully")
RAFT = Scenario("raft-election-steady")
RING = Scenario("ring-coordinator")
ELECTIONS = pytest.mark.parametrize("scenario", [BULLY, RAFT, RING], ids=lambda scenario: scenario.algorithm)
HABEMUS = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())"]


@asynccontextmanager
async def cluster(scenario, n, folder, **options):
    """Processes 1 ... n, started and agreed if they elect; none survives."""
    made = Cluster(scenario, n, folder, **options)
    try:
        await made.start()
        yield made
    finally:
        for child in made.members.values():
            child.kill()
        await made.end()


def survivors_agree(made, without):
    named = [c.status.get("leader") for c in made.members.values() if c.id != without]
    return len(set(named)) == 1 and named[0] not in (None, without)


@ELECTIONS
def test_when_the_leader_is_killed_the_others_elect_another_and_it_can_come_back(scenario, tmp_path):
    async def run():
        async with cluster(scenario, 3, tmp_path) as made:
            await until(lambda: made.leader is not None)
            first = made.leader
            term = made.members[first].status["term"]
            made.members[first].kill()
            await until(lambda: survivors_agree(made, first))
            await made.restart(first)
            await until(lambda: made.leader is not None and len(made.members[first].status) > 1)
            assert made.members[first].status["incarnation"] == 2
            if term is not None:
                assert made.members[first].status["term"] > term

    asyncio.run(run())


@ELECTIONS
def test_when_a_follower_is_killed_the_leader_stays(scenario, tmp_path):
    async def run():
        async with cluster(scenario, 3, tmp_path) as made:
            await until(lambda: made.leader is not None)
            leader = made.leader
            follower = next(child for child in made.members.values() if child.id != leader)
            changes = made.members[leader].status["changes"]
            follower.kill()
            await until(lambda: follower.state == "dead")
            await asyncio.sleep(1.5)
            assert made.leader == leader
            assert made.members[leader].status["changes"] == changes

    asyncio.run(run())


@ELECTIONS
def test_a_leader_that_was_stopped_finds_out_before_it_does_anything(scenario, tmp_path):
    async def run():
        async with cluster(scenario, 3, tmp_path) as made:
            await until(lambda: made.leader is not None)
            leader = made.leader
            stopped = made.members[leader]
            heard = []
            made.listeners.append(lambda child, event: heard.append((child, event, dict(child.status))))
            stopped.pause()
            await until(lambda: survivors_agree(made, leader))
            await asyncio.sleep(2.5)  # longer than any of them needs to give it up, and longer than its stall limit
            heard.clear()
            stopped.resume()
            await until(lambda: any(child is stopped and event == "leader" for child, event, _ in heard))
            said = [status for child, event, status in heard if child is stopped and event not in ("resumed", "paused")]
            assert said[0]["leader"] is None and said[0]["role"] != "leader"  # the first word after the stop
            await until(lambda: made.leader is not None)

    asyncio.run(run())


def test_when_the_holder_of_the_lock_is_killed_the_next_gets_in(tmp_path):
    scenario = Scenario(
        "coordinator-lease", parameters={"lease": 300, "transmission": 50, "coordinator": 1, "retry": 200}
    )

    async def run():
        inside = []

        def hear(child, event):
            if event == "enter":
                inside.append(child.id)

        async with cluster(scenario, 3, tmp_path, think="constant:50", hold="constant:200") as made:
            made.listeners.append(hear)
            await until(lambda: any(id != 1 for id in inside))
            holder = next(id for id in inside if id != 1)
            made.members[holder].kill()
            await until(lambda: made.members[holder].state == "dead")
            inside.clear()
            await until(lambda: {1, 5 - holder} <= set(inside))
            assert holder not in inside

    asyncio.run(run())


def children_of(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_process_survives_the_one_that_started_it(end):
    up = subprocess.Popen([*HABEMUS, "up", "-n", "3", "--no-open"], stdout=subprocess.PIPE)
    try:
        wait_for(lambda: len(children_of(up.pid)) >= 3)
        while b"process 3: leads" not in up.stdout.readline():
            assert up.poll() is None
        children = children_of(up.pid)
        os.kill(children[0], signal.SIGSTOP)  # one that cannot hear anything
        up.send_signal(end)
        up.wait(60)
        wait_for(lambda: all(map(gone, children)))
    finally:
        up.kill()
        up.wait()
        up.stdout.close()


def test_up_ends_quietly_when_nobody_reads_its_lines_any_more():
    up = subprocess.Popen(
        [*HABEMUS, "up", "-n", "2", "--no-open", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        up.stdout.readline()
        up.stdout.close()
        assert (up.wait(60), up.stderr.read()) == (0, b"")
    finally:
        up.kill()
        up.wait()
        up.stderr.close()


def test_a_node_reports_regularly_and_leaves_in_order_on_sigterm(tmp_path):
    command = ["node", "--algorithm", "bully", "--id", "1", "--peers", "1=127.0.0.1:0", "--data", str(tmp_path)]
    command += ["--report-every", "0.2"]
    node = subprocess.Popen([*HABEMUS, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        lines = [node.stdout.readline() for _ in range(3)]
        assert all(line.endswith("process 1: leads\n") for line in lines)
        node.send_signal(signal.SIGTERM)
        rest, errors = node.communicate(timeout=60)
        assert node.returncode == 0
        assert rest.endswith("process 1: knows no leader\n")
        assert "leaving" in errors
    finally:
        node.kill()
        node.wait()


@pytest.mark.parametrize("log", ["text", "json"])
def test_sighup_and_open_streams_let_a_node_leave_in_order(log, tmp_path):
    port = free_ports(1)[0]
    command = ["node", "--algorithm", "bully", "--id", "1", "--peers", "1=127.0.0.1:0", "--data", str(tmp_path)]
    command += ["--http", f"127.0.0.1:{port}", "--log", log]
    node = subprocess.Popen([*HABEMUS, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        node.stdout.readline()
        with socket.create_connection(("127.0.0.1", port), timeout=60) as stream:
            stream.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert stream.recv(12) == b"HTTP/1.1 200"
            node.send_signal(signal.SIGHUP)
            rest, errors = node.communicate(timeout=60)
        assert node.returncode == 0 and "leaving" in errors and "Traceback" not in errors
        assert "knows no leader" in rest or json.loads(rest.splitlines()[-1])["leader"] is None
    finally:
        node.kill()
        node.wait()


def test_a_node_that_was_started_with_nohup_outlives_its_terminal(tmp_path):
    command = ["node", "--algorithm", "bully", "--id", "1", "--peers", "1=127.0.0.1:0", "--data", str(tmp_path)]
    command += ["--report-every", "0.05"]
    ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)  # noqa: E731 - as nohup does
    node = subprocess.Popen(
        [*HABEMUS, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=ignore
    )
    try:
        node.stdout.readline()
        node.send_signal(signal.SIGHUP)
        assert all(node.stdout.readline().endswith("leads\n") for _ in range(10))
        node.send_signal(signal.SIGTERM)
        _, errors = node.communicate(timeout=60)
        assert node.returncode == 0 and errors.count("leaving") == 1
    finally:
        node.kill()
        node.wait()


def test_up_removes_what_a_killed_one_left_behind(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}

    def start():
        command = [*HABEMUS, "up", "-n", "2", "--no-open", "--port", "0"]
        up = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
        up.stdout.readline()
        return up, set(tmp_path.iterdir())

    first, left = start()
    first.kill()
    first.wait()
    first.stdout.close()
    assert left and left <= set(tmp_path.iterdir())
    second, there = start()
    try:
        assert not left & there and there
    finally:
        second.send_signal(signal.SIGTERM)
        second.wait(60)
        second.stdout.close()
    assert not list(tmp_path.iterdir())


def test_every_line_of_a_json_log_says_whose_it_is(tmp_path):
    command = ["node", "--id", "7", "--group", "jobs", "--peers", "7=127.0.0.1:0", "--data", str(tmp_path)]
    node = subprocess.Popen(
        [*HABEMUS, *command, "--log", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        first = node.stdout.readline()
        node.send_signal(signal.SIGTERM)
        rest, log = node.communicate(timeout=60)
    finally:
        node.kill()
        node.wait()
    lines = [json.loads(line) for line in (first + rest + log).splitlines()]
    assert {"leaving", None} <= {line.get("message") for line in lines}
    assert {(line["group"], line["id"]) for line in lines} == {("jobs", 7)}


def test_keys_kill_pause_resume_and_restart_the_chosen_process():
    """In a terminal: choose 3 and kill it, start it again, pause it, resume it, quit."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", COLUMNS="140", LINES="40")
        os.execv(HABEMUS[0], [*HABEMUS, "up", "-n", "3", "--no-open"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 140, 0, 0))
    shown = [""]

    def state_of(process):
        """What the last table says of a process."""
        table = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown[0].rpartition("bully, 3 processes")[2])
        found = re.search(rf"^[› ]\s+{process}\s+(\w+) *(.*)", table, re.MULTILINE)
        return (found[1], found[2]) if found else ("", "")

    def wait_until(condition):
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, shown[0][-1500:]
            if select.select([terminal], [], [], 0.1)[0]:
                shown[0] += os.read(terminal, 65536).decode(errors="replace")

    try:
        wait_until(lambda: "leader" in state_of(3)[1])
        os.write(terminal, b"3k")
        wait_until(lambda: state_of(3)[0] == "dead" and "leader" in state_of(2)[1])
        os.write(terminal, b"s")
        wait_until(lambda: state_of(3)[0] == "running" and "leader" in state_of(3)[1])
        os.write(terminal, b"p")
        wait_until(lambda: state_of(3)[0] == "paused" and "leader" in state_of(2)[1])
        os.write(terminal, b"r")
        wait_until(lambda: state_of(3)[0] == "running" and "leader" in state_of(3)[1])
        os.write(terminal, b"q")
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        with suppress(OSError):
            while os.read(terminal, 65536):
                pass
        os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
