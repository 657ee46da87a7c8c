"""What a good Python programmer writes in a quarter of an hour: plain objects, a heap of tuples."""

from __future__ import annotations

import heapq
import random
from typing import Any

from stopwatch import compete


class Node:
    def __init__(self, simulation: Simulation, id: int) -> None:
        self.simulation = simulation
        self.id = id
        self.successor: Any = None
        self.participant = False
        self.leader: int | None = None
        self.last_arrival = 0

    def start(self) -> None:
        self.participant = True
        self.send(("candidate", self.id))

    def send(self, message: tuple[str, int]) -> None:
        self.simulation.send(self, message)

    def receive(self, message: tuple[str, int]) -> None:
        kind, id = message
        if kind == "candidate":
            if id > self.id:
                self.participant = True
                self.send(message)
            elif id < self.id:
                if not self.participant:
                    self.start()
            else:
                self.participant = False
                self.leader = self.id
                self.send(("elected", self.id))
        elif id != self.id:
            self.participant = False
            self.leader = id
            self.send(message)


class Simulation:
    def __init__(self, ids: list[int]) -> None:
        self.random = random.Random(7)
        self.queue: list[tuple[int, int, Node, tuple[str, int]]] = []
        self.now = 0
        self.sent = 0
        self.nodes = [Node(self, id) for id in ids]
        for node, successor in zip(self.nodes, self.nodes[1:] + self.nodes[:1], strict=True):
            node.successor = successor

    def send(self, node: Node, message: tuple[str, int]) -> None:
        arrival = max(self.now + self.random.randint(1, 10), node.last_arrival)
        node.last_arrival = arrival
        self.sent += 1
        heapq.heappush(self.queue, (arrival, self.sent, node.successor, message))

    def run(self) -> tuple[int, int]:
        for node in self.nodes:
            node.start()
        while self.queue:
            self.now, _, node, message = heapq.heappop(self.queue)
            node.receive(message)
        (leader,) = {node.leader for node in self.nodes}
        assert leader is not None
        return self.sent, leader


if __name__ == "__main__":
    compete(Simulation, Simulation.run)
