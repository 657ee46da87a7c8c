"""The process in which one submission is graded.

It reads a job from standard input, confines itself (habemus/sandbox.py), and only then reads the submission. It writes
one line as soon as a part is judged: if it is stopped, what it knew by then counts. Nothing that a submission prints
reaches that pipe.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from habemus.grading.exercise import Exercise
from habemus.grading.grade import PartGrade

MEMORY = 2_000_000_000  # bytes


class Job(Struct):
    """What to grade, and within how many seconds of CPU time."""

    exercise: Exercise
    source: str
    answer: str
    seconds: int
    seed: int = 0


class Line(Struct, omit_defaults=True):
    """What a worker writes: that it is ready, why the submission is refused, or the grade of a part."""

    isolated: bool | None = None
    refused: str = ""
    part: PartGrade | None = None
    done: bool = False


def main() -> None:
    from habemus.network.operate.parent import die_with_parent
    from habemus.sandbox import allow_no_more_seconds, allow_seconds, confine, limit

    die_with_parent(int(sys.argv[1]), signal.SIGTERM)  # what the supervisor of the worker does not ignore
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    isolated = confine()
    lines = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    limit(resource.RLIMIT_AS, MEMORY)
    import habemus.grading.judging
    import habemus.grading.loading  # noqa: F401  (both before the time that the submission has begins to run)

    allow_seconds(job.seconds)
    allow_no_more_seconds()
    write(lines, Line(isolated=isolated))
    grade_submission(job, lines)
    write(lines, Line(done=True))
    os._exit(0)  # nothing that a submission left behind runs any more


def grade_submission(job: Job, lines: BinaryIO) -> None:
    from habemus.grading.judging import judge_parts
    from habemus.grading.loading import RefusedSubmissionError, load_answer

    try:
        answer = load_answer(job.exercise, job.source, job.answer, Path.cwd())
        for part in judge_parts(job.exercise, answer, job.seed):
            write(lines, Line(part=part))
    except RefusedSubmissionError as error:
        write(lines, Line(refused=str(error)))
    except MemoryError:
        write(lines, Line(refused="it needs more memory than is allowed"))


def write(lines: BinaryIO, line: Line) -> None:
    lines.write(msgspec.json.encode(line) + b"\n")
    lines.flush()
