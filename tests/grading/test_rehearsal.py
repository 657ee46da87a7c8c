"""A mistake in a teacher's own exercise is told to the teacher, and costs no student a point."""

import pytest

from habemus.cli import main
from habemus.grading.exercise import NAMED, ExerciseError, exercise_names, find_exercise
from habemus.grading.rehearsal import find_rehearsed, rehearse

TEXT = (NAMED / "ring-smallest.toml").read_text(encoding="utf-8")
ALL = 'scenario = { starters = "all" }'
BOUND = "n * (n + 1) / 2 + n"
SMALLEST = "smallest = min([process.id for process in processes])"


@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        (ALL, "scenario = { starters = [1, 99] }", "parts[2].scenario.starters: there is no process 99"),
        (ALL, "scenario = { starters = 99 }", "parts[2].scenario.starters: 99 of 8 processes cannot start"),
        (ALL, "scenario = { topology = 3 }", "parts[2].scenario.topology: expected object"),
        (ALL, 'scenario = { topology = { kind = "star" } }', "parts[2].scenario.topology.kind: my-ring needs the ring"),
        (ALL, 'scenario = { network = { delay = "foo:1" } }', "parts[2].scenario.network.delay: delay 'foo:1'"),
        (
            ALL,
            'scenario = { faults = [{ do = "crash", at = 0, process = 99 }] }',
            "parts[2].scenario.faults[0].process",
        ),
        (ALL, "scenario = { parameters = { x = 1 } }", "parts[2].scenario.parameters.x: my-ring has no such parameter"),
        (BOUND, "1 / (n - 8)", "parts[2] cannot be judged for n = 8: division by zero"),
        (BOUND, "9 ** 9 ** 9 ** 9", "parts[2].most: '9 ** 9 ** 9 ** 9' has a power of a power"),
        (BOUND, "1e400 - 1e400", "parts[2].most: '1e400 - 1e400' cannot be computed"),
        ("orders = true", "limits = { crashes = -1 }", "parts[1].limits.crashes: expected int >= 0"),
        ("orders = true", "limits = { delay = 0 }", "parts[1].limits.delay: expected int >= 1"),
        ("orders = true", "scenario = { topology = { ids = [5, 6] } }", "parts[1].scenario.topology.n: 3 processes"),
        ('answer = "Ring"', 'answer = "Anel"', "start has no class Anel that is made from Election"),
        ("class Ring(Election):", "class Ring(Election:", "start:11 is not Python"),
        ("@eventually", "raise SystemExit\n@eventually", "properties: this is not Python that can be run"),
        (SMALLEST, "smallest = 1 / 0", "parts[0] cannot be judged for n = 2: The claim the_smallest_leads fails"),
        (SMALLEST, "raise SystemExit", "parts[0] cannot be judged for n = 2: a property ends the program"),
    ],
)
def test_a_mistake_is_told_before_anybody_is_graded(right, wrong, sentence, tmp_path):
    file = tmp_path / "own.toml"
    assert right in TEXT
    file.write_text(TEXT.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(ExerciseError) as refusal:
        find_rehearsed(str(file))
    assert str(refusal.value).startswith(f"own.toml: {sentence}") and "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", exercise_names())
def test_what_ships_has_no_such_mistake(name):
    rehearse(find_exercise(name))


@pytest.mark.parametrize("command", [["exercise"], ["grade", "my.py", "--exercise"]])
def test_commands_answer_with_one_sentence_and_status_2(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.py").touch()
    (tmp_path / "own.toml").write_text(TEXT.replace(ALL, "scenario = { starters = 99 }"), encoding="utf-8")
    assert main([*command, "own.toml"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "parts[2].scenario.starters" in err
    assert not (tmp_path / "ring_smallest.py").exists() and not (tmp_path / "own.py").exists()
