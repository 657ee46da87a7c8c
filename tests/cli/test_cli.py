"""The command line as scripts and people meet it."""

import json
import signal
import subprocess
import sys
import time

import pytest

from habemus.catalogue import algorithm_names
from habemus.cli import main
from habemus.trace import read_trace


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def as_json(capsys, *arguments):
    status, out, err = run(capsys, *arguments, "--json")
    assert err == ""
    return status, json.loads(out)


def test_simulate_json_has_the_fields_that_scripts_rely_on(capsys):
    status, result = as_json(capsys, "simulate", "chang-roberts")
    assert status == 0
    assert result["algorithm"] == "chang-roberts"
    assert result["n"] == 8 and sorted(result["ids"]) == list(range(1, 9)) and len(result["edges"]) == 8
    assert result["leader"] == 8 and result["seed"] == 0
    assert result["messages"] == sum(result["messages_by_type"].values()) <= result["bound"] == 44
    assert result["properties"] == dict.fromkeys(["termination", "uniqueness", "agreement", "stability"], True)
    assert len(result["digest"]) == 64 and result["time"] == result["rounds"] == 16


@pytest.mark.parametrize(
    ("order", "starters", "messages"),
    [("best", "one", 32), ("worst", "one", 47), ("best", "all", 47), ("worst", "all", 152), ("sorted", "all", 47)],
)
def test_order_and_starters_give_the_published_extremes(capsys, order, starters, messages):
    arguments = ["simulate", "chang-roberts", "--n", "16", "--order", order, "--starters", starters]
    assert as_json(capsys, *arguments)[1]["messages"] == messages


def test_starters_may_be_a_number_or_ids(capsys):
    few = as_json(capsys, "simulate", "chang-roberts", "--n", "32", "--starters", "3")[1]
    some = as_json(capsys, "simulate", "chang-roberts", "--n", "32", "--starters", "4,9")[1]
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


def test_a_spent_budget_is_status_3(capsys):
    status, out, err = run(capsys, "simulate", "chang-roberts", "--n", "100", "--events", "50", "--json")
    assert status == 3 and json.loads(out)["ended"] == "budget"
    assert err == "habemus: the budget of 50 events was spent before the run ended; --events allows more\n"


def test_until_stops_at_a_time_or_at_a_property(capsys):
    assert as_json(capsys, "simulate", "bully", "--until", "5")[1]["ended"] == "time"
    status, result = as_json(capsys, "simulate", "chang-roberts", "--until", "termination")
    assert status == 0 and result["ended"] == "property" and result["time"] == 8
    assert result["properties"]["termination"] is True and result["properties"]["agreement"] is None


