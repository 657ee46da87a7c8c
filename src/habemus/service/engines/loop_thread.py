"""A thread with its own event loop, so that whatever a program does with its threads and loops costs no lease."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from habemus.network.node.loop import new_event_loop

T = TypeVar("T")

UNHURRIED = 0.001  # seconds

log = logging.getLogger("habemus")


class LoopThread:
    """Runs what other threads hand over: all that is there when it wakes up, and `after` once, when that is done.

    To wake it costs more than most of what it is asked to do. So who hands over two things at a time wakes it once; and
    while it is about to look by itself (`look_soon`), nobody wakes it for what can wait until then.
    """

    def __init__(self, name: str, after: Callable[[], None] = lambda: None) -> None:
        self.loop = new_event_loop()
        self.after = after
        self.calls: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self.woken = False
        self.looking = False
        self.thread = threading.Thread(target=self.run, name=name, daemon=True)
        self.thread.start()

    def run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
        finally:
            self.loop.close()

    def call_soon(self, function: Callable[..., object], *arguments: Any) -> None:
        """Have a function called in this thread; nothing happens if it has ended."""
        self.calls.append((function, arguments))
        if not self.woken:
            self.wake()

    def call_unhurried(self, function: Callable[..., object], *arguments: Any) -> None:
        """The same, perhaps not before something else is asked for, but within a millisecond."""
        self.calls.append((function, arguments))
        if not self.woken and not self.looking:
            self.wake()

    def wake(self) -> None:
        self.woken = True
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.run_calls)

    def look_soon(self) -> None:
        """In this thread: something is about to be asked for."""
        if not self.looking:
            self.looking = True
            self.loop.call_later(UNHURRIED, self.look)

    def look(self) -> None:
        self.looking = False  # first, as below
        self.run_calls()

    def run_calls(self) -> None:
        self.woken = False  # first: what comes from here on is found below, or wakes this thread again
        while self.calls:
            function, arguments = self.calls.popleft()
            try:
                function(*arguments)
            except Exception:
                log.exception("what a thread handed over failed")
        self.after()

    def run_coroutine(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def stop(self) -> None:
        self.call_soon(self.loop.stop)
        if self.thread is not threading.current_thread():
            self.thread.join()
