"""The command line as scripts and people meet it."""

import json
import signal
import subprocess
import sys
import time

import pytest
from calls import as_json, run

from habemus.catalogue import algorithm_names
from habemus.trace import read_trace


def test_simulate_json_has_the_fields_that_scripts_rely_on(capsys):
    status, result = as_json(capsys, "simulate", "chang-roberts")
    assert status == 0
    assert result["algorithm"] == "chang-roberts"
    assert result["n"] == 8 and sorted(result["ids"]) == list(range(1, 9)) and len(result["edges"]) == 8
    assert result["leader"] == 8 and result["seed"] == 0
    assert result["messages"] == sum(result["messages_by_type"].values()) <= result["bound"] == 44
    assert result["properties"] == dict.fromkeys(["termination", "uniqueness", "agreement", "stability"], True)
    assert result["time"] == 16


def test_simulate_json_records_only_if_asked(capsys, tmp_path):
    unrecorded = as_json(capsys, "simulate", "chang-roberts")[1]
    assert unrecorded["digest"] is None and unrecorded["rounds"] is None
    recorded = as_json(capsys, "simulate", "chang-roberts", "--digest")[1]
    assert len(recorded["digest"]) == 64 and recorded["rounds"] == 16
    for asking in (["--trace", str(tmp_path / "run.jsonl")], ["--diagram", str(tmp_path / "run.svg")]):
        assert as_json(capsys, "simulate", "chang-roberts", *asking)[1] == recorded


@pytest.mark.parametrize(
    ("order", "starters", "messages"),
    [("best", "one", 32), ("worst", "one", 47), ("best", "all", 47), ("worst", "all", 152), ("sorted", "all", 47)],
)
def test_order_and_starters_give_the_published_extremes(capsys, order, starters, messages):
    arguments = ["simulate", "chang-roberts", "--n", "16", "--order", order, "--starters", starters]
    assert as_json(capsys, *arguments)[1]["messages"] == messages


def test_starters_may_be_a_number_or_ids(capsys):
    few = as_json(capsys, "simulate", "chang-roberts", "--n", "32", "--starters", "3", "--digest")[1]
    some = as_json(capsys, "simulate", "chang-roberts", "--n", "32", "--starters", "4,9", "--digest")[1]
    assert few["leader"] == some["leader"] == 32
    assert few["digest"] != some["digest"]


@pytest.mark.parametrize("n", ["1", "2"])
@pytest.mark.parametrize("algorithm", ["chang-roberts", "bully"])
def test_one_and_two_processes_elect(capsys, algorithm, n):
    status, result = as_json(capsys, "simulate", algorithm, "--n", n)
    assert status == 0 and result["leader"] == int(n)


def test_a_violation_is_status_1_and_the_witness_is_printed(capsys):
    status, out, _ = run(capsys, "simulate", "bully", "--n", "6", "--delay", "uniform:1:100")
    assert status == 1
    assert "✗ uniqueness" in out
    assert "took office at time" in out and "still held it when" in " ".join(out.split())
    assert "relies on at most 10" in " ".join(out.split())


def test_what_is_not_promised_is_shown_but_is_no_failure(capsys):
    status, result = as_json(capsys, "simulate", "invitation")
    assert status == 0 and result["promised"] == ["termination", "agreement"]
    assert result["properties"]["uniqueness"] is False and "took office at time 0" in result["witnesses"]["uniqueness"]
    status, out, _ = run(capsys, "simulate", "invitation")
    assert status == 0 and "○ uniqueness" in out and "✗" not in out and "uniqueness: not promised; " in out


def test_an_expected_violation_that_is_not_promised_is_no_failure_but_its_absence_is(capsys, tmp_path):
    assert run(capsys, "scenario", "invitation-partition")[0] == 0
    text = run(capsys, "scenario", "invitation-partition", "--print")[1]
    calm = tmp_path / "calm.toml"
    calm.write_text(text.replace('"uniqueness", "stability"', '"uniqueness", "termination"'))
    status, out, _ = run(capsys, "simulate", str(calm))
    assert status == 1 and "Not as expected: termination should fail." in out


