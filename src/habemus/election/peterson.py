"""Peterson: Franklin's idea where messages go one way only; active processes trade in temporary ids.

An active process sends its temporary id to the next active one, and so learns its predecessor's; it sends the larger of
the two on, and so learns of the one before that. If the predecessor's is the largest of the three it takes that id over
and goes on, else it is a relay from then on. Who meets the id it sent is alone: the owner of that id leads.

`improved` compares once a phase, not twice: in odd phases only who has a larger id than its predecessor goes on, in
even ones only who has a smaller id, and it takes the predecessor's over.

Assumes   a unidirectional ring, unique ids, reliable FIFO links, no crashes.
Gives     termination, uniqueness, agreement, stability.
Costs     basic: at most 2n floor(log n) + 2n messages, the n that announce it among them; improved: at most
          1.44 n log n + 3n, as many phases as there are Fibonacci numbers up to n.
Why safe  the largest id in play is never dropped, only handed on. Basic: of two active neighbours at most one goes on.
          Improved: who goes on twice leaves at least one behind it that did not, so a(k) >= a(k+1) + a(k+2).

G. L. Peterson. An O(n log n) unidirectional algorithm for the circular extrema problem. ACM TOPLAS 4(4), 1982; also
D. Dolev, M. Klawe, M. Rodeh. Journal of Algorithms 3(3), 1982.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Parameter, Pid, upon, upon_start


@dataclass(frozen=True)
class First(Message):
    """An active process's temporary id."""

    id: Pid


@dataclass(frozen=True)
class Second(Message):
    """The larger of a process's temporary id and its predecessor's."""

    id: Pid


@dataclass(frozen=True)
class Elected(Message):
    """The outcome, on its way round."""

    leader: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class Peterson(Election):
    name = "peterson"
    topology = "ring"
    bounds = (Bound(WORST, "2n⌊log n⌋ + 2n", lambda n, m: 2 * n * (n.bit_length() - 1) + 2 * n),)

    improved: Parameter[bool] = False

    phase: int = 0
    active: bool = True
    temporary: Pid = -1
    before: Pid = -1  # the temporary id of the active process before this one

    @property
    def candidate(self) -> bool:
        return self.phase > 0 and self.active and self.leader is None

    @upon_start
    def stand(self) -> None:
        if self.phase == 0:
            self.begin_phase(self.id)

    def begin_phase(self, temporary: Pid) -> None:
        self.phase += 1
        self.temporary = temporary
        self.send(self.successor, First(temporary))

    @upon(First)
    def compare_first(self, sender: Pid, message: First) -> None:
        self.stand()  # whoever is reached takes part
        if not self.active:
            self.send(self.successor, message)
        elif message.id == self.temporary:  # it went all the way round: nobody else is active
            self.elect(message.id)
            self.send(self.successor, Elected(message.id))
        elif self.improved:
            self.compare_once(message.id)
        else:
            self.before = message.id
            self.send(self.successor, Second(max(message.id, self.temporary)))

    @upon(Second)
    def compare_second(self, sender: Pid, message: Second) -> None:
        if not self.active:
            self.send(self.successor, message)
        elif self.before >= max(self.temporary, message.id):
            self.begin_phase(self.before)
        else:
            self.active = False

    def compare_once(self, before: Pid) -> None:
        odd = self.phase % 2 == 1
        if odd and self.temporary > before:
            self.begin_phase(self.temporary)
        elif not odd and self.temporary < before:
            self.begin_phase(before)
        else:
            self.active = False

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        if self.leader is None:
            self.elect(message.leader)
            self.send(self.successor, message)
