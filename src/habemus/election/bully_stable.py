"""Stable bully: who comes back does not depose a leader that is well, and is no strong candidate for a while.

Bully's strongest process may be its weakest point: one that fails again and again takes over each time it is back, and
each failure costs two changes of leader. Here uninterrupted uptime counts before the weight and the id: a unit for each
`period`, up to a ceiling. A failure costs all of it, but only for a time: who runs long enough again is as strong as
before. And who comes back asks for a leader before it calls an election; a leader in office stops even a stronger
caller.

Assumes   what bully-weighted does.
Gives     termination, uniqueness, agreement, stability: at most one change of leader a failure.
Costs     everyone is asked and told. Everybody calls: n(n-1) ELECTION, n(n-1)/2 ANSWER, n - 1 COORDINATOR. Who comes
          back adds n - 1 WHO LEADS.
Why safe  nobody can know the uptime of all others, so there is nobody whom one need not ask. A call names what the
          caller lacks, which does not change while it stands, and of any two that call one yields. An announced winner
          is obeyed by all, stronger or not, and nobody is announced while a leader is up, for it would have answered.

Options   `period` is how long a unit of uptime takes, `ceiling` how many units count. All begin with the ceiling.

The lecture notes' stable variant. M. K. Aguilera, C. Delporte-Gallet, H. Fauconnier, S. Toueg. Stable leader election.
DISC 2001, also lets those who fail fall behind, in a system that is only eventually synchronous.
"""

from __future__ import annotations

from dataclasses import dataclass

from mypy_extensions import mypyc_attr

from habemus.election.bully import ANNOUNCED, ASKING, IDLE, Answer, Coordinator, ElectionCall
from habemus.election.bully_weighted import BullyWeighted
from habemus.process import Message, Parameter, Pid, upon, upon_recover, upon_timeout


@dataclass(frozen=True)
class WhoLeads(Message):
    """WHO LEADS: I am back; is there a leader?"""


@mypyc_attr(allow_interpreted_subclasses=True)
class BullyStable(BullyWeighted):
    name = "bully-stable"
    guarantees = ("termination", "uniqueness", "agreement", "stability")
    bounds = ()
    positive = ("transmission", "period")
    on_network = ({"transmission": 50}, {"period": 6000})
    small_times = {"transmission": 1, "processing": 1, "period": 3}
    small_parameters = {"ceiling": 1}

    period: Parameter[int] = 100
    ceiling: Parameter[int] = 10

    lacking: int = 0  # units of uptime up to the ceiling

    def stronger(self) -> list[Pid]:
        """Anyone may have been up for longer."""
        return [process for process in self.neighbours if self.may_lead(process)]

    def audience(self) -> list[Pid]:
        return list(self.neighbours)

    @property
    def irremovable(self) -> bool:
        return self.leader == self.id or self.stage == ANNOUNCED

    def call(self) -> ElectionCall:
        return ElectionCall(self.lacking)

    def answer_call(self, sender: Pid, message: ElectionCall) -> None:
        if self.irremovable:
            self.send(sender, Coordinator())
        elif self.has_been_up_longer(sender, message.lacking):
            self.send(sender, Answer())
            if self.stage == IDLE:
                self.ask_stronger()
        elif self.stage == ASKING:  # a stronger one calls, which is as good as its answer
            self.yield_to_stronger(sender, Answer())

    def has_been_up_longer(self, process: Pid, lacking: int) -> bool:
        """Whether this process outranks the other, uptime counted; who may not lead never does."""
        if self.lacking == lacking or self.may_lead(self.id) != self.may_lead(process):
            return self.outranks(process)
        return self.lacking < lacking

    def accept_coordinator(self, sender: Pid, message: Coordinator) -> None:
        self.follow(sender)

    # Coming back

    @upon_recover
    def come_back(self) -> None:
        super().come_back()
        self.lacking = self.ceiling
        if self.lacking:
            self.set_timer("uptime", self.period)
        self.send(self.neighbours, WhoLeads())

    @upon_timeout("uptime")
    def grow_stronger(self) -> None:
        if not self.candidate:  # others compare themselves with what it said in its call
            self.lacking -= 1
        if self.lacking:
            self.set_timer("uptime", self.period)

    @upon(WhoLeads)
    def reassure(self, sender: Pid, message: WhoLeads) -> None:
        if self.irremovable:
            self.send(sender, Coordinator())
