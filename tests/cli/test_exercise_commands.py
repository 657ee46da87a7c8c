"""`habemus exercise` and `habemus grade`, called as a student and as a course's server call them."""

import re
from pathlib import Path

import pytest
from calls import as_json, run

from habemus.grading.exercise import exercise_names, read_exercise
from habemus.words.language import choose_language

MODELS = Path(__file__).parents[1] / "grading" / "models"
GUIDES = Path(__file__).parents[2] / "docs"
MODEL = (MODELS / "ring_smallest.py").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    choose_language("en")


def test_the_exercises_are_listed(capsys):
    status, out, _ = run(capsys, "exercise")
    assert status == 0 and all(name in out for name in exercise_names())
    assert [row["name"] for row in as_json(capsys, "exercise")[1]] == exercise_names()


def test_an_exercise_is_begun_and_its_file_is_never_overwritten_unless_told(capsys, here):
    status, out, _ = run(capsys, "exercise", "ring-smallest")
    mine = here / "ring_smallest.py"
    assert (
        status == 0
        and "The process with the smallest id" in " ".join(out.split())
        and "is your file to begin with" in out
    )
    start = mine.read_text(encoding="utf-8")
    mine.write_text("# mine")
    status, out, _ = run(capsys, "exercise", "ring-smallest")
    assert status == 0 and "is there already, and stays as it is" in out and mine.read_text() == "# mine"
    run(capsys, "exercise", "ring-smallest", "--overwrite")
    assert mine.read_text(encoding="utf-8") == start
    run(capsys, "exercise", "ring-smallest", "--file", "other.py")
    assert (here / "other.py").exists()


def test_a_submission_gets_its_points_its_story_and_its_picture(capsys, here):
    (here / "my.py").write_text(MODEL.replace("elif not self.standing:", "elif False:"), encoding="utf-8")
    status, out, err = run(capsys, "grade", "my.py:Ring", "--exercise", "ring-smallest", "--diagram", "why.svg")
    assert (status, err) == (1, "")
    for part in ("2 of 10 points", "The shortest run that shows it:", "9 receives Candidate(15) from 15", "why.svg"):
        assert part in out
    assert (here / "why.svg").read_text(encoding="utf-8").startswith("<svg")
    status, out, _ = run(capsys, "grade", "my.py", "--exercise", "ring-smallest", "--language", "pt")
    assert status == 1
    for part in ("2 de 10 pontos", "A execução mais curta que o mostra:", "9 recebe Candidate(15) de 15 e nada muda"):
        assert part in out
    assert not re.search(r"\b(runs|points|receives|nobody|every)\b", out)


def test_a_server_reads_json_whatever_becomes_of_the_submission(capsys, here):
    (here / "right.py").write_text(MODEL, encoding="utf-8")
    status, grade = as_json(capsys, "grade", "right.py:Ring", "--exercise", "ring-smallest")
    assert (status, grade["points"], grade["of"], grade["verdict"]) == (0, 10, 10, "passed")
    (here / "refused.py").write_text(f"import time\n{MODEL}", encoding="utf-8")
    status, grade = as_json(capsys, "grade", "refused.py:Ring", "--exercise", "ring-smallest")
    assert (status, grade["points"], grade["verdict"]) == (1, 0, "refused") and "refused.py:1 imports time" in grade[
        "remark"
    ]
    (here / "endless.py").write_text(MODEL.replace("self.standing = True", "while True:\n                pass", 1))
    status, grade = as_json(capsys, "grade", "endless.py:Ring", "--exercise", "ring-smallest", "--seconds", "1")
    assert status in (1, 3) and grade["points"] == 0


def test_a_class_is_graded_into_a_csv_with_pictures(capsys, here):
    folder = here / "submissions"
    folder.mkdir()
    (folder / "ana.py").write_text("def arrange(n):\n    return list(range(n, 0, -1))\n")
    (folder / "bia.py").write_text("def arrange(n):\n    return list(range(1, n + 1))\n")
    (here / "pictures").mkdir()
    command = ("grade", "--all", "submissions", "--exercise", "worst-arrangement", "--csv", "grades.csv")
    status, out, _ = run(capsys, *command, "--diagram", "pictures", "--jobs", "2")
    assert status == 1 and "2 submissions, 1 with all points, 5.0 points on average" in out
    assert (here / "grades.csv").read_text(encoding="utf-8").splitlines()[1] == "ana.py,10,10,passed,5,5,"
    assert [path.name for path in (here / "pictures").iterdir()] == ["bia.svg"]
    assert [grade["points"] for grade in as_json(capsys, *command)[1]] == [10, 0]


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("exercise ring-smalest", "there is no exercise 'ring-smalest'; did you mean ring-smallest?"),
        ("exercise --overwrite", "--file and --overwrite go with one exercise"),
        ("exercise ring-smallest --file x.txt", "--file x.txt: expected a name that ends in .py"),
        ("exercise ring-smallest --file no/x.py", "no/x.py cannot be written"),
        ("exercise none.toml", "none.toml cannot be read"),
        ("grade none.py:Ring --exercise ring-smallest", "there is no file none.py"),
        ("grade bully --exercise ring-smallest", "bully: expected a file and a class in it, as in my.py:Ring"),
        ("grade --exercise ring-smallest", "expected a submission, as in my.py:Ring, or --all"),
        ("grade x.py --all . --exercise ring-smallest", "expected a submission, as in my.py:Ring, or --all"),
        ("grade x.py --exercise ring-smallest --csv y.csv", "--csv and --jobs go with --all"),
        ("grade --all none --exercise ring-smallest", "none is not a folder"),
        ("grade --all . --exercise ring-smallest", "there is no Python file in ."),
        ("grade --all . --exercise ring-smallest --diagram p", "--diagram p: with --all, expected a folder"),
        ("grade x.py --exercise ring-smallest --diagram x.png", "expected a name that ends in .svg"),
        ("grade x.py", "Missing option '--exercise'"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(command, sentence, capsys):
    status, out, err = run(capsys, *command.split())
    assert status == 2 and out == "" and sentence in err and err.count("\n") == 1


@pytest.mark.parametrize("guide", sorted(GUIDES.glob("exercises*.md")), ids=lambda guide: guide.name)
def test_the_file_of_the_guide_is_an_exercise(guide, here):
    whole, part = re.findall(r"^```toml\n(.*?)^```", guide.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (here / "whole.toml").write_text(whole, encoding="utf-8")
    assert read_exercise(here / "whole.toml").points == 10
    assert (
        part in (Path(read_exercise.__code__.co_filename).parents[1] / "exercises/worst-arrangement.toml").read_text()
    )
