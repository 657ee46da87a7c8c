"""A folder with the submissions of a class, as strange as students make it."""

import asyncio
import csv
import io
import os

import pytest

from habemus.grading.class_list import find_submissions, name_pictures, write_csv
from habemus.grading.exercise import find_exercise
from habemus.grading.grade import REFUSED
from habemus.grading.submission import Submission, grade_submission, spell_path


@pytest.fixture(scope="module")
def exercise():
    return find_exercise("worst-arrangement")


def test_two_submissions_never_have_the_same_picture(tmp_path, exercise):
    for name in ("ana/ring.py", "ana-ring.py", "ana-ring-2.py", "bia.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    submissions = find_submissions(tmp_path, exercise)
    names = name_pictures(submissions, tmp_path)
    assert len(set(names)) == 4 and {"ana-ring.svg", "ana-ring-2.svg", "bia.svg"} <= set(names)


def test_a_name_that_is_no_text_and_one_with_codes_for_a_terminal_can_be_written(tmp_path, exercise):
    for name in (b"caf\xe9.py", b"\x1b[31mred.py", b"a\nb.py"):
        (tmp_path / os.fsdecode(name)).write_bytes(b"\xff")
    submissions = find_submissions(tmp_path, exercise)
    grades = [asyncio.run(grade_submission(submission, exercise)) for submission in submissions]
    assert {grade.verdict for grade in grades} == {REFUSED}
    file = io.StringIO()
    write_csv(grades, tmp_path, file)
    rows = list(csv.reader(io.StringIO(file.getvalue().encode().decode())))
    assert {row[0] for row in rows[1:]} == {
        "caf\N{REPLACEMENT CHARACTER}.py",
        "\N{REPLACEMENT CHARACTER}[31mred.py",
    } | {"a\N{REPLACEMENT CHARACTER}b.py"}
    assert all(row[-1] == f"{row[0]} is not text in UTF-8" for row in rows[1:])


def test_what_is_no_submission_is_left_out(tmp_path, exercise):
    (tmp_path / "bia").mkdir()
    (tmp_path / "folder.py").mkdir()
    for name in ("ana.py", "bia/ring.py", "bia/__init__.py", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "broken.py").symlink_to("nowhere")
    (tmp_path / "again").symlink_to(tmp_path / "bia")  # would be graded twice
    found = [str(submission.file.relative_to(tmp_path)) for submission in find_submissions(tmp_path, exercise)]
    assert found == ["ana.py", "bia/ring.py"]


def test_a_file_that_cannot_be_read_gets_a_row_that_says_so(tmp_path, exercise):
    gone = Submission(tmp_path / "gone.py", exercise.answer)
    grade = asyncio.run(grade_submission(gone, exercise))
    assert (grade.verdict, grade.points, grade.remark) == (
        REFUSED,
        0,
        "gone.py cannot be read: No such file or directory",
    )


def test_an_ordinary_name_stays_as_it_is():
    assert spell_path("turma 1/Zé da Silva 😀.py") == "turma 1/Zé da Silva 😀.py"
