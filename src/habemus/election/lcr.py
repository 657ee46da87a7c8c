"""LCR as lectures tell it: pass on the larger of yours and theirs, and never swallow.

Whoever misses the leader sends its id clockwise. A process replaces a smaller id by its own, accepts a larger one, and
in either case passes a message on. An id that comes home is the leader's, which tells everybody. (The slides send to
the next process that works: lcr-skipping.)

Assumes   a unidirectional ring, unique ids, reliable FIFO links, no crashes.
Gives     termination, uniqueness, agreement, stability.
Costs     all start: n(3n+1)/2 messages, whatever the order: each of the n tokens runs to the largest process, takes on
          its id, and runs once more round; n more announce it. Chang and Roberts' participant flag saves all that.
Why safe  only the largest id passes every process unchanged.

G. Le Lann. Distributed systems: towards a formal approach. IFIP Congress 1977; E. Chang, R. Roberts. CACM 22(5), 1979.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Candidate(Message):
    """The largest id met so far."""

    id: Pid


@dataclass(frozen=True)
class Elected(Message):
    """The outcome, on its way round."""

    leader: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class LCR(Election):
    name = "lcr"
    topology = "ring"
    bounds = (Bound(WORST, "n(3n+1)/2", lambda n, m: n * (3 * n + 1) / 2),)

    standing: bool = False

    @property
    def candidate(self) -> bool:
        return self.standing and self.leader is None

    def pass_on(self, message: Message) -> None:
        self.send(self.successor, message)

    @upon_start
    def stand(self) -> None:
        self.standing = True
        self.pass_on(Candidate(self.id))

    @upon(Candidate)
    def pass_larger(self, sender: Pid, message: Candidate) -> None:
        if message.id != self.id:
            self.pass_on(message if message.id > self.id else Candidate(self.id))
        elif self.leader is None:  # the largest id came home; its copies, made on the way, end here, too
            self.elect(self.id)
            self.pass_on(Elected(self.id))

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        if message.leader != self.id:
            self.elect(message.leader)
            self.pass_on(message)
