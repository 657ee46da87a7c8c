"""Coordinator: ask one process, who lets the others in one after the other.

Whoever wants in asks the coordinator and waits. The coordinator keeps a queue, and whenever nobody is inside it lets in
the first. Who leaves tells it so, and it says that it has heard.

Assumes   a complete graph, reliable links that need not keep the order, no crashes; no bound on delays.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting: first come, first served.
Costs     3 messages an entry, 4 if acknowledged; none for the coordinator's own. The coordinator is the bottleneck.
Why safe  every request has a ticket, and a grant lets in only the owner of its ticket, and only once. A ticket is over
          when it is released, or when its owner asks with a new one. So late and doubled messages do no harm.

Options   `coordinator` is its id, the smallest if not given; `acknowledged` releases; `processing` is how long it takes
          over a release before it lets the next one in.

The textbooks' centralised algorithm, as in A. S. Tanenbaum, M. van Steen. Distributed Systems: Principles and
Paradigms, section 6.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from mypy_extensions import mypyc_attr

from habemus.process import (
    WORST,
    Bound,
    Durable,
    Message,
    Mutex,
    Parameter,
    Pid,
    WaitingBound,
    upon,
    upon_command,
    upon_timeout,
    whenever,
)

Entry: TypeAlias = tuple[Pid, int]
"""Who wants in, or is, and with which ticket."""


@dataclass(frozen=True)
class Request(Message):
    """Let me in; this is my ticket."""

    ticket: int
    token: int = 0  # the largest fencing token I have seen, where there is fencing


@dataclass(frozen=True)
class Grant(Message):
    """You are in."""

    ticket: int
    token: int = 0  # to show to the resource, where there is fencing


@dataclass(frozen=True)
class Release(Message):
    """I am out, or never went in."""

    ticket: int


@dataclass(frozen=True)
class Released(Message):
    """I have heard that you are out."""

    ticket: int


@mypyc_attr(allow_interpreted_subclasses=True)
class Coordinator(Mutex):
    name = "coordinator"
    topology = "complete"
    model: ClassVar[str] = "asynchronous"
    waiting_bound: ClassVar[WaitingBound | None] = WaitingBound("n - 1, first come, first served", lambda n: n - 1)
    bounds: ClassVar[tuple[Bound, ...]] = (Bound(WORST, "4", lambda n, m: 4),)
    small_times: ClassVar[Mapping[str, int]] = {"processing": 1}  # not 0: so that requests come in the meantime, too

    coordinator: Parameter[Pid | None] = None
    acknowledged: Parameter[bool] = True
    processing: Parameter[int] = 0

    ticket: Durable[int] = 0  # the latest
    grantor: Pid | None = None  # who let us in, until it knows that we are out

    queue: list[Entry] = []
    holder: Entry | None = None
    closed: bool = False  # nobody is let in for now
    over: dict[Pid, int] = {}  # the tickets of each up to this one will not be used any more

    @property
    def chief(self) -> Pid | None:
        """Who coordinates; None: nobody, as far as this process knows."""
        return min(self.members) if self.coordinator is None else self.coordinator

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        if self.chief != self.id:
            return (self.chief,) if self.waiting and self.chief is not None else ()
        return (self.holder[0],) if self.holder is not None and self.holder[0] != self.id else ()

    # Participants

    @upon_command("acquire")
    def want_in(self) -> None:
        self.ask()
        self.apply()

    def apply(self) -> None:
        """Ask whoever coordinates, with a new ticket: no grant that is still on its way counts any more."""
        self.ticket += 1
        self.grantor = None  # a release that was not acknowledged need not be: the new ticket says as much
        self.request()

    def request(self) -> None:
        if self.chief == self.id:
            self.line_up(self.id, self.application())
        elif self.chief is not None:
            self.send(self.chief, self.application())

    def application(self) -> Request:
        return Request(self.ticket)

    @upon(Grant)
    def accept_grant(self, sender: Pid, message: Grant) -> None:
        if message.ticket == self.ticket and self.waiting:
            self.grantor = sender
            self.go_inside(message)
        elif message.ticket != self.ticket or not self.inside:  # not the one in use: nobody is to wait for its release
            self.send(sender, Release(message.ticket))

    def go_inside(self, grant: Grant) -> None:
        self.enter()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        if self.grantor is not None:
            self.give_back(self.grantor)

    def give_back(self, grantor: Pid) -> None:
        if grantor == self.id:
            self.grantor = None
            self.take_back(self.id, Release(self.ticket))
        else:
            self.send(grantor, Release(self.ticket))
            if not self.acknowledged:
                self.grantor = None

    @upon(Released)
    def be_released(self, sender: Pid, message: Released) -> None:
        if message.ticket == self.ticket:
            self.grantor = None

    # The coordinator

    @upon(Request)
    def line_up(self, sender: Pid, message: Request) -> None:
        entry = (sender, message.ticket)
        if message.ticket > self.over.get(sender, 0) and entry != self.holder and entry not in self.queue:
            self.finish(sender, message.ticket - 1)  # who has a new ticket is not inside, nor wants in with an old one
            self.queue.append(entry)

    @whenever(lambda self: self.may_grant)
    def grant_next(self) -> None:
        self.grant(self.queue.pop(0))

    @property
    def may_grant(self) -> bool:
        return bool(self.queue) and self.holder is None and not self.closed and self.chief == self.id

    def grant(self, entry: Entry) -> None:
        self.holder = entry
        process, ticket = entry
        if process == self.id:
            self.accept_grant(self.id, self.permit(ticket))
        else:
            self.send(process, self.permit(ticket))

    def permit(self, ticket: int) -> Grant:
        return Grant(ticket)

    @upon(Release)
    def take_back(self, sender: Pid, message: Release) -> None:
        self.finish(sender, message.ticket)
        if self.acknowledged and sender != self.id:
            self.send(sender, Released(message.ticket))

    def finish(self, process: Pid, ticket: int) -> None:
        """The process is not inside, and its tickets up to this one are over."""
        if ticket > self.over.get(process, 0):
            self.over[process] = ticket
        self.queue = [entry for entry in self.queue if entry[0] != process or entry[1] > ticket]
        if self.holder is not None and self.holder[0] == process and self.holder[1] <= ticket:
            self.be_free()

    def be_free(self) -> None:
        self.holder = None
        if self.processing:
            self.closed = True
            self.set_timer("processing", self.processing)

    @upon_timeout("processing")
    def be_ready(self) -> None:
        self.closed = False
