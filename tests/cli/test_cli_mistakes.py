"""A mistake gets one clear sentence and status 2, never a traceback."""

import pytest
from calls import run

MISTAKES = {
    "simulate coordinator-lease --set lease=-1": "parameters.lease: expected a number above 0, got -1",
    "simulate heartbeat --set period=0": "parameters.period: expected a number above 0, got 0",
    "simulate phi-accrual --set threshold=nan": "parameters.threshold: expected a number above 0, got nan",
    "simulate bully --set transmission=0": "parameters.transmission: expected a number above 0, got 0",
    "simulate coordinator --set elected=true": "coordinator has no such parameter; see its variant coordinator-elected",
    "simulate token-ring --set regenerate=true": "see its variant token-ring-regenerating",
    "simulate raft-election --set prevote=true": "see its variant raft-election-steady",
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
    "simulate chang-roberts --n 5 --ids 1,2,3": "give only one of them",
    "simulate chang-roberts --starters 1,1": "names one twice",
    "simulate bully --cut 1-1@5": "a link joins two processes",
    "simulate bully --partition 1,2/2,3@5": "in one group only",
    "simulate bully --crash 3@99999999999999999999999999": "--crash 3@99999999999999999999999999: expected a time",
    "simulate bully --drift 1:1e-300@0": "expected a rate from",
    "simulate bully --delay lognormal:5:1000": "at most 10",
    "simulate bully --call 2:dance@4": "knows no 'dance'",
    "simulate nowhere:Thing": "cannot be imported",
    "simulate chang-roberts --bogus": "--bogus",
    "frobnicate": "frobnicate",
    "scenario bully-seven-step": "did you mean bully-seven-steps?",
    "algorithms paxos-made-easy": "there is no algorithm",
    "compare bully raft-elections": "did you mean raft-election?",
    "compare bully lcr --set bully.weight": "expected NAME=VALUE",
    "compare bully lcr --set weight=3": "expected ALGORITHM.NAME=VALUE",
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


def test_a_file_alone_is_answered_with_the_classes_that_it_has(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ring.py").write_text(
        "from habemus.process import Election\n"
        "from habemus.election.lcr import LCR\n\n\n"
        'class Ring(Election):\n    name = "ring"\n\n\nclass Other(LCR):\n    name = "other"\n'
    )
    status, out, err = run(capsys, "simulate", "ring.py")
    assert (status, out) == (2, "")
    assert err == "habemus: ring.py is a file: say which class of it, as in ring.py:Ring or ring.py:Other\n"
    (tmp_path / "empty.py").write_text("")
    assert "empty.py has no process class" in run(capsys, "check", "empty.py")[2]
    assert "there is no file missing.py" in run(capsys, "sweep", "missing.py")[2]


DOUBLING = """
from dataclasses import dataclass

from habemus.process import Election, Message, upon, upon_start


@dataclass(frozen=True)
class Twice(Message):
    pass


class Doubling(Election):
    topology = "ring"

    @upon_start
    def begin(self):
        self.send(self.successor, Twice())

    @upon(Twice)
    def double(self, sender, message):
        self.send(self.successor, Twice())
        self.send(self.successor, Twice())
"""


def test_messages_that_double_are_stopped_with_one_sentence(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("habemus.simulation.run.STAGE", 1_000)
    monkeypatch.setattr("habemus.simulation.run.MOST_UNDER_WAY", 5_000)
    (tmp_path / "own.py").write_text(DOUBLING)
    status, out, err = run(capsys, "simulate", f"{tmp_path}/own.py:Doubling", "--n", "3")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "messages are under way at time 11" in err and "multiply" in err
    status, out, err = run(capsys, "simulate", f"{tmp_path}/own.py:Doubling", "--n", "3", "--events", "900")
    assert status == 3 and "the budget of 900 events ran out" in err


@pytest.mark.parametrize("command", ["sweep", "simulate"])
def test_more_entries_than_a_run_has_events_are_refused(capsys, command):
    status, out, err = run(capsys, command, "ricart-agrawala", "--n", "4", "--entries", "9" * 26)
    assert (status, out, err) == (2, "", "habemus: demand.entries: expected int <= 50000000\n")


def test_a_lock_with_more_slots_than_files_make_sense_is_refused(capsys, tmp_path):
    where = f"file://{tmp_path}/locks"
    status, out, err = run(capsys, "lock", "x", "--slots", "9" * 26, "--where", where, "--", "true")
    assert (status, out) == (2, "") and "slots is an integer from 1 to 10,000" in err