MISTAKES = {
    "simulate coordinator --set lease=-1": "parameters.lease: expected 0 or more, got -1",
    "simulate heartbeat --set period=0": "parameters.period: expected a number above 0, got 0",
    "simulate phi-accrual --set threshold=nan": "parameters.threshold: expected a number above 0, got nan",
    "simulate bully --set transmission=0": "parameters.transmission: expected a number above 0, got 0",
    "simulate coordinator --set elected=true": "there is no election in a layer below coordinator",
    "simulate coordinator --set elected=true --layer heartbeat": "there is no election in a layer below coordinator",
    "simulate coordinator --layer bully --layer heartbeat": "expected detector below election below mutex",
    "simulate bully --layer coordinator": "expected election below mutex, lowest first",
    "simulate heartbeat --layer heartbeat": "there can be one detector in a stack, not 2",
    "simulate lamport --crash leader@5": "lamport has no leader; name a process",
    "simulate lamport --call 3@5": "lamport knows no 'election'; it knows: acquire, release",
    "simulate quorum --set restart=wait-out": "wait-out needs a lease to wait for",
    "simulate quorum --set coordinators=[1,1,2]": "each coordinator can be named once",
    "simulate quorum --set m=2": "expected 5 to 8 of 8 coordinators, got 2",
    "simulate bully --workload poisson": "demand: bully is not a mutex, so nobody waits to enter",
    "simulate lamport --workload sometimes": "expected one-each, poisson, hot-spot, all-at-once or idle",
    "simulate lamport --entries 0": "demand.entries: expected int >= 1",
    "simulate lamport --hold never": "demand.hold: time 'never' is not known; expected unit, constant:TICKS",
    "simulate lamport --hot 3": "only a hot-spot has a hot process",
    "simulate lamport --waiting-limit -1": "waiting_limit: expected int >= 0",
    "simulate lamport --call 3:jump@4": "lamport knows no 'jump'; it knows: acquire, release",
    "simulate lamport --starters 2": "starters: lamport holds no election that anybody could start",
    "simulate lamport --layer nothing": "there is no algorithm 'nothing'",
    "simulate lamport --set bully.transmission=3": "there is no layer 'bully' here; there are: lamport",
    "simulate raymond --topology ring": "raymond needs a tree, as tree, line and star are, but there is a circle",
    "simulate raymond --layer bully": "bully needs a complete topology and raymond needs a tree topology",
    "simulate raymond --layer chang-roberts": "one needs a ring and another a tree, which has no circle",
    "simulate maekawa --set quorums=plane": "invalid enum value 'plane'; expected auto or grid",
    "compare bully lamport": "compare needs algorithms of one kind, not election and mutex",
    "simulate chang-robert": "did you mean chang-roberts?",
    "simulate chang-roberts --n 0": "from 1 to 10,000,000, got 0",
    "simulate chang-roberts --n -3": "got -3",
    "simulate chang-roberts --n x": "--n",
    "simulate chang-roberts --ids 1,2,2": "2 is there more than once",
    "simulate chang-roberts --ids 1,b": "expected a whole number, got 'b'",
    "simulate bully --crash 99@3": "there is no process 99; the ids are 1 to 8",
    "simulate bully --crash 9": "expected P@T",
    "simulate bully --cut 1@4": "expected two processes",
    "simulate bully --drift 2:fast@4": "expected a rate",
    "simulate chang-roberts --delay uniform:5:1": "1 <= A <= B",
    "simulate chang-roberts --delay uniform:-1:5": "1 <= A <= B",
    "simulate chang-roberts --delay sometimes": "expected unit, constant:TICKS, uniform:A:B",
    "simulate chang-roberts --loss 2": "network.loss",
    "simulate chang-roberts --topology grid": "needs the ring topology",
    "simulate chang-roberts --order upside": "expected best, worst, random or sorted",
    "simulate chang-roberts --starters 99": "expected 0 to 8",
    "simulate chang-roberts --starters 1,77": "there is no process 77",
    "simulate missing.toml": "missing.toml cannot be read",
    "simulate chang-roberts --diagram nowhere/x.svg": "cannot be written",
    "simulate chang-roberts --trace nowhere/x.jsonl": "cannot be written",
    "simulate chang-roberts --diagram x.gif": ".svg, .mmd, .shiviz or .txt",
    "simulate chang-roberts --set patience=1": "has no such parameter",
    "simulate bully --set transmission": "expected NAME=VALUE",
    "simulate bully --set transmission=soon": "parameters.transmission: expected int",
    "simulate bully --until sometime": "expected a time, quiescence, or one of termination",
    "simulate chang-roberts --n 5 --ids 1,2,3": "give one or the other",
    "simulate chang-roberts --starters 1,1": "names one twice",
    "simulate bully --cut 1-1@5": "a link joins two processes",
    "simulate bully --partition 1,2/2,3@5": "in one group only",
    "simulate bully --crash 3@99999999999999999999999999": "faults[0].at",
    "simulate bully --drift 1:1e-300@0": "expected a rate from",
    "simulate bully --delay lognormal:5:1000": "at most 10",
    "simulate bully --call 2:dance@4": "knows no 'dance'",
    "simulate nowhere:Thing": "cannot be imported",
    "simulate chang-roberts --bogus": "--bogus",
    "frobnicate": "frobnicate",
    "scenario bully-seven-step": "did you mean bully-seven-steps?",
    "algorithms paxos-made-easy": "there is no algorithm",
    "compare bully raft-elections": "did you mean raft-election?",
    "compare bully lcr --set bully.stable": "expected NAME=VALUE",
    "compare bully lcr --set stable=true": "expected ALGORITHM.NAME=VALUE",
    "compare bully --seeds 0": "at least 1",
    "compare bully --plot x.gif": "expected a name that ends in",
    "raft-figure --trials 0": "at least 1",
    "raft-figure --plot nowhere/x.svg": "cannot be written",
    "sweep chang-roberts --n 8,x": "got 'x'",
    "sweep chang-roberts --n 0": "got 0",
    "sweep chang-roberts --seeds 0": "at least 1",
    "sweep chang-roberts --plot nowhere/x.svg": "cannot be written",
    "sweep chang-roberts --plot x.gif": "expected a name that ends in",
}


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_gets_one_clear_sentence_and_status_2(capsys, monkeypatch, tmp_path, command):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *command.split())
    assert status == 2
    assert out == ""
    assert err.startswith("habemus: ") and err.count("\n") == 1
    assert MISTAKES[command] in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.toml", 'algorithm = "bully"\n[topology', "a.toml is not TOML"),
        ("a.json", '{"algorithm": "bully", ', "a.json is not JSON"),
        ("a.toml", "seed = 3\n", "missing required field algorithm"),
        ("a.toml", 'algorithm = "bully"\nsead = 3\n', "sead"),
        ("a.toml", 'algorithm = "bully"\n[[faults]]\nat = "soon"\ndo = "crash"\nprocess = 2\n', "faults[0].at"),
        ("a.toml", 'algorithm = "bully"\n[[faults]]\nat = 3\ndo = "explode"\nprocess = 2\n', "faults[0].do"),
    ],
)
def test_a_broken_scenario_file_is_named_with_its_field(capsys, tmp_path, name, text, complaint):
    (tmp_path / name).write_text(text)
    status, out, err = run(capsys, "simulate", str(tmp_path / name))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert complaint in err and name in err


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
    for part in ("♛ 8 leads after 16 ticks", "33   of at most 44 = n(n+1)/2 + n", "✓ agreement", "nothing was left"):
        assert part in out
    assert "Candidate(8)" in out


