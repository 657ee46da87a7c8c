"""`habemus museum` as scripts and people meet it."""

import json

import pytest

from habemus.checking.answer.check import explore
from habemus.cli import main
from habemus.museum import EXHIBITS
from habemus.trace import read_trace


def run(capsys, *arguments):
    status = main(["museum", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_all_are_listed_with_what_goes_wrong(capsys):
    status, out, _ = run(capsys)
    assert status == 0
    assert all(name in out for name in EXHIBITS)
    text = " ".join(out.split())
    assert "The vote is not on disk, so a voter that restarts votes again" in text
    assert "PySyncObj kept neither its term nor its vote" in text


def test_what_is_made_from_one_algorithm_stands_under_one_heading(capsys):
    _, out, _ = run(capsys)
    headings = [line for line in out.splitlines() if line and not line.startswith(" ")][:-1]
    assert "bully" in headings and len(headings) == len(set(headings))


def test_programs_can_read_the_list(capsys):
    status, out, _ = run(capsys, "--json")
    entries = json.loads(out)
    assert status == 0 and [entry["name"] for entry in entries] == list(EXHIBITS)
    assert {"name", "original", "class", "violates", "bug", "happened", "source"} == set(entries[0])


def test_one_is_shown_with_its_difference_its_story_and_a_picture(capsys):
    status, out, _ = run(capsys, "franklin-greater-or-equal")
    assert status == 1
    assert "-     elif strongest > self.id:" in out and "+     elif strongest >= self.id:" in out
    assert "termination: Nobody ever took office" in out
    assert "1 begins, sends Challenge(1, left) to 2" in out
    assert "meet_challenge" in out and "tick" in out
    assert "franklin in the same instance: holds" in out


def test_where_the_surroundings_are_wrong_these_are_shown(capsys):
    status, out, _ = run(capsys, "lamport-without-fifo")
    assert status == 1
    assert "- fifo = True" in out and "+ fifo = False" in out
    assert "lamport in a sound setting: holds" in out


def test_programs_can_read_one(capsys):
    status, out, err = run(capsys, "raft-forgets-its-vote", "--json")
    shown = json.loads(out)
    assert status == 1 and err == ""
    assert (shown["original"], shown["violates"]) == ("raft-election", "one_leader_a_term")
    assert "+     self.vote = None" in shown["difference"]
    assert (shown["verdict"]["verdict"], shown["sound"]["verdict"]) == ("violated", "holds")
    assert "crash 3" in shown["verdict"]["counterexample"]["schedule"]["steps"]
    assert len(shown["digest"]) == 64


def test_the_run_can_be_drawn_traced_saved_and_replayed(capsys, tmp_path):
    diagram, trace, saved = tmp_path / "run.svg", tmp_path / "run.jsonl", tmp_path / "run.toml"
    files = ["--diagram", str(diagram), "--trace", str(trace), "--save", str(saved)]
    status, out, _ = run(capsys, "bully-in-an-asynchronous-system", *files, "--json")
    digest = json.loads(out)["digest"]
    assert status == 1
    assert diagram.read_text(encoding="utf-8").startswith("<svg")
    assert "bully-in-an-asynchronous-system" in diagram.read_text(encoding="utf-8")
    assert len(read_trace(trace).events) == 5
    assert main(["simulate", str(saved), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["digest"] == digest


def test_a_person_saves_the_run_and_replays_it(capsys, tmp_path):
    saved = str(tmp_path / "run.toml")
    assert run(capsys, "bully-in-an-asynchronous-system", "--save", saved)[0] == 1
    assert main(["simulate", saved]) == 1
    out, err = capsys.readouterr()
    assert err == "" and "bully-in-an-asynchronous-system" in out and "✗ uniqueness" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bully-to-short"], "there is no exhibit 'bully-to-short'; did you mean bully-too-short-a-time?"),
        (["xyzzy"], "there is no exhibit 'xyzzy'; `habemus museum` lists them."),
        (["lcr-greater-or-equal", "--diagram", "run.png"], "expected a name that ends in .svg, .mmd, .shiviz or .txt"),
        (["lcr-greater-or-equal", "--save", "nowhere/run.toml"], "cannot be written"),
    ],
)
def test_a_mistake_is_one_sentence(capsys, arguments, sentence):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert sentence in err and err.count("\n") == 1


def test_ctrl_c_is_one_sentence_and_status_3(capsys, monkeypatch):
    def interrupted(question, effort, progress):
        exploration = explore(question, effort, progress)
        exploration.search.violated = ""
        exploration.search.interrupt()
        return exploration

    monkeypatch.setattr("habemus.checking.answer.check.explore", interrupted)
    status, out, err = run(capsys, "bully-too-short-a-time")
    assert status == 3 and out == "" and "interrupted before" in err and len(err.splitlines()) == 1
