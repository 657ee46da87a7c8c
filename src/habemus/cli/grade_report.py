"""Report grades for people."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from habemus.cli.check_report import render_steps
from habemus.cli.portuguese import say_refusal
from habemus.cli.report import GREEN, VERMILLION
from habemus.grading.class_list import first_remark, name_in_folder
from habemus.grading.exercise import Exercise
from habemus.grading.grade import PASSED, REFUSED, STOPPED, Grade
from habemus.words.language import language, say, say_number, say_pattern


def render_grade(grade: Grade, exercise: Exercise, diagram: str | None) -> RenderableType:
    """The points of each part, what is wrong, and the run that shows it."""
    title = exercise.title.in_language(language())
    head = Text.assemble((title, "bold"), (f"   {grade.submission}, {say_number(f'{grade.seconds:.1f}')} s", "dim"))
    parts: list[RenderableType] = [Text(), Padding(head, (0, 2)), Text()]
    if grade.verdict in (REFUSED, STOPPED):
        word = say("Refused") if grade.verdict == REFUSED else say("Stopped")
        parts += [Padding(Text(f"{word}: {say_remark(grade.remark)}.", VERMILLION), (0, 2)), Text()]
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for part in grade.parts:
        mark, style = ("✓", GREEN) if part.passed else ("✗", f"bold {VERMILLION}")
        told = Text(say_pattern(part.subject))
        if part.remark and part.remark != grade.remark:
            told.append(f"\n{say_remark(part.remark)}", VERMILLION)
        table.add_row(Text(mark, style), f"{part.points}/{part.of}", told)
    parts.append(Padding(table, (0, 2)))
    colour = f"bold {GREEN}" if grade.points == grade.of else f"bold {VERMILLION}"
    total = Text(f"  {say_pattern(f'{grade.points} of {grade.of} points')}", colour)
    parts += [Text(), total]
    shown = grade.counterexample
    if shown is not None and shown.story:
        kind = say("The shortest run that shows it") if shown.shortest else say("A run that shows it")
        parts += [Text(), Text(f"  {kind}:", "dim"), render_steps(shown.story, shown.loop)]
    if diagram is not None:
        parts.append(Text.assemble((f"  {say('diagram written to')} ", "dim"), diagram))
    elif shown is not None:
        parts.append(Text(f"  {say('--diagram F.svg draws the run that shows it.')}", "dim"))
    return Group(*parts)


def say_remark(remark: str) -> str:
    """`uniqueness: 2 took office ... (n = 3, seed 1)`, each piece in the chosen language."""
    name, colon, rest = remark.partition(": ")
    if " " in name:  # not the name of a property
        name, colon, rest = "", "", remark
    body, bracket, where = (rest or name).rpartition(" (n = ")
    place = f" (n = {where.replace('seed', say('seed'))}" if bracket else ""
    said = (say_refusal(told) if (told := say_pattern(body or where)) == (body or where) else told) + place
    return f"{say(name)}: {said}" if colon else said


def render_class(grades: list[Grade], folder: Path, csv: str | None) -> RenderableType:
    """One row for each submission."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(say("submission"), no_wrap=True)
    table.add_column(say("points"), justify="right", no_wrap=True)
    table.add_column("")
    for grade in grades:
        name = name_in_folder(grade, folder)
        colour = GREEN if grade.verdict == PASSED else VERMILLION
        table.add_row(
            Text(name), Text(f"{grade.points}/{grade.of}", colour), Text(say_remark(first_remark(grade)), "dim")
        )
    full = len([grade for grade in grades if grade.points == grade.of])
    mean = sum([grade.points for grade in grades]) / len(grades)
    told = say_pattern(f"{len(grades)} submissions, {full} with all points, {mean:.1f} points on average")
    parts: list[RenderableType] = [table, Text(), Text(told, "dim")]
    if csv is not None:
        parts.append(Text.assemble((f"{say('grades written to')} ", "dim"), csv))
    return Group(*parts)
