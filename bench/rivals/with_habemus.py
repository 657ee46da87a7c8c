"""Habemus as its users have it: a scenario, with all properties watched. A third argument says what is recorded."""

from __future__ import annotations

import sys

from stopwatch import compete

from habemus.scenario import Network, Place, Scenario
from habemus.simulation import simulation as kernel
from habemus.simulation.outcome import Outcome
from habemus.simulation.run import build_simulation
from habemus.trace import Recorder

RECORDED = sys.argv[3] if len(sys.argv) > 3 else "nothing"


class Ring:
    """The two halves of `habemus.simulation.simulate`, so that each can be timed."""

    def __init__(self, ids: list[int]) -> None:
        place = Place(n=len(ids))
        self.scenario = Scenario("chang-roberts", topology=place, network=Network(delay="uniform:1:10"))
        self.recorder = Recorder(keep=0) if RECORDED == "digest" else None
        self.simulation = build_simulation(self.scenario, self.recorder)
        assert self.simulation.topology.ids == ids

    def run(self) -> tuple[int, int]:
        ended = self.simulation.run(-1, self.scenario.events)
        self.simulation.conclude(ended == "quiescence")
        outcome = Outcome(self.scenario, self.simulation, ended, self.recorder)
        assert ended == "quiescence" and outcome.holds and outcome.leader is not None
        return outcome.messages, outcome.leader


if __name__ == "__main__":
    compete(Ring, Ring.run, compiled=not str(kernel.__file__).endswith(".py"))
