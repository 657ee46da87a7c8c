"""Ring collect: a list of ids goes round and grows; who finds itself on it knows everybody.

Whoever misses the leader sends a list with its own id clockwise. A process that is not on the list adds itself and
passes it on; one that is on it has seen the whole ring and chooses the smallest id.

Assumes   a unidirectional ring, unique ids, reliable links, no crashes.
Gives     uniqueness; termination if the smallest id starts, agreement if all do: only who started learns the result.
Costs     n messages a starter, so n^2 if all start; the list grows to n ids, so n(n+1)/2 ids a starter.
Why safe  a list comes home to its starter with every id on it, so all who decide choose the same one.

Coulouris, Dollimore, Kindberg, Blair. Distributed Systems, 5th ed., chapter 15, describes the family.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Seen(Message):
    """The processes met so far, the latest first."""

    ids: tuple[Pid, ...]


@mypyc_attr(allow_interpreted_subclasses=True)
class RingCollect(Election):
    name = "ring-collect"
    topology = "ring"
    guarantees = ("uniqueness", "stability")  # and termination if the smallest id starts, agreement if all do
    bounds = (Bound(WORST, "n²", lambda n, m: n * n),)

    @upon_start
    def begin_list(self) -> None:
        self.send(self.successor, Seen((self.id,)))

    @upon(Seen)
    def extend_list(self, sender: Pid, message: Seen) -> None:
        if self.id not in message.ids:
            self.send(self.successor, Seen((self.id, *message.ids)))
        else:
            self.elect(min(message.ids))
