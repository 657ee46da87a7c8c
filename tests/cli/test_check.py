"""`habemus check` as scripts and people meet it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from habemus.cli import main


def run(capsys, *arguments):
    status = main(["check", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def as_json(capsys, *arguments):
    status, out, err = run(capsys, *arguments, "--json")
    assert err == ""
    return status, json.loads(out)


def test_json_has_the_fields_that_scripts_rely_on(capsys):
    status, result = as_json(capsys, "chang-roberts", "--n", "4")
    assert status == 0 and result["verdict"] == "holds" and result["counterexample"] is None
    assert result["properties"] == dict.fromkeys(["termination", "uniqueness", "agreement", "stability"], True)
    assert result["states"] > 0 and result["transitions"] > 0 and result["seconds"] >= 0
    assert {"clauses", "memo_hit_rate", "states_per_second", "bytes_per_state", "assumption"} <= result.keys()


def test_full_counts_every_interleaving(capsys):
    status, result = as_json(capsys, "chang-roberts", "--n", "8", "--order", "worst", "--full")
    assert (status, result["states"], result["transitions"]) == (0, 4870, 19456)


def test_a_violation_is_told_as_a_story_and_replayed_by_simulate(capsys, tmp_path):
    path = tmp_path / "run.toml"
    status, out, _ = run(capsys, "bully", "--timing", "async", "--save", str(path))
    assert status == 1
    assert "violated" in out and "async" in out and "takes office" in out and "shortest" in out
    found = as_json(capsys, "bully", "--timing", "async")[1]
    assert main(["simulate", str(path), "--json"]) == 1
    replayed = json.loads(capsys.readouterr().out)
    assert replayed["digest"] == found["digest"] and replayed["properties"]["uniqueness"] is False


def test_a_violation_is_a_failure_if_the_property_is_promised_or_asked_about(capsys):
    status, result = as_json(capsys, "anonymous-ring", "--n", "3")
    assert (status, result["verdict"], result["promised"]) == (0, "violated", [])
    status, out, _ = run(capsys, "anonymous-ring", "--n", "3")
    assert status == 0 and "○ uniqueness" in out and "uniqueness: not promised; " in out
    status, out, _ = run(capsys, "anonymous-ring", "--n", "3", "--property", "uniqueness")
    assert status == 1 and "✗ uniqueness" in out and "not promised" not in out


def test_the_counterexample_is_drawn_and_traced(capsys, tmp_path):
    picture, trace = tmp_path / "run.svg", tmp_path / "run.jsonl"
    run(capsys, "anonymous-ring", "--n", "3", "--diagram", str(picture), "--trace", str(trace))
    assert picture.read_text().startswith("<svg") and len(trace.read_text().splitlines()) > 5


@pytest.mark.parametrize(
    ("arguments", "instances"),
    [
        (["chang-roberts", "--n", "5", "--all-orders"], 24),
        (["yoyo", "--n", "4", "--all-graphs"], 6),
        (["yoyo", "--n", "5", "--all-graphs"], 21),
        (["yoyo", "--n", "3", "--all-graphs", "--all-orders"], 4),
        (["yoyo", "--n", "4", "--all-graphs", "--all-orders"], 38),
    ],
)
def test_all_orders_and_all_graphs_up_to_symmetry(capsys, arguments, instances):
    status, result = as_json(capsys, *arguments, "--starters", "any", "--jobs", "1")
    assert status == 0 and result["instances"] == instances


def test_jobs_do_not_change_the_verdict(capsys):
    arguments = ["franklin", "--n", "4", "--all-orders"]
    alone, together = as_json(capsys, *arguments, "--jobs", "1")[1], as_json(capsys, *arguments, "--jobs", "2")[1]
    assert alone["states"] == together["states"] and alone["verdict"] == together["verdict"] == "holds"


def test_a_spent_budget_is_status_3_and_says_how_far_it_got(capsys):
    status, out, _ = run(capsys, "raft-election", "--n", "3", "--set", "low=1", "--set", "high=1", "--states", "4000")
    assert status == 3 and "incomplete" in out and "4,000 states" in out


def test_more_states_than_the_budget_are_foreseen(capsys):
    status, out, err = run(capsys, "chang-roberts", "--n", "40", "--full")
    assert status == 3 and out == "" and "at least 2^40" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "check what?"),
        (["chang-robert"], "did you mean chang-roberts?"),
        (["bully", "--timing", "fast"], "expected async, ordered or bounded"),
        (["bully", "--starts", "never"], "expected first, step or late"),
        (["bully", "--all-orders"], "--all-orders is for rings"),
        (["bully", "--all-graphs"], "--all-graphs is for algorithms on any graph"),
        (["bully", "--property", "beauty"], "expected one of termination"),
        (["bully", "--bound", "term=2"], "has no such field"),
        (["bully", "--bound", "stage"], "expected a whole number"),
        (["bully", "--bound", "stage=2"], "expected a field that counts or collects; this is 'idle' at first"),
        (["bully", "--bound", "failures=-1"], "expected 0 or more"),
        (["bully", "--starters", "1,9"], "there is no process 9"),
        (["token-ring", "--starters", "any"], "token-ring is no election, and starts by itself"),
        (["bully", "--save", "run.txt"], "expected a name that ends in .toml or .json"),
        (["bully", "--all"], "leave out bully, or --all"),
        (["--all", "--crashes", "1"], "--all checks the whole catalogue at its default sizes and limits"),
        (["lamport", "--entries", "0"], "--entries 0: expected how often"),
        (["--all", "--entries", "2"], "--all checks the whole catalogue at its default sizes and limits"),
        (["bully", "--delay", "0"], "at least 1 tick"),
        (["lamport", "--unordered", "--reorders", "1"], "--unordered already allows any reordering"),
        (["bully", "--detector", "good"], "expected perfect, simultaneous or eventual"),
        (["bully", "--mistakes", "1"], "add --detector eventual"),
        (["chang-roberts", "--starters", "any", "--starts", "late"], "--starters any goes with --starts first or step"),
        (["chang-roberts", "--detector", "perfect"], "does not listen to one"),
        (["bully", "--n", "0"], "expected a number of processes"),
    ],
)
def test_a_mistake_gets_one_sentence_and_status_2(capsys, arguments, said):
    status, out, err = run(capsys, *arguments)
    assert status == 2 and out == "" and said in err and len(err.splitlines()) == 1


def test_the_story_has_as_many_numbers_as_the_run_has_steps(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    for arguments in (
        ["bully", "--timing", "async"],
        ["bully", "--delay", "3", "--starters", "any"],
        ["anonymous-ring", "--n", "3"],
    ):
        out = run(capsys, *arguments)[1]
        steps = as_json(capsys, *arguments)[1]["counterexample"]["schedule"]["steps"]
        told = [found[1] for line in out.splitlines() if (found := re.match(r" +(\d+)  \S", line))]
        assert f"{len(steps)} steps" in out
        assert [int(number) for number in told] == [*range(1, len(steps) + 1)]


def test_a_long_sentence_goes_on_under_its_beginning_and_a_mark_stays_with_its_name(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    lines = run(capsys, "bully", "--timing", "async")[1].splitlines()
    begun = next(number for number, line in enumerate(lines) if line.startswith("    2  3 receives ElectionCall"))
    assert lines[begun + 1].startswith(" " * 7) and lines[begun + 1].strip()
    assert not any(line.rstrip().endswith(("✗", "✓", "·")) for line in lines)
    assert any("✗ uniqueness" in line for line in lines)


def test_what_a_clause_changed_in_silence_is_said(capsys):
    out = run(capsys, "bully", "--timing", "async")[1]
    assert "sets stage to announced" in out and "takes note" not in out


def test_a_clause_that_fails_is_a_violation_with_its_run(capsys, tmp_path):
    path = tmp_path / "clumsy.py"
    path.write_text(
        "from habemus.process import Election, upon_start\n"
        "class Clumsy(Election):\n"
        "    name = 'clumsy'\n"
        "    topology = 'ring'\n"
        "    @upon_start\n"
        "    def begin(self) -> None:\n"
        "        self.elect([][self.id])\n"
    )
    status, out, err = run(capsys, f"{path}:Clumsy", "--n", "3")
    assert status == 1 and err == "" and "✗ no_failure" in out
    said = " ".join(out.split())
    assert "Clumsy failed at process" in said and "clumsy.py:7, in begin" in said and "IndexError" in said


def seconds_of_work(pid):
    """The processor time of a process and its children so far; 0 for those that are gone."""
    try:
        times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK") + sum(map(seconds_of_work, children))


LONG = ["raft-election", "--n", "4", "--set", "low=1", "--set", "high=1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", *LONG], "it was interrupted"),
        (["check", "lcr", "--n", "7", "--all-orders", "--starters", "any", "--jobs", "2"], "it was interrupted"),
        (["check", "lcr", "--n", "7", "--all-orders", "--starters", "any", "--jobs", "1"], "it was interrupted"),
        (["check", "--all", "--jobs", "2"], "interrupted after"),
        (["check", "--all", "--jobs", "1"], "interrupted after"),
    ],
    ids=["one", "jobs", "a-row", "all-jobs", "all"],
)
def test_ctrl_c_gives_what_is_known_so_far_status_3_and_leaves_no_process_behind(arguments, said):
    heard = "signal.signal(signal.SIGINT, signal.default_int_handler)"  # a shell makes what it starts with & deaf to it
    begin = f"import signal, sys; {heard}; from habemus.cli import main; sys.exit(main())"
    running = subprocess.Popen(
        [sys.executable, "-c", begin, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while running.poll() is None and seconds_of_work(running.pid) < 1.7:  # by then it is at work, however busy all is
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGINT)
    try:
        out, err = running.communicate(timeout=60)
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
    assert running.returncode == 3 and "Traceback" not in err
    assert said in out + err
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)
