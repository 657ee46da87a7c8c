"""Anonymous ring: without names, whoever sees its own vote come home takes the seat; and so may two.

All processes are alike and have no ids. A follower that misses the leader becomes a candidate and sends VoteForMe
clockwise. Followers pass it on; a candidate that receives one takes it for its own, is elected, and sends
HabemusLeader round; when that comes home it is seated.

Assumes   a unidirectional ring, no ids, reliable FIFO links, no crashes.
Gives     all an election should if there is a single candidate. With two at once, both take the seat.
Costs     one candidate: 2n messages; several that stand at once share them.
Why safe  it is not, and no deterministic algorithm can be: equal processes in equal states stay equal for ever
          (Angluin). `itai-rodeh` breaks the symmetry with coins.

D. Angluin. Local and global properties in networks of processors. STOC 1980.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Pid, upon, upon_start

FOLLOWER, CANDIDATE, ELECTED, SEATED = "follower", "candidate", "elected", "seated"


@dataclass(frozen=True)
class VoteForMe(Message):
    """Somebody stands; nobody can say who."""


@dataclass(frozen=True)
class HabemusLeader(Message):
    """Somebody was elected. The name is for observers: no decision depends on it."""

    by: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class AnonymousRing(Election):
    name = "anonymous-ring"
    topology = "ring"
    guarantees = ()  # with a single candidate all of them; with two, none
    bounds = (Bound(WORST, "2n", lambda n, m: 2 * n),)

    stage: str = FOLLOWER

    @property
    def candidate(self) -> bool:
        return self.stage == CANDIDATE

    @upon_start
    def stand(self) -> None:
        if self.stage == FOLLOWER:
            self.stage = CANDIDATE
            self.send(self.successor, VoteForMe())

    @upon(VoteForMe)
    def count_vote(self, sender: Pid, message: VoteForMe) -> None:
        if self.stage == FOLLOWER:
            self.send(self.successor, message)
        elif self.stage == CANDIDATE:  # ours came home, or so it seems: they all look alike
            self.stage = ELECTED
            self.send(self.successor, HabemusLeader(self.id))

    @upon(HabemusLeader)
    def take_seat(self, sender: Pid, message: HabemusLeader) -> None:
        if self.stage == FOLLOWER:
            self.elect(message.by)
            self.send(self.successor, message)
        elif self.stage == ELECTED:
            self.stage = SEATED
            self.elect(self.id)
