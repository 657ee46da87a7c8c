"""Suzuki & Kasami: shout for the token.

Only who has the token may enter. Whoever wants in and does not have it tells everybody, with the number of its request.
The token remembers which request of each process was the last to be served, and who is next; its holder adds to the
queue all those of whose unserved requests it has heard, and sends the token to the first.

Assumes   a complete graph, unique ids, reliable links, no crashes; no order of messages, no bound on delays.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting.
Costs     n messages an entry, n-1 requests and the token; none for who still has it.
Why safe  there is one token, and who sends it has left. A request may come late, when it has long been served: its
          number is not above the one in the token, so nobody sends the token after it. None is overlooked, for it
          reaches everybody, and so whoever has the token then or later.

The smallest id has the token first.

I. Suzuki, T. Kasami. A distributed mutual exclusion algorithm. ACM TOCS 3(4), 1985.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Message, Mutex, Pid, upon, upon_command, upon_start


@dataclass(frozen=True)
class Request(Message):
    """Whoever has the token, send it to me: this is my request of that number."""

    number: int


@dataclass(frozen=True)
class Token(Message):
    """The right to enter: which request of each member was served last (LN), and who is next (Q)."""

    served: tuple[int, ...]
    queue: tuple[Pid, ...] = ()


@mypyc_attr(allow_interpreted_subclasses=True)
class SuzukiKasami(Mutex):
    name = "suzuki-kasami"
    topology = "complete"
    bounds = (Bound(WORST, "n", lambda n, m: n),)

    numbers: dict[Pid, int] = {}  # of the latest request heard of each (RN), our own included
    token: Token | None = None

    @upon_start
    def begin_with_token(self) -> None:
        if self.id == min(self.members):
            self.token = Token((0,) * self.n)

    @upon_command("acquire")
    def request_entry(self) -> None:
        self.ask()
        if self.token is not None:
            self.enter()
        else:
            number = self.numbers[self.id] = self.number_of(self.id) + 1
            self.send(self.neighbours, Request(number))

    @upon(Request)
    def hear_request(self, sender: Pid, message: Request) -> None:
        self.numbers[sender] = max(self.number_of(sender), message.number)  # requests may overtake each other
        if self.token is not None and not self.inside:
            self.pass_token(self.token.served)

    @upon(Token)
    def take_token(self, sender: Pid, message: Token) -> None:
        self.token = message
        self.enter()  # it is sent only to who waits for it

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        assert self.token is not None  # it was not sent away while we were inside
        served = zip(self.members, self.token.served, strict=True)
        self.pass_token(tuple([self.number_of(p) if p == self.id else number for p, number in served]))

    def pass_token(self, served: tuple[int, ...]) -> None:
        """Send the token to the first in its queue; keep it if nobody wants it."""
        queue = self.token.queue if self.token is not None else ()
        latest = zip(self.members, served, strict=True)
        queue += tuple([p for p, number in latest if self.outstanding(p, number) and p not in queue])
        self.token = None if queue else Token(served)
        if queue:
            self.send(queue[0], Token(served, queue[1:]))

    def outstanding(self, process: Pid, served: int) -> bool:
        """Whether the latest request heard of a process is still to be served."""
        return self.number_of(process) == served + 1

    def number_of(self, process: Pid) -> int:
        """The number of the latest request heard of a process."""
        return self.numbers.get(process, 0)
