"""What operators see of a group and do with it: status, members, watch, history, transfer, pause, resume, doctor."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from threading import Event, Thread

import pytest
from calls import as_json, run

import habemus
import habemus.sync
from habemus.cli import group as commands
from habemus.cli import main
from habemus.service.engines.file import FileEngine
from habemus.service.view import ROLE, Holder, LockState, Member, View

PATIENCE = 60


@pytest.fixture
def where(tmp_path) -> str:
    return f"file://{tmp_path}/locks"


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not (result := condition()):
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.005)
    return result


@pytest.fixture
def busy(where) -> Iterator[habemus.sync.Group]:
    """A group in which a leads and b waits; who leads gives it up if it is asked to."""
    over = Event()

    def lead(id: str) -> None:
        with habemus.sync.join("orders", where, id=id) as group, group.lead("scheduler") as lease:
            until(lambda: over.is_set() or lease.wanted)

    threads = [Thread(target=lead, args=[id]) for id in ("a", "b")]
    with habemus.sync.join("orders", where, id="c", metadata={"zone": "north"}) as group:
        threads[0].start()
        until(lambda: group.view.leaders)
        threads[1].start()
        until(lambda: group.view.find(ROLE, "scheduler").waiters)
        yield group
        over.set()
        for thread in threads:
            thread.join()


def test_status_shows_who_leads_who_holds_and_who_waits(busy, where, capsys):
    with busy.lock("sku/42", shared=True) as lease:
        until(lambda: len(busy.view.locks) == 2)
        status, out, err = run(capsys, "status", "--group", "orders", "--where", where)
        assert (status, err) == (0, "") and out.startswith('group "orders", 3 members\n')
        assert re.search(rf"lock, shared +sku/42 +c +{lease.token}", out)
        assert re.search(r"role +scheduler +a +\d{16} +b", out)
        status, seen = as_json(capsys, "status", "--group", "orders", "--where", where)
    assert status == 0 and seen["leaders"] == {"scheduler": "a"} and seen["has_quorum"] and not seen["paused"]
    assert seen["locks"][0]["holders"] == [
        {"member": "c", "token": str(lease.token), "slot": 0, "shared": True, "remaining": None}
    ]
    assert seen["locks"][1]["waiters"] == [{"member": "b", "shared": False}]


def test_looking_makes_nobody_a_member_and_leaves_nothing_behind(where, tmp_path, capsys):
    for command in ("status", "members", "history"):
        status, out, err = run(capsys, command, "--group", "orders", "--where", where)
        assert (status, err) == (0, "") and ("nobody is in it" in out or out == "nothing is remembered\n")
    assert not (tmp_path / "locks").exists()
    with habemus.sync.join("orders", where, id="c"):
        _, seen = as_json(capsys, "members", "--group", "orders", "--where", where)
        assert [member["id"] for member in seen] == ["c"]


def test_members_shows_what_each_says_about_itself(busy, where, capsys):
    status, out, _ = run(capsys, "members", "--group", "orders", "--where", where)
    assert status == 0 and re.search(rf"c +member +pid={os.getpid()} zone=north", out)
    assert re.search(r"a +member +scheduler +pid", out)


def test_transfer_waits_until_the_member_leads_and_history_tells(busy, where, capsys):
    status, out, _ = run(capsys, "transfer", "scheduler", "--to", "b", "--group", "orders", "--where", where)
    assert status == 0 and re.fullmatch(r"b leads scheduler with token \d{16}\n", out)
    status, told = as_json(capsys, "history", "scheduler", "--group", "orders", "--where", where)
    assert [(event["kind"], event["member"]) for event in told] == [
        ("elected", "a"),
        ("transfer", "b"),
        ("lost", "a"),
        ("elected", "b"),
    ]
    status, out, _ = run(capsys, "history", "other", "--group", "orders", "--where", where)
    assert (status, out) == (0, "nothing is remembered\n")
    status, out, _ = run(capsys, "history", "--group", "orders", "--where", where)
    assert re.search(r"\d\d:\d\d:\d\d\.\d{3} +lost +scheduler +a +\d{16} +released", out)


def test_a_transfer_that_is_not_possible_or_takes_too_long_says_so(busy, where, capsys):
    options = ("--group", "orders", "--where", where)
    status, _, err = run(capsys, "transfer", "scheduler", "--to", "z", *options)
    assert (status, err) == (2, 'habemus: "z" does not wait for the role "scheduler": b does\n')
    with busy.lead("other"), habemus.sync.join("orders", where, id="d") as fourth:
        answer: list[object] = []
        attempt = fourth.membership.engine.acquire(fourth.membership.wish_role("other"), answer.append)
        until(lambda: busy.view.find(ROLE, "other").waiters)
        status, _, err = run(capsys, "transfer", "other", "--to", "d", "--wait", "0.1", *options)
        attempt.cancel()
    assert (status, err) == (75, "habemus: c leads other still, and d is next\n")


def test_pause_and_resume(busy, where, capsys):
    options = ("--group", "orders", "--where", where)
    assert run(capsys, "pause", *options) == (0, 'group "orders" is paused\n', "")
    assert run(capsys, "pause", *options)[0] == 0
    assert busy.view.paused and ", paused\n" in run(capsys, "status", *options)[1]
    assert run(capsys, "resume", *options) == (0, 'group "orders" is not paused\n', "")
    assert not busy.view.paused
    assert [event.kind for event in busy.history()][-2:] == ["paused", "resumed"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_watch_tells_of_everything_as_it_happens_until_it_is_ended(where, number):
    command = [sys.executable, "-m", "habemus", "watch", "--group", "orders", "--where", where, "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as watching:
        try:
            assert json.loads(watching.stdout.readline())["kind"] == "view"
            with habemus.sync.join("orders", where, id="a") as group, group.lead("scheduler") as lease:
                pass
            told = [json.loads(watching.stdout.readline()) for _ in range(4)]
            assert [event["kind"] for event in told] == ["joined", "elected", "lost", "left"]
            assert told[1]["token"] == str(lease.token) and told[2]["reason"] == "released"
            watching.send_signal(number)
            assert watching.wait(PATIENCE) == (130 if number == signal.SIGINT else -signal.SIGTERM)
            assert "Traceback" not in watching.stderr.read()
        finally:
            watching.kill()


def test_a_line_of_watch_says_who_what_and_why():
    event = habemus.Event(7, 0.5, "lost", "web1", "scheduler", 17, "dead")
    assert commands.event_line(event)[19:] == ".500  web1 lost scheduler token 17 (dead)"
    assert commands.event_line(habemus.Event(8, 0.5, "paused"))[19:] == ".500  paused"
    assert commands.event_line(habemus.Lagged(3)) == "3 events were missed"


def test_a_group_without_a_quorum_is_told_by_the_status(where, capsys, monkeypatch):
    view = View(
        "orders",
        members=(Member("a", voter=True, alive=False),),
        locks=(LockState("lock", "pool", 3, (Holder("a", 1, 2, remaining=4.25),)),),
        has_quorum=False,
        coordinator="a",
    )
    monkeypatch.setattr(FileEngine, "view", view)
    status, out, _ = run(capsys, "status", "--group", "orders", "--where", where)
    assert status == 1 and "no quorum: nothing can be decided" in out and "a coordinates" in out
    assert re.search(r"lock, 3 slots +pool +a +1 +4\.2 s", out)
    assert re.search(r"a +dead", run(capsys, "members", "--group", "orders", "--where", where)[1])

    def ask(self):
        answer = Future()
        answer.set_exception(habemus.NoQuorum("no majority of the voters answers"))
        return answer

    monkeypatch.setattr(FileEngine, "fetch_view", ask)
    status, out, err = run(capsys, "status", "--group", "orders", "--where", where)
    assert (status, out, err) == (1, "", "habemus: no majority of the voters answers\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["status", "--where", "redis://x"], "'redis://x' has no engine"),
        (["status", "--group", ""], "name has 1 to 500 printable characters"),
        (["transfer", "scheduler"], "Missing option '--to'"),
        (["transfer", "scheduler", "--to", "x", "--wait", "-1"], "greater than or equal to 0"),
        (["history", "a", "b"], "unexpected extra argument"),
        (["doctor", "--data", "/nowhere/at/all"], "/nowhere/at/all: there is no such directory"),
        (["lock", "", "--", "true"], "name has 1 to 500 printable characters"),
        (["run", "--role", "", "--", "true"], "role has 1 to 500 printable characters"),
        (["run", "--role", "a", "--group", "", "--", "true"], "name has 1 to 500 printable characters"),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_a_mistake_is_told_in_one_sentence(arguments, sentence, where, capsys):
    given = arguments if "--where" in arguments else [arguments[0], "--where", where, *arguments[1:]]
    status, out, err = run(capsys, *given)
    assert (status, out, err.count("\n")) == (2, "", 1) and sentence in err, err


def test_the_doctor_says_which_ttl_is_safe(where, capsys):
    status, found = as_json(capsys, "doctor", "--where", where, "--for", "0.2", "--ttl", "3600")
    assert status == 0 and found["safe"] and found["safe_ttl"] >= 1
    worst = found["gaps"]["worst"] + found["round_trip"]["worst"] + found["fsync"]["worst"]
    assert found["safe_ttl"] >= 4 * worst and abs(found["clock_rate"]) < 0.1
    status, out, _ = run(capsys, "doctor", "--where", where, "--for", "0.1", "--ttl", "0.1")
    assert status == 1 and "0.1 s is not enough" in out and "On one host leases have no ttl" in out


@pytest.mark.parametrize(
    "environment",
    [
        {"_HABEMUS_COMPLETE": "complete_bash", "COMP_WORDS": "habemus LINE", "COMP_CWORD": "COUNT"},
        {"_HABEMUS_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "habemus LINE"},
        {"_HABEMUS_COMPLETE": "complete_fish", "_TYPER_COMPLETE_ARGS": "habemus LINE"},
    ],
    ids=["bash", "zsh", "fish"],
)
def test_shells_can_complete_commands_and_options(environment, monkeypatch, capsys):
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    for line, expected in (("stat", "status"), ("transfer --t", "--to"), ("doctor --fo", "--for")):
        for name, value in environment.items():
            monkeypatch.setenv(name, value.replace("LINE", line).replace("COUNT", str(len(line.split()))))
        with pytest.raises(SystemExit):
            main([])
        assert expected in capsys.readouterr().out


def test_help_says_how_to_install_completion(capsys):
    assert "--install-completion" in run(capsys, "--help")[1]
