"""The progress of a long command, on stderr if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status

    from habemus.checking.answer.verdicts import Verdict
    from habemus.checking.search.search import Search


@contextmanager
def progress_line() -> Iterator[Callable[[int, int], None] | None]:
    """A status line; the caller updates it with the events and the time of a run."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    with console.status("") as status:
        yield lambda events, time: status.update(f"[dim]{events:,} events, time {time:,}[/]")


@contextmanager
def progress_bar(what: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A progress bar; the caller updates it with how many are done, and of how many."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


class SearchLine:
    """A status line on stderr for a search, or for many of them."""

    def __init__(self, status: Status | None, instances: int) -> None:
        self.status = status
        self.total = instances
        self.begun = time.perf_counter()

    def search(self, search: Search) -> None:
        from habemus.checking.search.memory import memory_in_use

        states = len(search.states)
        memory = memory_in_use() / 1e9
        self.show(states, f"depth {search.deepest}, frontier {search.frontier:,}, {memory:.2f} GB")

    def instances(self, verdict: Verdict) -> None:
        self.show(verdict.states, f"{verdict.instances:,} of {self.total:,} instances")

    def show(self, states: int, reach: str) -> None:
        if self.status is not None:
            rate = states / max(1e-9, time.perf_counter() - self.begun)
            self.status.update(f"[dim]{states:,} states, {rate:,.0f}/s, {reach}[/]")


@contextmanager
def search_line(instances: int) -> Iterator[SearchLine]:
    """The status line; it is silent unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield SearchLine(None, instances)
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    with console.status("") as status:
        yield SearchLine(status, instances)
