from dataclasses import dataclass

from habemus.process import Message, Mutex, Pid, upon, upon_command


@dataclass(frozen=True)
class RequestAccess(Message):
    pass


@dataclass(frozen=True)
class ResponseOK(Message):
    pass


@dataclass(frozen=True)
class RequestFree(Message):
    pass


class Coordinator(Mutex):
    """The process with the smallest id coordinates, and does not enter itself unless it is asked to."""

    name = "my-coordinator"
    topology = "complete"

    queue: list[Pid] = []  # of the coordinator: who waits
    busy: bool = False  # and whether somebody has access

    @property
    def coordinator(self) -> Pid:
        return min(self.members)

    # Participants

    @upon_command("acquire")
    def want_in(self) -> None:
        self.ask()
        if self.id == self.coordinator:
            self.line_up(self.id, RequestAccess())
        else:
            self.send(self.coordinator, RequestAccess())

    @upon(ResponseOK)
    def go_inside(self, sender: Pid, message: ResponseOK) -> None:
        self.enter()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        if self.id == self.coordinator:
            self.be_free(self.id, RequestFree())
        else:
            self.send(self.coordinator, RequestFree())

    # The coordinator

    @upon(RequestAccess)
    def line_up(self, sender: Pid, message: RequestAccess) -> None:
        self.queue.append(sender)
        self.let_in_next()

    @upon(RequestFree)
    def be_free(self, sender: Pid, message: RequestFree) -> None:
        self.busy = False
        self.let_in_next()

    def let_in_next(self) -> None:
        if not self.busy and self.queue:
            self.busy = True
            first = self.queue.pop(0)
            if first == self.id:
                self.enter()
            else:
                self.send(first, ResponseOK())
