"""Algorithms made for one test or two, a group that runs Raft, and a stall that no busy machine causes."""

from dataclasses import dataclass

from habemus.process import (
    Durable,
    Election,
    Message,
    Pid,
    upon,
    upon_command,
    upon_recover,
    upon_start,
)
from habemus.scenario import Scenario

RAFT = Scenario("raft-election", parameters={"low": 300, "high": 600, "heartbeat": 100})
OWN = f"{__name__}:"
STEADFAST = 60_000  # milliseconds


@dataclass(frozen=True)
class Number(Message):
    value: int


class Counting(Election):
    """Sends numbers one after the other to all others, who write them down."""

    name = "counting"
    topology = "complete"

    next: int = 0
    heard: dict[Pid, list[int]] = {}

    @upon_command("count")
    def count(self) -> None:
        self.next += 1
        self.send(self.neighbours, Number(self.next))

    @upon(Number)
    def note(self, sender: Pid, message: Number) -> None:
        self.heard.setdefault(sender, []).append(message.value)


class CountingOnBadLinks(Counting):
    """The same, by one who does not mind if some are lost."""

    name = "counting-on-bad-links"
    model = "asynchronous, loss"
    tolerates_loss = True


class Promising(Election):
    """Promises ever larger numbers."""

    name = "promising"
    topology = "complete"

    promised: Durable[int] = 0

    @upon_command("promise")
    def promise(self) -> None:
        self.promised += 1
        self.send(self.neighbours, Number(self.promised))

    @upon(Number)
    def hear(self, sender: Pid, message: Number) -> None:
        """Nothing to do."""

    @upon_start
    def lead(self) -> None:
        self.elect(max(self.members))

    @upon_recover
    def come_back(self) -> None:
        self.elect(None)
