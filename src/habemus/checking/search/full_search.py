"""A full search in a second process, beside the reduced search of this one: the first to finish answers."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from typing import Generic, Protocol, TypeVar

from habemus.checking.search.search import Search

OVERTAKEN = "another search was faster"


class Stoppable(Protocol):
    stopped: str  # why the search ended before everything was explored; empty if it did not


A = TypeVar("A", bound=Stoppable)


class FullSearch(Generic[A]):
    """The other process, and its answer once it has one."""

    def __init__(self, find_answer: Callable[[], A]) -> None:
        self.answer: A | None = None
        self.connection, theirs = Pipe(duplex=False)
        self.process = Process(target=send_answer, args=(theirs, find_answer), daemon=True)
        self.process.start()
        theirs.close()

    def watch(self, search: Search) -> None:
        """Stop the search of this process if the other one has the answer. If it gave up, or died, it has none."""
        if self.answer is None and not self.connection.closed and self.connection.poll():
            try:
                answer: A = self.connection.recv()
                self.answer = None if answer.stopped else answer
            except EOFError:
                pass
            self.connection.close()
        if self.answer is not None:
            search.stopped = OVERTAKEN

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def send_answer(connection: Connection, find_answer: Callable[[], Stoppable]) -> None:
    """What the other process does. It ignores Ctrl-C, which the process that started it handles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(Exception):  # a clause that fails does so in the reduced search, too, if any run comes to it
        connection.send(find_answer())
