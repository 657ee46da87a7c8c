"""Worker processes, which end with the command, also if Ctrl-C ends it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def worker_pool(jobs: int | None) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes, one for each core by default. If the block fails, work that has not begun is dropped."""
    pool = ProcessPoolExecutor(jobs, initializer=ignore_interrupts)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def ignore_interrupts() -> None:
    """Leave Ctrl-C, which reaches every process of the terminal, to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
