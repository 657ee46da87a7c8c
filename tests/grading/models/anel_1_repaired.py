from dataclasses import dataclass

from habemus.process import Election, Message, Pid, upon, upon_start

FOLLOWER, CANDIDATE, ELECTED, SEATED = "follower", "candidate", "elected", "seated"


@dataclass(frozen=True)
class VoteForMe(Message):
    id: Pid


@dataclass(frozen=True)
class HabemusLeader(Message):
    by: Pid  # so that followers can name the leader


class Ring(Election):
    name = "my-ring"
    topology = "ring"

    stage: str = FOLLOWER

    @upon_start
    def stand(self) -> None:
        self.stage = CANDIDATE
        self.send(self.successor, VoteForMe(self.id))

    @upon(VoteForMe)
    def count_vote(self, sender: Pid, message: VoteForMe) -> None:
        if self.stage == FOLLOWER:
            self.send(self.successor, message)
        elif message.id == self.id:
            self.stage = ELECTED
            self.send(self.successor, HabemusLeader(self.id))
        elif message.id > self.id:
            self.stage = FOLLOWER
            self.send(self.successor, message)

    @upon(HabemusLeader)
    def take_seat(self, sender: Pid, message: HabemusLeader) -> None:
        if self.stage == FOLLOWER:
            self.elect(message.by)
            self.send(self.successor, message)
        elif self.stage == ELECTED:
            self.stage = SEATED
            self.elect(self.id)
