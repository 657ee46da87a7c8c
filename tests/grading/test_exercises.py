"""Every exercise that ships: its model solution earns all points, and typical wrong solutions lose those they should.

A wrong solution is the model with a few lines changed. Beside it are the points that it should earn for each part.
"""

import re
from pathlib import Path

import pytest

from habemus.grading.exercise import exercise_names, find_exercise
from habemus.grading.judging import judge_parts
from habemus.grading.loading import load_answer

MODELS = Path(__file__).parent / "models"

TELL = "            self.send(self.successor, Elected(self.id))\n"
WRONG = {
    "ring-smallest": [
        ("nobody is told", TELL, "", [0, 0, 0]),
        ("the largest is elected", "elif message.id < self.id", "elif message.id > self.id", [0, 0, 0]),
        ("the smallest is taken for 1", "if message.id == self.id:", "if message.id == self.id == 1:", [0, 0, 0]),
        ("who swallows an id does not stand in its place", "elif not self.standing:", "elif False:", [0, 0, 2]),
        (
            "no id is swallowed",
            "elif not self.standing:\n            self.stand()",
            "else:\n" + " " * 12 + "self.send(self.successor, message)",
            [0, 0, 0],
        ),
        (
            "the result goes round for ever",
            "        if message.id != self.id:\n            self.elect(message.id)\n            self.send",
            "        if True:\n            self.elect(message.id)\n            self.send",
            [0, 0, 0],
        ),
    ],
    "worst-arrangement": [
        ("rising", "range(n, 0, -1)", "range(1, n + 1)", [0, 0]),
        ("for one n only", "list(range(n, 0, -1))", "[5, 4, 3, 2, 1][5 - n:]", [5, 0]),
        ("ids from 0", "range(n, 0, -1)", "range(n - 1, -1, -1)", [0, 0]),
    ],
    "ring-result": [
        ("nobody is told", TELL, "", [0, 0, 0]),
        (
            "the largest so far is named",
            "            self.send(self.successor, message)\n\n",
            "            self.elect(message.id)\n            self.send(self.successor, message)\n\n",
            [0, 0, 0],
        ),
        (
            "the result goes round for ever",
            "        if message.id != self.id:\n            self.elect",
            "        if True:\n            self.elect",
            [0, 0, 0],
        ),
        ("no id is swallowed", "elif message.id > self.id:", "else:", [0, 0, 0]),
    ],
    "anel-2-terminates": [
        (
            "who started decides for itself",
            "            self.send(self.successor, Result(min(message.ids), self.id))\n",
            "",
            [0, 0, 0],
        ),
        (
            "the result goes to the next one only",
            "            self.elect(message.leader)\n            self.send(self.successor, message)",
            "            self.elect(message.leader)",
            [0, 0, 0],
        ),
        ("who started leads", "Result(min(message.ids), self.id)", "Result(self.id, self.id)", [0, 0, 0]),
        ("the result goes round for ever", "if message.by != self.id:", "if True:", [0, 0, 0]),
    ],
    "anel-1-repaired": [
        (
            "a weaker vote goes on",
            "        elif message.id > self.id:\n            self.stage = FOLLOWER\n",
            "        else:\n",
            [0, 0, 2],
        ),
        ("a stronger vote is swallowed, too", "elif message.id > self.id:", "elif False:", [0, 0, 2]),
        ("a candidate takes any vote for its own", "elif message.id == self.id:", "elif True:", [0, 0, 2]),
    ],
    "own-election": [
        ("it waits for one way only", "2 * LONGEST", "LONGEST", [2, 2, 0, 3]),
        ("the dead may win", "max(self.alive | {self.id})", "max(self.members)", [0, 0, 0, 3]),
        ("the smallest leads, dead or alive", "max(self.alive | {self.id})", "min(self.members)", [0, 0, 0, 3]),
        ("only who calls knows", "        self.send(self.neighbours, Coordinator(leader))\n", "", [0, 0, 0, 0]),
        ("2 leads", "max(self.alive | {self.id})", "2", [0, 0, 0, 0]),
        ("the second smallest leads", "max(self.alive | {self.id})", "sorted(self.members)[1]", [0, 0, 0, 3]),
        ("each caller wins", "max(self.alive | {self.id})", "self.id", [2, 2, 0, 0]),
    ],
    "liveness-check": [
        (
            "it asks once",
            '            self.set_timer("missing", PATIENCE)\n            self.set_timer("ask", PERIOD)\n',
            '            self.set_timer("missing", PATIENCE)\n',
            [0, 0, 0, 2],
        ),
        ("it does not wait for the answer", "PATIENCE = 21", "PATIENCE = 9", [0, 2, 3, 0]),
        (
            "who has been alive is taken for alive",
            "self.alive = {self.id}",
            "self.alive.add(self.id)",
            [0, 0, 0, 2],
        ),
        (
            "nobody watches the second leader",
            '        self.cancel_timer("ask")\n        self.call_election()',
            "        if self.leader == max(self.members):\n            self.call_election()",
            [3, 0, 0, 2],
        ),
        (
            "all wait for the next one, dead or alive",
            '        self.cancel_timer("ask")\n        self.call_election()',
            '        self.cancel_timer("ask")\n'
            "        if self.id == max([member for member in self.members if member < self.leader]):\n"
            "            self.call_election()",
            [3, 0, 3, 2],
        ),
    ],
    "one-grant-each": [
        (
            "it asks itself first",
            "sorted(self.members)[len(self.grants)]",
            "[self.id, *sorted(self.neighbours)][len(self.grants)]",
            [0, 0],
        ),
        ("a grant is given to everybody", "if self.holder is None and self.queue:", "if self.queue:", [0, 0]),
        ("one grant is enough", "if 2 * len(self.grants) > self.n:", "if self.grants:", [0, 0]),
        (
            "a grant that is given back goes to nobody else",
            "        self.holder = None\n        self.grant_next()",
            "        self.holder = None",
            [0, 0],
        ),
    ],
    "coordinator": [
        ("everybody is let in", "if not self.busy and self.queue:", "if self.queue:", [0, 1, 0, 0]),
        (
            "nobody is let in after a release",
            "        self.busy = False\n        self.let_in_next()",
            "        self.busy = False",
            [0, 0, 0, 0],
        ),
        ("the resource is never taken for free", "        self.busy = False\n", "", [0, 0, 0, 0]),
        ("the last one is let in first", "self.queue.pop(0)", "self.queue.pop()", [2, 0, 5, 2]),
        (
            "the last one is let in first, and the queue is forgotten",
            "self.queue.pop(0)",
            "self.queue.pop()\n            self.queue = []",
            [0, 0, 0, 0],
        ),
    ],
    "token-ring": [
        (
            "the token goes on while somebody is inside",
            "            self.enter()\n        else:\n            self.send",
            "            self.enter()\n        if True:\n            self.send",
            [0, 0],
        ),
        ("everybody begins with a token", "if self.id == min(self.members):", "if True:", [0, 0]),
        (
            "the token stays with who has left",
            "        self.leave()\n        self.send(self.successor, Token())",
            "        self.leave()",
            [0, 0],
        ),
        (
            "it stays with who does not want it",
            "            self.enter()\n        else:\n            self.send(self.successor, Token())",
            "            self.enter()",
            [0, 0],
        ),
    ],
    "ricart-agrawala": [
        ("everybody replies at once", "self.inside or (self.waiting", "False and (self.waiting", [0, 0, 0]),
        (
            "ids do not decide between equal times",
            "(self.asked, self.id) < (message.time, sender)",
            "self.asked <= message.time",
            [0, 0, 0],
        ),
        ("the clock does not learn", "        self.clock = max(self.clock, message.time)\n", "", [0, 0, 0]),
        ("who was deferred is forgotten", "        self.send(deferred, Reply())\n", "", [0, 0, 0]),
    ],
    "franklin": [
        (
            "who becomes passive forgets what has come",
            "                self.pass_on(Probe(id, True))",
            "                pass",
            [0, 0, 0],
        ),
        ("passive ones do not relay", "            self.pass_on(message)\n", "", [0, 0, 0]),
        (
            "the smallest survives",
            "max(self.from_left.pop(0), self.from_right.pop(0))",
            "2 * self.id - min(self.from_left.pop(0), self.from_right.pop(0))",
            [0, 0, 0],
        ),
        ("nobody is told", TELL, "", [0, 0, 0]),
        ("the largest is taken for n", "strongest == self.id:", "self.id == self.n:", [0, 0, 0]),
    ],
    "graph-smallest": [
        (
            "ids are not passed on",
            "        self.note(message.id)\n",
            "        self.known.add(message.id)\n        if len(self.known)"
            " == self.n:\n            self.elect(min(self.known))\n",
            [0, 0, 0],
        ),
        ("it decides too early", "if len(self.known) == self.n:", "if True:", [0, 0, 0]),
        ("the smallest is taken for 1", "self.elect(min(self.known))", "self.elect(1)", [0, 0, 0]),
        (
            "who did not call keeps its own id for itself",
            "        self.note(self.id)\n        self.note(message.id)",
            "        self.note(message.id)",
            [0, 0, 2],
        ),
        ("everything is passed on again", "if id not in self.known:", "if True:", [0, 0, 0]),
    ],
    "broadcast-pulses": [
        (
            "nobody counts itself",
            "                candidates.append(self.id)\n",
            "                pass\n",
            [0, 0, 0, 0, 0, 0],
        ),
        ("the smallest is elected", "self.elect(max(candidates))", "self.elect(min(candidates))", [1, 0, 0, 0, 4, 0]),
        ("it decides a pulse too early", "elif pulse == 1:\n", "if pulse == 0:\n", [0, 0, 0, 0, 0, 0]),
        ("everybody speaks, standing or not", "if pulse == 0 and self.standing:", "if pulse == 0:", [0, 1, 0, 0, 0, 2]),
        ("4 leads", "self.elect(max(candidates))", "self.elect(4)", [0, 0, 1, 0, 0, 0]),
        ("n leads", "self.elect(max(candidates))", "self.elect(self.n)", [0, 0, 0, 0, 0, 0]),
    ],
}
CASES = [(name, *wrong) for name, wrongs in WRONG.items() for wrong in wrongs]


