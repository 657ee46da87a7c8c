"""`habemus grade`: judge a submission to an exercise, or those of a class."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from habemus.cli import options as o

if TYPE_CHECKING:
    from habemus.grading.exercise import Exercise
    from habemus.grading.grade import Grade

ExerciseName = Annotated[str, typer.Option("--exercise", metavar="NAME|FILE", help="The exercise, or a file of one.")]
File = Annotated[str | None, typer.Argument(metavar="[FILE.py[:CLASS]]", help="The submission.")]
Folder = Annotated[str | None, typer.Option("--all", metavar="FOLDER", help="Grade every Python file of a folder.")]
Picture = Annotated[
    str | None, typer.Option("--diagram", help="Draw the run that shows what is wrong: F.svg; with --all, a folder.")
]
Csv = Annotated[str | None, typer.Option("--csv", help="With --all: write the grades to this file.")]
Seconds = Annotated[
    int | None, typer.Option("--seconds", min=1, help="Stop a submission after so long.", show_default="60")
]
Seed = Annotated[int, typer.Option("--seed", min=0, max=10**9, help="Other random runs, and other ids.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, help="Processes to use.", show_default="all cores")]

NOT_ISOLATED = "this system has no user namespaces, so submissions run with your permissions"


def grade_command(
    exercise: ExerciseName,
    submission: File = None,
    everything: Folder = None,
    diagram: Picture = None,
    csv: Csv = None,
    seconds: Seconds = None,
    jobs: Jobs = None,
    seed: Seed = 0,
    json: o.Json = False,
) -> int:
    """Judge a submission to an exercise: random runs, every run of a small group, cost, forbidden means; in points."""
    from habemus.cli.output import check_writable
    from habemus.grading.exercise import ExerciseError
    from habemus.grading.rehearsal import find_rehearsed

    if (submission is None) == (everything is None):
        raise ExerciseError("expected a submission, as in my.py:Ring, or --all with a folder of them")
    if submission is not None and (csv is not None or jobs is not None):
        raise ExerciseError("--csv and --jobs go with --all")
    task = find_rehearsed(exercise)
    check_writable(csv)
    if everything is not None:
        return grade_folder(Path(everything), task, diagram, csv, seconds, jobs, seed, json)
    assert submission is not None
    return grade_one(submission, task, diagram, seconds, seed, json)


def grade_one(
    submission: str, exercise: Exercise, diagram: str | None, seconds: int | None, seed: int, json: bool
) -> int:
    import asyncio

    from habemus.cli.grade_report import render_grade
    from habemus.cli.output import check_writable, print_json
    from habemus.grading.exercise import ExerciseError
    from habemus.grading.submission import find_submission, grade_submission

    if diagram is not None and not diagram.endswith(".svg"):
        raise ExerciseError(f"--diagram {diagram}: expected a name that ends in .svg")
    check_writable(diagram)
    grade = asyncio.run(grade_submission(find_submission(submission, exercise), exercise, seconds, seed))
    drawn = draw(grade, diagram)
    if json:
        print_json(grade.as_dict())
    else:
        from rich.console import Console

        Console(highlight=False).print(render_grade(grade, exercise, diagram if drawn else None))
    return exit_status([grade])


def draw(grade: Grade, path: str | None) -> bool:
    """Write the picture of what is wrong, if there is one and it was asked for."""
    shown = grade.counterexample
    if path is None or shown is None:
        return False
    Path(path).write_text(shown.diagram, encoding="utf-8")
    return True


def grade_folder(
    folder: Path,
    exercise: Exercise,
    diagram: str | None,
    csv: str | None,
    seconds: int | None,
    jobs: int | None,
    seed: int,
    json: bool,
) -> int:
    import asyncio

    from habemus.cli.grade_report import render_class
    from habemus.cli.output import print_json
    from habemus.cli.progress import progress_bar
    from habemus.grading.class_list import find_submissions, grade_class, name_pictures, write_csv
    from habemus.grading.exercise import ExerciseError

    if diagram is not None and not Path(diagram).is_dir():
        raise ExerciseError(f"--diagram {diagram}: with --all, expected a folder for the pictures")
    submissions = find_submissions(folder, exercise)
    with progress_bar("grading", quiet=json) as progress:
        grades = asyncio.run(grade_class(submissions, exercise, seconds, jobs, progress, seed))
    if diagram is not None:
        for grade, name in zip(grades, name_pictures(submissions, folder), strict=True):
            draw(grade, str(Path(diagram) / name))
    if csv is not None:
        with open(csv, "w", encoding="utf-8", newline="") as file:
            write_csv(grades, folder, file)
    if json:
        print_json([grade.as_dict() for grade in grades])
    else:
        from rich.console import Console

        Console(highlight=False).print(render_class(grades, folder, csv))
    ran = [grade for grade in grades if grade.seconds]
    if ran and not any(grade.isolated for grade in ran):
        print(f"habemus: {NOT_ISOLATED}", file=sys.stderr)
    return exit_status(grades)


def exit_status(grades: list[Grade]) -> int:
    """0 if all points are earned, 1 if something is wrong, 3 if only the limits were reached."""
    lacking = [grade for grade in grades if grade.points < grade.of]
    return 0 if not lacking else 3 if all(grade.out_of_budget for grade in lacking) else 1
