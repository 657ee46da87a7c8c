"""Runs the turns of a node one after the other, each after a look at the clock.

Everything that happens to a process is a turn: messages that arrived together, a timer, a command, a link that was made
or lost. Turns never overlap.

A process that was stopped, or whose machine slept, does not know it. It would go on as if nothing had happened, while
its peers may have replaced it. Therefore each turn first compares the clock with the end of the turn before: after a
gap as long as peers wait before they suspect it, the process has stalled and has to act on that first (`on_stall`).
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable

from habemus.network.errors import NetworkError
from habemus.network.node import clock

log = logging.getLogger("habemus.network")


class Sequencer(ABC):
    """Runs turns, wakes up for timers, and detects stalls."""

    def __init__(self, name: str, stall: int) -> None:
        self.name = name
        self.stall = stall  # nanoseconds after which peers may have replaced this process
        self.pending: deque[Callable[[], None]] = deque()
        self.busy = False
        self.begun = False
        self.leaving = False
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.last_look = clock.now()
        self.wakeup: asyncio.TimerHandle | None = None
        self.wakeup_due = 0

    # What a subclass defines

    @abstractmethod
    def set_time(self, now: int) -> None:
        """It is so many nanoseconds after some moment in the past."""

    @abstractmethod
    def on_stall(self, gap: int) -> None:
        """The process has stalled for so many nanoseconds, longer than peers wait."""

    @abstractmethod
    def finish_turn(self) -> None:
        """Let the results of a turn take effect."""

    @abstractmethod
    def run_timers(self) -> None:
        """Run the clauses of the timers that have expired."""

    # Turns

    def turn(self, step: Callable[[], None]) -> None:
        """Run a step now or, if a turn is running, right after it."""
        self.pending.append(step)
        if self.busy:
            return
        self.busy = True
        try:
            while self.pending and not self.leaving and not self.ended.done():
                self.look_at_clock()
                self.pending.popleft()()
                self.finish_turn()
        except (NetworkError, OSError) as error:
            self.fail(error)
        except Exception as error:
            log.exception("a clause failed")
            self.fail(NetworkError(f"{self.name} failed: {type(error).__name__}: {error}"))
        except BaseException:  # such as Ctrl-C: the step may be half done
            self.fail(NetworkError(f"{self.name} was interrupted"))
            raise
        finally:
            self.pending.clear()
            self.busy = False

    def look_at_clock(self) -> int:
        """Read the clock, and notice a stall."""
        now = clock.now()
        gap = now - self.last_look
        self.last_look = now
        self.set_time(now)
        if gap > self.stall and self.begun:
            self.on_stall(gap)
        return now

    @property
    def stalled(self) -> bool:
        """Whether a stall has yet to be noticed."""
        return self.begun and clock.now() - self.last_look > self.stall

    def look(self) -> None:
        """Notice a stall before anybody relies on what this process knows."""
        # An empty turn only if it is needed: a program that asks all the time must not make a process that sends
        # nothing look alive to itself.
        if self.stalled:
            self.turn(lambda: None)

    def fail(self, error: Exception) -> None:
        """End with an error; whoever waits for `ended` gets it."""
        if not self.ended.done():
            self.ended.set_exception(error)

    # Waking up

    def schedule_wakeup(self, now: int, deadline: int | None) -> None:
        """Wake up for the next timer, and often enough to notice a stall."""
        due = min(deadline or now + self.stall, now + self.stall // 2)
        if self.wakeup is not None:
            if self.wakeup_due <= due < self.wakeup_due + self.stall // 8:
                return  # the wakeup that is scheduled is early enough, and not much too early
            self.wakeup.cancel()
        self.wakeup_due = due
        milliseconds = max(0, -(-(due - now) // 1_000_000))
        self.wakeup = asyncio.get_running_loop().call_later(milliseconds / 1000, self.on_wakeup)

    def on_wakeup(self) -> None:
        """Timers have expired; but messages that have reached this machine by now come first."""
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self.wake_up)  # in between the loop reads its sockets

    def wake_up(self) -> None:
        self.wakeup = None
        self.turn(self.run_timers)

    def cancel_wakeup(self) -> None:
        if self.wakeup is not None:
            self.wakeup.cancel()
