"""Notices a clause that does not come back: an endless loop in an algorithm is told by name, not waited for."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

PATIENCE = 5.0  # seconds in one call of a clause


@contextmanager
def watch_clauses(files: set[str]) -> Iterator[None]:
    """Raise MisuseError in a clause of one of these files that runs for too long; only where signals are heard."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    stuck: FrameType | None = None

    def look(_: int, frame: FrameType | None) -> None:
        nonlocal stuck
        outermost = find_clause(frame, files)
        if outermost is not None and outermost is stuck:
            from habemus.process import MisuseError

            file = outermost.f_code.co_filename
            where = f"{Path(file).name}:{find_line(frame, file)}"
            stuck = None
            raise MisuseError(
                f"{outermost.f_code.co_name} ({where}) has not come back for {PATIENCE:.0f} seconds: "
                f"a clause may not loop or send without end."
            )
        stuck = outermost

    before: Any = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def find_line(frame: FrameType | None, file: str) -> int:
    """The line of a file that is being run: that of the innermost function in it."""
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0


def find_clause(frame: FrameType | None, files: set[str]) -> FrameType | None:
    """The outermost function of these files that is being run."""
    found = None
    while frame is not None:
        if frame.f_code.co_filename in files:
            found = frame
        frame = frame.f_back
    return found
