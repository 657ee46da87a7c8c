"""A thread with its own event loop, so that whatever a program does with its threads and loops costs no lease.

To wake a thread costs more than most of what it is asked to do. So the loop is lent: a thread of the program that waits
for something runs the loop itself, until that has come (`wait`). Nobody has to be woken then.

    who runs the loop                  until
    this thread                        it has settled what the only waiting thread waits for
    nobody                             a thread waits again; but after a millisecond or two without one this thread does
    the thread that waits              what it waits for has come; if others wait, too, this thread goes on at once

The main thread does not run the loop, since the handler of a signal may raise an exception there, in the middle of a
turn. Nor does a thread that runs a loop of its own. They wait for this thread, as others do while it runs the loop.
"""

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
from habemus.service.engine import Latch

T = TypeVar("T")

UNHURRIED = 0.001  # seconds

log = logging.getLogger("habemus")


class LoopThread:
    """Runs what other threads hand over: all that is there when it is looked for, and `after` once, when that is done.

    Who hands over two things at a time wakes whoever runs the loop once; and while somebody is about to look anyway
    (`look_soon`, or nobody runs the loop), nobody is woken for what can wait until then.
    """

    def __init__(self, name: str, after: Callable[[], None] = lambda: None) -> None:
        self.loop = new_event_loop()
        self.after = after
        self.calls: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self.woken = False
        self.looking = False
        self.turnstile = threading.Lock()  # whoever has it runs the loop
        self.running = False  # somebody does
        self.driver: Latch | None = None  # what the thread waits for that does, if it is not this one
        self.waiting: dict[Latch, bool] = {}  # what threads wait for, and whether they could run the loop
        self.drives = 0  # how often another thread has run it
        self.needed = threading.Event()  # this thread is to go on at once
        self.ending = False
        self.thread = threading.Thread(target=self.run, name=name, daemon=True)
        self.thread.start()

    # In this thread

    def run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.turnstile.acquire()
        try:
            while not self.ending:
                self.run_loop()
                if not self.ending:
                    self.step_back()
        finally:
            self.loop.close()  # the turnstile stays locked

    def step_back(self) -> None:
        """Let others run the loop, as long as they do so again and again."""
        self.needed.clear()
        self.turnstile.release()
        while not self.is_needed():  # who waits now may have found the turnstile locked
            drives = self.drives
            self.needed.wait(UNHURRIED)
            if drives == self.drives:
                self.turnstile.acquire()
                if drives == self.drives:
                    return
                self.turnstile.release()
        self.turnstile.acquire()

    def is_needed(self) -> bool:
        """Whether a thread waits that does not run the loop itself."""
        return any(not latch.is_open and latch is not self.driver for latch in list(self.waiting))

    # In whichever thread runs the loop

    def run_loop(self) -> None:
        self.running = True  # first: what comes from here on wakes the loop
        self.loop.call_soon(self.run_calls)
        try:
            self.loop.run_forever()
        finally:
            self.running = False

    def run_calls(self) -> None:
        self.woken = False  # first: what comes from here on is found below, or wakes the loop again
        while self.calls:
            function, arguments = self.calls.popleft()
            try:
                function(*arguments)
            except Exception:
                log.exception("what a thread handed over failed")
        self.after()

    def look_soon(self) -> None:
        """Something is about to be asked for."""
        if not self.looking:
            self.looking = True
            self.loop.call_later(UNHURRIED, self.look)

    def look(self) -> None:
        self.looking = False  # first, as above
        self.run_calls()

    def note_settled(self) -> None:
        """Something that a thread may wait for has come."""
        if self.driver is not None:
            if self.driver.is_open:
                self.loop.stop()
        elif list(self.waiting.values()) == [True]:
            self.loop.stop()  # that thread is likely to come back, and runs the loop itself then
        else:
            self.look_soon()  # what is locked for a moment only is given back together with the next wish

    # In other threads

    def call_soon(self, function: Callable[..., object], *arguments: Any) -> None:
        """Have a function called by who runs the loop; nothing happens if the loop has ended."""
        self.calls.append((function, arguments))
        if self.running and not self.woken:
            self.wake()

    def call_unhurried(self, function: Callable[..., object], *arguments: Any) -> None:
        """The same, perhaps not before something else is asked for, but within a millisecond or two."""
        self.calls.append((function, arguments))
        if self.running and not self.woken and not self.looking:
            self.wake()

    def wake(self) -> None:
        self.woken = True
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.run_calls)

    def wait(self, latch: Latch, timeout: float | None) -> None:
        """Wait until a latch is open; it is opened by something that runs in the loop."""
        able = threading.current_thread() is not threading.main_thread() and asyncio._get_running_loop() is None
        self.waiting[latch] = able  # first: who lets go of the turnstile looks here afterwards
        try:
            if able and self.turnstile.acquire(blocking=False):
                self.drive(latch, timeout)
                timeout = 0.0 if timeout is not None else None
            elif not self.running:
                self.needed.set()
            latch.wait(timeout)
        finally:
            del self.waiting[latch]

    def drive(self, latch: Latch, timeout: float | None) -> None:
        """Run the loop until a latch is open, or the time is over."""
        self.driver = latch
        patience = None if timeout is None else self.loop.call_later(timeout, self.loop.stop)
        try:
            if not latch.is_open:
                self.run_loop()
        finally:
            if patience is not None:
                patience.cancel()
            self.driver = None
            self.drives += 1
            self.turnstile.release()
            if len(self.waiting) > 1 and self.is_needed():
                self.needed.set()

    def run_coroutine(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def stop(self) -> None:
        self.ending = True
        self.call_soon(self.loop.stop)
        self.needed.set()
        if self.thread is not threading.current_thread():
            self.thread.join()
