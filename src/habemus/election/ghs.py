"""Gallager, Humblet & Spira: fragments of the minimum spanning tree join until one is left, and its core leads.

A fragment is a piece of the tree; at first each process is one, at level 0. A fragment finds the lightest link that
leaves it and asks to connect over it. A fragment of a lower level is absorbed; two of the same level that chose the
same link merge, one level higher, and that link is their new core. When no link leaves a fragment it is the whole tree;
the larger end of its core is the leader, and says so down the tree.

Assumes   any connected graph, unique ids, reliable FIFO links, no crashes. The weight of a link is made from the ids of
          its ends, and all weights differ.
Gives     termination, uniqueness, agreement, stability; and everyone knows its links in the minimum spanning tree.
Costs     at most 2m + 5n log n messages, and n - 1 to announce it.
Why safe  the lightest link that leaves a fragment belongs to the minimum spanning tree. A fragment of level L has at
          least 2^L processes, so there are at most log n levels. Nobody waits in a circle: a fragment waits only for
          one of a lower level, or one whose lightest link is lighter.

R. G. Gallager, P. A. Humblet, P. M. Spira. A distributed algorithm for minimum-weight spanning trees. ACM TOPLAS 5(1),
1983. The numbers at the clauses are those of its listing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Election, Message, Pid, upon, upon_start

Weight: TypeAlias = tuple[int, Pid, Pid]

INFINITE: Weight = (1009, 0, 0)
BASIC, BRANCH, REJECTED = "basic", "branch", "rejected"
SLEEPING, FIND, FOUND = "sleeping", "find", "found"


def weight(a: Pid, b: Pid) -> Weight:
    """The weight of the link between a and b: any number, the same from both ends; the ids break ties."""
    return (a ^ b) * 7919 % 1009, min(a, b), max(a, b)


@dataclass(frozen=True)
class Connect(Message):
    """A fragment of this level asks to join over its lightest link."""

    level: int


@dataclass(frozen=True)
class Initiate(Message):
    """Level and name of the fragment, from its core to all its processes; with FIND: look for links that leave it."""

    level: int
    fragment: Weight
    stage: str


@dataclass(frozen=True)
class Test(Message):
    """Does this link leave the fragment?"""

    level: int
    fragment: Weight


@dataclass(frozen=True)
class Accept(Message):
    """It does."""


@dataclass(frozen=True)
class Reject(Message):
    """It does not: both ends are of the same fragment."""


@dataclass(frozen=True)
class Report(Message):
    """The lightest link found so far, towards the core."""

    best: Weight


@dataclass(frozen=True)
class ChangeCore(Message):
    """To the process at the lightest link: connect over it."""


@dataclass(frozen=True)
class Elected(Message):
    """The outcome, down the tree."""

    leader: Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class GHS(Election):
    name = "ghs"
    small_n = 4
    topology = "any"
    bounds = (Bound(WORST, "2m + 5n log n + n - 1", lambda n, m: 2 * m + 5 * n * math.log2(n) + n - 1),)

    stage: str = SLEEPING
    level: int = 0
    fragment: Weight = INFINITE
    links: dict[Pid, str] = {}
    untried: list[Pid] = []  # the lightest last; what is no longer basic is dropped when it comes up
    towards_core: Pid = -1
    best_link: Pid = -1
    best: Weight = INFINITE
    tested: Pid = -1
    searching: int = 0  # branches that have not reported
    callers: dict[Pid, int] = {}  # Connects that wait until this fragment is ripe for them
    questions: dict[Pid, Test] = {}  # Tests that wait until this process has their level
    other_side: list[Weight] = []  # the Report from beyond the core, if it is here before our own is ready

    @property
    def candidate(self) -> bool:
        return self.stage != SLEEPING and self.leader is None

    @upon_start
    def wake(self) -> None:  # (1)
        if self.stage != SLEEPING:
            return
        self.stage = FOUND
        self.links = dict.fromkeys(self.neighbours, BASIC)
        self.untried = sorted(self.neighbours, key=lambda q: weight(self.id, q), reverse=True)
        if self.untried:
            self.links[self.untried[-1]] = BRANCH
            self.send(self.untried[-1], Connect(0))
        else:
            self.learn_result(self.id, Elected(self.id))

    @upon(Connect)
    def hear_caller(self, sender: Pid, message: Connect) -> None:  # (2)
        self.wake()
        self.callers[sender] = message.level
        self.admit(sender)

    def admit(self, caller: Pid) -> None:
        if self.callers[caller] < self.level:  # absorb it
            del self.callers[caller]
            self.links[caller] = BRANCH
            self.send(caller, Initiate(self.level, self.fragment, self.stage))
            if self.stage == FIND:
                self.searching += 1
        elif self.links[caller] == BRANCH:  # both chose this link: merge, and it is the core
            del self.callers[caller]
            self.send(caller, Initiate(self.level + 1, weight(self.id, caller), FIND))

    @upon(Initiate)
    def join_fragment(self, sender: Pid, message: Initiate) -> None:  # (3)
        self.level = message.level
        self.fragment = message.fragment
        self.stage = message.stage
        self.towards_core = sender
        self.best_link = -1
        self.best = INFINITE
        outward = [q for q in self.branches() if q != sender]
        self.send(outward, message)
        if self.stage == FIND:
            self.searching += len(outward)
        for caller in sorted(self.callers):
            self.admit(caller)
        for asker in sorted(self.questions):
            self.answer(asker)
        if self.stage == FIND:
            self.test_next()

    def branches(self) -> list[Pid]:
        return [q for q in self.neighbours if self.links[q] == BRANCH]

    def test_next(self) -> None:  # (4)
        while self.untried and self.links[self.untried[-1]] != BASIC:
            self.untried.pop()
        self.tested = self.untried[-1] if self.untried else -1
        if self.untried:
            self.send(self.tested, Test(self.level, self.fragment))
        else:
            self.report_lightest()

    @upon(Test)
    def hear_question(self, sender: Pid, message: Test) -> None:  # (5)
        self.wake()
        self.questions[sender] = message
        self.answer(sender)

    def answer(self, asker: Pid) -> None:
        question = self.questions[asker]
        if question.level > self.level:
            return
        del self.questions[asker]
        if question.fragment != self.fragment:
            self.send(asker, Accept())
            return
        if self.links[asker] == BASIC:
            self.links[asker] = REJECTED
        if self.tested != asker:
            self.send(asker, Reject())
        else:  # we asked, too: the two questions answer each other
            self.test_next()

    @upon(Accept)
    def note_leaving_link(self, sender: Pid, message: Accept) -> None:  # (6)
        self.tested = -1
        if weight(self.id, sender) < self.best:
            self.best = weight(self.id, sender)
            self.best_link = sender
        self.report_lightest()

    @upon(Reject)
    def note_inner_link(self, sender: Pid, message: Reject) -> None:  # (7)
        if self.links[sender] == BASIC:
            self.links[sender] = REJECTED
        self.test_next()

    def report_lightest(self) -> None:  # (8)
        if self.searching == 0 and self.tested == -1:
            self.stage = FOUND
            self.send(self.towards_core, Report(self.best))
            if self.other_side:
                self.compare_sides(self.other_side.pop())

    @upon(Report)
    def weigh_report(self, sender: Pid, message: Report) -> None:  # (9)
        if sender != self.towards_core:
            self.searching -= 1
            if message.best < self.best:
                self.best = message.best
                self.best_link = sender
            self.report_lightest()
        elif self.stage == FIND:
            self.other_side.append(message.best)
        else:
            self.compare_sides(message.best)

    def compare_sides(self, theirs: Weight) -> None:
        if theirs > self.best:
            self.change_core()
        elif theirs == INFINITE and self.id > self.towards_core:  # no link leaves: this is the whole tree
            self.learn_result(self.id, Elected(self.id))

    def change_core(self) -> None:  # (10)
        if self.links[self.best_link] == BRANCH:
            self.send(self.best_link, ChangeCore())
        else:
            self.links[self.best_link] = BRANCH
            self.send(self.best_link, Connect(self.level))
            if self.best_link in self.callers:
                self.admit(self.best_link)

    @upon(ChangeCore)
    def connect_lightest(self, sender: Pid, message: ChangeCore) -> None:  # (11)
        self.change_core()

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        self.elect(message.leader)
        self.send([q for q in self.branches() if q != sender], message)
