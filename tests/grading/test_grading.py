"""Submissions are graded in a process that they can neither block, nor harm, nor persuade."""

import asyncio
import csv
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from habemus.grading import exercise as exercises
from habemus.grading.class_list import find_submissions, grade_class, write_csv
from habemus.grading.exercise import ExerciseError, find_exercise, read_exercise
from habemus.grading.formula import parse_formula
from habemus.grading.grade import FAILED, PASSED, REFUSED, STOPPED
from habemus.grading.means import ForbiddenMeansError, refuse_forbidden_means
from habemus.grading.submission import Submission, find_submission, grade_submission, read_source

MODEL = (Path(__file__).parent / "models" / "ring_smallest.py").read_text(encoding="utf-8")
CHEAT = "def cheat(self):\n    self.elect = None\n\n\nclass Later:\n    done = cheat(Election)\n\n\n"
RING = "class Ring(Election):\n"
STAND = "        self.standing = True\n        self.send"


@pytest.fixture(scope="module")
def exercise():
    return find_exercise("ring-smallest")


def submit(folder, source, exercise, seconds=None, name="my.py"):
    file = folder / name
    file.write_text(source, encoding="utf-8")
    return asyncio.run(grade_submission(Submission(file, exercise.answer), exercise, seconds))


def test_a_right_submission_passes(tmp_path, exercise):
    grade = submit(tmp_path, MODEL, exercise)
    assert (grade.verdict, grade.points, grade.of, grade.remark) == (PASSED, 10, 10, "")
    assert grade.as_dict()["counterexample"] is None


def test_a_wrong_one_is_shown_with_the_shortest_run_as_a_picture(tmp_path, exercise):
    grade = submit(tmp_path, MODEL.replace("elif not self.standing:", "elif False:"), exercise)
    assert (grade.verdict, [part.points for part in grade.parts]) == (FAILED, [0, 0, 2])
    shown = grade.as_dict()["counterexample"]
    assert shown["shortest"] and "nobody ever took office" in shown["remark"]
    assert shown["story"] == [
        ["15 begins and sends Candidate(15) to 9."],
        ["9 receives Candidate(15) from 15 and changes nothing."],
    ]
    assert shown["svg"].startswith("<svg") and "Candidate" in shown["svg"]


def test_an_endless_clause_is_stopped_and_what_was_judged_before_counts(tmp_path):
    """The clause loops on rings of three only, which the random runs do not have."""
    whole = find_exercise("ring-smallest")
    runs = msgspec.structs.replace(whole.parts[0], n=[2], runs=2)
    exercise = msgspec.structs.replace(whole, parts=[runs, *whole.parts[1:]])
    grade = submit(
        tmp_path, MODEL.replace(STAND, f"        while self.n == 3:\n            pass\n{STAND}"), exercise, seconds=1
    )
    assert grade.verdict == STOPPED and grade.remark == "it took more than 1 second, and was stopped"
    assert [part.points for part in grade.parts] == [3, 0, 0] and grade.out_of_budget
    assert grade.seconds < 60


def test_too_much_memory_is_the_submissions_own_problem(tmp_path, exercise):
    hungry = MODEL.replace(STAND, f"        waste = [0] * 10**12\n{STAND}")
    grade = submit(tmp_path, hungry, exercise, seconds=10)
    assert grade.points == 0 and grade.verdict in (FAILED, REFUSED, STOPPED)


