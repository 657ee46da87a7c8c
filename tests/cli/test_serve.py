"""`habemus serve`: voters without an application; and the commands for operators on a group of voters."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from threading import Timer

import pytest
from calls import as_json, run

PATIENCE = 120
TTL = "2"  # seconds; a group is founded after one


class Voters:
    """Three voters, and commands that are told where they are."""

    def __init__(self, folder) -> None:
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
        self.where = ",".join(f"127.0.0.1:{each.getsockname()[1]}" for each in sockets)
        for each in sockets:
            each.close()
        self.options = ["--where", self.where, "--ttl", TTL]
        folders = ["--data", str(folder)]
        options = [["--id", "v1", "--http", "127.0.0.1:0"], ["--id", "v2"], ["--id", "v3"]]
        self.started = [self.start("serve", *folders, *each) for each in options]
        self.timer = Timer(PATIENCE, self.end)
        self.timer.start()

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        name, *rest = arguments
        command = [sys.executable, "-m", "habemus", name, *self.options, *rest]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def end(self) -> None:
        self.timer.cancel()
        for started in self.started:
            started.kill()
            started.communicate()


@pytest.fixture(scope="module")
def voters(tmp_path_factory) -> Iterator[Voters]:
    voters = Voters(tmp_path_factory.mktemp("voters"))
    yield voters
    voters.end()


def test_voters_without_an_application_grant_locks_to_clients(voters):
    said = [started.stdout.readline() for started in voters.started]
    assert re.fullmatch(r'v1 votes in group "habemus", answers at http://127.0.0.1:\d+\n', said[0])
    assert said[1:] == ['v2 votes in group "habemus"\n', 'v3 votes in group "habemus"\n']
    script = "echo $HABEMUS_TOKEN ${HABEMUS_DEADLINE:+deadline}"
    locked = voters.start("lock", "a", "--", "sh", "-c", script)
    token, deadline = locked.communicate(timeout=PATIENCE)[0].split()
    assert int(token) >= 1 << 40 and deadline == "deadline" and locked.returncode == 0


def test_operators_see_a_group_of_voters(voters, capsys):
    status, seen = as_json(capsys, "status", *voters.options)
    assert status == 0 and [member["id"] for member in seen["members"]] == ["v1", "v2", "v3"] and seen["has_quorum"]
    status, out, _ = run(capsys, "members", *voters.options)
    assert status == 0 and len(re.findall(r"v\d +voter", out)) == 3
    status, out, _ = run(capsys, "doctor", *voters.options, "--for", "0.1")
    assert "round trip to those who decide" in out and "On one host" not in out


def test_a_role_is_transferred_between_commands(voters, capsys):
    runs = [voters.start("run", "--role", "beat", "--", "sh", "-c", "echo leads; exec sleep 1000") for _ in range(2)]
    voters.started += runs
    waiters: list[dict[str, str]] = []
    while not waiters:
        _, seen = as_json(capsys, "status", *voters.options)
        waiters = [waiter for lock in seen["locks"] for waiter in lock["waiters"] if lock["holders"]]
    status, out, _ = run(capsys, "transfer", "beat", "--to", waiters[0]["member"], *voters.options)
    assert status == 0 and out.startswith(f"{waiters[0]['member']} leads beat with token ")
    for each in runs:
        each.send_signal(signal.SIGKILL)


def test_a_voter_ends_in_order(voters):
    signals = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
    for number, started in zip(signals, voters.started[:3], strict=True):
        started.send_signal(number)
        assert started.wait(PATIENCE) == 0 and "Traceback" not in started.stdout.read()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["serve"], "Missing option '--where'"),
        (["serve", "--where", "file:///tmp/x"], "expected the addresses of the voters"),
        (["serve", "--where", "nonsense"], "expected HOST:PORT"),
        (["serve", "--where", "192.0.2.1:7001"], "cannot be a voter on this host"),
        (["serve", "--where", "127.0.0.1:0", "--tls", "a,b"], "expected CERTIFICATE,KEY,AUTHORITY"),
        (["status", "--where", "127.0.0.1:1", "--key-file", "/nowhere"], "/nowhere cannot be read"),
        (["lock", "a", "--where", "127.0.0.1:1", "--grace", "6", "--", "true"], "expected at most half of --ttl 10"),
        (["status", "--ttl", "0"], "ttl is a number of seconds from 0.1"),
    ],
    ids=lambda given: " ".join(given[:3]) if isinstance(given, list) else "",
)
def test_a_mistake_is_told_in_one_sentence(arguments, sentence, capsys):
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1) and sentence in err, err


def test_a_group_without_its_voters_has_no_quorum(capsys):
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        where = f"127.0.0.1:{nobody.getsockname()[1]}"
    status, out, err = run(capsys, "status", "--where", where, "--ttl", "0.5")
    assert (status, out) == (1, "") and "0 of 1 voters" in err, json.dumps([out, err])
