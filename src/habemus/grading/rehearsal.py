"""A teacher's own exercise, rehearsed with its starting code: a mistake in it must not cost the students points."""

from __future__ import annotations

import tempfile
from pathlib import Path

from habemus.grading.exercise import AnyPart, Arrangement, Check, Cost, Exercise, ExerciseError, find_exercise
from habemus.grading.formula import parse_formula
from habemus.grading.judging import build_question, build_run, draw_ids
from habemus.grading.loading import FILE, RefusedSubmissionError, load_answer
from habemus.process import ClauseError, MisuseError
from habemus.scenario import Scenario, ScenarioError
from habemus.simulation import simulate
from habemus.simulation.run import build_simulation


def find_rehearsed(name: str) -> Exercise:
    """The exercise of that name; one in a file of one's own is rehearsed. ExerciseError says what is wrong with it."""
    exercise = find_exercise(name)
    if name.endswith(".toml"):
        try:
            rehearse(exercise)
        except ValueError as error:
            raise ExerciseError(f"{Path(name).name}: {error}") from None
    return exercise


def rehearse(exercise: Exercise) -> None:
    """Refuse what could not be judged, whatever is submitted; ValueError says where."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            answer = load_answer(exercise, exercise.start, exercise.answer, Path(folder))
        except RefusedSubmissionError as error:
            raise ValueError(str(error).replace(FILE, "start")) from None
        for number, part in enumerate(exercise.parts):
            for n in part.n:
                try:
                    rehearse_part(exercise, part, str(answer), n)
                except ScenarioError as error:
                    raise ValueError(f"parts[{number}].scenario.{error}") from None
                except (ArithmeticError, ValueError) as error:
                    raise ValueError(f"parts[{number}] cannot be judged for n = {n}: {error}") from None


def rehearse_claims(scenario: Scenario) -> None:
    """Refuse a property that fails itself; what is wrong with the starting code is the student's part."""
    try:
        simulate(scenario)
    except (ClauseError, MisuseError) as error:
        if str(error).startswith("The claim "):
            raise ValueError(str(error)) from None
    except SystemExit:
        raise ValueError("a property ends the program") from None


def rehearse_part(exercise: Exercise, part: AnyPart, answer: str, n: int) -> None:
    if isinstance(part, Check):
        build_question(exercise, part, part.build(answer, n, ids=draw_ids(f"{n}", n)))
        return
    scenario = (
        part.build(part.algorithm, n, ids=list(range(1, n + 1)))
        if isinstance(part, Arrangement)
        else build_run(exercise, part, answer, n, 0)
    )
    links = build_simulation(scenario, None).topology.m
    if n == part.n[0] and not isinstance(part, Arrangement):
        rehearse_claims(scenario)
    if isinstance(part, Cost | Arrangement):
        parse_formula(part.most if isinstance(part, Cost) else part.least)(n, links)
