from dataclasses import dataclass

from habemus.process import Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Known(Message):
    id: Pid


class Flood(Election):
    name = "my-flood"
    topology = "any"

    known: set[Pid] = set()

    @upon_start
    def begin(self) -> None:
        self.note(self.id)

    @upon(Known)
    def learn(self, sender: Pid, message: Known) -> None:
        self.note(self.id)
        self.note(message.id)

    def note(self, id: Pid) -> None:
        if id not in self.known:
            self.known.add(id)
            self.send(self.neighbours, Known(id))
            if len(self.known) == self.n:
                self.elect(min(self.known))
