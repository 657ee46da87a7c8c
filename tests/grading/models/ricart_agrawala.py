from dataclasses import dataclass

from habemus.process import Message, Mutex, Pid, upon, upon_command


@dataclass(frozen=True)
class Request(Message):
    time: int  # of a logical clock


@dataclass(frozen=True)
class Reply(Message):
    pass


class RicartAgrawala(Mutex):
    name = "my-ricart-agrawala"
    topology = "complete"

    clock: int = 0
    asked: int = 0  # the time of the request of this process
    replies: set[Pid] = set()
    deferred: list[Pid] = []

    @upon_command("acquire")
    def want_in(self) -> None:
        self.clock += 1
        self.asked = self.clock
        self.ask()
        self.send(self.neighbours, Request(self.asked))

    @upon(Request)
    def answer_request(self, sender: Pid, message: Request) -> None:
        self.clock = max(self.clock, message.time)
        if self.inside or (self.waiting and (self.asked, self.id) < (message.time, sender)):
            self.deferred.append(sender)
        else:
            self.send(sender, Reply())

    @upon(Reply)
    def count_reply(self, sender: Pid, message: Reply) -> None:
        self.replies.add(sender)
        if len(self.replies) == len(self.neighbours):
            self.replies = set()
            self.enter()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        deferred, self.deferred = self.deferred, []
        self.send(deferred, Reply())