def test_scenario_lists_prints_and_runs(capsys, tmp_path):
    status, out, _ = run(capsys, "scenario")
    assert status == 0 and "bully-seven-steps" in out
    _, text, _ = run(capsys, "scenario", "chang-roberts-worst", "--print")
    (tmp_path / "again.toml").write_text(text)
    assert as_json(capsys, "simulate", str(tmp_path / "again.toml"))[1]["messages"] == 44
    assert run(capsys, "scenario", "bully-flapping")[0] == 1
    names = [entry["name"] for entry in as_json(capsys, "scenario")[1]]
    assert "chang-roberts-coulouris" in names


def test_algorithms_shows_the_catalogue_and_one_entry_in_full(capsys):
    entries = {entry["name"]: entry for entry in as_json(capsys, "algorithms")[1]}
    assert entries["bully"]["durable"] == ["failures"]
    assert {clause["trigger"] for clause in entries["chang-roberts"]["clauses"]} == {
        "upon_start", "upon(Candidate)", "upon(Elected)",
    }  # fmt: skip
    assert all(clause["line"] > 0 for entry in entries.values() for clause in entry["clauses"])
    _, out, _ = run(capsys, "algorithms", "chang-roberts")
    for part in ("Why safe", "CACM 22(5), 1979", "44 for n = 8", "Candidate(4)", "♛", "class ChangRoberts"):
        assert part in out


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
    several_leaders = name in ("anonymous-ring", "invitation")  # by symmetry; one a group until groups have merged
    assert status == (1 if several_leaders else 0), result["witnesses"]


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