def test_nothing_of_a_stopped_submission_is_left_running(tmp_path, exercise):
    marker = f"wait-for-{os.getpid()}"
    grade = submit(
        tmp_path, MODEL.replace(STAND, f"        while '{marker}':\n            pass\n{STAND}"), exercise, seconds=1
    )
    assert grade.verdict == STOPPED
    assert list_workers(os.getpid()) == []


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import os\n", "imports os: write `from ... import ...`"),
        ("from time import monotonic\n", "imports time: a submission may use"),
        ("from random import choice\n", "imports random"),
        ("from dataclasses import sys\n", "imports sys from dataclasses"),
        ("from habemus.process import Layers\n", "imports Layers from habemus.process"),
        ("from habemus.checking.answer import check\n", "imports habemus.checking.answer"),
        ("from . import other\n", "imports ."),
        ("print('hello')\n", "runs code when it is imported"),
        ("for each in ():\n    pass\n", "runs code when it is imported"),
        ("class Ring:\n    open('x')\n", "runs code when it is imported"),
        ("from habemus.process import Election\nElection.elect = None\n", "runs code when it is imported"),
        ("def f():\n    return eval('1')\n", "uses eval"),
        ("def f(x):\n    return x.__class__\n", "two underscores"),
        ("def f(x):\n    return __import__('os')\n", "two underscores"),
        ("def f(x):\n    match x:\n        case object(__class__=c):\n            return c\n", "two underscores"),
        ("def f(x: '__import__(1)'):\n    pass\n", "two underscores"),
        ("def f(x: 'open(1)'):\n    pass\n", "uses open"),
        ("def f(x):\n    return (1 for _ in x).gi_frame\n", "uses gi_frame"),
        ("def f(x):\n    return '{0.host}'.format(x)\n", "uses format"),
        ("def f(self):\n    return self.host\n", "uses host"),
        ("def f(self):\n    return max(self.members)\n", "uses members: the exercise does not allow it"),
        ("SEEN = []\n", "has the global []: use tuples"),
        ("class Box:\n    pass\n\nBOX = Box()\n", "has the global Box()"),
        ("def f(self, seen=[]):\n    pass\n", "has the default []: all processes would share it"),
        ("def f(self, *, seen={}):\n    pass\n", "has the default {}"),
        (
            "def f(self):\n    g = f\n    g.seen = 1\n",
            "changes g.seen: only a process may change, and only its own fields",
        ),
        ("from functools import cache\n", "imports cache from functools"),
        ("class Box:\n    def put(self, x):\n        self.x = x\n", "changes self.x: only a process may change"),
        ("def put(self, x):\n    self.x = x\n", "changes self.x: only a process may change"),
        (f"{RING}    @classmethod\n    def put(self, x):\n        self.x = x\n", "changes self.x"),
        (f"{RING}    def f(self):\n        def g(self):\n            self.x = 1\n", "changes self.x"),
        (f"{RING}    def f(self):\n        self = Ring\n        self.x = 1\n", "changes self: it is the process"),
        (f"{RING}    def f(self):\n        Ring.f(Box)\n", "calls Ring.f: call it as self.f"),
        (f"{RING}    box = Box()\n", "has the value Box(): all processes would share it"),
        (f"{RING}    box = (x for x in ())\n", "all processes would share it"),
        ("class Box:\n    kept = []\n", "has the value []: all processes would share it"),
        ("def f(:\n", "is not Python"),
        ("x = " + "(" * 500 + ")" * 500, "is not Python"),
        ("x = 1\0", "is not Python"),
    ],
)
def test_forbidden_means_are_refused_with_the_line(source, sentence):
    with pytest.raises(ForbiddenMeansError, match=r"^my\.py") as refusal:
        refuse_forbidden_means(source, "my.py", ["members"])
    assert sentence in str(refusal.value)


def test_what_an_honest_submission_needs_is_allowed():
    fields = (
        "    seen: set[Pid] = set()\n    queue: list[Pid] = []\n    bounds = (Bound('worst', 'n', lambda n, m: n),)\n"
    )
    method = "    def f(self):\n        for self.x in (1, 2):\n            self.seen, self.y = set(), 1\n"
    refuse_forbidden_means(f"{RING}{fields}{method}class Sub(Ring):\n{method}", "my.py", [])
    source = '"""Mine, with __dunder__ in its docstring."""\nfrom math import log2\nA, B = 1, 2\n'
    refuse_forbidden_means(source + "if __name__ == '__main__':\n    import sys\n", "my.py", [])


