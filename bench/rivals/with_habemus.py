"""Habemus as its users have it: a scenario, with all properties watched. A third argument says what is recorded."""

from __future__ import annotations

import sys
from tempfile import TemporaryFile

from stopwatch import compete

from habemus.scenario import Network, Scenario, TopologySpec
from habemus.simulation import simulation as kernel
from habemus.simulation.run import build_simulation, conclude, outcome_of
from habemus.trace import Recorder

RECORDED = sys.argv[3] if len(sys.argv) > 3 else "nothing"


class Ring:
    """The two halves of `habemus.simulation.simulate`, so that each can be timed."""

    def __init__(self, ids: list[int]) -> None:
        place = TopologySpec(n=len(ids))
        self.scenario = Scenario("chang-roberts", topology=place, network=Network(delay="uniform:1:10"))
        self.recorder: Recorder | None = None
        if RECORDED != "nothing":
            file = TemporaryFile("wb") if RECORDED == "file" else None  # noqa: SIM115 (it ends with the process)
            self.recorder = Recorder(keep=0, file=file)
        self.simulation = build_simulation(self.scenario, self.recorder)
        assert self.simulation.topology.ids == ids

    def run(self) -> tuple[int, int]:
        ended = self.simulation.run(-1, self.scenario.events)
        if self.recorder is not None:
            self.recorder.flush()
        conclude(self.scenario, self.simulation, ended)
        outcome = outcome_of(self.scenario, self.simulation, ended)
        assert (outcome.digest is None) == (RECORDED == "nothing")
        assert ended == "quiescence" and outcome.holds and outcome.leader is not None
        return outcome.messages, outcome.leader


if __name__ == "__main__":
    compete(Ring, Ring.run, compiled=not str(kernel.__file__).endswith(".py"))
