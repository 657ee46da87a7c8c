"""Weighted bully: the heaviest of those who may lead takes over.

The largest id need not be the best leader. Here every process has a weight (memory, bandwidth, whatever counts), and
the id only breaks ties. And not everybody need be able to lead: with `candidates` the others may call an election, but
they ask and follow the candidates alone. If no candidate is up a caller hears nothing, and there is nobody to lead.

Assumes   what bully does, and that all know the weights and the candidates: `weight` of each process, 0 if not given,
          and `candidates`, all if not given.
Gives     termination, while a candidate is up, uniqueness, agreement; stability while nobody recovers.
Costs     no more than bully.
Why safe  bully asks only that ranks be a total order that all agree on. Who may not lead is below all who may, and when
          it hears no answer it stops where another would announce itself.

Both are common in replicated databases: MongoDB Manual, Replica Set Elections, where a member has a priority, and one
of priority 0 cannot become primary.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from habemus.election.bully import IDLE, Bully
from habemus.process import Parameter, Pid


@mypyc_attr(allow_interpreted_subclasses=True)
class BullyWeighted(Bully):
    name = "bully-weighted"

    weight: Parameter[dict[Pid, int]] = {}
    candidates: Parameter[tuple[Pid, ...]] = ()

    def weight_of(self, process: Pid) -> int:
        return self.weight.get(process, 0)

    def may_lead(self, process: Pid) -> bool:
        return not self.candidates or process in self.candidates

    def outranks(self, process: Pid) -> bool:
        if self.may_lead(self.id) != self.may_lead(process):
            return self.may_lead(self.id)
        return super().outranks(process)

    def stronger(self) -> list[Pid]:
        return [process for process in super().stronger() if self.may_lead(process)]

    def win(self) -> None:
        if self.may_lead(self.id):
            self.announce()
        else:
            self.stage = IDLE  # no candidate is up: there is nobody to lead