def grade(exercise, source, folder):
    answer = load_answer(exercise, source, exercise.answer, folder)
    return list(judge_parts(exercise, answer))


def model_of(name):
    return (MODELS / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")


def test_there_are_at_least_twelve_each_with_three_typical_mistakes():
    assert exercise_names() == sorted(WRONG) and len(WRONG) >= 12
    assert all(len(wrongs) >= 3 for wrongs in WRONG.values())
    assert {path.stem for path in MODELS.glob("*.py")} == {name.replace("-", "_") for name in WRONG}


@pytest.mark.parametrize("name", WRONG)
def test_the_model_solution_earns_all_points(name, tmp_path):
    exercise = find_exercise(name)
    graded = grade(exercise, model_of(name), tmp_path)
    assert [(part.points, part.remark) for part in graded] == [(part.points, "") for part in exercise.parts]


@pytest.mark.parametrize(("name", "mistake", "right", "wrong", "points"), CASES, ids=[f"{c[0]}: {c[1]}" for c in CASES])
def test_a_wrong_solution_loses_the_points_it_should(name, mistake, right, wrong, points, tmp_path):
    model = model_of(name)
    assert right in model
    graded = grade(find_exercise(name), model.replace(right, wrong), tmp_path)
    assert [part.points for part in graded] == points, [part.remark for part in graded]
    assert all(part.remark for part in graded if not part.points)


@pytest.mark.parametrize("name", WRONG)
def test_the_starting_code_can_be_run_and_is_no_solution(name, tmp_path):
    exercise = find_exercise(name)
    graded = grade(exercise, exercise.start, tmp_path)
    assert sum(part.points for part in graded) <= exercise.points // 2
    assert exercise.start.startswith(("from", "def")) and re.search(
        rf"^(class|def) {exercise.answer}\(", exercise.start, re.M
    )


@pytest.mark.parametrize("name", WRONG)
def test_the_task_is_told_in_both_languages(name):
    exercise = find_exercise(name)
    for texts in (exercise.title, exercise.task):
        assert len(texts.en) > 10 and len(texts.pt) > 10 and texts.en != texts.pt