def test_a_spent_budget_is_status_3(capsys):
    status, out, err = run(capsys, "simulate", "chang-roberts", "--n", "100", "--events", "50", "--json")
    assert status == 3 and json.loads(out)["ended"] == "budget"
    assert err == "habemus: the budget of 50 events ran out before the run ended; --events allows more\n"


def test_until_stops_at_a_time_or_at_a_property(capsys):
    assert as_json(capsys, "simulate", "bully", "--until", "5")[1]["ended"] == "time"
    status, result = as_json(capsys, "simulate", "chang-roberts", "--until", "termination")
    assert status == 0 and result["ended"] == "property" and result["time"] == 8
    assert result["properties"]["termination"] is True and result["properties"]["agreement"] is None


def test_what_is_written_can_be_read_back(capsys, tmp_path):
    files = {kind: str(tmp_path / f"run.{kind}") for kind in ("toml", "json", "jsonl", "svg", "mmd", "shiviz", "txt")}
    first = as_json(
        capsys, "simulate", "bully", "--crash", "8@30", "--delay", "uniform:1:9", "--save", files["toml"],
        "--trace", files["jsonl"], "--diagram", files["svg"],
    )[1]  # fmt: skip
    again = as_json(capsys, "simulate", files["toml"], "--save", files["json"], "--diagram", files["mmd"])[1]
    third = as_json(capsys, "simulate", files["json"], "--diagram", files["shiviz"])[1]
    as_json(capsys, "simulate", files["json"], "--diagram", files["txt"])
    assert first["digest"] == again["digest"] == third["digest"] == read_trace(files["jsonl"]).digest
    starts = {"svg": "<svg", "mmd": "sequenceDiagram", "shiviz": "(?<", "txt": "    0"}
    for kind, start in starts.items():
        with open(files[kind], encoding="utf-8") as file:
            assert file.read().startswith(start), kind


def test_simulate_tells_a_person_who_won_at_what_cost_and_draws_it(capsys):
    status, out, _ = run(capsys, "simulate", "chang-roberts")
    assert status == 0
    for part in (
        "♛ 8 leads: it took office at tick 8, and the run ended at tick 16.",
        "33   of at most 44 = n(n+1)/2 + n",
        "✓ agreement",
        "nothing was left",
    ):
        assert part in out
    assert "Candidate(8)" in out


def test_scenario_lists_prints_and_runs(capsys, tmp_path):
    status, out, _ = run(capsys, "scenario")
    assert status == 0 and "bully-seven-steps" in out
    _, text, _ = run(capsys, "scenario", "chang-roberts-worst", "--print")
    (tmp_path / "again.toml").write_text(text)
    assert as_json(capsys, "simulate", str(tmp_path / "again.toml"))[1]["messages"] == 44
    assert run(capsys, "scenario", "bully-mistaken")[0] == 1
    names = [entry["name"] for entry in as_json(capsys, "scenario")[1]]
    assert "chang-roberts-coulouris" in names


def test_algorithms_shows_the_catalogue_and_one_entry_in_full(capsys):
    entries = {entry["name"]: entry for entry in as_json(capsys, "algorithms")[1]}
    assert entries["raft-election"]["durable"] == ["term", "vote"]
    assert {clause["trigger"] for clause in entries["chang-roberts"]["clauses"]} == {
        "upon_start", "upon(Candidate)", "upon(Elected)",
    }  # fmt: skip
    assert all(clause["line"] > 0 for entry in entries.values() for clause in entry["clauses"])
    _, out, _ = run(capsys, "algorithms", "chang-roberts")
    for part in ("Why safe", "CACM 22(5), 1979", "44 for n = 8", "Candidate(4)", "♛", "class ChangRoberts"):
        assert part in out


