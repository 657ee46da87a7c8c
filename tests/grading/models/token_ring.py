from dataclasses import dataclass

from habemus.process import Message, Mutex, Pid, upon, upon_command, upon_start


@dataclass(frozen=True)
class Token(Message):
    pass


class TokenRing(Mutex):
    name = "my-token-ring"
    topology = "ring"
    horizon = 2000  # the token never rests; a simulation ends after so many ticks

    @upon_start
    def begin_with_token(self) -> None:
        if self.id == min(self.members):
            self.send(self.successor, Token())

    @upon(Token)
    def take_token(self, sender: Pid, message: Token) -> None:
        if self.waiting:
            self.enter()
        else:
            self.send(self.successor, Token())

    @upon_command("acquire")
    def want_in(self) -> None:
        self.ask()

    @upon_command("release")
    def go_outside(self) -> None:
        self.leave()
        self.send(self.successor, Token())
