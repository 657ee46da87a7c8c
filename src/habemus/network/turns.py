"""One thing after the other.

Everything that happens to a process is a turn: messages that came together, a timer, a command, a link that was made or
lost. Turns follow each other and never overlap, and each begins with a look at the clock.

A process that was stopped, or whose machine slept, does not know it; it would go on as if nothing had happened, while
the others may have replaced it. Therefore the look: whoever has not been awake for as long as others need to give it up
has to suspect itself (`come_to`) before anything else happens.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable

from habemus.network import clock
from habemus.network.errors import NetworkError

log = logging.getLogger("habemus.network")


class Turns(ABC):
    """What takes turns, wakes up for its timers and knows when it was asleep."""

    def __init__(self, name: str, stall: int) -> None:
        self.name = name
        self.stall = stall  # nanoseconds, after which others may have given us up
        self.agenda: deque[Callable[[], None]] = deque()
        self.busy = False
        self.begun = False
        self.leaving = False
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.awake = clock.now()
        self.alarm: asyncio.TimerHandle | None = None
        self.alarm_due = 0

    # What a turn is made of is for a subclass to say

    @abstractmethod
    def tell_time(self, now: int) -> None:
        """It is so many nanoseconds after some moment in the past."""

    @abstractmethod
    def come_to(self, gap: int) -> None:
        """We stood still for so many nanoseconds, longer than others wait."""

    @abstractmethod
    def finish_turn(self) -> None:
        """What a turn has led to takes effect."""

    @abstractmethod
    def ring_alarms(self) -> None:
        """Timers are due."""

    # Turns

    def turn(self, step: Callable[[], None]) -> None:
        """Do something with the process, now or, if a turn is under way, right after it."""
        self.agenda.append(step)
        if self.busy:
            return
        self.busy = True
        try:
            while self.agenda and not self.leaving and not self.ended.done():
                self.look_at_clock()
                self.agenda.popleft()()
                self.finish_turn()
        except (NetworkError, OSError) as error:
            self.fail(error)
        except Exception as error:
            log.exception("a clause failed")
            self.fail(NetworkError(f"{self.name} failed: {type(error).__name__}: {error}"))
        finally:
            self.agenda.clear()
            self.busy = False

    def look_at_clock(self) -> int:
        """What time is it, and have we been here all along?"""
        now = clock.now()
        gap = now - self.awake
        self.awake = now
        self.tell_time(now)
        if gap > self.stall and self.begun:
            self.come_to(gap)
        return now

    def fail(self, error: Exception) -> None:
        """It cannot go on; whoever waits for `ended` learns why."""
        if not self.ended.done():
            self.ended.set_exception(error)

    # The alarm

    def set_alarm(self, now: int, deadline: int | None) -> None:
        """Have the loop wake us for the next timer, and often enough to notice when it did not."""
        due = min(deadline or now + self.stall, now + self.stall // 2)
        if self.alarm is not None:
            if self.alarm_due <= due < self.alarm_due + self.stall // 8:
                return  # it comes early enough, and not so early that nobody would need it
            self.alarm.cancel()
        self.alarm_due = due
        milliseconds = max(0, -(-(due - now) // 1_000_000))
        self.alarm = asyncio.get_running_loop().call_later(milliseconds / 1000, self.alarm_rings)

    def alarm_rings(self) -> None:
        """Timers are due; but what has reached this machine by now comes first, so the loop looks at its sockets."""
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self.ring)

    def ring(self) -> None:
        """Let timers run out."""
        self.alarm = None
        self.turn(self.ring_alarms)

    def hush(self) -> None:
        """No alarm any more."""
        if self.alarm is not None:
            self.alarm.cancel()
