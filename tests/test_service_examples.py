"""The programs in examples/service run with the real libraries: one does it at a time, and another takes over."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import habemus.sync
from habemus.service.view import ROLE

EXAMPLES = Path(__file__).parents[1] / "examples" / "service"
PATIENCE = 60


class Programs:
    """Starts examples with a group of their own, and ends those that are left, with all that they have started."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *command: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "ORDERS_GROUP": self.where}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        started = subprocess.Popen([sys.executable, *command], env=environment, process_group=0, **pipes)
        self.started.append(started)
        return started

    def end(self) -> None:
        for started in self.started:
            if started.poll() is None:
                os.killpg(started.pid, signal.SIGKILL)
            started.communicate()


@pytest.fixture
def programs(tmp_path) -> Iterator[Programs]:
    programs = Programs(f"file://{tmp_path}/locks")
    timer = Timer(2 * PATIENCE, programs.end)
    timer.start()
    yield programs
    timer.cancel()
    programs.end()


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not (result := condition()):
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.02)
    return result


def read_until(program, pattern):
    """The match in the first line that has one."""
    for line in program.stdout:
        if found := re.search(pattern, line):
            return found
    raise AssertionError(f"{program.args} ended without {pattern}")


@pytest.fixture
def group(programs) -> Iterator[habemus.sync.Group]:
    with habemus.sync.join("orders", programs.where, id="test") as group:
        yield group


def ask(request):
    """The JSON of an answer, or its status; None while nobody answers."""
    try:
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)
    except HTTPError as error:
        return error.code
    except OSError:
        return None


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def test_every_example_is_run():
    tested = Path(__file__).read_text(encoding="utf-8")
    assert all(f"{path.stem}" in tested for path in EXAMPLES.glob("*.py")) and len(list(EXAMPLES.glob("*.py"))) == 6


def test_starlette_workers_clean_up_on_one_and_ship_an_order_once(programs, group):
    port = free_port()
    options = ["--app-dir", str(EXAMPLES), "--workers", "2", "--port", str(port), "--log-level", "warning"]
    server = programs.start("-m", "uvicorn", *options, "web_app:app")
    page = f"http://127.0.0.1:{port}"
    until(lambda: group.view.find(ROLE, "cleanup").waiters)
    leader = group.view.leaders["cleanup"]
    seen: dict[str, bool] = {}
    until(lambda: (answer := ask(page)) and (seen.update({answer["member"]: answer["cleans up"]}) or len(seen) == 2))
    assert sum(seen.values()) == 1 and seen[leader]
    with group.lock("order/7") as lease:
        assert ask(Request(f"{page}/orders/7/ship", method="POST")) == 409
    assert int(ask(Request(f"{page}/orders/8/ship", method="POST"))["token"]) > lease.token
    server.send_signal(signal.SIGTERM)
    assert server.wait(PATIENCE) in (0, -signal.SIGTERM)
    until(lambda: [member.id for member in group.view.members] == ["test"])


def test_apscheduler_runs_on_the_leader_and_goes_on_elsewhere(programs, group):
    one = programs.start(str(EXAMPLES / "scheduler_on_leader.py"))
    first = int(read_until(one, rf"report {one.pid} (\d+)")[1])
    two = programs.start(str(EXAMPLES / "scheduler_on_leader.py"))
    waiter = until(lambda: group.view.find(ROLE, "scheduler").waiters)[0].member
    group.transfer("scheduler", to=waiter)
    second = int(read_until(two, rf"report {two.pid} (\d+)")[1])
    until(lambda: group.view.find(ROLE, "scheduler").waiters)
    two.kill()
    third = int(read_until(one, rf"report {one.pid} (?!{first})(\d+)")[1])
    assert first < second < third
    one.send_signal(signal.SIGINT)
    one.communicate(timeout=PATIENCE)


def test_celery_beat_beats_once(programs, group):
    one = programs.start(str(EXAMPLES / "celery_beat.py"))
    first = int(read_until(one, rf"beat {one.pid} (\d+)")[1])
    read_until(one, "Sending due task reminders")
    two = programs.start(str(EXAMPLES / "celery_beat.py"))
    until(lambda: group.view.find(ROLE, "beat").waiters)
    one.send_signal(signal.SIGTERM)  # it ends in order
    second = int(read_until(two, rf"beat {two.pid} (\d+)")[1])
    read_until(two, "Sending due task reminders")
    assert first < second
    one.communicate(timeout=PATIENCE)
    assert [event.reason for event in group.history() if event.kind == "lost"] == ["released"]


def test_a_django_command_does_not_run_twice_at_once(programs, group):
    with group.lock("reminders"):
        refused = programs.start(str(EXAMPLES / "django_command.py"))
        assert refused.communicate(timeout=PATIENCE)[0] == "reminders are being sent already\n"
        assert refused.returncode == 1
    running = programs.start(str(EXAMPLES / "django_command.py"))
    read_until(running, "reminder for order 1 with token")
    with pytest.raises(habemus.LockTaken), group.lock("reminders", wait=0):
        pass
    assert "order 3" in running.communicate(timeout=PATIENCE)[0] and running.returncode == 0


def test_gunicorn_workers_join_after_the_fork_and_one_does_what_is_done_once(programs, group):
    port = free_port()
    options = ["--chdir", str(EXAMPLES), "--config", str(EXAMPLES / "gunicorn_settings.py"), "--workers", "3"]
    options += ["--bind", f"127.0.0.1:{port}", "--log-level", "warning"]
    server = programs.start("-m", "gunicorn", *options, "gunicorn_app:application")
    page = f"http://127.0.0.1:{port}"

    def leaders() -> list[int]:
        view = group.view
        pids = {member.id: int(member.metadata["pid"]) for member in view.members}
        return [pids[holder.member] for holder in view.find(ROLE, "cleanup").holders if holder.member in pids]

    until(lambda: len(group.view.find(ROLE, "cleanup").waiters) == 2)
    (leader,) = leaders()
    seen: dict[int, bool] = {}
    until(lambda: (answer := ask(page)) and (seen.update({answer["worker"]: answer["cleans up"]}) or leader in seen))
    assert seen.pop(leader) and not any(seen.values())
    os.kill(leader, signal.SIGKILL)
    until(lambda: leaders() not in ([], [leader]) and len(group.view.find(ROLE, "cleanup").waiters) == 2)
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=PATIENCE)
    until(lambda: [member.id for member in group.view.members] == ["test"])