@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        ("    standing: bool", "    seen = []\n    standing: bool", "all processes share"),
        ("    standing: bool", "    small_limits = {}\n    standing: bool", "Ring defines small_limits anew"),
        (
            "    def stand(self)",
            "    def elect(self, leader):\n        pass\n\n    @upon_start\n    def stand(self)",
            "defines elect anew",
        ),
        ('topology = "ring"', 'topology = "complete"', 'write topology = "ring"'),
        ("class Ring(", "class Other(", "my.py has no class Ring that is made from Election"),
        ("class Ring(", f"{CHEAT}class Ring(", "has the value cheat(Election): all processes would share it"),
        (
            "@dataclass(frozen=True)\nclass Cand",
            "x: int = 1 / 0\n\n\n@dataclass(frozen=True)\nclass Cand",
            "fails when it is imported",
        ),
    ],
)
def test_a_class_that_is_not_what_it_should_be_is_refused(right, wrong, sentence, tmp_path, exercise):
    grade = submit(tmp_path, MODEL.replace(right, wrong, 1), exercise)
    assert (grade.verdict, grade.points) == (REFUSED, 0) and sentence in grade.remark


def test_a_remark_names_the_file_as_the_student_does(tmp_path, exercise):
    grade = submit(tmp_path, "import os\n", exercise, name='a "b".py')
    assert grade.verdict == REFUSED and grade.remark.startswith('a "b".py:1 imports os')
    grade = submit(tmp_path, MODEL.replace("message.id == self.id", "message.id == [][0]"), exercise, name='a "b".py')
    assert grade.verdict == FAILED and 'a "b".py:' in grade.parts[0].remark and "IndexError" in grade.parts[0].remark


def test_claims_of_the_submission_do_not_count(tmp_path, exercise):
    lie = "\n\n@eventually\ndef the_smallest_leads(processes):\n    return None\n"
    source = MODEL.replace("upon, upon_start", "eventually, upon, upon_start").replace(
        "message.id < self", "message.id > self"
    )
    assert submit(tmp_path, source + lie, exercise).parts[0].points == 0


def test_a_message_may_not_carry_what_can_be_changed(tmp_path, exercise):
    source = MODEL.replace("    id: Pid\n", "    id: Pid\n    box: object = ()\n", 1)
    assert submit(tmp_path, source, exercise).points == 10
    grade = submit(tmp_path, source.replace("Candidate(self.id)", "Candidate(self.id, [])"), exercise)
    assert grade.points == 0 and "Candidate carries what can be changed" in grade.parts[0].remark


def test_a_file_as_windows_writes_it_is_read(tmp_path, exercise):
    file = tmp_path / "my.py"
    file.write_bytes(b"\xef\xbb\xbf" + MODEL.replace("\n", "\r\n").encode())
    assert refuse_forbidden_means(read_source(Submission(file, "Ring")), "my.py", exercise.forbidden) is None


def test_what_a_submission_prints_reaches_nobody(tmp_path, exercise, capfd):
    grade = submit(tmp_path, MODEL.replace(STAND, f"        print('{{\"done\":true}}')\n{STAND}"), exercise)
    assert grade.points == 10 and capfd.readouterr() == ("", "")


def test_a_class_is_graded_into_a_csv(tmp_path, exercise):
    (tmp_path / "bia").mkdir()
    files = {"ana.py": MODEL, "bia/ring.py": exercise.start, "=cmd.py": "import os\n", "caio.py": "\xff"}
    for name, source in files.items():
        (tmp_path / name).write_bytes(source.encode("latin-1"))
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    seen = []
    grades = asyncio.run(
        grade_class(find_submissions(tmp_path, exercise), exercise, 30, 2, lambda done, of: seen.append((done, of)))
    )
    assert seen == [(k, 4) for k in range(5)]
    text = io.StringIO()
    write_csv(grades, tmp_path, text)
    head, *rows = csv.reader(io.StringIO(text.getvalue()))
    assert head == ["submission", "points", "of", "verdict", "1 runs", "2 check", "3 cost", "remark"]
    assert [row[:7] for row in rows] == [
        ["'=cmd.py", "0", "10", "refused", "0", "0", "0"],
        ["ana.py", "10", "10", "passed", "3", "5", "2"],
        [str(Path("bia/ring.py")), "0", "10", "failed", "0", "0", "0"],
        ["caio.py", "0", "10", "refused", "0", "0", "0"],
    ]
    assert rows[0][-1].startswith("'=cmd.py:1 imports os") and rows[3][-1] == "caio.py is not text in UTF-8"


