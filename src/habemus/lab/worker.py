"""One worker, seen from inside: it reads a job, does it within its limits, answers, and waits for the next.

Standard output belongs to the answers alone, so it is moved out of the reach of whatever prints; what the lab itself
prints goes to standard error. A worker does not outlive the server, however that ends.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

import msgspec

from habemus.lab.printing import printed
from habemus.lab.workers import ENDED, LENGTH, PROGRESS, REFUSED, RESULT, Refusal, RefusedError

UNPROCESSABLE, BROKEN = 422, 500
GRACE = 5  # seconds of the processor between the signal to stop and the one that cannot be ignored


def main() -> None:
    """Work until the server closes the pipe."""
    from habemus.network.children import die_with_parent

    parent, seconds, memory = map(int, sys.argv[1:])
    die_with_parent(parent)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit(resource.RLIMIT_AS, memory)
    limit(resource.RLIMIT_CORE, 0)

    from habemus.catalogue import algorithm_names, find_algorithm
    from habemus.lab.answers import JOBS

    for known in algorithm_names():
        find_algorithm(known)
    say(answers, RESULT, b"")  # warm
    jobs = sys.stdin.buffer
    while head := jobs.read(LENGTH.size):
        name, _, body = jobs.read(LENGTH.unpack(head)[0]).partition(b"\n")
        allow_seconds(seconds)
        say(answers, *answered(JOBS[name.decode()], body, answers))


def answered(job: Callable[..., bytes], body: bytes, answers: BinaryIO) -> tuple[bytes, bytes]:
    """Do a job: the kind of answer, and the answer."""

    def report(progress: Any) -> None:
        say(answers, PROGRESS, msgspec.json.encode(progress))

    try:
        return RESULT, job(body, report)
    except MemoryError:
        return ENDED, refusal(RefusedError(UNPROCESSABLE, "it needs more memory than the lab allows, and was stopped"))
    except RefusedError as refused:
        return REFUSED, refusal(refused)
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return ENDED, refusal(RefusedError(BROKEN, f"the lab failed, which is a mistake in Habemus: {said}"))


def refusal(error: RefusedError) -> bytes:
    """A refusal for the pipe, with what was printed before."""
    return msgspec.json.encode(Refusal(error.status, error.sentence, error.line, printed()))


def say(answers: BinaryIO, kind: bytes, content: bytes) -> None:
    """Send something to the server."""
    answers.write(kind + LENGTH.pack(len(content)))
    answers.write(content)
    answers.flush()


def limit(what: int, most: int) -> None:
    """Allow this process only so much of something, or what it is allowed already, if that is less."""
    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, hard))


def allow_seconds(seconds: int) -> None:
    """Allow so many seconds of the processor from now on."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    limit(resource.RLIMIT_CPU, int(usage.ru_utime + usage.ru_stime) + seconds + 1)
