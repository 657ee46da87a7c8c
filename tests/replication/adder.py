"""A small state machine over a replicated log, for tests: it adds up numbers, and asks whether it still leads."""

from dataclasses import dataclass

from habemus.process import Message, Parameter, Pid, Process, upon_command, upon_indication, upon_leader
from habemus.replication.requests import Committed, Compact, Confirm, Confirmed, Propose, Restored


@dataclass(frozen=True)
class Add(Message):
    number: int = 1


@dataclass(frozen=True)
class Sum(Message):
    total: int


@dataclass(frozen=True)
class Question(Message):
    number: int


class Adder(Process):
    name = "adder"
    default_election = "raft"
    tolerates_loss = True
    carries = (Add, Sum, Question)

    keep: Parameter[int] = 1000

    total: int = 0
    applied: int = 0
    compacted: int = 0
    restored: int = 0
    asked: int = 0
    confirmed: int = 0
    leader: Pid | None = None

    @upon_leader
    def follow(self, leader: Pid | None) -> None:
        self.leader = leader

    @upon_command("add", Add)
    def add(self, add: Add) -> None:
        if self.leader == self.id:
            self.pass_down(Propose((add,)))

    @upon_command("ask")
    def ask(self) -> None:
        self.asked += 1
        self.pass_down(Confirm(Question(self.asked)))

    @upon_indication(Confirmed)
    def hear(self, confirmed: Confirmed) -> None:
        self.confirmed = confirmed.tickets[-1].number

    @upon_indication(Committed)
    def apply(self, committed: Committed) -> None:
        assert committed.first == self.applied + 1
        for entry in committed.entries:
            self.applied += 1
            self.total += entry.value.number if isinstance(entry.value, Add) else 0
        if self.applied - self.compacted >= self.keep:
            self.compacted = self.applied
            self.pass_down(Compact(self.applied, Sum(self.total)))

    @upon_indication(Restored)
    def begin_anew(self, restored: Restored) -> None:
        self.restored += 1
        self.applied = self.compacted = restored.index
        self.total = restored.snapshot.total if isinstance(restored.snapshot, Sum) else 0
