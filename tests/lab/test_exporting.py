"""An exported run is the run: the trace can be read, the picture drawn, and the test passes until something changes."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import msgspec
import pytest

from habemus.catalogue import find_algorithm
from habemus.checking.answer.check import check
from habemus.checking.answer.questions import Question, settle
from habemus.checking.answer.replay import play
from habemus.lab.exporting import FORMATS, export_test, select_moment
from habemus.lab.running import list_violations
from habemus.process.source import source_file
from habemus.scenario import Scenario, TopologySpec, named_scenarios, parse_scenario
from habemus.simulation import simulate
from habemus.trace import read_trace

SEVEN = named_scenarios()["bully-seven-steps"]


def exported(outcome, format, code=None):
    return FORMATS[format][2](outcome, code)


def counterexample():
    scenario, limits = settle(Scenario("anonymous-ring", topology=TopologySpec(n=3)), None, {})
    return check(Question(scenario, limits, [])).counterexample


def passes(folder, text):
    """Whether pytest, in a folder, finds that a test file holds."""
    (folder / "test_seen.py").write_bytes(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_seen.py"]
    path = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=path)
    assert "1 passed" in done.stdout or "1 failed" in done.stdout, done.stdout + done.stderr
    return done.returncode == 0


def test_an_exported_trace_can_be_read_and_is_the_same_run(tmp_path):
    outcome = simulate(SEVEN, keep=10_000)
    (tmp_path / "trace.jsonl").write_bytes(exported(outcome, "json"))
    trace = read_trace(tmp_path / "trace.jsonl")
    assert trace.digest == outcome.digest and trace.ids == outcome.ids


def test_an_exported_scenario_is_the_same_scenario():
    assert parse_scenario(exported(simulate(SEVEN, keep=1), "toml"), "scenario.toml") == SEVEN
    found = counterexample()
    assert play(parse_scenario(exported(play(found), "toml"), "x.toml")).digest == play(found).digest


def test_pictures_and_logs_are_what_they_are_called():
    outcome = simulate(SEVEN, keep=10_000)
    assert ElementTree.fromstring(exported(outcome, "svg")).tag.endswith("svg")
    assert exported(outcome, "mermaid").startswith(b"sequenceDiagram")
    assert b"(?<host>" in exported(outcome, "shiviz")


@pytest.mark.parametrize("scenario", [SEVEN, Scenario("bully", title='"""\\'), named_scenarios()["split-brain-bully"]])
def test_an_exported_test_passes_and_fails_once_the_run_is_another(tmp_path, scenario):
    text = exported(simulate(scenario, keep=10_000), "pytest")
    assert passes(tmp_path, text)
    other = msgspec.structs.replace(scenario, network=msgspec.structs.replace(scenario.network, delay="constant:3"))
    seen, changed = (simulate(each, digest=True).digest for each in (scenario, other))
    assert not passes(tmp_path, text.replace(seen.encode(), changed.encode()))


def test_an_exported_counterexample_is_a_test_that_passes(tmp_path):
    assert passes(tmp_path, exported(play(counterexample()), "pytest"))


def test_an_exported_test_brings_the_code_that_it_is_about(tmp_path, monkeypatch):
    source = Path(source_file(find_algorithm("chang-roberts")))
    code = source.read_text(encoding="utf-8") + "\n# '''  \"\"\" \\ é\n"
    (tmp_path / "own.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    outcome = simulate(Scenario("own.py:ChangRoberts"), keep=100)
    (tmp_path / "own.py").unlink()
    assert passes(tmp_path, export_test(outcome, code))


def test_a_thumbnail_shows_the_moment_that_matters():
    outcome = simulate(named_scenarios()["split-brain-bully"], keep=2000)
    shown = [event.event for event in select_moment(outcome)]
    violated = min(max(witness.events) for witness in list_violations(outcome) if witness.events)
    assert violated > 60 and violated in shown[:20]
    assert select_moment(simulate(Scenario("chang-roberts"), keep=2000))[0].event == 0
