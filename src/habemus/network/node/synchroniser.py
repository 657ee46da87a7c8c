"""Pulses for synchronous algorithms on an asynchronous network.

After its last message of a pulse, a process tells every neighbour that its pulse is over. Links are reliable and keep
the order. So a process that has heard this from all neighbours has all their messages of that pulse, and may begin the
next. Neighbours are never more than one pulse apart, and every process sees exactly what it would see in lock step.

Some consecutive pulses without any message end the run (see `Machine.silent_pulses`), if no field changed either after
the first of them. On a complete graph, which the synchronous algorithms of the catalogue need, all processes see that
at the same pulse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from habemus.process import Message, Pid


@dataclass(frozen=True)
class EndOfPulse(Message):
    """The sender's pulse is over; `silent`: it sent nothing in it; `changed`: but a field has changed."""

    silent: bool
    changed: bool = False


class Pulses:
    """The pulse of each neighbour, and the messages of pulses that this process has not begun yet."""

    def __init__(self, neighbours: tuple[Pid, ...], silent_pulses: int) -> None:
        self.silent_pulses = silent_pulses
        self.pulse = 0
        self.started = False
        self.over = dict.fromkeys(neighbours, 0)  # how many pulses each has ended
        self.inboxes: dict[int, list[tuple[Pid, Message, list[Any]]]] = {}
        self.active: set[int] = set()  # pulses in which a process sent something
        self.changing: set[int] = set()  # pulses in which a field of one changed

    def receive(self, sender: Pid, message: Message, received: list[Any]) -> None:
        """What a neighbour sends before it ends a pulse belongs to that pulse."""
        self.inboxes.setdefault(self.over[sender], []).append((sender, message, received))

    def end(self, process: Pid, marker: EndOfPulse) -> None:
        """A process, perhaps this one, has ended a pulse."""
        pulse = self.over.get(process, self.pulse - 1)
        if not marker.silent:
            self.active.add(pulse)
        if marker.changed:
            self.changing.add(pulse)
        if process in self.over:
            self.over[process] += 1

    @property
    def ready(self) -> bool:
        """Whether the next pulse can begin: all others have ended the one before, and there is reason to go on."""
        if not self.started or any(over < self.pulse for over in self.over.values()):
            return False
        first = self.pulse - self.silent_pulses
        last = range(first, self.pulse)
        going_on = any(pulse in self.active or (pulse in self.changing and pulse > first) for pulse in last)
        return first < 0 or going_on

    def begin(self) -> tuple[int, list[tuple[Pid, Message]], list[Any]]:
        """The next pulse begins: its number, and what was sent to this process in the one before, by sender."""
        pulse = self.pulse
        self.pulse += 1
        inbox = sorted(self.inboxes.pop(pulse - 1, []), key=lambda item: item[0])
        received = [envelope for _, _, envelopes in inbox for envelope in envelopes]
        return pulse, [(sender, message) for sender, message, _ in inbox], received
