"""A student who wants points without solving the exercise gets none."""

from pathlib import Path

import msgspec
import pytest

from habemus.grading.exercise import find_exercise
from habemus.grading.judging import draw_ids, judge_parts
from habemus.grading.loading import RefusedSubmissionError, drop_encoding, load_answer
from habemus.grading.means import ForbiddenMeansError, refuse_forbidden_means

MODEL = (Path(__file__).parent / "models" / "ring_smallest.py").read_text(encoding="utf-8")
STAND = "        self.standing = True\n        self.send"
HEAD = """from dataclasses import dataclass, field
from enum import IntEnum
from habemus.process import Election, Message, Mutex, Pid, upon, upon_command, upon_start, upon_timeout
"""
TELL = """
@dataclass(frozen=True)
class Tell(Message):
    pass

class Ring(Election):
    name = "x"
    topology = "ring"

    @upon_start
    def call(self):
        if self.leader is None:
            {elect}
            self.send(self.successor, Tell())

    @upon(Tell)
    def hear(self, sender, message):
        self.call()
"""
OPERATORS = """
def same(self, other):
    return True

def differs(self, other):
    return other is None

def number(self):
    return 0

U = "_"
"""
MAGIC = "{U+U+'eq'+U+U: same, U+U+'ne'+U+U: differs, U+U+'hash'+U+U: number%s}"


def grade(exercise, source, folder, seed=0):
    answer = load_answer(exercise, source, exercise.answer, folder)
    return list(judge_parts(exercise, answer, seed))


@pytest.fixture(scope="module")
def ring():
    """The exercise with its shortest runs and its smallest group."""
    whole = find_exercise("ring-smallest")
    parts = [msgspec.structs.replace(part, n=[2]) for part in whole.parts]
    parts[0] = msgspec.structs.replace(parts[0], runs=2)
    return msgspec.structs.replace(whole, parts=parts)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "__name__ = '_' + '_main_' + '_'\nif __name__ == '__main__':\n    import os\n",
            "my.py:1 has '__name__'",
        ),
        ("from math import inf as __name__\n", "has '__name__'"),
        ("class Any(int):\n    def same(a, b):\n        return True\n    __eq__ = same\n", "my.py:4 has '__eq__'"),
        ("def f(x):\n    match x:\n        case __x__:\n            pass\n", "has '__x__'"),
        ("def f(x):\n    try:\n        pass\n    except KeyError as __x__:\n        pass\n", "has '__x__'"),
        ("def f(x):\n    global __x__\n", "has '__x__'"),
        ("class M(type):\n    pass\nclass Ring(Election, metaclass=M):\n    pass\n", "has metaclass=M"),
        ("class Box:\n    kept = list()\n", "has the value list(): all processes would share it"),
        ("from habemus.process import State\n", "imports State"),
        ("def f(self):\n    self.indicate(1)\n", "uses indicate"),
        ("def f(self):\n    super().leave()\n", "calls super().leave: call it as self.leave"),
        ("from habemus.process import Mutex\ndef f(self):\n    Mutex.leave(self)\n", "call it as self.leave"),
    ],
)
def test_ways_out_of_the_process_are_refused(source, sentence):
    with pytest.raises(ForbiddenMeansError) as refusal:
        refuse_forbidden_means(source, "my.py", [])
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("encoding", ["utf-7", "raw_unicode_escape", "latin-1"])
def test_what_is_read_is_what_is_run_whatever_encoding_a_comment_names(encoding, ring, tmp_path):
    """In UTF-7 `+AAo-` is the end of a line, so that what we read as a comment would be code."""
    hidden = "# +AAo-import os\n# \\u000aimport os\n# eleição\n"
    graded = grade(ring, f"#!/usr/bin/python\n# -*- coding: {encoding} -*-\n{hidden}{MODEL}", tmp_path)
    assert [part.points for part in graded] == [3, 5, 2]
    assert not hasattr(__import__("submission"), "os")
    assert drop_encoding("a = 1\n\n# coding: x") == "a = 1\n\n# coding: x"


def remember(box, step):
    inner = f"    def inner(self):\n        {step}\n        return fn(self)\n    return inner\n\n\n"
    wrapper = f"def remember(fn):\n    box = {box}\n{inner}"
    source = MODEL.replace("@dataclass", f"{wrapper}@dataclass", 1)
    return source.replace("    @upon_start\n", "    @upon_start\n    @remember\n")


def with_box(value, default="None"):
    fields = f"    id: Pid\n    box: object = {default}\n"
    source = HEAD + MODEL.replace("    id: Pid\n", fields, 1)
    return source.replace("Candidate(self.id)", f"Candidate(self.id, {value})")