@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        ('judge = "runs"', 'judge = "walks"', "own.toml: parts[0].judge: invalid value 'walks'"),
        ("points = 3", "points = -3", "own.toml: parts[0].points: expected int >= 0"),
        ("the_smallest_leads", "the_tallest_leads", "own.toml: parts[0].properties: there is no 'the_smallest_leads'"),
        ('starters = "all"', 'starters = "al"', "own.toml: parts[2].scenario.starters: invalid"),
        ("n * (n + 1) / 2 + n", "n * k", "own.toml: parts[2].most: 'n * k' has 'k'; expected ceil"),
        ("n * (n + 1) / 2 + n", "().__class__", "own.toml: parts[2].most: '().__class__' is not a formula"),
        ("orders = true", "limits = { crash = 1 }", "own.toml: parts[1].limits: there is no 'crash'"),
        ("return None", "return return", "own.toml: properties: this is not Python that can be run"),
        ('kind = "election"', "kind = 'election", "own.toml is not TOML"),
        (
            'kind = "election"',
            'name = "../x"\nkind = "election"',
            "own.toml: name: expected letters, digits and hyphens",
        ),
        ('pt = "Um anel que elege o menor id"\n', "", "own.toml: title: object missing required field pt"),
    ],
)
def test_a_mistake_in_the_file_of_an_exercise_is_told_in_one_sentence(right, wrong, sentence, tmp_path):
    text = (exercises.NAMED / "ring-smallest.toml").read_text(encoding="utf-8")
    file = tmp_path / "own.toml"
    once = 1 if right != "the_smallest_leads" else text.count(right)
    assert right in text
    text = text.replace(right, wrong, once)
    if right == "the_smallest_leads":
        text = text.replace('"the_tallest_leads"', '"the_smallest_leads"')
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ExerciseError) as refusal:
        find_exercise(str(file))
    assert str(refusal.value).startswith(sentence)


def test_a_teachers_own_file_works_as_those_that_ship(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_bytes((exercises.NAMED / "worst-arrangement.toml").read_bytes())
    exercise = read_exercise(file)
    assert exercise.name == "mine"
    grade = submit(tmp_path, "def arrange(n):\n    return list(range(n, 0, -1))\n", exercise)
    assert grade.points == 10


def test_a_submission_is_a_file_and_perhaps_a_class(tmp_path, exercise):
    file = tmp_path / "my.py"
    file.write_text("")
    assert find_submission(str(file), exercise).answer == "Ring"
    assert find_submission(f"{file}:Other", exercise).answer == "Other"
    for text in (f"{file}:not a name", "nothing.py", "habemus.election:X", str(tmp_path)):
        with pytest.raises(ExerciseError):
            find_submission(text, exercise)


def test_formulas():
    assert parse_formula("2 * n * (floor(log2(n)) + 1) + m")(8, 3) == 67
    for text in ("n +", "n.real", "[n]", "'n'", "n if n else m", "log2(n - 2)", "open(n)", ""):
        with pytest.raises(ValueError):
            parse_formula(text)


def test_ctrl_c_ends_the_grading_of_a_class_with_its_workers(tmp_path):
    (tmp_path / "endless.py").write_text("def arrange(n):\n    while True:\n        pass\n")
    command = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())"]
    command += ["grade", "--all", str(tmp_path), "--exercise", "worst-arrangement"]
    grading = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: list_workers(grading.pid))
        grading.send_signal(signal.SIGINT)
        assert grading.wait(30) == 130 and grading.stderr.read() == "habemus: stopped\n"
        wait_until(lambda: not list_workers(grading.pid))
    finally:
        grading.kill()
        grading.wait()
        grading.stderr.close()


def list_workers(parent):
    listed = subprocess.run(["ps", "-wweo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if line.endswith(f"grading.worker import main; main() {parent}")]


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
