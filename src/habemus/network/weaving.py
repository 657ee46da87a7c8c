"""One causal trace of a group that is still running.

The nodes tell their events as they happen, each for itself, so an effect may be heard of before its cause. It waits
until the cause is there. What comes out is numbered from 0, in an order in which causes come first, as in a merged
trace (merging.py); what was done to the processes is in it, too.

A group may run for months, so only the latest events and messages are remembered. Each life of a process tells its
events in order: of a cause that was forgotten it is known that it has been told, and it is named no more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from habemus.network.recording import LIVES
from habemus.process import Pid
from habemus.trace import Carried, Event

REMEMBERED = 50_000  # events, and messages


class Weaver:
    """Puts events in order as they arrive, and tells them."""

    def __init__(self, start: int, tell: Callable[[Event], None]) -> None:
        self.start = start  # the moment that times count from, in the ticks of the nodes
        self.tell = tell
        self.count = 0
        self.numbers: dict[int, int] = {}  # of each event that was told, by the number that its node gave it
        self.told: dict[int, int] = {}  # the last event of each life that was told, likewise
        self.messages: dict[int, int] = {}
        self.message_count = 0
        self.latest: dict[Pid, int] = {}  # the last event of each process
        self.waiting: dict[int, list[Event]] = {}  # by the first cause that is missing

    def take(self, event: Event) -> None:
        """An event of a node has been heard of."""
        ready = [event]
        while ready:
            event = ready.pop(0)
            missing = next((parent for parent in event.parents if parent > self.told.get(parent >> LIVES, -1)), None)
            if missing is not None:
                self.waiting.setdefault(missing, []).append(event)
                continue
            if event.process is not None:  # a loss is nobody's step, and the cause of none
                self.told[event.event >> LIVES] = event.event
            self.numbers[event.event] = self.count
            forget_oldest(self.numbers)
            self.pass_on(event, {self.numbers[parent] for parent in event.parents if parent in self.numbers})
            ready += self.waiting.pop(event.event, [])

    def owes(self, process: Pid) -> bool:
        """Whether a step of a process waits for its causes."""
        return any(event.process == process for events in self.waiting.values() for event in events)

    def note(self, time: int, kind: str, process: Pid | None, subject: Any = None) -> None:
        """Something was done to a process, or to the network."""
        self.pass_on(Event(0, time, kind, process, subject=subject), set())

    def pass_on(self, event: Event, parents: set[int]) -> None:
        """Tell an event under its new number; a process goes on from where it was, be it in an earlier life."""
        if event.process is not None:
            if event.process in self.latest:
                parents.add(self.latest[event.process])
            self.latest[event.process] = self.count
        told = msgspec.structs.replace(
            event,
            event=self.count,
            time=max(0, event.time - self.start),
            parents=sorted(parents),
            received=[self.renumbered(carried) for carried in event.received],
            sent=[self.renumbered(carried) for carried in event.sent],
        )
        self.count += 1
        self.tell(told)

    def renumbered(self, carried: Carried) -> Carried:
        """A message under its new number."""
        number = self.messages.get(carried.message)
        if number is None:
            number = self.messages[carried.message] = self.message_count
            self.message_count += 1
            forget_oldest(self.messages)
        return msgspec.structs.replace(carried, message=number)


def forget_oldest(numbers: dict[int, int]) -> None:
    """Keep what is remembered within its limit."""
    if len(numbers) > REMEMBERED:
        del numbers[next(iter(numbers))]
