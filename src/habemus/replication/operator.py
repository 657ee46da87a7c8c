"""What a member does for those who operate the group: end the dead, reserve, pause, look, recall what happened.

All of it goes to the leader. The programs of the voters keep the history, and members carry questions and answers.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from habemus.process import Pid, upon, upon_command
from habemus.replication.entries import DEAD, EndSession, Pause, Transfer
from habemus.replication.leases import Dead, Halt, Look, Recall, Recalled, Report, Reserve, Seen
from habemus.replication.member import Member


@mypyc_attr(allow_interpreted_subclasses=True)
class Operator(Member):
    @upon_command("declare dead", Dead)
    def end_the_dead(self, dead: Dead) -> None:
        self.submit((EndSession(dead.session, DEAD),))

    @upon_command("reserve", Reserve)
    def reserve(self, reserve: Reserve) -> None:
        self.requests += 1
        answered = next(iter(self.open), self.requests) - 1
        self.submit((Transfer(self.session, self.requests, reserve.name, reserve.session, answered),))

    @upon_command("pause", Halt)
    def stop_expiry(self, halt: Halt) -> None:
        self.submit((Pause(self.session, True, halt.after),))

    @upon_command("resume", Halt)
    def resume_expiry(self, halt: Halt) -> None:
        self.submit((Pause(self.session, False, halt.after),))

    @upon_command("look")
    def look(self) -> None:
        guide = self.choose_guide()
        if guide is not None:
            self.say(guide, Look())

    @upon(Seen)
    def see(self, sender: Pid, message: Seen) -> None:
        self.indicate(message)

    # History: the programs of the voters keep it, and we carry questions and answers

    @upon_command("recall", Recall)
    def recall(self, recall: Recall) -> None:
        guide = self.choose_guide()
        if guide is not None:
            self.say(guide, recall)

    @upon_command("report", Report)
    def report(self, report: Report) -> None:
        self.say(report.member, report.recalled)

    @upon(Recalled)
    def remember(self, sender: Pid, message: Recalled) -> None:
        self.indicate(message)
