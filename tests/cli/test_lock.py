"""`habemus lock` and `habemus run` on real processes: nothing of a command outlives its lock."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from shells import is_alive, wait_until

import habemus
import habemus.sync
from habemus.cli import main

LONG = 600  # seconds: no test waits for the end of such a lease


def test_the_command_knows_its_lock_and_its_exit_status_is_ours(shell):
    script = 'echo "$HABEMUS_GROUP $HABEMUS_NAME $HABEMUS_TOKEN $HABEMUS_SLOT ${HABEMUS_DEADLINE-none}"; exit 7'
    runs = [shell.start("lock", "a", "--", "sh", "-c", script) for _ in range(2)]
    said = [run.communicate()[0].split() for run in runs]
    assert [run.returncode for run in runs] == [7, 7]
    assert all(
        [group, name, slot, deadline] == ["habemus", "a", "0", "none"] for group, name, _, slot, deadline in said
    )
    assert len({token for _, _, token, _, _ in said}) == 2


def test_status_75_says_that_the_lock_was_not_free(shell):
    with habemus.sync.join("habemus", shell.where) as group, group.lock("a", slots=2), group.lock("a", slots=2):
        for wait in ("0", "0.05"):
            run = shell.start("lock", "a", "--slots", "2", "--wait", wait, "--", "true")
            error = run.communicate()[1]
            assert run.returncode == 75 and error.startswith('habemus: "a" ') and error.count("\n") == 1


def test_other_statuses_are_those_of_a_shell(shell, tmp_path):
    data, garbage = tmp_path / "data", tmp_path / "garbage"
    data.touch(0o600)
    garbage.write_bytes(b"\0\1\2")
    garbage.chmod(0o700)
    cases = [(["no-such-command"], 127), ([str(data)], 126), ([str(garbage)], 126), (["sh", "-c", "kill -9 $$"], 137)]
    for command, status in cases:
        assert shell.start("lock", "a", "--", *command).wait() == status


@pytest.mark.parametrize(
    "arguments",
    [
        ["lock", "", "--", "true"],
        ["lock", "a", "--shared", "--slots", "2", "--", "true"],
        ["lock", "a", "--slots", "0", "--", "true"],
        ["lock", "a", "--wait", "-1", "--", "true"],
        ["lock", "a", "--where", "consul://x", "--", "true"],
        ["lock", "a"],
        ["run", "--", "true"],
    ],
)
def test_wrong_usage_is_one_sentence_and_status_2(arguments, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("habemus: ") and error.count("\n") == 1


def test_a_command_that_ignores_term_forks_and_daemonises_is_ended_completely(shell):
    started, processes = shell.start_stubborn("close")
    assert not shell.is_free()
    started.send_signal(signal.SIGTERM)
    assert started.wait() == 128 + signal.SIGKILL
    assert not any(map(is_alive, processes)) and shell.is_free()


HOPPER = """
import os, sys, time
folder, end = sys.argv[1], time.monotonic() + 60
if os.fork():
    time.sleep(1000)
os.setsid()
with open(f"{folder}/session.new", "w") as file:
    file.write(str(os.getpid()))
os.rename(f"{folder}/session.new", f"{folder}/session")
while time.monotonic() < end:
    if os.fork():
        os._exit(0)  # gone before anybody has looked
"""


def test_a_daemon_that_forks_faster_than_anybody_can_look_is_ended(shell, tmp_path):
    started = shell.start("lock", "a", "--grace", "0.2", "--", sys.executable, "-c", HOPPER, str(tmp_path))
    wait_until((tmp_path / "session").exists)
    session = int((tmp_path / "session").read_text())
    started.send_signal(signal.SIGTERM)
    assert started.wait() == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.killpg(session, 0)


def test_a_group_that_others_belong_to_is_not_killed(shell, tmp_path):
    """A command that joins the process group of whoever started us is ended alone."""
    bystander = subprocess.Popen(["sleep", "1000"], process_group=0)
    try:
        join = f"import os, time; os.setpgid(0, {bystander.pid}); open('{tmp_path}/ready', 'w'); time.sleep(1000)"
        started = shell.start("lock", "a", "--grace", "0", "--", sys.executable, "-c", join)
        wait_until((tmp_path / "ready").exists)
        started.send_signal(signal.SIGTERM)
        assert started.wait() in (128 + signal.SIGTERM, 128 + signal.SIGKILL)
        assert bystander.poll() is None and shell.is_free()
    finally:
        bystander.kill()
        bystander.wait()


def test_a_transferred_role_ends_the_command_and_runs_it_again_in_its_next_turn(shell, tmp_path):
    script = f"cut -d' ' -f4 /proc/$PPID/stat >> {tmp_path}/leaders; exec sleep 1000"  # the guardian's id
    one = shell.start("run", "--role", "scheduler", "--", "sh", "-c", script)
    leaders = tmp_path / "leaders"
    wait_until(lambda: leaders.exists() and leaders.read_text())
    two = shell.start("run", "--role", "scheduler", "--", "sh", "-c", script)
    with habemus.sync.join("habemus", shell.where) as group:
        for turn in (2, 3):
            wait_until(lambda: group.view.find("role", "scheduler").waiters)
            waiter = group.view.find("role", "scheduler").waiters[0].member
            assert main(["transfer", "scheduler", "--to", waiter, "--where", shell.where]) == 0
            wait_until(lambda turn=turn: len(leaders.read_text().split()) == turn)
    assert [int(pid) for pid in leaders.read_text().split()] == [one.pid, two.pid, one.pid]
    two.terminate()
    assert two.wait() == -signal.SIGTERM


def test_a_command_gets_the_signal_and_the_time_to_end_in_order(shell, tmp_path):
    script = f'trap "echo done > {tmp_path}/done; exit 9" TERM; touch {tmp_path}/ready; while :; do sleep 0.01; done'
    started = shell.start("lock", "a", "--grace", "60", "--", "sh", "-c", script)
    wait_until((tmp_path / "ready").exists)
    started.send_signal(signal.SIGTERM)
    assert started.wait() == 9 and (tmp_path / "done").exists()


def test_what_a_command_leaves_behind_ends_before_the_lock_is_given_back(shell):
    started, processes = shell.start_stubborn("leave", "close")
    assert started.wait() == 5
    assert not any(map(is_alive, processes)) and shell.is_free()


def test_a_lost_lock_ends_the_command_at_once(shell):
    started, processes = shell.start_stubborn(grace="1000")
    next((shell.folder / "locks").glob("*.0")).unlink()
    error = started.communicate()[1]
    assert started.returncode == 76 and error == 'habemus: the lease of "a" is lost: somebody deleted its file\n'
    assert not any(map(is_alive, processes))


def free_address() -> str:
    """Of a voter that is alone."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize("engine", ["files", "voters"])
