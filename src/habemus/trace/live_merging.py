"""Merges the events of a group that is still running into one causal trace.

The nodes report their events as they happen, each its own, so an effect may be reported before its cause. It waits
until the cause is there. The merged events are numbered from 0, causes first, as in a merged trace (merging.py); faults
that were injected are among them.

A group may run for months, so only the latest events and messages are remembered. Each incarnation of a process reports
its events in order. So of a cause that was forgotten it is known that it has been passed on; it is named no more. A
cause may be lost on the way; when too many events wait, the one that has been waited for longest is given up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from habemus.process import Pid
from habemus.trace.format import Event, SentMessage
from habemus.trace.merging import EVENT_BITS

REMEMBERED = 50_000  # events, and messages
MOST_WAITING = 5_000  # events


class LiveMerger:
    """Orders events as they arrive, and passes them on."""

    def __init__(self, start: int, pass_on: Callable[[Event], None]) -> None:
        self.start = start  # the moment that times count from, in the ticks of the nodes
        self.pass_on = pass_on
        self.count = 0
        self.numbers: dict[int, int] = {}  # number that the node gave -> number in the merged trace
        self.last: dict[int, int] = {}  # incarnation -> its last event that was passed on
        self.messages: dict[int, int] = {}  # likewise
        self.message_count = 0
        self.latest: dict[Pid, int] = {}  # process -> its last event in the merged trace
        self.waiting: dict[int, list[Event]] = {}  # first missing cause -> events that wait for it
        self.waiting_count = 0

    def add(self, event: Event) -> None:
        """A node has reported an event."""
        ready = [event]
        while ready:
            event = ready.pop(0)
            missing = next(
                (parent for parent in event.parents if parent > self.last.get(parent >> EVENT_BITS, -1)), None
            )
            if missing is not None:
                self.waiting.setdefault(missing, []).append(event)
                self.waiting_count += 1
                if self.waiting_count > MOST_WAITING:
                    lost = next(iter(self.waiting))
                    self.last[lost >> EVENT_BITS] = lost
                    ready += self.stop_waiting(lost)
                continue
            if event.process is not None:  # the loss of a message is no step of a process, and causes nothing
                self.last[event.event >> EVENT_BITS] = event.event
            self.numbers[event.event] = self.count
            forget_oldest(self.numbers)
            self.append(event, {self.numbers[parent] for parent in event.parents if parent in self.numbers})
            ready += self.stop_waiting(event.event)

    def stop_waiting(self, cause: int) -> list[Event]:
        """The events that have waited for a cause."""
        events = self.waiting.pop(cause, [])
        self.waiting_count -= len(events)
        return events

    def is_waiting(self, process: Pid) -> bool:
        """Whether an event of a process waits for its causes."""
        return any(event.process == process for events in self.waiting.values() for event in events)

    def note(self, time: int, kind: str, process: Pid | None, subject: Any = None) -> None:
        """Add a fault of a process, or of the network."""
        self.append(Event(0, time, kind, process, subject=subject), set())

    def append(self, event: Event, parents: set[int]) -> None:
        """Pass on an event under its new number; the last event of its process is among its causes."""
        if event.process is not None:
            if event.process in self.latest:
                parents.add(self.latest[event.process])
            self.latest[event.process] = self.count
        renumbered = msgspec.structs.replace(
            event,
            event=self.count,
            time=max(0, event.time - self.start),
            parents=sorted(parents),
            received=[self.renumber(message) for message in event.received],
            sent=[self.renumber(message) for message in event.sent],
        )
        self.count += 1
        self.pass_on(renumbered)

    def renumber(self, message: SentMessage) -> SentMessage:
        number = self.messages.get(message.message)
        if number is None:
            number = self.messages[message.message] = self.message_count
            self.message_count += 1
            forget_oldest(self.messages)
        return msgspec.structs.replace(message, message=number)


def forget_oldest(numbers: dict[int, int]) -> None:
    if len(numbers) > REMEMBERED:
        del numbers[next(iter(numbers))]
