"""LCR that skips the dead: to the successor, or to the next one that works.

LCR on a logical ring whose members may crash. Whoever misses the leader sends its id to its successor, or to the next
member that is alive. An id of a process that has crashed is not passed on. Whoever hears of a crash while it stands
sends its id again, for what it sent may have died with that process.

Assumes   a logical ring, known to all, over a complete graph; unique ids, reliable FIFO links, crashes without
          recovery, a perfect detector that speaks only after every message of the crashed process has arrived.
Gives     termination, if a starter lives, uniqueness, agreement, stability.
Costs     with nobody crashed what LCR does; each crash during an election adds at most the tokens of a new one.
Why safe  an id comes home only if no live member of the ring is larger; one that leads and lives replaces every other.
          The outcome is passed on by whoever learns it, and once more past a successor that has crashed.

The lecture slides on election, "Algoritmo do Anel - LCR": "envia a seu sucessor ou ao próximo que esteja em
funcionamento".
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from habemus.election.lcr import LCR, Candidate, Elected
from habemus.process import Message, Pid, upon_suspect


@mypyc_attr(allow_interpreted_subclasses=True)
class LCRSkipping(LCR):
    name = "lcr-skipping"
    topology = "complete"
    model = "crashes, perfect detector"

    suspected: set[Pid] = set()

    def next_alive(self) -> Pid:
        seat = self.members.index(self.id)
        ring = self.members[seat + 1 :] + self.members[: seat + 1]
        return next(p for p in ring if p not in self.suspected)

    def pass_on(self, message: Message) -> None:
        successor = self.next_alive()
        if successor != self.id:
            self.send(successor, message)
        else:  # alone in the world
            self.elect(self.id)

    def pass_larger(self, sender: Pid, message: Candidate) -> None:
        if message.id not in self.suspected:  # else it would never come home
            super().pass_larger(sender, message)

    def learn_result(self, sender: Pid, message: Elected) -> None:
        if message.leader in self.suspected:
            self.stand()
        elif message.leader != self.leader:  # else the news has been here before
            super().learn_result(sender, message)

    @upon_suspect
    def skip(self, subject: Pid) -> None:
        was_next = self.next_alive() == subject
        self.suspected.add(subject)
        if subject == self.leader or (self.standing and self.leader is None):
            self.elect(None)
            self.stand()
        elif was_next and self.leader is not None:
            self.pass_on(Elected(self.leader))
