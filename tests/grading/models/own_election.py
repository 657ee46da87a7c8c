from dataclasses import dataclass

from habemus.process import Election, Message, Pid, upon, upon_start, upon_timeout

LONGEST = 10  # ticks that a message takes at most


@dataclass(frozen=True)
class Hello(Message):
    pass


@dataclass(frozen=True)
class Here(Message):
    pass


@dataclass(frozen=True)
class Coordinator(Message):
    id: Pid


class Mine(Election):
    name = "mine"
    topology = "complete"

    alive: set[Pid] = set()

    @upon_start
    def notice_that_the_coordinator_is_gone(self) -> None:
        self.send(self.neighbours, Hello())
        self.set_timer("patience", 2 * LONGEST)

    @upon(Hello)
    def hear(self, sender: Pid, message: Hello) -> None:
        self.send(sender, Here())

    @upon(Here)
    def count(self, sender: Pid, message: Here) -> None:
        self.alive.add(sender)

    @upon_timeout("patience")
    def lose_patience(self) -> None:
        leader = max(self.alive | {self.id})
        self.send(self.neighbours, Coordinator(leader))
        self.elect(leader)

    @upon(Coordinator)
    def follow(self, sender: Pid, message: Coordinator) -> None:
        self.elect(message.id)
