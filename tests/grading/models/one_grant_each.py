from dataclasses import dataclass

from habemus.process import Message, Mutex, Pid, upon, upon_command


@dataclass(frozen=True)
class Request(Message):
    pass


@dataclass(frozen=True)
class Grant(Message):
    pass


@dataclass(frozen=True)
class Release(Message):
    pass


class Quorum(Mutex):
    """Every process is a coordinator, and a participant."""

    name = "my-quorum"
    topology = "complete"

    holder: Pid | None = None  # as a coordinator: who has the grant of this process
    queue: list[Pid] = []  # and who waits for it
    grants: list[Pid] = []  # as a participant: who has granted

    @property
    def waits_for(self) -> tuple[Pid, ...]:
        return () if self.holder in (None, self.id) else (self.holder,)

    @upon_command("acquire")
    def want_in(self) -> None:
        self.ask()
        self.request_next()

    def request_next(self) -> None:
        """Ask one after the other, always in the same order: then nobody waits in a circle."""
        coordinator = sorted(self.members)[len(self.grants)]
        if coordinator == self.id:
            self.line_up(self.id, Request())
        else:
            self.send(coordinator, Request())

    @upon(Request)
    def line_up(self, sender: Pid, message: Request) -> None:
        self.queue.append(sender)
        self.grant_next()

    def grant_next(self) -> None:
        if self.holder is None and self.queue:
            self.holder = self.queue.pop(0)
            if self.holder == self.id:
                self.take_grant(self.id, Grant())
            else:
                self.send(self.holder, Grant())

    @upon(Grant)
    def take_grant(self, sender: Pid, message: Grant) -> None:
        self.grants.append(sender)
        if 2 * len(self.grants) > self.n:
            self.enter()
        else:
            self.request_next()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        grants, self.grants = self.grants, []
        for coordinator in grants:
            if coordinator == self.id:
                self.take_back(self.id, Release())
            else:
                self.send(coordinator, Release())

    @upon(Release)
    def take_back(self, sender: Pid, message: Release) -> None:
        self.holder = None
        self.grant_next()