@pytest.mark.parametrize("victim", ["guardian", "holder"])
def test_whichever_of_our_processes_is_killed_nothing_of_the_command_outlives_the_lock(shell, tmp_path, engine, victim):
    with ExitStack() as stack:
        if engine == "voters":
            shell.where = free_address()
            stack.enter_context(habemus.sync.join("habemus", shell.where, ttl=LONG, data=tmp_path, voter=True))
        started, processes = shell.start_stubborn("close", ttl=LONG)
        holder = parent_of(processes[-1])
        with habemus.sync.join("habemus", shell.where, ttl=LONG, voter=False) as group:
            wait_until(lambda: len(group.view.members) == (3 if engine == "voters" else 2))
            os.kill(started.pid if victim == "guardian" else holder, signal.SIGKILL)
            with group.lock("a", wait=60):
                assert not any(map(is_alive, processes))
        assert started.wait() == -signal.SIGKILL


def test_a_holder_that_stands_still_until_its_deadline_is_killed_with_its_command(shell, tmp_path):
    shell.where = free_address()
    with habemus.sync.join("habemus", shell.where, ttl=1, data=tmp_path, voter=True) as group:
        started, processes = shell.start_stubborn("close", ttl=1)
        os.kill(parent_of(processes[-1]), signal.SIGSTOP)
        with group.lock("a", wait=60):
            assert not any(map(is_alive, processes))
        assert started.wait() == 76 and "stood still" in started.stderr.read()


def test_who_waits_for_a_lock_can_be_ended(shell):
    with habemus.sync.join("habemus", shell.where) as group, group.lock("a"):
        waiting = shell.start("lock", "a", "--", "true")
        wait_until(lambda: len(list((shell.folder / "locks").iterdir())) and is_alive(waiting.pid))
        waiting.send_signal(signal.SIGTERM)
        assert waiting.wait() == -signal.SIGTERM


def test_a_role_that_is_lost_is_run_again_when_it_is_led_again(shell, tmp_path):
    script = f"echo $HABEMUS_TOKEN >> {tmp_path}/tokens; [ $(wc -l < {tmp_path}/tokens) = 2 ] && exit 4; sleep 1000"
    started = shell.start("run", "--role", "scheduler", "--", "sh", "-c", script)
    tokens = tmp_path / "tokens"
    wait_until(lambda: tokens.exists() and tokens.read_text())
    next((shell.folder / "locks").glob("role*.0")).unlink()
    assert started.wait() == 4
    first, second = map(int, tokens.read_text().split())
    assert first < second


def test_a_role_is_led_by_one_at_a_time_and_passes_on_when_its_leader_is_killed(shell, tmp_path):
    script = f"cut -d' ' -f4 /proc/$PPID/stat >> {tmp_path}/leaders; exec sleep 1000"  # the guardian's id
    members = [shell.start("run", "--role", "scheduler", "--", "sh", "-c", script) for _ in range(3)]
    leaders = tmp_path / "leaders"
    for turn in (1, 2, 3):
        wait_until(lambda turn=turn: leaders.exists() and len(leaders.read_text().split()) == turn)
        time.sleep(0.05)
        led = [int(pid) for pid in leaders.read_text().split()]
        assert len(led) == turn == len(set(led))
        os.kill(led[-1], signal.SIGKILL)
    assert set(led) == {member.pid for member in members}
