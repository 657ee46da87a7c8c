"""Broadcast in lock-step: everybody hears every candidate at once, and takes the largest.

In pulse 0 every candidate sends its id to all others. In pulse 1 everybody has the ids of all candidates and decides:
the largest of them leads. Nobody needs to announce it, because all have decided on the same ids.

Assumes   a complete graph, synchronous pulses, unique ids, reliable links, no crashes; candidates stand at pulse 0.
Gives     termination, uniqueness, agreement, stability. The largest candidate wins.
Costs     n(n-1) messages when all stand, c(n-1) with c candidates; 1 pulse.
Why safe  what is sent in pulse 0 is there in pulse 1, so all decide on the same set of candidates.

V. C. Barbosa. An Introduction to Distributed Algorithms, chapter 5. MIT Press, 1996.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Inbox, Message, Pid, upon_pulse, upon_start


@dataclass(frozen=True)
class Candidacy(Message):
    """I stand."""

    id: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class BroadcastSync(Election):
    name = "broadcast-sync"
    topology = "complete"
    model = "synchronous pulses"
    silent_pulses = 2
    bounds = (Bound(WORST, "n(n-1)", lambda n, m: n * (n - 1)),)

    standing: bool = False

    @property
    def candidate(self) -> bool:
        return self.standing

    @upon_start
    def stand(self) -> None:
        self.standing = self.leader is None

    @upon_pulse
    def speak_then_decide(self, pulse: int, inbox: Inbox) -> None:
        if pulse == 0 and self.standing:
            self.send(self.neighbours, Candidacy(self.id))
        elif pulse == 1:
            candidates = [message.id for _, message in inbox if isinstance(message, Candidacy)]
            if self.standing:
                candidates.append(self.id)
            if candidates:
                self.elect(max(candidates))
            self.standing = False
