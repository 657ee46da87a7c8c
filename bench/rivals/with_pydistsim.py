"""PyDistSim, after the algorithms that come with it. Its logging is off, as it is by default."""

from __future__ import annotations

from random import Random
from typing import Any

from pydistsim.algorithm import NodeAlgorithm, StatusValues
from pydistsim.message import Message
from pydistsim.network import DirectedNetwork, NetworkGenerator
from pydistsim.network.behavior import NetworkBehaviorModel
from pydistsim.simulation import Simulation
from stopwatch import compete


class ChangRoberts(NodeAlgorithm):
    default_params = {"ids": ()}

    class Status(StatusValues):
        PARTICIPANT = "PARTICIPANT"
        IDLE = "IDLE"

    S_init = (Status.IDLE,)
    S_term = (Status.IDLE,)

    def initializer(self) -> None:
        self.sent = 0
        for node, id in zip(self.network.nodes_sorted(), self.ids, strict=True):
            node.memory["id"] = id
            node.status = self.Status.IDLE
            node.push_to_inbox(Message(meta_header=NodeAlgorithm.INI, destination=node))

    def pass_on(self, node: Any, header: str, id: int) -> None:
        self.sent += 1
        self.send(node, data=id, destination=list(node.neighbors()), header=header)

    @Status.IDLE
    def spontaneously(self, node: Any, message: Any) -> None:
        node.status = self.Status.PARTICIPANT
        self.pass_on(node, "candidate", node.id)

    @Status.IDLE
    def receiving(self, node: Any, message: Any) -> None:
        self.receive(node, message)

    @Status.PARTICIPANT
    def receiving(self, node: Any, message: Any) -> None:  # noqa: F811
        self.receive(node, message)

    def receive(self, node: Any, message: Any) -> None:
        id = message.data
        if message.header == "candidate":
            if id > node.id:
                node.status = self.Status.PARTICIPANT
                self.pass_on(node, "candidate", id)
            elif id < node.id:
                if node.status != self.Status.PARTICIPANT:
                    self.spontaneously(node, message)
            else:
                node.status = self.Status.IDLE
                node.memory["leader"] = id
                self.pass_on(node, "elected", id)
        elif id != node.id:
            node.status = self.Status.IDLE
            node.memory["leader"] = id
            self.pass_on(node, "elected", id)


def build(ids: list[int]) -> Simulation:
    random = Random(7)
    network = NetworkGenerator.generate_ring_network(len(ids), DirectedNetwork)
    network.behavioral_properties = NetworkBehaviorModel(
        message_ordering=True,
        message_delay_indicator=lambda network, message: random.randint(1, 10),
        bounded_communication_delays=True,
    )
    return Simulation(network, algorithms=((ChangRoberts, {"ids": tuple(ids)}),))


def run(simulation: Simulation) -> tuple[int, int]:
    simulation.run()
    (leader,) = {node.memory["leader"] for node in simulation.network.nodes()}
    return simulation.algorithms[0].sent, leader


if __name__ == "__main__":
    compete(build, run)
