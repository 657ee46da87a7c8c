"""Naimi & Trehel: every request goes to whoever asked last, and shortens the way for the next.

Each process points to whom it takes for the last to have asked. A request follows these pointers to the process that
points nowhere, which is the last indeed, and all on the way now point to the new one: the path is reversed. Who was the
last remembers the new one as its next, and hands it the token when it leaves; so the queue is a chain of `next`.

Assumes   a complete graph, unique ids, reliable links, no crashes; no order of messages, no bound on delays.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting.
Costs     none for who still has the token, else as many requests as the path is long, and the token: at most n messages
          an entry. H_(n-1) on average, about 0.69 log n + 0.58, once everybody has asked a few times, all equally often
          and independently of each other. (At first all point to the same one: who asks for the first time pays 3.)
Why safe  there is one token, and who sends it has left. Each pointer leads to one whose turn comes later, so there is
          no circle: a request ends at the last in the queue, and is the last from then on, for all who pointed to that
          one now point to it. So nobody ever has two to hand the token to, and nobody is forgotten.

All point to the smallest id at first, which has the token.

M. Naimi, M. Trehel, A. Arnold. A log(N) distributed mutual exclusion algorithm based on path reversal. Journal of
Parallel and Distributed Computing 34(1), 1996.
C. Lavault. Analysis of an efficient distributed algorithm for mutual exclusion. CONPAR, LNCS 634, 1992: the average.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import (
    MEAN,
    WORST,
    Bound,
    Message,
    Mutex,
    Pid,
    WaitingBound,
    harmonic,
    upon,
    upon_command,
    upon_start,
)


@dataclass(frozen=True)
class Request(Message):
    """Somebody wants in, on its way to who asked last."""

    origin: Pid


@dataclass(frozen=True)
class Token(Message):
    """The right to enter."""


@mypyc_attr(allow_interpreted_subclasses=True)
class NaimiTrehel(Mutex):
    name = "naimi-trehel"
    topology = "complete"
    waiting_bound = WaitingBound("n - 1, first come, first served", lambda n: n - 1)
    links_to = "last"
    bounds = (
        Bound(WORST, "n", lambda n, m: n),
        Bound(MEAN, "H_(n-1)", lambda n, m: harmonic(n - 1)),
    )

    last: Pid | None = None  # who asked last, as far as we know; None: we did
    next: Pid | None = None  # who enters after us

    @upon_start
    def point_to_first(self) -> None:
        first = min(self.members)
        if first != self.id:
            self.last = first

    @upon_command("acquire")
    def request_entry(self) -> None:
        self.ask()
        if self.last is None:  # we were the last to ask, and have left since: the token is still here
            self.enter()
        else:
            self.send(self.last, Request(self.id))
            self.last = None

    @upon(Request)
    def reverse_path(self, sender: Pid, message: Request) -> None:
        if self.last is not None:
            self.send(self.last, message)
        elif self.waiting or self.inside:
            self.next = message.origin
        else:
            self.send(message.origin, Token())
        self.last = message.origin

    @upon(Token)
    def take_token(self, sender: Pid, message: Token) -> None:
        self.enter()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        if self.next is not None:
            self.send(self.next, Token())
            self.next = None
