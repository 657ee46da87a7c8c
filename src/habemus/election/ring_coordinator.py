"""Ring coordinator: the list of the living goes round, and skips the dead.

Whoever misses the coordinator sends a list with its id to its successor on the ring, or to the next one alive. Each
adds itself and passes the list on. The first that finds itself on it, the starter as a rule, takes the largest id for
coordinator, and a second message tells everybody, with the list of members.

Assumes   a logical ring, known to all, over a complete graph; unique ids, reliable FIFO links, crash and recovery, a
          perfect detector that speaks only after every message of the crashed process has arrived. (Who suspects the
          leader while others still hand it lists calls again and again, and nobody leads, until they are of one mind.)
Gives     termination and agreement, elections at once converge; uniqueness while nobody comes back: then a list from
          before the crash may still be under way, and who comes back with the largest id takes over.
Costs     one starter, k alive: 2k messages.
Why safe  all lists that come home have the largest live id on them. What the successor may have swallowed when it
          crashed is sent again, past it, and to it when it is back; so nothing is lost, and it learns who leads. A
          coordinator that has crashed meanwhile, or is weaker than who hears of it, is not accepted, but replaced.

A. S. Tanenbaum, M. van Steen. Distributed Systems: Principles and Paradigms, section 6.5.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import Election, Message, Pid, upon, upon_start, upon_suspect, upon_trust


@dataclass(frozen=True)
class Living(Message):
    """ELECTION: those met so far, the starter first."""

    ids: tuple[Pid, ...]


@dataclass(frozen=True)
class Coordinator(Message):
    """COORDINATOR: the outcome and the members, on its way round."""

    leader: Pid
    ids: tuple[Pid, ...]


@mypyc_attr(allow_interpreted_subclasses=True)
class RingCoordinator(Election):
    name = "ring-coordinator"
    topology = "complete"
    model = "crash-recovery, perfect detector"
    guarantees = ("termination", "agreement")

    participant: bool = False
    suspected: set[Pid] = set()
    entrusted: list[Message] = []  # what the successor was given in this election: lists, or the outcome

    @property
    def candidate(self) -> bool:
        return self.participant

    def next_alive(self) -> Pid:
        seat = self.members.index(self.id)
        ring = self.members[seat + 1 :] + self.members[: seat + 1]
        return next(p for p in ring if p not in self.suspected)

    def pass_on(self, message: Message) -> None:
        self.entrusted.append(message)
        successor = self.next_alive()
        if successor != self.id:
            self.send(successor, message)
        elif isinstance(message, Living):
            self.settle(message.ids)  # alone in the world

    @upon_start
    def call_election(self) -> None:
        self.take_part()
        self.pass_on(Living((self.id,)))

    def take_part(self) -> None:
        if not self.participant:
            self.participant = True
            self.entrusted.clear()
            self.elect(None)

    @upon(Living)
    def extend_list(self, sender: Pid, message: Living) -> None:
        if self.id not in message.ids:
            self.take_part()
            self.pass_on(Living((*message.ids, self.id)))
        else:
            self.settle(message.ids)

    def settle(self, ids: tuple[Pid, ...]) -> None:
        self.accept_coordinator(self.id, Coordinator(max(ids), ids))

    @upon(Coordinator)
    def accept_coordinator(self, sender: Pid, message: Coordinator) -> None:
        if message.leader in self.suspected or message.leader < self.id:
            self.call_election()
        elif self.participant or self.leader != message.leader:  # else it has been here before
            self.participant = False
            self.elect(message.leader)
            self.entrusted.clear()  # the lists have served
            self.pass_on(message)

    @upon_suspect
    def skip(self, subject: Pid) -> None:
        was_next = self.next_alive() == subject
        self.suspected.add(subject)
        if subject == self.leader or self.next_alive() == self.id:
            self.call_election()
        elif was_next:
            self.entrust_again()

    @upon_trust
    def take_in(self, subject: Pid) -> None:
        self.suspected.discard(subject)
        if self.leader is None and not self.participant:
            self.call_election()  # back ourselves, and nobody has told us anything
        elif self.next_alive() == subject:
            self.entrust_again()

    def entrust_again(self) -> None:
        again = list(self.entrusted)
        self.entrusted.clear()
        for message in again:
            self.pass_on(message)
