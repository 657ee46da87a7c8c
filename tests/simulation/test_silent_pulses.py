"""A synchronous algorithm may count pulses in which nobody sends anything: its run goes on until it is at rest."""

from dataclasses import dataclass

import pytest

from habemus.checking.answer.asking import check_scenario
from habemus.process import Election, Message, Pid, dissect, upon_pulse, upon_start
from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate


@dataclass(frozen=True)
class Largest(Message):
    id: Pid


class FloodMax(Election):
    """Tells its neighbours of each larger id it hears of; after n - 1 pulses the largest is known everywhere.

    N. Lynch. Distributed Algorithms, 1996, section 4.1.
    """

    name = "flood-max"
    topology = "any"
    best: Pid = 0
    rounds: int = 0

    @upon_start
    def stand(self) -> None:
        self.best = self.id

    @upon_pulse
    def spread(self, pulse: int, inbox) -> None:
        known = max([self.best, self.id, *[message.id for _, message in inbox]])
        if self.rounds == 0 or known > self.best:
            self.best = known
            self.send(self.neighbours, Largest(known))
        if self.rounds < self.n:
            self.rounds += 1
            if self.rounds == self.n:
                self.elect(self.best)


class ByNumber(FloodMax):
    """The same, by the number of the pulse."""

    name = "flood-max-by-number"

    def spread(self, pulse: int, inbox) -> None:
        known = max([self.best, self.id, *[message.id for _, message in inbox]])
        if pulse == 0 or known > self.best:
            self.best = known
            self.send(self.neighbours, Largest(known))
        if pulse == self.n:
            self.elect(self.best)


class Patient(FloodMax):
    """Waits for longer than anybody can know, and says so."""

    name = "flood-max-patient"
    silent_pulses = 40

    def spread(self, pulse: int, inbox) -> None:
        if pulse == 30:
            self.elect(max(self.members))


@pytest.mark.parametrize("cls", [FloodMax, ByNumber, Patient])
@pytest.mark.parametrize("n", [3, 6])
def test_silent_pulses_are_waited_for_by_simulator_and_checker(cls, n):
    scenario = Scenario(f"{__name__}:{cls.__name__}", topology=TopologySpec(n=n, kind="complete"))
    outcome = simulate(scenario)
    assert outcome.leader == max(outcome.topology.ids) and all(judge.holds for judge in outcome.properties)
    assert check_scenario(scenario).verdict == "holds"


def test_the_number_of_a_pulse_counts_only_where_it_is_looked_at():
    assert not dissect(FloodMax).counts_pulses and dissect(ByNumber).counts_pulses
