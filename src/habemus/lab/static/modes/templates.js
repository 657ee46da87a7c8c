// Templates for an algorithm of your own: small, working, and with something left to improve.

export default {
  election: `"""Strongest: every id goes once around the ring, and all elect the largest they have seen.

It works if all processes start. Let one process start alone, see what fails, and repair it.
It also sends n * n messages: which of them need not be passed on?
"""

from dataclasses import dataclass

from habemus.process import Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Hello(Message):
    """An id on its way around the ring."""

    id: Pid


class Strongest(Election):
    """All elect the largest id they have seen."""

    topology = "ring"

    best: Pid = 0

    @upon_start
    def say_hello(self) -> None:
        self.best = max(self.best, self.id)
        self.send(self.successor, Hello(self.id))

    @upon(Hello)
    def hear(self, sender: Pid, message: Hello) -> None:
        self.best = max(self.best, message.id)
        if message.id == self.id:  # our own id came home: we have seen them all
            self.elect(self.best)
        else:
            self.send(self.successor, message)
`,
  mutex: `"""Doorkeeper: the process with the smallest id lets the others in, one at a time.

First come, first served. What happens if the doorkeeper crashes, or a process that is inside? How could that be solved?
"""

from dataclasses import dataclass

from habemus.process import Message, Mutex, Pid, upon, upon_command


@dataclass(frozen=True)
class Request(Message):
    """May I?"""


@dataclass(frozen=True)
class Grant(Message):
    """You may."""


@dataclass(frozen=True)
class Release(Message):
    """I am out."""


class Doorkeeper(Mutex):
    """The process with the smallest id lets the others in."""

    topology = "complete"

    queue: tuple[Pid, ...] = ()

    @property
    def keeper(self) -> Pid:
        return min(self.id, *self.neighbours)

    @upon_command("acquire")
    def want_in(self) -> None:
        self.ask()
        if self.id == self.keeper:
            self.line_up(self.id, Request())
        else:
            self.send(self.keeper, Request())

    @upon(Request)
    def line_up(self, sender: Pid, message: Request) -> None:
        self.queue += (sender,)
        if len(self.queue) == 1:
            self.let_in(sender)

    def let_in(self, process: Pid) -> None:
        if process == self.id:
            self.enter()
        else:
            self.send(process, Grant())

    @upon(Grant)
    def go_in(self, sender: Pid, message: Grant) -> None:
        self.enter()

    @upon_command("release")
    def go_out(self) -> None:
        self.leave()
        if self.id == self.keeper:
            self.next_one(self.id, Release())
        else:
            self.send(self.keeper, Release())

    @upon(Release)
    def next_one(self, sender: Pid, message: Release) -> None:
        self.queue = self.queue[1:]
        if self.queue:
            self.let_in(self.queue[0])
`,
};
