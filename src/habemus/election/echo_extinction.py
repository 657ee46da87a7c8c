"""Echo with extinction: everyone who stands sends a wave through the whole graph, and the strongest drowns the rest.

A wave goes out to all neighbours, and comes back from a process when it has come back from all of that one's other
neighbours. Each wave carries the id of who sent it. A process takes part only in the strongest wave it has met, and
drops what belongs to weaker ones; so only the strongest comes home. As in Tel, the smallest id is the strongest.

Assumes   any connected graph, unique ids, reliable FIFO links, no crashes.
Gives     termination, uniqueness, agreement, stability; the smallest id among the starters leads.
Costs     at most 2m messages a wave and 2m to announce it: 4m with one starter, 2m(n + 1) at worst.
Why safe  a wave comes home only if every process took part in it. The smallest starter takes part in no wave but its
          own, and nobody drops that one.

G. Tel. Introduction to Distributed Algorithms, 2nd ed. Cambridge, 2000, section 7.3.1, algorithm 7.9.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Wave(Message):
    """A wave on its way out or, from whom it was sent to, on its way home."""

    id: Pid


@dataclass(frozen=True)
class Leader(Message):
    """The outcome, to all neighbours of everyone."""

    id: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class EchoExtinction(Election):
    name = "echo-extinction"
    topology = "any"
    links_to = "parent"
    bounds = (Bound(WORST, "2m(n + 1)", lambda n, m: 2 * m * (n + 1)),)

    wave: Pid | None = None  # caw, the currently active wave
    parent: Pid | None = None
    received: int = 0  # messages of that wave

    @property
    def candidate(self) -> bool:
        return self.wave == self.id and self.leader is None

    @upon_start
    def stand(self) -> None:
        if self.wave is None:
            self.take_part(self.id, None)
            self.come_home()

    def take_part(self, wave: Pid, parent: Pid | None) -> None:
        self.wave = wave
        self.parent = parent
        self.received = 0
        self.send([q for q in self.neighbours if q != parent], Wave(wave))

    def drowns(self, wave: Pid, other: Pid) -> bool:
        return wave < other

    @upon(Wave)
    def meet_wave(self, sender: Pid, message: Wave) -> None:
        if self.wave is None or self.drowns(message.id, self.wave):
            self.take_part(message.id, sender)
        if message.id == self.wave:  # else a stronger one has been here: this one dies
            self.received += 1
            self.come_home()

    def come_home(self) -> None:
        if self.wave is None or self.received < len(self.neighbours):
            return
        if self.parent is not None:
            self.send(self.parent, Wave(self.wave))
        else:
            self.announce(self.id)

    def announce(self, leader: Pid) -> None:
        self.elect(leader)
        self.send(self.neighbours, Leader(leader))

    @upon(Leader)
    def learn_result(self, sender: Pid, message: Leader) -> None:
        if self.leader is None:
            self.announce(message.id)
