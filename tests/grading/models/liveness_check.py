from dataclasses import dataclass

from habemus.process import Election, Message, Pid, upon, upon_start, upon_timeout

PATIENCE = 21  # ticks: a question and its answer take at most 10 each
PERIOD = 50


@dataclass(frozen=True)
class Question(Message):
    pass


@dataclass(frozen=True)
class Answer(Message):
    pass


@dataclass(frozen=True)
class Coordinator(Message):
    id: Pid


class Watching(Election):
    name = "watching"
    topology = "complete"
    horizon = 1000  # it may watch for ever; a simulation ends after so many ticks

    alive: set[Pid] = set()

    @upon_start
    def call_election(self) -> None:
        self.alive = {self.id}
        self.send(self.neighbours, Question())
        self.set_timer("answers", PATIENCE)

    @upon(Question)
    def answer(self, sender: Pid, message: Question) -> None:
        self.send(sender, Answer())

    @upon(Answer)
    def count(self, sender: Pid, message: Answer) -> None:
        self.alive.add(sender)
        if sender == self.leader:
            self.cancel_timer("missing")

    @upon_timeout("answers")
    def announce(self) -> None:
        leader = max(self.alive)
        self.send(self.neighbours, Coordinator(leader))
        self.watch(leader)

    @upon(Coordinator)
    def follow(self, sender: Pid, message: Coordinator) -> None:
        self.watch(message.id)

    def watch(self, leader: Pid) -> None:
        self.elect(leader)
        self.cancel_timer("missing")
        if leader == self.id:
            self.cancel_timer("ask")
        else:
            self.set_timer("ask", PERIOD)

    @upon_timeout("ask")
    def ask_leader(self) -> None:
        if self.leader is not None:
            self.send(self.leader, Question())
            self.set_timer("missing", PATIENCE)
            self.set_timer("ask", PERIOD)

    @upon_timeout("missing")
    def miss_leader(self) -> None:
        self.cancel_timer("ask")
        self.call_election()
