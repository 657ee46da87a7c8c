"""The submissions of a class: all files of a folder, graded several at a time; the CSV."""

from __future__ import annotations

import asyncio
import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from habemus.grading.exercise import Exercise, ExerciseError
from habemus.grading.grade import Grade
from habemus.grading.submission import Submission, grade_submission, spell_path

Progress = Callable[[int, int], None]


def find_submissions(folder: Path, exercise: Exercise) -> list[Submission]:
    """The Python files in a folder, and in folders in it: one for each student."""
    if not folder.is_dir():
        raise ExerciseError(f"{folder} is not a folder; --all takes one with the files of a class")
    files = [file for file in sorted([*folder.glob("*.py"), *folder.glob("*/*.py")]) if is_submission(file)]
    if not files:
        raise ExerciseError(f"there is no Python file in {folder}")
    return [Submission(file, exercise.answer) for file in files]


def is_submission(file: Path) -> bool:
    if file.name == "__init__.py" or file.is_symlink() or file.parent.is_symlink():  # a link may lead to any of yours
        return False
    try:
        return file.is_file()
    except OSError:  # what cannot be looked at gets a row that says so
        return True


def name_pictures(submissions: list[Submission], folder: Path) -> list[str]:
    """The name of a picture for each submission: ana/ring.py is ana-ring.svg, and a second one ana-ring-2.svg."""
    names: list[str] = []
    for submission in submissions:
        stem = "-".join(submission.file.relative_to(folder).with_suffix("").parts)
        numbers = [""] + [f"-{number}" for number in range(2, len(submissions) + 2)]
        names.append(next(f"{stem}{number}.svg" for number in numbers if f"{stem}{number}.svg" not in names))
    return names


async def grade_class(
    submissions: list[Submission],
    exercise: Exercise,
    seconds: int | None,
    jobs: int | None,
    progress: Progress,
    seed: int = 0,
) -> list[Grade]:
    """The grades, in the order of the submissions, each from a process of its own."""
    turns = asyncio.Semaphore(jobs or os.cpu_count() or 1)
    done = 0
    progress(done, len(submissions))

    async def take_turn(submission: Submission) -> Grade:
        nonlocal done
        async with turns:
            grade = await grade_submission(submission, exercise, seconds, seed)
        done += 1
        progress(done, len(submissions))
        return grade

    return await asyncio.gather(*[take_turn(submission) for submission in submissions])


def write_csv(grades: list[Grade], folder: Path, file: TextIO) -> None:
    """A row for each submission: points, verdict, the points of each part, and the first thing that is wrong."""
    table = csv.writer(file)
    parts = [f"{number} {part.judge}" for number, part in enumerate(grades[0].parts, 1)]
    table.writerow(["submission", "points", "of", "verdict", *parts, "remark"])
    for grade in grades:
        name = name_in_folder(grade, folder)
        earned = [part.points for part in grade.parts]
        table.writerow([spell(name), grade.points, grade.of, grade.verdict, *earned, spell(first_remark(grade))])


def name_in_folder(grade: Grade, folder: Path) -> str:
    return os.path.relpath(grade.submission.rpartition(":")[0], spell_path(folder))


def first_remark(grade: Grade) -> str:
    return grade.remark or next((part.remark for part in grade.parts if part.remark), "")


def spell(text: str) -> str:
    """A text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
