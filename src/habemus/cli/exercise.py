"""`habemus exercise`: list the exercises, or begin one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from habemus.cli import options as o

if TYPE_CHECKING:
    from habemus.grading.exercise import Exercise

Name = Annotated[str | None, typer.Argument(metavar="[NAME|FILE]", help="Which one; without it, all are listed.")]
StartingFile = Annotated[
    str | None, typer.Option("--file", help="Where to write the starting code.", show_default="its name, ending in .py")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the file if there is one.")]


def exercise_command(
    name: Name = None, file: StartingFile = None, overwrite: Overwrite = False, json: o.Json = False
) -> int:
    """List the exercises; or print the task of one, and write a file to begin with."""
    from habemus.grading.exercise import ExerciseError, exercise_names, find_exercise
    from habemus.words.language import say_comments

    if name is None:
        if file is not None or overwrite:
            raise ExerciseError("--file and --overwrite go with one exercise: name it")
        return list_exercises([find_exercise(known) for known in exercise_names()], json)
    from habemus.grading.rehearsal import find_rehearsed

    exercise = find_rehearsed(name)
    path = Path(file or f"{exercise.name.replace('-', '_')}.py")
    if path.suffix != ".py":
        raise ExerciseError(f"--file {path}: expected a name that ends in .py")
    written = write_start(path, say_comments(exercise.start), overwrite)
    if json:
        import msgspec

        from habemus.cli.output import print_json

        print_json({**msgspec.to_builtins(exercise), "points": exercise.points, "file": str(path), "written": written})
        return 0
    print_task(exercise, name, path, written)
    return 0


def list_exercises(exercises: list[Exercise], json: bool) -> int:
    from habemus.cli.output import print_json
    from habemus.words.language import language, say

    if json:
        rows = [{"name": each.name, "title": each.title, "points": each.points} for each in exercises]
        print_json(rows)
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(say("exercise"), no_wrap=True)
    table.add_column(say("points"), justify="right")
    table.add_column("")
    for each in exercises:
        table.add_row(f"[bold]{each.name}[/]", str(each.points), each.title.in_language(language()))
    console = Console()
    console.print(table)
    console.print()
    console.print(f"[dim]{say('Begin one with')}[/] habemus exercise {say('NAME')}")
    return 0


def write_start(path: Path, code: str, overwrite: bool) -> bool:
    """Write the starting file; whether it was written: a file that is there stays, unless told otherwise."""
    from habemus.cli.output import check_writable

    check_writable(str(path))
    try:
        with open(path, "w" if overwrite else "x", encoding="utf-8") as file:
            file.write(code)
    except FileExistsError:
        return False
    return True


def print_task(exercise: Exercise, named: str, path: Path, written: bool) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from habemus.grading.judging import describe
    from habemus.words.language import language, say, say_pattern

    console = Console(highlight=False)
    console.print()
    console.print(Padding(Text(exercise.title.in_language(language()), "bold"), (0, 2)))
    console.print()
    for paragraph in exercise.task.in_language(language()).strip().split("\n\n"):
        console.print(Padding(Text(" ".join(paragraph.split())), (0, 2)))
        console.print()
    for part in exercise.parts:
        console.print(Text(f"  {part.points:>3}  {say_pattern(describe(part))}"))
    console.print(Text(f"  {exercise.points:>3}  {say('points in all')}", "dim"))
    console.print()
    told = f"{path} is your file to begin with." if written else f"{path} is there already, and stays as it is."
    console.print(Text(f"  {say_pattern(told)}"))
    if not written:
        console.print(Text(f"  {say('--overwrite replaces it.')}", "dim"))
    console.print(
        Text.assemble((f"  {say('Have it graded with')}  ", "dim"), f"habemus grade {path} --exercise {named}")
    )
