"""Pulses for synchronous algorithms on a network that has none.

After all that it sends in a pulse, a process tells every neighbour that its pulse is over. Links are reliable and keep
the order, so who has heard this from all neighbours has all their messages of that pulse, and may begin the next. Thus
neighbours are never more than a pulse apart, and every process sees exactly what it would see in lock step.

Two pulses in a row in which nobody sent anything end it, for what a process would do next it would have begun. On a
complete graph, which the synchronous algorithms of the catalogue need, everybody sees that at the same pulse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from habemus.process import Message, Pid

SILENT_PULSES = 2


@dataclass(frozen=True)
class EndOfPulse(Message):
    """That was all of my pulse; `silent`: I sent nothing in it."""

    silent: bool


class Pulses:
    """How far each neighbour has come, and what it sent in pulses that have yet to be read."""

    def __init__(self, neighbours: tuple[Pid, ...]) -> None:
        self.pulse = 0
        self.started = False
        self.over = dict.fromkeys(neighbours, 0)  # how many pulses each has ended
        self.inboxes: dict[int, list[tuple[Pid, Message]]] = {}
        self.envelopes: dict[int, list[Any]] = {}
        self.noise: set[int] = set()  # the pulses in which somebody sent something

    def receive(self, sender: Pid, message: Message, envelopes: list[Any]) -> None:
        """What a neighbour sends before it ends a pulse belongs to that pulse."""
        self.inboxes.setdefault(self.over[sender], []).append((sender, message))
        self.envelopes.setdefault(self.over[sender], []).extend(envelopes)

    def end(self, process: Pid, marker: EndOfPulse) -> None:
        """A process, perhaps this one, has ended a pulse."""
        pulse = self.over.get(process, self.pulse - 1)
        if not marker.silent:
            self.noise.add(pulse)
        if process in self.over:
            self.over[process] += 1

    @property
    def ready(self) -> bool:
        """Whether the next pulse can begin: all others have ended the one before, and there is reason to go on."""
        if not self.started or any(over < self.pulse for over in self.over.values()):
            return False
        last = range(self.pulse - SILENT_PULSES, self.pulse)
        return self.pulse < SILENT_PULSES or any(pulse in self.noise for pulse in last)

    def begin(self) -> tuple[int, list[tuple[Pid, Message]], list[Any]]:
        """The next pulse begins: its number, and what was sent to this process in the one before, by sender."""
        pulse = self.pulse
        self.pulse += 1
        inbox = sorted(self.inboxes.pop(pulse - 1, []), key=lambda item: item[0])
        return pulse, inbox, self.envelopes.pop(pulse - 1, [])
