"""Capture in lock-step: a candidate captures one neighbour, then two, four, eight, ...; who fails once gives up.

In pulse 2k every candidate tries to capture the next 2^k of its neighbours. In the pulse after that a process yields
to the largest of those who try, if it also beats its owner, and acknowledges. A candidate that is captured itself, or
is not acknowledged by all it tried, gives up; who has captured everybody leads, and says so.

Assumes   a complete graph, synchronous pulses, unique ids, reliable links, no crashes; candidates stand at pulse 0.
Gives     termination, uniqueness, agreement, stability. The largest candidate wins.
Costs     at most 2n ceil(log n) - n captures, n ceil(log n) acknowledgements and n - 1 announcements; 2 ceil(log n) + 1
          pulses. In pulse 2k at most floor(n / 2^(k-1)) candidates are left (theorem 5.1).
Why safe  nobody beats the largest candidate or its captures, and nobody leads who has not captured it.

V. C. Barbosa. An Introduction to Distributed Algorithms, chapter 5, S_Elect_Leader_C. MIT Press, 1996.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import (
    CANDIDATES,
    MESSAGES,
    WORST,
    Bound,
    Count,
    Election,
    Inbox,
    Message,
    Pid,
    upon_pulse,
    upon_start,
)

NOBODY = -1


@dataclass(frozen=True)
class Capture(Message):
    """Be mine."""

    id: Pid


@dataclass(frozen=True)
class Ack(Message):
    """I am yours."""


@dataclass(frozen=True)
class Elected(Message):
    """The outcome."""

    leader: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class CaptureSync(Election):
    name = "capture-sync"
    topology = "complete"
    model = "synchronous pulses"
    silent_pulses = 2
    counts = (
        Count(CANDIDATES, "rung", "candidates in pulse 2k", "⌊n/2^(k-1)⌋", lambda n, k: n >> (k - 1)),
        Count(MESSAGES, "Capture", "captures", "2n⌈log n⌉ - n", lambda n, k: 2 * n * (n - 1).bit_length() - n),
        Count(MESSAGES, "Ack", "acknowledgements", "n⌈log n⌉", lambda n, k: n * (n - 1).bit_length()),
    )
    bounds = (Bound(WORST, "3n⌈log n⌉ - 1", lambda n, m: max(0, 3 * n * (n - 1).bit_length() - 1)),)

    standing: bool = False
    owner: Pid = NOBODY
    tried: int = 0  # how many of the others it has tried to capture: port by port, from one that its id gives
    awaited: int = 0  # how many of them two pulses ago
    rung: int = 0  # k, in pulse 2k

    @property
    def candidate(self) -> bool:
        return self.standing

    @upon_start
    def stand(self) -> None:
        if self.owner == NOBODY:
            self.standing = True
            self.owner = self.id

    @upon_pulse
    def take_part(self, pulse: int, inbox: Inbox) -> None:
        for _, message in inbox:
            if isinstance(message, Elected):
                self.elect(message.leader)
                return
        if pulse % 2 == 1:
            self.yield_to_largest([message.id for _, message in inbox if isinstance(message, Capture)])
        elif self.standing:
            self.rung = pulse // 2
            self.capture_more(len(inbox))

    def yield_to_largest(self, captors: list[Pid]) -> None:
        if captors and max(captors) > self.owner:
            self.standing = False
            self.owner = max(captors)
            self.send(self.owner, Ack())

    def capture_more(self, acknowledged: int) -> None:
        if acknowledged < self.awaited:
            self.standing = False
        elif self.tried == self.n - 1:  # all of them are its own
            self.standing = False
            self.elect(self.id)
            self.send(self.neighbours, Elected(self.id))
        else:
            self.awaited = min(max(1, 2 * self.awaited), self.n - 1 - self.tried)
            ports = [(self.id + self.tried + step) % (self.n - 1) for step in range(self.awaited)]
            self.tried += self.awaited
            neighbours = self.neighbours
            self.send([neighbours[port] for port in ports], Capture(self.id))
