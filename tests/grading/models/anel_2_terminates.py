from dataclasses import dataclass

from habemus.process import Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Seen(Message):
    ids: tuple[Pid, ...]  # the processes met so far, the latest first


@dataclass(frozen=True)
class Result(Message):
    leader: Pid
    by: Pid


class Ring(Election):
    name = "my-ring"
    topology = "ring"

    @upon_start
    def begin_list(self) -> None:
        self.send(self.successor, Seen((self.id,)))

    @upon(Seen)
    def extend_list(self, sender: Pid, message: Seen) -> None:
        if self.id not in message.ids:
            self.send(self.successor, Seen((self.id, *message.ids)))
        else:
            self.elect(min(message.ids))
            self.send(self.successor, Result(min(message.ids), self.id))

    @upon(Result)
    def learn_result(self, sender: Pid, message: Result) -> None:
        if message.by != self.id:
            self.elect(message.leader)
            self.send(self.successor, message)
