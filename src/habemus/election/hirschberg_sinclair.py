"""Hirschberg & Sinclair: conquer a neighbourhood twice as wide in every phase.

In phase k a candidate sends a probe 2^k steps both ways. A process that knows a stronger candidate swallows it; the
last one on the way sends an echo back. With both echoes home the candidate has the strongest id within 2^k steps and
goes on to the next phase. A probe that comes home has gone all the way round: its owner leads, and tells everybody.

Assumes   a bidirectional ring, unique ids, reliable links, no crashes; n need not be known.
Gives     termination, uniqueness, agreement, stability.
Costs     at most 8n(1 + ceil(log n)) messages before the n that announce it.
Why safe  only the strongest id is never swallowed, so only its probe comes home.

D. S. Hirschberg, J. B. Sinclair. Decentralized extrema-finding in circular configurations of processors. CACM
23(11), 1980.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Pid, upon, upon_start

LEFT, RIGHT = "left", "right"


@dataclass(frozen=True)
class Probe(Message):
    """A candidate's id on its way out; it turns round after `hops` more steps."""

    id: Pid
    phase: int
    hops: int
    heading: str


@dataclass(frozen=True)
class Echo(Message):
    """Nobody on the way was stronger."""

    id: Pid
    phase: int
    heading: str


@dataclass(frozen=True)
class Elected(Message):
    """The outcome, on its way round."""

    leader: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class HirschbergSinclair(Election):
    name = "hirschberg-sinclair"
    topology = "ring"
    bounds = (Bound(WORST, "8n(1 + ⌈log n⌉) + n", lambda n, m: 8 * n * (1 + (n - 1).bit_length()) + n),)

    started: bool = False
    defeated: bool = False
    phase: int = 0
    echoes: int = 0

    @property
    def candidate(self) -> bool:
        return self.started and not self.defeated and self.leader is None

    @upon_start
    def stand(self) -> None:
        if not self.started:
            self.started = True
            if not self.defeated:
                self.probe()

    def probe(self) -> None:
        hops = 2**self.phase
        self.send(self.predecessor, Probe(self.id, self.phase, hops, LEFT))
        self.send(self.successor, Probe(self.id, self.phase, hops, RIGHT))

    @upon(Probe)
    def weigh_probe(self, sender: Pid, message: Probe) -> None:
        if message.id == self.id:
            if self.leader is None:  # it went all the way round; the one sent the other way did, too
                self.elect(self.id)
                self.send(self.successor, Elected(self.id))
            return
        if message.id < self.id:
            self.stand()  # a weaker one: swallow it; whoever is stronger takes part
            return
        self.defeated = True
        if message.hops > 1:
            onward = Probe(message.id, message.phase, message.hops - 1, message.heading)
            self.send(self.towards(message.heading), onward)
        else:
            back = RIGHT if message.heading == LEFT else LEFT
            self.send(self.towards(back), Echo(message.id, message.phase, back))

    @upon(Echo)
    def hear_echo(self, sender: Pid, message: Echo) -> None:
        if message.id != self.id:
            self.send(self.towards(message.heading), message)
        elif message.phase == self.phase:
            self.echoes += 1
            if self.echoes == 2 and not self.defeated:
                self.echoes = 0
                self.phase += 1
                self.probe()

    def towards(self, heading: str) -> Pid:
        return self.predecessor if heading == LEFT else self.successor

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        if message.leader != self.id:
            self.elect(message.leader)
            self.send(self.successor, message)
