"""Raymond: on a tree, everybody knows in which direction the privilege is.

Each process points to the neighbour through which the privilege can be reached. Who wants in asks that neighbour, which
asks the next; each one asks once, for itself and for all who asked it. The privilege comes back the same way, to the
first in the queue of each, and turns the pointers round as it goes.

Assumes   a tree, unique ids, reliable links, no crashes; no order of messages, no bound on delays.
Gives     mutual exclusion, freedom from deadlock and starvation, bounded waiting.
Costs     2d messages an entry, where d hops lie between who was inside before and who is now: at most 2·diameter, of
          the order of log n on a tree of many branches, about 4 if everybody wants in all the time. And once n-1 to
          tell everybody the direction.
Why safe  there is one privilege, and it is passed on by who is outside. It goes straight from one who was inside to
          the next, for who has asked a neighbour has somebody in its queue ahead of that neighbour. A request may
          overtake the privilege on a link: it finds a process that has asked already, and waits in its queue.

The smallest id has the privilege first and says so to its neighbours, these to theirs; until then requests wait.

K. Raymond. A tree-based algorithm for distributed mutual exclusion. ACM TOCS 7(1), 1989.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.process import WORST, Bound, Message, Mutex, Pid, upon, upon_command, upon_start


@dataclass(frozen=True)
class Initialize(Message):
    """The privilege is in my direction."""


@dataclass(frozen=True)
class Request(Message):
    """I, or somebody behind me, want the privilege."""


@dataclass(frozen=True)
class Privilege(Message):
    """The right to enter."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Raymond(Mutex):
    name = "raymond"
    topology = "tree"
    links_to = "holder"
    bounds = (Bound(WORST, "2n - 1", lambda n, m: 2 * n - 1),)  # 2·diameter on a line, and 1 for Initialize

    holder: Pid | None = None  # in which direction the privilege is; ourselves if it is here
    queue: list[Pid] = []  # the neighbours who asked us, and ourselves
    asked: bool = False  # whether we have asked the holder for it

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        return (self.holder,) if self.queue and self.holder not in (None, self.id) else ()

    @upon_start
    def begin_with_privilege(self) -> None:
        if self.id == min(self.members):
            self.holder = self.id
            self.send(self.neighbours, Initialize())

    @upon(Initialize)
    def learn_direction(self, sender: Pid, message: Initialize) -> None:
        self.holder = sender
        self.send([q for q in self.neighbours if q != sender], message)
        self.move_on()

    @upon_command("acquire")
    def request_entry(self) -> None:
        self.ask()
        self.queue.append(self.id)
        self.move_on()

    @upon(Request)
    def queue_request(self, sender: Pid, message: Request) -> None:
        self.queue.append(sender)
        self.move_on()

    @upon(Privilege)
    def take_privilege(self, sender: Pid, message: Privilege) -> None:
        self.holder = self.id
        self.asked = False
        self.move_on()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        self.move_on()

    def move_on(self) -> None:
        self.assign_privilege()
        self.make_request()

    def assign_privilege(self) -> None:
        """If the privilege is here and nobody uses it, it goes to the first in the queue."""
        if self.holder == self.id and not self.inside and self.queue:
            first = self.queue.pop(0)
            if first == self.id:
                self.enter()
            else:
                self.holder = first
                self.send(first, Privilege())

    def make_request(self) -> None:
        """If the privilege is elsewhere and somebody wants it, it is asked for, once."""
        holder = self.holder
        if holder is not None and holder != self.id and self.queue and not self.asked:
            self.asked = True
            self.send(holder, Request())