def test_algorithms_lists_a_variant_below_what_it_is_a_variant_of(capsys):
    entries = {entry["name"]: entry for entry in as_json(capsys, "algorithms")[1]}
    assert (entries["bully"]["variant_of"], entries["bully-stable"]["variant_of"]) == (None, "bully-weighted")
    files = {clause["name"]: clause["file"] for clause in entries["bully-stable"]["clauses"]}
    assert (files["call_election"], files["reassure"]) == ("bully.py", "bully_stable.py")
    _, out, _ = run(capsys, "algorithms")
    names = [line.split()[0] for line in out.splitlines() if line.lstrip().startswith("bully")]
    assert names == ["bully", "bully-weighted", "bully-stable"]
    _, out, _ = run(capsys, "algorithms", "bully-stable")
    assert "a variant of bully-weighted" in out and "class BullyStable" in out


OWN = '''
from dataclasses import dataclass
from habemus.process import Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Greeting(Message):
    id: Pid


class Loudest(Election):
    """Everybody tells everybody; the largest leads."""

    name = "loudest"
    topology = "complete"
    heard: set[Pid] = set()

    @upon_start
    def shout(self):
        self.send(self.neighbours, Greeting(self.id))

    @upon(Greeting)
    def listen(self, sender, message):
        self.heard.add(message.id)
        if len(self.heard) == self.n - 1:
            self.elect(max(self.heard | {self.id}))
'''


@pytest.mark.parametrize("name", algorithm_names())
def test_every_entry_of_the_catalogue_can_be_shown_and_run_without_options(capsys, name):
    status, out, err = run(capsys, "algorithms", name)
    assert (status, err) == (0, "") and "a run with n = 4" in out
    status, result = as_json(capsys, "simulate", name)
    assert result["n"] == 8 and result["ended"] in ("quiescence", "time")
    assert status == 0, result["witnesses"]


