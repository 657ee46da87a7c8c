"""One submission, given to a process that can do no harm, within a time limit."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from habemus.grading.exercise import Exercise, ExerciseError
from habemus.grading.grade import REFUSED, STOPPED, Grade, PartGrade, conclude
from habemus.grading.judging import describe, kind_of
from habemus.grading.loading import FILE
from habemus.grading.worker import Job, Line
from habemus.network.operate.temporary import TemporaryFolder
from habemus.sandbox import worker_environment

STARTING = 20  # seconds for a worker to start, on a busy machine
ENDING = 5  # seconds for a supervisor to kill what its worker started
LONGEST_FILE = 200_000  # bytes
CHUNK = 65_536


class Submission:
    """A file, and the class or function in it that is graded."""

    def __init__(self, file: Path, answer: str) -> None:
        self.file = file
        self.answer = answer

    @property
    def name(self) -> str:
        return f"{spell_path(self.file)}:{self.answer}"

    @property
    def file_name(self) -> str:
        return spell_path(self.file.name)


def spell_path(path: Path | str) -> str:
    """A path that can be written anywhere: names of files may have bytes that are no text, and codes for terminals."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return "".join([each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text])


def find_submission(text: str, exercise: Exercise) -> Submission:
    """What `my.py:Ring` or `my.py` means; ExerciseError if there is no such file."""
    path, colon, answer = text.rpartition(":") if not text.endswith(".py") else (text, "", "")
    file = Path(path)
    if not path.endswith(".py"):
        raise ExerciseError(f"{text}: expected a file and a class in it, as in my.py:{exercise.answer}")
    if not file.is_file():
        raise ExerciseError(f"there is no file {path}; `habemus exercise {exercise.name}` writes one to begin with")
    if colon and not answer.isidentifier():
        raise ExerciseError(f"{text}: {answer!r} is not the name of a class; expected my.py:{exercise.answer}")
    return Submission(file, answer or exercise.answer)


async def grade_submission(
    submission: Submission, exercise: Exercise, seconds: int | None = None, seed: int = 0
) -> Grade:
    """Grade a submission; whatever is wrong with it is in the grade."""
    seconds = seconds or exercise.seconds
    grade = Grade(exercise.name, submission.name, exercise.points)
    try:
        source = read_source(submission)
    except ValueError as error:
        return settle(grade, exercise, REFUSED, str(error))
    begun = time.monotonic()
    folder = TemporaryFolder()
    try:
        written, status = await run_worker(Job(exercise, source, submission.answer, seconds, seed), folder.path)
    finally:
        folder.remove()
    grade.seconds = time.monotonic() - begun
    return read_lines(grade, exercise, submission, written, explain_end(status, seconds))


def read_source(submission: Submission) -> str:
    file, name = submission.file, submission.file_name
    try:
        if file.stat().st_size > LONGEST_FILE:
            raise ValueError(f"{name} has more than {LONGEST_FILE:,} bytes")
        return file.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError:
        raise ValueError(f"{name} is not text in UTF-8") from None
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error.strerror}") from None


async def run_worker(job: Job, folder: Path) -> tuple[bytes, int | None]:
    """What a worker wrote, and how it ended; None if it took too long. It is killed with all that it started."""
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from habemus.grading.worker import main; main()", str(os.getpid())),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=folder,
        env=worker_environment(),
        start_new_session=True,  # so that whatever it starts can be killed with it
    )
    assert worker.stdin is not None and worker.stdout is not None
    written = b""
    try:
        async with asyncio.timeout(STARTING + job.seconds):
            with suppress(ConnectionError):  # it died before it read the job
                worker.stdin.write(msgspec.json.encode(job))
                await worker.stdin.drain()
                worker.stdin.close()
            while chunk := await worker.stdout.read(CHUNK):
                written += chunk
            return written, await worker.wait()
    except TimeoutError:
        return written, None
    finally:
        await end(worker)


async def end(worker: asyncio.subprocess.Process) -> None:
    """Kill a worker and all that it started."""
    with suppress(ProcessLookupError):
        worker.terminate()  # its supervisor, which kills the rest
    with suppress(TimeoutError):
        async with asyncio.timeout(ENDING):
            await worker.wait()
    with suppress(ProcessLookupError):
        os.killpg(worker.pid, signal.SIGKILL)
    await worker.wait()


def explain_end(status: int | None, seconds: int) -> str:
    """Why a worker ended before it was done."""
    if status is None or status == -signal.SIGXCPU:
        return f"it took more than {seconds} second{'s' if seconds > 1 else ''}, and was stopped"
    if status == -signal.SIGKILL:
        return "it was killed; there may not have been enough memory"
    return "it ended the process that graded it"


def read_lines(grade: Grade, exercise: Exercise, submission: Submission, written: bytes, ended: str) -> Grade:
    """The grade, from what a worker wrote and why it ended."""
    done = False
    for text in written.splitlines():
        try:
            line = msgspec.json.decode(text, type=Line)
        except msgspec.DecodeError:  # the last one is cut off
            break
        done = done or line.done
        grade.isolated = line.isolated or grade.isolated
        if line.refused:
            return settle(grade, exercise, REFUSED, line.refused.replace(FILE, submission.file_name))
        if line.part is not None:
            remark = line.part.remark.replace(FILE, submission.file_name)
            grade.parts.append(msgspec.structs.replace(line.part, remark=remark))
    return conclude(grade) if done else settle(grade, exercise, STOPPED, ended)


def settle(grade: Grade, exercise: Exercise, verdict: str, remark: str) -> Grade:
    """The grade of a submission that was refused or stopped: the parts that were not judged earn nothing."""
    grade.verdict, grade.remark = verdict, remark
    if verdict == REFUSED:
        grade.parts.clear()
    for part in exercise.parts[len(grade.parts) :]:
        grade.parts.append(
            PartGrade(kind_of(part), describe(part), part.points, 0, remark, incomplete=verdict == STOPPED)
        )
    return grade
