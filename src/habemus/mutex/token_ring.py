"""Token ring: whoever has the token may enter, and passes it on.

The processes sit on a logical ring, and one token travels round it for ever; the first member has it first. Whoever
wants in waits for it and keeps it while inside; all others send it on at once. If its holder crashes the token is gone,
and nobody enters any more.

Assumes   a logical ring, known to all, over a complete graph; reliable links, no crashes; no bound on delays, no order.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting: others enter at most n - 1 times
          meanwhile.
Costs     1 message an entry if all want in; n if one alone does, again and again; the token travels even if nobody
          wants it, so there is no bound.
Why safe  there is one token, and who sends it has left.

G. Le Lann. Distributed systems: towards a formal approach. IFIP Congress 1977.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mypy_extensions import mypyc_attr

from habemus.process import Message, Mutex, Pid, WaitingBound, upon, upon_command, upon_start


@dataclass(frozen=True)
class Token(Message):
    """The right to enter."""

    epoch: int = 0  # where lost tokens are replaced: of which one this is


@mypyc_attr(allow_interpreted_subclasses=True)
class TokenRing(Mutex):
    name = "token-ring"
    topology = "complete"
    waiting_bound = WaitingBound("n - 1, once each while the token goes round", lambda n: n - 1)
    model: ClassVar[str] = "asynchronous"
    horizon = 2000

    token: int | None = None  # the epoch of the token in hand

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        return self.others[-1:] if self.token is None else ()

    @property
    def seat(self) -> int:
        """Where this process sits on the ring."""
        return self.members.index(self.id)

    @property
    def others(self) -> tuple[Pid, ...]:
        """The others, in the order in which the token comes to them from here."""
        return self.members[self.seat + 1 :] + self.members[: self.seat]

    @upon_start
    def begin_with_token(self) -> None:
        if self.seat == 0:
            self.have_token(0)

    @upon(Token)
    def take_token(self, sender: Pid, message: Token) -> None:
        self.have_token(message.epoch)

    def have_token(self, epoch: int) -> None:
        self.token = epoch
        if self.waiting:
            self.go_inside()
        else:
            self.pass_on()

    def pass_on(self) -> None:
        token, others = self.token, self.others
        if token is not None and others:  # alone one keeps it
            self.token = None
            self.send(others[0], Token(token))

    @upon_command("acquire")
    def want_in(self) -> None:
        self.ask()
        if self.token is not None:
            self.go_inside()

    def go_inside(self) -> None:
        self.enter()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        self.pass_on()
