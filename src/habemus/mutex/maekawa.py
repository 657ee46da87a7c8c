"""Maekawa: one vote from each of a small quorum; any two quorums share a voter, and a voter has one vote.

Whoever wants in asks the members of its quorum, itself among them. A voter gives its vote to one request at a time and
has it back when the owner leaves; then the earliest that waits for it is next (smaller number, then smaller id). That
alone deadlocks: each of three may hold a vote that the next one needs. So a voter that hears of a request earlier than
the one it voted for inquires after its vote, and every request that is not its earliest is told that it has failed for
now. Who has failed somewhere yields the votes that are inquired after, and has failed there, too.

Assumes   a complete graph, unique ids, reliable links, no crashes; no order of messages, no bound on delays.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting.
Costs     with K the size of a quorum, 3(K-1) messages an entry while nobody else wants in. A request that finds a vote
          given away adds a Failed, or an Inquire, a Yield and a second Grant: at most 6(K-1). The paper's count of
          5(K-1) leaves out the second Grant.
Why safe  two inside would both hold the vote of the voter that their quorums share.
Why live  let nobody be inside. Of those who hold votes and have not failed, take the latest: at every voter it waits
          for it is the earliest, so the vote is with a later one, which has failed, has been inquired, and yields.
          Votes pass to ever earlier requests until one has all. Nobody is passed for long: a vote brings the highest
          number its voter has seen, so whoever enters twice asks later than all who wait for the same voter.

Options   `quorums` = "auto": a projective plane where n = q^2 + q + 1 for a prime q (7, 13, 31, 57, ...), K = q + 1;
          elsewhere row and column of a grid, K about 2 sqrt(n) - 1. "grid": the grid everywhere.
          `repaired` off: Request, Grant and Release only, as the idea is often told; it deadlocks.

M. Maekawa. A sqrt(N) algorithm for mutual exclusion in decentralized systems. ACM TOCS 3(2), 1985. As printed it can
still deadlock: a request that was a voter's earliest and is overtaken while it waits must be told that it has failed;
see B. A. Sanders. The information structure of distributed mutual exclusion algorithms. ACM TOCS 5(3), 1987.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Any, Literal, TypeAlias

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Message, Mutex, Parameter, Pid, upon, upon_command, whenever

Claim: TypeAlias = tuple[int, Pid]
"""A request as voters rank it: its number, then its owner."""


@dataclass(frozen=True)
class Request(Message):
    """May I have your vote? My number is this."""

    number: int


@dataclass(frozen=True)
class Grant(Message):
    """You have my vote; the highest number I have seen is this."""

    highest: int


@dataclass(frozen=True)
class Release(Message):
    """I was inside; here is your vote back."""


@dataclass(frozen=True)
class Inquire(Message):
    """Somebody is before you: if you cannot enter, let me have back the vote for this request of yours."""

    number: int


@dataclass(frozen=True)
class Failed(Message):
    """Somebody is before this request of yours."""

    number: int


@dataclass(frozen=True)
class Yield(Message):
    """Here is your vote back; this request of mine waits for it again."""

    number: int


@mypyc_attr(allow_interpreted_subclasses=True)
class Maekawa(Mutex):
    name = "maekawa"
    topology = "complete"
    bounds = (Bound(WORST, "6(K-1)", lambda n, m: 6 * (largest_quorum(n) - 1)),)

    quorums: Parameter[Literal["auto", "grid"]] = "auto"
    repaired: Parameter[bool] = True

    number: int = 0  # of our own request; 0 unless we wait
    missing: set[Pid] = set()  # those whose votes we need and do not have
    failed: set[Pid] = set()  # of these, those who have somebody before us
    inquirers: set[Pid] = set()  # those who want their votes back
    highest: int = 0
    choice: Claim | None = None  # whom we voted for
    queue: set[Claim] = set()  # who wants our vote

    @property
    def quorum(self) -> list[Pid]:
        """Those whose votes we need, ourselves among them."""
        members = self.members
        return [members[seat] for seat in quorum_of(members.index(self.id), self.n, self.quorums)]

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        voted_for = {self.choice[1]} if self.choice is not None else set()
        return tuple(sorted((self.missing | voted_for) - {self.id}))

    def tell(self, to: Pid, message: Message, clause: Callable[[Pid, Any], None]) -> None:
        """Send a message; what we have to tell ourselves costs none."""
        if to == self.id:
            clause(self.id, message)
        else:
            self.send(to, message)

    # Wanting in

    @upon_command("acquire")
    def request_entry(self) -> None:
        self.ask()
        self.number = self.highest + 1
        quorum = self.quorum
        self.missing = set(quorum)
        for voter in quorum:
            self.tell(voter, Request(self.number), self.weigh_request)

    @upon(Grant)
    def count_vote(self, sender: Pid, message: Grant) -> None:
        self.highest = max(self.highest, message.highest)
        self.missing.discard(sender)
        self.failed.discard(sender)

    @upon(Failed)
    def note_failure(self, sender: Pid, message: Failed) -> None:
        if message.number == self.number and sender in self.missing:  # else the vote has overtaken it
            self.failed.add(sender)

    @upon(Inquire)
    def note_inquiry(self, sender: Pid, message: Inquire) -> None:
        if message.number == self.number:  # else we are inside, or outside again: the vote goes back anyway
            self.inquirers.add(sender)

    @whenever(lambda self: self.failed and self.inquirers - self.missing)
    def yield_votes(self) -> None:
        for voter in sorted(self.inquirers - self.missing):  # an inquiry that overtook its vote waits for it
            self.inquirers.remove(voter)
            self.missing.add(voter)
            self.failed.add(voter)
            self.tell(voter, Yield(self.number), self.take_back_vote)

    @whenever(lambda self: self.waiting and not self.missing)
    def go_inside(self) -> None:
        self.number = 0
        self.inquirers = set()
        self.enter()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        for voter in self.quorum:
            self.tell(voter, Release(), self.vote_anew)

    # Voting

    @upon(Request)
    def weigh_request(self, sender: Pid, message: Request) -> None:
        self.highest = max(self.highest, message.number)
        claim = (message.number, sender)
        if self.choice is None:
            self.vote(claim)
            return
        first = min(self.queue | {self.choice})
        self.queue.add(claim)
        if not self.repaired:
            return
        if claim > first:
            self.tell(sender, Failed(message.number), self.note_failure)
        elif first == self.choice:
            self.tell(first[1], Inquire(first[0]), self.note_inquiry)
        else:  # the inquiry for the favourite so far is under way; it serves the new one, and the favourite has failed
            self.tell(first[1], Failed(first[0]), self.note_failure)

    @upon(Yield)
    def take_back_vote(self, sender: Pid, message: Yield) -> None:
        self.queue.add((message.number, sender))
        self.vote(min(self.queue))

    @upon(Release)
    def vote_anew(self, sender: Pid, message: Release) -> None:
        self.choice = None
        if self.queue:
            self.vote(min(self.queue))

    def vote(self, claim: Claim) -> None:
        self.queue.discard(claim)
        self.choice = claim
        self.tell(claim[1], Grant(self.highest), self.count_vote)


# Quorums, of seats. Everybody is in its own, and any two have a member in common.


def quorum_of(seat: int, n: int, kind: str) -> list[int]:
    """The seats whose votes a seat needs."""
    line = difference_set(n) if kind == "auto" else ()
    if line:
        return sorted((seat + step) % n for step in line)
    width = isqrt(n - 1) + 1
    row, column = divmod(seat, width)
    # The last row may be short, but its columns run through all other rows, where it meets the others' quorums.
    return sorted({*range(row * width, min((row + 1) * width, n)), *range(column, n, width)})


def largest_quorum(n: int) -> int:
    """K: the first row and the first column of a grid are complete, and all lines of a plane are alike."""
    return len(quorum_of(0, n, "auto"))


@lru_cache
def difference_set(n: int) -> tuple[int, ...]:
    """q + 1 numbers, 0 among them, whose differences are all of 1 to n - 1, once each; empty if n is not q^2 + q + 1.

    For a prime q (Singer 1938): the zeros of a linear recurrence modulo q of order 3 whose terms do not repeat, up to a
    factor, before the n-th. Moved along a circle of n seats, they are the lines of a projective plane.
    """
    q = (isqrt(4 * n - 3) - 1) // 2
    if q * q + q + 1 != n or q < 2 or any(q % divisor == 0 for divisor in range(2, isqrt(q) + 1)):
        return ()
    for a in range(q):
        for b in range(q):
            for c in range(1, q):
                terms = [0, 0, 1]
                while len(terms) < n:
                    terms.append((a * terms[-1] + b * terms[-2] + c * terms[-3]) % q)
                zeros = [number for number in range(n) if terms[number] == 0]
                if len({(x - y) % n for x in zeros for y in zeros if x != y}) == n - 1 == len(zeros) * (len(zeros) - 1):
                    return tuple(zeros)
    return ()
