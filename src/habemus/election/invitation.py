"""Invitation: everybody starts as the leader of a group of one, and groups merge by invitation.

Now and then a leader asks all others whether they lead, too. If some do it founds a new group and invites them;
invited leaders pass the invitation on to their members. Who accepts belongs to the new group once its leader has said
that it is ready. A member that gets no answer from its leader leaves, and is a group of one again. Weaker leaders hold
back a little before they invite, so that the strongest as a rule comes first; but nothing depends on that.

Assumes   a complete graph, unique ids, crash and recovery, loss, partitions; no bound on delays. The run does not end
          by itself: give `until`.
Gives     one leader a group, always, however late messages are; one group, so agreement, once all who are up can talk
          within `patience` for long enough. Not uniqueness: a partition has a leader on each side, and knows it.
Costs     at one group 3(n - 1) messages every `period`: its leader's questions to all, its members' to it, and its
          answers. To get there each leader asks n - 1 others, and every merger costs 3 messages a member.
Why safe  a group's number is its founder's id and a counter that survives crashes: no two groups share a number, and
          all who are in a group name its founder.

H. Garcia-Molina. Elections in a distributed computing system. IEEE Transactions on Computers C-31(1), 1982.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mypy_extensions import mypyc_attr

from habemus.process import Durable, Election, Message, Parameter, Pid, upon, upon_recover, upon_start, upon_timeout

Group: TypeAlias = tuple[Pid, int]
"""Who founded the group, and which of the founder's groups it is."""

DOWN, NORMAL, ELECTION, REORGANIZATION = "down", "normal", "election", "reorganization"


@dataclass(frozen=True)
class AreYouCoordinator(Message):
    """Do you lead a group?"""


@dataclass(frozen=True)
class Coordinator(Message):
    """I do."""


@dataclass(frozen=True)
class Invitation(Message):
    """Join this group; its founder leads it."""

    group: Group


@dataclass(frozen=True)
class Accept(Message):
    """I join."""

    group: Group


@dataclass(frozen=True)
class Ready(Message):
    """The group is complete, and you are in it."""

    group: Group


@dataclass(frozen=True)
class AreYouThere(Message):
    """Do you still lead this group, and am I in it?"""

    group: Group


@dataclass(frozen=True)
class Here(Message):
    """I do, and you are; or not."""

    group: Group
    yes: bool


@mypyc_attr(allow_interpreted_subclasses=True)
class InvitationElection(Election):
    name = "invitation"
    topology = "complete"
    model = "asynchronous, crash-recovery, loss, partitions"
    guarantees = ("termination", "agreement")  # once no fault is left; a leader a group, always
    horizon = 2000
    positive = ("period", "patience")
    tolerates_loss = True
    small_parameters = {"period": 1, "patience": 1}
    small_bounds = {"counter": 2}

    period: Parameter[int] = 100
    patience: Parameter[int] = 25

    counter: Durable[int] = 0
    stage: str = DOWN
    group: Group = (-1, 0)
    up: set[Pid] = set()  # the other members of the group; only its leader knows them
    others: set[Pid] = set()  # who else leads, by the last look round

    @property
    def candidate(self) -> bool:
        return self.stage in (ELECTION, REORGANIZATION)

    @property
    def leads(self) -> bool:
        return self.stage == NORMAL and self.leader == self.id

    @upon_start
    def begin(self) -> None:
        if self.stage == DOWN:
            self.recover_alone()

    @upon_recover
    def come_back(self) -> None:
        self.recover_alone()

    def recover_alone(self) -> None:
        """The paper's Recovery: be a group of one."""
        self.found_group()
        self.be_normal()

    def found_group(self) -> None:
        self.counter += 1
        self.group = (self.id, self.counter)
        self.up = set()

    def be_normal(self) -> None:
        self.stage = NORMAL
        self.elect(self.group[0])
        self.set_timer("check", self.period)

    # Check: leaders look for other leaders, members for their own

    @upon_timeout("check")
    def look_round(self) -> None:
        if self.stage != NORMAL:
            return
        self.set_timer("check", self.period)
        self.set_timer("answers", self.patience)
        if self.leads:
            self.others = set()
            self.send(self.neighbours, AreYouCoordinator())
        else:
            self.send(self.group[0], AreYouThere(self.group))

    @upon(AreYouCoordinator)
    def say_if_leading(self, sender: Pid, message: AreYouCoordinator) -> None:
        self.begin()
        if self.leads:
            self.send(sender, Coordinator())

    @upon(Coordinator)
    def note_leader(self, sender: Pid, message: Coordinator) -> None:
        self.others.add(sender)

    @upon(AreYouThere)
    def say_if_there(self, sender: Pid, message: AreYouThere) -> None:
        self.begin()
        self.send(sender, Here(message.group, self.group == message.group and sender in self.up))

    @upon(Here)
    def stay_or_leave(self, sender: Pid, message: Here) -> None:
        if self.stage == NORMAL and message.group == self.group:
            self.cancel_timer("answers")
            if not message.yes:
                self.recover_alone()

    @upon_timeout("answers")
    def take_stock(self) -> None:
        if self.leads and self.others:
            stronger = len([process for process in self.others if process > self.id])
            self.set_timer("merge", 1 + stronger * self.patience)
        elif self.stage == NORMAL and not self.leads:  # the leader does not answer
            self.recover_alone()

    # Merge: found a group, and invite

    @upon_timeout("merge")
    def invite(self) -> None:
        if self.leads:
            self.stage = ELECTION
            invited = sorted(self.others | self.up)
            self.elect(None)
            self.found_group()
            self.send(invited, Invitation(self.group))
            self.set_timer("accepts", 2 * self.patience)  # it may be passed on

    @upon(Invitation)
    def accept(self, sender: Pid, message: Invitation) -> None:
        self.begin()
        if self.stage == NORMAL:
            if self.leads:
                self.send([member for member in sorted(self.up) if member != message.group[0]], message)
            self.stage = REORGANIZATION
            self.elect(None)
            self.group = message.group
            self.up = set()
            self.send(self.group[0], Accept(self.group))
            self.set_timer("ready", 4 * self.patience)

    @upon(Accept)
    def count_in(self, sender: Pid, message: Accept) -> None:
        if self.stage == ELECTION and message.group == self.group:
            self.up.add(sender)

    @upon_timeout("accepts")
    def be_ready(self) -> None:
        self.send(sorted(self.up), Ready(self.group))
        self.be_normal()

    @upon(Ready)
    def join(self, sender: Pid, message: Ready) -> None:
        if self.stage == REORGANIZATION and message.group == self.group:
            self.cancel_timer("ready")
            self.be_normal()

    @upon_timeout("ready")
    def miss_ready(self) -> None:
        self.recover_alone()
