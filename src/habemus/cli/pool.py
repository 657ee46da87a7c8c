"""Processes to share the work, which end with the command, also if Ctrl-C ends it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def worker_pool(jobs: int | None) -> Iterator[ProcessPoolExecutor]:
    """A pool of so many processes; None: one a core. If the block fails, what has not begun is dropped."""
    pool = ProcessPoolExecutor(jobs, initializer=ignore_interrupts)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def ignore_interrupts() -> None:
    """Leave Ctrl-C, which reaches every process of the terminal, to the one that began the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