def with_list(step):
    boxed = MODEL.replace("    standing: bool", "    box: list[Pid] = []\n    standing: bool")
    return boxed.replace(STAND, f"        {step}\n{STAND}")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (remember("[]", "box.append(1)"), "changes the variable box, which all processes share"),
        (remember("([],)", "b = box[0]; b.append(1)"), "changes the variable box, which all processes share"),
        (remember("[]", "list(map(box.append, [1]))"), "changes the variable box"),
        (remember("0", "nonlocal box; box += 1"), "changes the variable box"),
        (with_list("b = Ring.box; b.append(1)"), "changes the default of box, which all processes share"),
        (with_list("kind = type(self); kind.box.append(1)"), "changes the default of box"),
        (with_box("[]", "field(default=None, compare=False)"), "is not compared by all its fields"),
        (with_box("iter([1, 2])"), "carries what can be changed, a list_iterator"),
        (with_box("self"), "carries what can be changed, a Ring"),
        (with_box("(lambda: 1)"), "carries what can be changed, a function"),
    ],
)
def test_processes_share_nothing(source, sentence, ring, tmp_path):
    try:
        graded = grade(ring, source, tmp_path)
    except RefusedSubmissionError as refusal:
        assert sentence in str(refusal)
        return
    assert [part.points for part in graded] == [0, 0, 0]
    assert sentence in graded[0].remark


@pytest.mark.parametrize(
    "elect",
    [
        "self.elect(type('Any', (int,), %s)(self.id))" % (MAGIC % ""),
        "self.elect(IntEnum('Any', %s).A)" % (MAGIC % ", 'A': self.id"),
    ],
)
def test_a_leader_that_says_it_equals_everybody_is_refused(elect, ring, tmp_path):
    graded = grade(ring, HEAD + OPERATORS + TELL.replace("{elect}", elect), tmp_path)
    assert [part.points for part in graded] == [0, 0, 0]
    assert "the field leader has a Any" in graded[0].remark


def test_a_class_that_a_decorator_makes_has_no_operators_of_its_own(ring, tmp_path):
    made = f"def make(cls):\n    return type('Any', (int,), {MAGIC % ''})\n\n\n@make\nclass Any:\n    pass\n"
    with pytest.raises(RefusedSubmissionError, match=r"defines Any\.__"):
        grade(ring, HEAD + OPERATORS + made + TELL.replace("{elect}", "self.elect(Any(self.id))"), tmp_path)


@pytest.mark.parametrize("guess", ["self.n + 1", "2 * self.n", "1", "min(self.neighbours)"])
def test_the_ids_of_the_small_group_cannot_be_guessed(guess, ring, tmp_path):
    three = msgspec.structs.replace(ring, parts=[msgspec.structs.replace(ring.parts[1], n=[3])])
    graded = grade(three, HEAD + TELL.replace("{elect}", f"self.elect({guess})"), tmp_path)
    assert [part.points for part in graded] == [0]


def test_who_knows_the_small_group_by_heart_fails_with_a_seed_of_the_teachers(ring, tmp_path):
    known = min(draw_ids("0/2/check", 2))
    by_heart = HEAD + TELL.replace("{elect}", f"self.elect({known})")
    assert grade(ring, by_heart, tmp_path)[1].points == 5
    assert grade(ring, by_heart, tmp_path, seed=7)[1].points == 0
    assert [part.points for part in grade(ring, MODEL, tmp_path, seed=7)] == [3, 5, 2]


@pytest.mark.parametrize("name", ["coordinator", "token-ring", "ricart-agrawala", "one-grant-each"])
@pytest.mark.parametrize("leave", ["self.leave()", "self.go_outside()"])
def test_who_leaves_before_it_is_told_to_was_never_inside(name, leave, tmp_path):
    exercise = find_exercise(name)
    flash = f"""
class {exercise.answer}(Mutex):
    name = "x"
    topology = "{exercise.topology}"
    holder: Pid | None = None

    @upon_command("acquire")
    def flash(self):
        self.ask()
        self.enter()
        {leave}

    @upon_command("release")
    def go_outside(self):
        self.leave()
"""
    graded = grade(exercise, HEAD + flash, tmp_path)
    assert {part.points for part in graded} == {0}
    assert "it leaves before it is told to" in graded[0].remark
    lease = msgspec.structs.replace(exercise, leaves_by_itself=True)
    assert "it leaves" not in grade(lease, HEAD + flash, tmp_path)[0].remark


@pytest.mark.parametrize("raised", ["SystemExit", "KeyboardInterrupt", "GeneratorExit", "BaseException"])
def test_what_ends_a_run_costs_its_part_and_not_the_grading(raised, ring, tmp_path):
    part = "            self.elect(self.id)\n"
    graded = grade(ring, MODEL.replace(part, f"{part}            raise {raised}\n"), tmp_path)
    assert [(part.points, part.incomplete) for part in graded] == [(0, False)] * 3
    assert all(f"it raises {raised}" in part.remark for part in graded)


@pytest.mark.parametrize(
    "answer",
    [
        "tuple(range(n, 0, -1))",
        "[float(k) for k in range(n, 0, -1)]",
        "[True, *range(n, 1, -1)]",
        "[IntEnum('E', {'A': k}).A for k in range(n, 0, -1)]",
    ],
)
def test_an_arrangement_is_a_list_of_numbers(answer, tmp_path):
    exercise = find_exercise("worst-arrangement")
    graded = grade(exercise, f"from enum import IntEnum\n\n\ndef arrange(n):\n    return {answer}\n", tmp_path)
    assert [part.points for part in graded] == [0, 0] and "expected a list of the ids" in graded[0].remark
