"""The main loop of a worker: it reads a job, does it within its limits, answers, and waits for the next.

What it may do to this machine is in habemus/sandbox.py. Answers are written to standard output, so its descriptor is
moved to where no print can reach it; prints go to standard error. A worker does not outlive the server, however the
server ends.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

import msgspec

from habemus.lab.printing import read_printout
from habemus.lab.workers import ENDED, ISOLATED, LENGTH, PROGRESS, REFUSED, RESULT, RefusedError, SentRefusal
from habemus.sandbox import allow_seconds, confine, limit

UNPROCESSABLE, BROKEN = 422, 500


def main() -> None:
    """Do jobs until the server closes the pipe."""
    from habemus.network.operate.parent import die_with_parent

    parent, seconds, memory = map(int, sys.argv[1:])
    die_with_parent(parent, signal.SIGTERM)  # what the supervisor of the worker does not ignore
    isolated = confine()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit(resource.RLIMIT_AS, memory)

    from habemus.catalogue import algorithm_names, find_algorithm
    from habemus.lab.answers import JOBS

    for known in algorithm_names():
        find_algorithm(known)
    send(answers, RESULT, ISOLATED if isolated else b"")  # warm
    jobs = sys.stdin.buffer
    while head := jobs.read(LENGTH.size):
        name, _, body = jobs.read(LENGTH.unpack(head)[0]).partition(b"\n")
        allow_seconds(seconds)
        send(answers, *do_job(JOBS[name.decode()], body, answers))


def do_job(job: Callable[..., bytes], body: bytes, answers: BinaryIO) -> tuple[bytes, bytes]:
    """Do a job; returns the kind of answer, and the answer."""

    def report(progress: Any) -> None:
        send(answers, PROGRESS, msgspec.json.encode(progress))

    try:
        return RESULT, job(body, report)
    except MemoryError:
        return ENDED, encode_refusal(RefusedError(UNPROCESSABLE, "it needs more memory than the lab allows"))
    except RefusedError as refused:
        return REFUSED, encode_refusal(refused)
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return ENDED, encode_refusal(RefusedError(BROKEN, f"internal error in the lab, please report it: {said}"))


def encode_refusal(error: RefusedError) -> bytes:
    """Encode a refusal, with what was printed before it."""
    return msgspec.json.encode(SentRefusal(error.status, error.sentence, error.line, read_printout()))


def send(answers: BinaryIO, kind: bytes, content: bytes) -> None:
    answers.write(kind + LENGTH.pack(len(content)))
    answers.write(content)
    answers.flush()
