from dataclasses import dataclass

from habemus.process import Election, Message, Pid, upon, upon_start


@dataclass(frozen=True)
class Probe(Message):
    id: Pid
    clockwise: bool  # whether it travels to successors


@dataclass(frozen=True)
class Elected(Message):
    id: Pid


class Franklin(Election):
    name = "my-franklin"
    topology = "ring"

    active: bool = False
    from_left: list[Pid] = []  # what has come clockwise and is not compared yet
    from_right: list[Pid] = []

    @upon_start
    def begin(self) -> None:
        self.active = True
        self.probe()

    def probe(self) -> None:
        self.send(self.successor, Probe(self.id, True))
        self.send(self.predecessor, Probe(self.id, False))

    @upon(Probe)
    def hear(self, sender: Pid, message: Probe) -> None:
        if not self.active:
            self.pass_on(message)
            return
        (self.from_left if message.clockwise else self.from_right).append(message.id)
        while self.active and self.from_left and self.from_right:
            self.compare(max(self.from_left.pop(0), self.from_right.pop(0)))

    def pass_on(self, message: Probe) -> None:
        self.send(self.successor if message.clockwise else self.predecessor, message)

    def compare(self, strongest: Pid) -> None:
        if strongest < self.id:
            self.probe()
        elif strongest == self.id:
            self.elect(self.id)
            self.send(self.successor, Elected(self.id))
        else:
            self.active = False
            for id in self.from_left:
                self.pass_on(Probe(id, True))
            for id in self.from_right:
                self.pass_on(Probe(id, False))
            self.from_left, self.from_right = [], []

    @upon(Elected)
    def learn_result(self, sender: Pid, message: Elected) -> None:
        if message.id != self.id:
            self.elect(message.id)
            self.send(self.successor, message)
