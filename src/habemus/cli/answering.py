"""Questions to the checker answered one after the other, or several at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from copy import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from habemus.checking.answer.questions import Question
    from habemus.checking.answer.verdicts import Verdict
    from habemus.checking.search.effort import Effort
    from habemus.checking.search.search import Search


def answer_as_one(questions: list[Question], effort: Effort, jobs: int) -> Verdict:
    """Answer all questions with one verdict; the first violation ends the search."""
    from habemus.checking.answer.check import give_no_answer
    from habemus.cli.progress import search_line

    total: Verdict | None = None
    with (
        suppress(KeyboardInterrupt),
        search_line(len(questions)) as progress,
        closing(answer_each(questions, effort, jobs, progress.search)) as found,
    ):
        for verdict in found:
            if total is None:
                total = verdict
            else:
                total.add(verdict)
            progress.instances(total)
            if total.violated or total.stopped:
                break
    if total is None:
        return give_no_answer(questions[0])
    if total.instances < len(questions) and not total.violated and not total.stopped:
        total.stopped = "it was interrupted"
    return total


def collect_verdicts(questions: list[Question], effort: Effort, jobs: int) -> list[Verdict]:
    """The verdicts of all questions, or those known when the user interrupts."""
    known: list[Verdict] = []
    with suppress(KeyboardInterrupt), closing(answer_each(questions, effort, jobs)) as found:
        for verdict in found:
            if not verdict.interrupted:
                known.append(verdict)
    return known


def answer_each(
    questions: list[Question], effort: Effort, jobs: int, progress: Callable[[Search], None] | None = None
) -> Generator[Verdict, None, None]:
    """The verdicts, one by one, from as many processes as there are jobs; fewer if interrupted."""
    alone = jobs == 1 or len(questions) == 1
    effort = copy(effort)
    effort.jobs = jobs if len(questions) == 1 else 1
    with suppress(KeyboardInterrupt):  # what is known by then has been told
        yield from answer_in_turn(questions, effort, progress) if alone else answer_in_parallel(questions, effort, jobs)


def answer_in_turn(
    questions: list[Question], effort: Effort, progress: Callable[[Search], None] | None
) -> Iterator[Verdict]:
    """Answer one question after the other in this process, until one is interrupted."""
    from habemus.checking.answer.check import check

    for question in questions:
        verdict = check(question, effort, progress)
        yield verdict
        if verdict.interrupted:
            return


def answer_in_parallel(questions: list[Question], effort: Effort, jobs: int) -> Iterator[Verdict]:
    """Answer questions in several processes, which end when this generator is closed."""
    import signal
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial
    from multiprocessing import active_children

    from habemus.checking.answer.check import check

    share = copy(effort)
    share.memory //= jobs
    pool = ProcessPoolExecutor(jobs, initializer=partial(signal.signal, signal.SIGINT, signal.SIG_IGN))
    several = max(1, min(64, len(questions) // (8 * jobs)))
    done = False
    try:
        yield from pool.map(partial(check, effort=share), questions, chunksize=several)
        done = True
    finally:
        if not done:
            for worker in active_children():
                worker.terminate()
        pool.shutdown(cancel_futures=True)
