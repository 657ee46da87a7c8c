from dataclasses import dataclass

from habemus.process import Election, Inbox, Message, Pid, upon_pulse, upon_start


@dataclass(frozen=True)
class Candidacy(Message):
    id: Pid


class Broadcast(Election):
    name = "my-broadcast"
    topology = "complete"

    standing: bool = False

    @upon_start
    def stand(self) -> None:
        self.standing = True

    @upon_pulse
    def speak_then_decide(self, pulse: int, inbox: Inbox) -> None:
        if pulse == 0 and self.standing:
            self.send(self.neighbours, Candidacy(self.id))
        elif pulse == 1:
            candidates = [message.id for _, message in inbox]
            if self.standing:
                candidates.append(self.id)
            self.elect(max(candidates))
            self.standing = False