def test_an_algorithm_of_ones_own_runs_by_file_and_by_module(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_election.py").write_text(OWN)
    by_file = as_json(capsys, "simulate", "own_election.py:Loudest", "--n", "5")[1]
    by_module = as_json(capsys, "simulate", "own_election:Loudest", "--n", "5")[1]
    assert by_file["leader"] == by_module["leader"] == 5 and by_file["messages"] == 20
    (tmp_path / "own_failure.py").write_text(OWN.replace("self.heard.add(message.id)", "self.herd.add(message.id)"))
    status, out, err = run(capsys, "simulate", "own_failure.py:Loudest")
    assert (status, out) == (2, "")
    assert "Loudest failed at time 1" in err and "own_failure.py:24" in err and "herd" in err


def test_sweep_holds_the_mean_against_the_bounds(capsys, tmp_path):
    csv, plot = tmp_path / "rows.csv", tmp_path / "plot.svg"
    status, result = as_json(
        capsys, "sweep", "chang-roberts", "--n", "8,16", "--seeds", "20", "--csv", str(csv), "--plot", str(plot)
    )
    assert status == 0
    assert [(row["n"], row["runs"], row["violations"]) for row in result] == [(8, 20, 0), (16, 20, 0)]
    assert all(row["least"] <= row["mean"] <= row["most"] <= row["bounds"]["n(n+1)/2 + n"] for row in result)
    assert len(csv.read_text().splitlines()) == 41
    assert "<svg" in plot.read_text()
    status, out, _ = run(capsys, "sweep", "chang-roberts", "bully", "--n", "4", "--seeds", "3")
    assert status == 0 and "n² - 1" in out


def test_without_arguments_it_explains_itself(capsys):
    status, out, err = run(capsys)
    assert (status, err) == (0, "") and "simulate" in out and out.count("\n") > 5


def test_a_sweep_over_random_graphs_stays_below_the_bound_of_its_graphs(capsys):
    for row in as_json(capsys, "sweep", "echo-extinction", "--n", "3,5", "--seeds", "50")[1]:
        assert row["most"] <= row["bounds"]["2m(n + 1)"]


def test_ctrl_c_ends_a_long_run_in_one_sentence(tmp_path):
    trace = tmp_path / "run.jsonl"
    command = [sys.executable, "-c", "from habemus.cli import main; raise SystemExit(main())"]
    arguments = ["simulate", "chang-roberts", "--n", "20000", "--order", "worst", "--trace", str(trace)]
    run = subprocess.Popen([*command, *arguments], stderr=subprocess.PIPE, text=True)
    while not trace.exists() and run.poll() is None:  # it is under way once the trace is begun
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    assert run.communicate(timeout=60)[1] == "habemus: stopped\n"
    assert run.returncode == 130


def test_sweep_knows_the_ring_family(capsys):
    names = {row["algorithm"] for row in as_json(capsys, "sweep", "ring", "--n", "4", "--seeds", "2")[1]}
    assert {"chang-roberts", "franklin", "peterson", "hirschberg-sinclair", "lcr", "itai-rodeh"} <= names
    assert "anonymous-ring" not in names


def test_compare_runs_the_same_faults_side_by_side(capsys, tmp_path):
    plot = tmp_path / "plot.svg"
    status, rows = as_json(
        capsys, "compare", "bully", "raft-election", "--n", "5", "--crash", "leader@1000", "--until", "2500",
        "--seeds", "6", "--delay", "uniform:1:10", "--plot", str(plot),
    )  # fmt: skip
    bully, raft = rows
    assert status == 0 and (bully["algorithm"], raft["algorithm"]) == ("bully", "raft-election")
    assert bully["downtime"] == pytest.approx(179 / 6)  # T = 21, and a message of at most 10
    assert bully["longest_downtime"] <= 21 + 10 < raft["downtime"] <= raft["longest_downtime"]
    assert bully["leader_changes"] == raft["leader_changes"] == 1
    assert "<svg" in plot.read_text()


def test_compare_says_which_property_fails_where(capsys):
    status, out, _ = run(
        capsys, "compare", "bully", "chang-roberts", "--n", "5", "--seeds", "3", "--delay", "uniform:30:90"
    )
    assert status == 1 and "✗ uniqueness in" in out and "3 of 3" in out


def test_compare_and_sweep_do_not_count_what_is_not_promised(capsys, tmp_path):
    status, rows = as_json(capsys, "compare", "invitation", "raft-election", "--n", "4", "--seeds", "2")
    assert status == 0 and rows[0]["violations"] == {"uniqueness": 2, "stability": 2}
    assert rows[0]["promised"] == ["termination", "agreement"]
    status, out, _ = run(capsys, "compare", "invitation", "raft-election", "--n", "4", "--seeds", "2")
    assert status == 0 and "○ uniqueness in" in out and "no promised property was violated" in out
    csv = tmp_path / "rows.csv"
    status, rows = as_json(capsys, "sweep", "invitation", "--n", "4", "--seeds", "2", "--csv", str(csv))
    assert status == 0 and rows[0]["violations"] == 0 and rows[0]["observed"] == {"stability": 2, "uniqueness": 2}
    assert csv.read_text().splitlines()[1].endswith(",,uniqueness stability,time")


def test_raft_figure_is_drawn_by_one_command(capsys, tmp_path):
    plot = tmp_path / "figure.svg"
    status, rows = as_json(capsys, "raft-figure", "--trials", "10", "--plot", str(plot))
    assert status == 0 and len(rows) == 10 and "<svg" in plot.read_text()
    assert next(row for row in rows if row["low"] == row["high"])["unfinished"] > 0


@pytest.mark.parametrize(("fault", "leader"), [("crash", 7), ("pause", 8)])
def test_a_fault_may_hit_whoever_leads(capsys, fault, leader):
    back = {"crash": ["--recover", "crashed@400"], "pause": ["--resume", "paused@400"]}[fault]
    result = as_json(capsys, "simulate", "bully", f"--{fault}", "leader@100", *back, "--until", "300")[1]
    assert result["leader"] == leader
    assert as_json(capsys, "simulate", "bully", f"--{fault}", "leader@100", *back)[1]["leader"] == 8


def test_help_and_version_do_not_load_heavy_libraries():
    heavy = "sorted({'numpy', 'matplotlib', 'networkx'} & set(sys.modules))"
    code = f"import sys; from habemus.cli import main; main(['--version']); print({heavy})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[0].startswith("habemus 0.1.0, kernel ")
    assert out.splitlines()[1] == "[]"
