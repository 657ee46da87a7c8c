"""Quorum with aborts: give up, release, ask again; and again, for ever.

The quorum of the lecture notes, without numbers or leases. Whoever wants in asks all coordinators and enters with m >
n/2 grants. Two who have half of the grants each would wait for ever, so one who has waited for `patience` aborts: it
releases what it has, waits until every coordinator has confirmed that, and asks again after a back-off. That ends the
deadlock and makes something worse: an abort also gives up one's place in the queues. Someone who asks at a good moment
each time enters again and again, while another one aborts and retries without end.

Assumes   a complete graph, reliable FIFO links, no crashes; no bound on delays.
Gives     mutual exclusion. A `random` back-off also gives freedom from deadlock and starvation, with probability 1,
          where others enter at times that do not depend on its coins. A `fixed` one gives neither, and no back-off
          bounds the waiting.
Costs     4 messages an attempt for each coordinator besides oneself.
Why safe  two quorums share a coordinator, which grants to one at a time. Links are FIFO, so a grant that crosses a
          release arrives before that release is confirmed, and does not count.

Options   `coordinators`: who grants, empty for everybody; `m`: the quorum, 0 for the smallest majority; `patience`: how
          long to wait for a quorum, 0 for ever; `back_off`: "fixed" waits for `pause`, "random" for up to `pause`.

The lecture notes' "aborts may lead to infinite waiting". Random back-off: R. M. Metcalfe, D. R. Boggs. Ethernet:
distributed packet switching for local computer networks. CACM 19(7), 1976.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mypy_extensions import mypyc_attr

from habemus.process import Message, MisuseError, Mutex, Parameter, Pid, upon, upon_command, upon_timeout


@dataclass(frozen=True)
class Request(Message):
    """May I enter?"""


@dataclass(frozen=True)
class Grant(Message):
    """As far as I am concerned you may."""


@dataclass(frozen=True)
class Release(Message):
    """I have left, or have given up."""


@dataclass(frozen=True)
class Released(Message):
    """I have heard that; no grant of mine is under way to you."""


@mypyc_attr(allow_interpreted_subclasses=True)
class QuorumAbort(Mutex):
    name = "quorum-abort"
    topology = "complete"
    guarantees = ("mutual_exclusion",)
    positive = ("pause",)
    horizon = 20_000
    small_times = {"patience": 2, "pause": 1}

    coordinators: Parameter[tuple[Pid, ...]] = ()
    m: Parameter[int] = 0
    patience: Parameter[int] = 10
    back_off: Parameter[Literal["fixed", "random"]] = "fixed"
    pause: Parameter[int] = 5

    grants: set[Pid] = set()
    asking: bool = False  # a request is on
    unconfirmed: set[Pid] = set()  # who has not confirmed the release of the request before
    aborted: bool = False  # that one was given up

    granted: Pid | None = None
    queue: list[Pid] = []

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        missing = set(self.asked) - self.grants if self.waiting else set()
        holder = {self.granted} if self.granted is not None else set()
        return tuple(sorted((missing | holder) - {self.id}))

    @property
    def asked(self) -> tuple[Pid, ...]:
        """All coordinators."""
        return self.coordinators or self.members

    @property
    def others(self) -> list[Pid]:
        """All coordinators but this process, which tells itself what it has to say without a message."""
        return [c for c in self.asked if c != self.id]

    @property
    def enough(self) -> int:
        """How many grants let one in."""
        return self.m or len(self.asked) // 2 + 1

    # Who wants in

    @upon_command("acquire")
    def want_in(self) -> None:
        n = len(self.asked)
        if self.m and not n // 2 < self.m <= n:
            raise MisuseError(f"parameters.m: expected {n // 2 + 1} to {n} of {n} coordinators, got {self.m}")
        self.ask()
        if not self.unconfirmed:
            self.request()

    def request(self) -> None:
        self.asking = True
        self.aborted = False
        if self.patience:
            self.set_timer("patience", self.patience)
        self.send(self.others, Request())
        if self.id in self.asked:
            self.enqueue(self.id, Request())

    @upon(Grant)
    def count_grant(self, sender: Pid, message: Grant) -> None:
        if self.asking:  # else that request is over, and its release under way
            self.grants.add(sender)
            if self.waiting and len(self.grants) >= self.enough:
                self.cancel_timer("patience")
                self.enter()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        self.release_all()

    @upon_timeout("patience")
    def abort(self) -> None:
        self.aborted = True
        self.release_all()

    def release_all(self) -> None:
        self.asking = False
        self.grants = set()
        self.unconfirmed = set(self.others)
        self.send(self.others, Release())
        if self.id in self.asked:
            self.take_back(self.id, Release())
        self.retry_if_confirmed()

    @upon(Released)
    def hear_confirmation(self, sender: Pid, message: Released) -> None:
        self.unconfirmed.discard(sender)
        self.retry_if_confirmed()

    def retry_if_confirmed(self) -> None:
        if self.waiting and not self.unconfirmed:
            if self.aborted:
                random = self.back_off == "random"
                self.set_timer("back-off", self.choose(range(1, self.pause + 1)) if random else self.pause)
            else:
                self.request()

    @upon_timeout("back-off")
    def try_again(self) -> None:
        self.request()

    # Coordinators

    @upon(Request)
    def enqueue(self, sender: Pid, message: Request) -> None:
        self.queue.append(sender)
        self.grant_next()

    @upon(Release)
    def take_back(self, sender: Pid, message: Release) -> None:
        if self.granted == sender:
            self.granted = None
        self.queue = [waiting for waiting in self.queue if waiting != sender]
        if sender != self.id:
            self.send(sender, Released())
        self.grant_next()

    def grant_next(self) -> None:
        if self.granted is None and self.queue:
            self.granted = self.queue.pop(0)
            if self.granted == self.id:
                self.count_grant(self.id, Grant())
            else:
                self.send(self.granted, Grant())
