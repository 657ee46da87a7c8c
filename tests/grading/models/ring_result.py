from dataclasses import dataclass

from habemus.process import Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Candidate(Message):
    id: Pid


@dataclass(frozen=True)
class Elected(Message):
    id: Pid


class Ring(Election):
    name = "my-ring"
    topology = "ring"

    @upon_start
    def stand(self) -> None:
        self.send(self.successor, Candidate(self.id))

    @upon(Candidate)
    def weigh_candidate(self, sender: Pid, message: Candidate) -> None:
        if message.id == self.id:
            self.elect(self.id)
            self.send(self.successor, Elected(self.id))
        elif message.id > self.id:
            self.send(self.successor, message)

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        if message.id != self.id:
            self.elect(message.id)
            self.send(self.successor, message)
