"""SimPy, after the "Event Latency" example of its documentation: a process for each node, a cable for each link."""

from __future__ import annotations

from collections.abc import Generator
from random import Random
from typing import Any

import simpy
from stopwatch import compete


class Cable:
    """A link that delays what is put into it, and keeps the order."""

    def __init__(self, env: simpy.Environment, random: Random) -> None:
        self.env = env
        self.random = random
        self.store = simpy.Store(env)
        self.last_arrival = 0
        self.sent = 0

    def latency(self, message: tuple[str, int]) -> Generator[Any, Any, None]:
        now = int(self.env.now)
        self.last_arrival = max(now + self.random.randint(1, 10), self.last_arrival)
        yield self.env.timeout(self.last_arrival - now)
        self.store.put(message)

    def put(self, message: tuple[str, int]) -> None:
        self.sent += 1
        self.env.process(self.latency(message))

    def get(self) -> Any:
        return self.store.get()


class Node:
    def __init__(self, env: simpy.Environment, id: int, incoming: Cable, outgoing: Cable) -> None:
        self.id = id
        self.incoming = incoming
        self.outgoing = outgoing
        self.participant = False
        self.leader: int | None = None
        env.process(self.live())

    def start(self) -> None:
        self.participant = True
        self.outgoing.put(("candidate", self.id))

    def live(self) -> Generator[Any, Any, None]:
        self.start()
        while True:
            message = yield self.incoming.get()
            kind, id = message
            if kind == "candidate":
                if id > self.id:
                    self.participant = True
                    self.outgoing.put(message)
                elif id < self.id:
                    if not self.participant:
                        self.start()
                else:
                    self.participant = False
                    self.leader = self.id
                    self.outgoing.put(("elected", self.id))
            elif id != self.id:
                self.participant = False
                self.leader = id
                self.outgoing.put(message)


class Ring:
    def __init__(self, ids: list[int]) -> None:
        self.env = simpy.Environment()
        random = Random(7)
        self.cables = [Cable(self.env, random) for _ in ids]
        self.nodes = [Node(self.env, id, self.cables[place - 1], self.cables[place]) for place, id in enumerate(ids)]

    def run(self) -> tuple[int, int]:
        self.env.run()
        (leader,) = {node.leader for node in self.nodes}
        assert leader is not None
        return sum(cable.sent for cable in self.cables), leader


if __name__ == "__main__":
    compete(Ring, Ring.run)
