"""Ricart & Agrawala: ask everybody; who wants in more urgently answers later.

Whoever wants in stamps its request with a number higher than any it has seen and sends it to all. A process that does
not want in agrees at once; one that is inside, or whose own request came earlier (smaller number, then smaller id),
keeps the answer back until it leaves. With everybody's permission one is inside.

Assumes   a complete graph, unique ids, reliable links, no crashes; no order of messages, no bound on delays.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting.
Costs     2(n-1) messages an entry, exactly: a request to everybody and everybody's reply.
Why safe  of two who want in, one request is the earlier by number and id, and its owner does not agree to the other's
          before it has left: had it agreed before it asked, it would have seen the other's number and taken a higher.

Options   `keep_permissions` is Roucairol and Carvalho's saving: a permission is good until its giver asks for it, so
          only those are asked whose permission is gone: 0 to 2(n-1) messages an entry.

G. Ricart, A. K. Agrawala. An optimal algorithm for mutual exclusion in computer networks. CACM 24(1), 1981.
O. S. F. Carvalho, G. Roucairol. On mutual exclusion in computer networks. CACM 26(2), 1983.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Message, Mutex, Parameter, Pid, WaitingBound, upon, upon_command, whenever


@dataclass(frozen=True)
class Request(Message):
    """May I? My number is this."""

    number: int


@dataclass(frozen=True)
class Reply(Message):
    """You may, as far as I am concerned."""


@mypyc_attr(allow_interpreted_subclasses=True)
class RicartAgrawala(Mutex):
    name = "ricart-agrawala"
    topology = "complete"
    waiting_bound = WaitingBound("n - 1, those with earlier timestamps", lambda n: n - 1)
    bounds = (Bound(WORST, "2(n-1)", lambda n, m: 2 * (n - 1)),)

    keep_permissions: Parameter[bool] = False

    number: int = 0  # of our own request; 0 unless we wait
    highest: int = 0  # the highest number in anybody else's request
    permissions: set[Pid] = set()
    deferred: set[Pid] = set()

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        return tuple(sorted(set(self.neighbours) - self.permissions)) if self.waiting else ()

    @upon_command("acquire")
    def request_entry(self) -> None:
        self.ask()
        self.number = self.highest + 1
        self.send([p for p in self.neighbours if p not in self.permissions], Request(self.number))

    @upon(Request)
    def weigh_request(self, sender: Pid, message: Request) -> None:
        self.highest = max(self.highest, message.number)
        if self.inside or (self.waiting and (self.number, self.id) < (message.number, sender)):
            self.deferred.add(sender)
            return
        self.send(sender, Reply())
        if sender in self.permissions:  # kept from an earlier entry; the two of us may not both have it
            self.permissions.remove(sender)
            if self.waiting:
                self.send(sender, Request(self.number))

    @upon(Reply)
    def take_permission(self, sender: Pid, message: Reply) -> None:
        self.permissions.add(sender)

    @whenever(lambda self: self.waiting and len(self.permissions) == self.n - 1)
    def go_inside(self) -> None:
        self.number = 0
        self.enter()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        self.send(sorted(self.deferred), Reply())
        self.permissions = self.permissions - self.deferred if self.keep_permissions else set()
        self.deferred = set()
