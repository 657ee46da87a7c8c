"""A second process that searches in full, beside the reduced search of this one: the first to know answers."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from habemus.checking.search import Search

if TYPE_CHECKING:
    from habemus.checking.check import Effort, Verdict
    from habemus.checking.instances import Question

Ask = Callable[["Question", "Effort"], "Verdict"]

OVERTAKEN = "another search was faster"


class Rival:
    """The other process, and its answer once it has one."""

    def __init__(self, ask: Ask, question: Question, effort: Effort) -> None:
        self.answer: Verdict | None = None
        self.words, theirs = Pipe(duplex=False)
        self.process = Process(target=search_in_full, args=(theirs, ask, question, effort), daemon=True)
        self.process.start()
        theirs.close()

    def watch(self, search: Search) -> None:
        """Stop a search if the question is answered. A rival that gives up, or dies, has no answer."""
        if self.answer is None and not self.words.closed and self.words.poll():
            try:
                answer: Verdict = self.words.recv()
                self.answer = None if answer.stopped else answer
            except EOFError:
                pass
            self.words.close()
        if self.answer is not None:
            search.stopped = OVERTAKEN

    def end(self) -> None:
        """Nobody waits for it any more."""
        self.process.kill()
        self.process.join()
        self.words.close()


def search_in_full(words: Connection, ask: Ask, question: Question, effort: Effort) -> None:
    """What the other process does; Ctrl-C, which reaches it, too, is for the one that began it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(Exception):  # a clause that fails does so in the reduced search, too, if any run comes to it
        words.send(ask(question, effort))
