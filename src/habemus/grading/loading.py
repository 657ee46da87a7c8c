"""From the text of a submission to its class or function."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import habemus.process
from habemus.catalogue import UnknownAlgorithmError, find_algorithm, load_file
from habemus.grading.exercise import Exercise
from habemus.grading.means import ForbiddenMeansError, refuse_forbidden_means
from habemus.grading.watching import Watch, classes_of, find_own_operator
from habemus.process import Claim, Election, Mutex, Process

KINDS: dict[str, type[Process]] = {"election": Election, "mutex": Mutex}
MAY_DECLARE = {
    *("name", "topology", "model", "guarantees", "bounds", "horizon", "synchronous", "delay_bound", "remark"),
    *("candidate", "role", "waits_for", "weight_of", "shown_field", "silent_pulses"),
}
FILE = "submission.py"


class RefusedSubmissionError(ValueError):
    """A submission cannot be graded; the text says why."""


def load_answer(exercise: Exercise, source: str, answer: str, folder: Path) -> str | Callable[[int], Any]:
    """The algorithm of a submission by its name in the catalogue, judged by the exercise's properties; or its function.

    The submission becomes a file in the folder, since traces and errors show its lines.
    """
    try:
        refuse_forbidden_means(source, FILE, exercise.forbidden)
    except ForbiddenMeansError as error:
        raise RefusedSubmissionError(str(error)) from None
    file = folder / FILE
    file.write_text(drop_encoding(source), encoding="utf-8")
    vocabulary = look_at_vocabulary()
    try:
        module = load_file(str(file))
    except BaseException as error:  # it may raise SystemExit, too
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise RefusedSubmissionError(f"{FILE} fails when it is imported: {said}") from None
    if look_at_vocabulary() != vocabulary:
        raise RefusedSubmissionError(f"{FILE} changes classes that it does not define")
    classes = classes_of(module)
    operator = find_own_operator(classes, str(file))
    if operator is not None:
        raise RefusedSubmissionError(f"{FILE} defines {operator}: two underscores lead outside the process")
    found: Any = getattr(module, answer, None)
    if exercise.kind == "function":
        if not callable(found) or isinstance(found, type):
            raise RefusedSubmissionError(f"{FILE} has no function {answer}")
        function: Callable[[int], Any] = found
        return function
    for name in [name for name, value in vars(module).items() if isinstance(value, Claim)]:
        delattr(module, name)  # those of the exercise count, not those of the submission
    check_class(exercise, found, answer)
    found.own_properties = tuple(exercise.load_claims())
    name = f"{file.stem}:{answer}"  # the module that is loaded, not the file, which would be loaded again
    watch = Watch(found, classes, exercise.leaves_by_itself)
    try:
        find_algorithm(name)
    except UnknownAlgorithmError as error:
        raise RefusedSubmissionError(str(error)) from None
    watch.watch_clauses()
    return name


def drop_encoding(source: str) -> str:
    """A source that is UTF-8 for Python, too: in another encoding it would be another program than the one we read."""
    lines = source.split("\n", 2)
    return "\n".join([*[re.sub("coding(?=[:=])", "coding ", line) for line in lines[:2]], *lines[2:]])


def look_at_vocabulary() -> list[tuple[str, str, int]]:
    """What the classes of the vocabulary consist of: a submission that changed them could change its grade."""
    classes = [value for value in vars(habemus.process).values() if isinstance(value, type)]
    return [(cls.__name__, name, id(member)) for cls in classes for name, member in sorted(vars(cls).items())]


def check_class(exercise: Exercise, cls: Any, answer: str) -> None:
    """Refuse a class of another kind, or one that decides what is the exercise's to decide."""
    base = KINDS[exercise.kind]
    if not (isinstance(cls, type) and issubclass(cls, base)):
        raise RefusedSubmissionError(f"{FILE} has no class {answer} that is made from {base.__name__}")
    if cls.topology != exercise.topology:
        raise RefusedSubmissionError(
            f'{answer} has topology = "{cls.topology}": write topology = "{exercise.topology}"'
        )
    for part in cls.__mro__[: cls.__mro__.index(base)]:
        taken = [name for name in vars(part) if not name.startswith("__") and hasattr(base, name)]
        for name in taken:
            if name not in MAY_DECLARE:
                raise RefusedSubmissionError(f"{answer} defines {name} anew: that is not the submission's to decide")
