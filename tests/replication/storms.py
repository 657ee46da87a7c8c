"""Random storms: crashes with restarts, pauses, cuts one way and both, slow links, drifting clocks, loss; then calm."""

from __future__ import annotations

from math import ceil
from random import Random

from habemus.scenario import (
    Call,
    Crash,
    Cut,
    Drift,
    Heal,
    Layer,
    Network,
    Partition,
    Pause,
    Recover,
    Resume,
    Scenario,
    Slow,
    TopologySpec,
)

CALM = 1500  # ticks without faults, at the end


class Storm:
    """The faults of a run, drawn by chance; `lull` is how long the longest of them lasts, about. All ends well."""

    def __init__(self, draw: Random, ids: list[int], length: int, lull: int) -> None:
        self.draw = draw
        self.ids = ids
        self.length = length
        self.lull = lull
        self.faults: list = []

    def moment(self) -> tuple[int, int]:
        """When a fault begins and ends."""
        begin = self.draw.randrange(1, self.length)
        return begin, begin + self.draw.choice([1, 5, self.lull // 2, self.lull, 2 * self.lull, 3 * self.lull])

    def restart(self) -> None:
        begin, end = self.moment()
        several = min(len(self.ids), self.draw.choice([1, 1, 1, 2, len(self.ids)]))
        for victim in self.draw.sample(self.ids, several):
            self.faults += [Crash(begin, victim), Recover(end + self.draw.randrange(3), victim)]

    def cut(self) -> None:
        begin, end = self.moment()
        links = [tuple(self.draw.sample(self.ids, 2)) for _ in range(self.draw.randrange(1, 4))]
        self.faults += [Cut(begin, links, self.draw.random() < 0.5), Heal(end, links)]

    def part(self) -> None:
        begin, end = self.moment()
        side = self.draw.sample(self.ids, self.draw.randrange(1, len(self.ids)))
        other = [pid for pid in self.ids if pid not in side]
        self.faults += [Partition(begin, [side, other]), Heal(end, [(a, b) for a in side for b in other])]

    def slow(self) -> None:
        begin, end = self.moment()
        links = [tuple(self.draw.sample(self.ids, 2)) for _ in range(self.draw.randrange(1, 4))]
        late = f"uniform:1:{self.lull}"
        self.faults += [Slow(begin, links, late, self.draw.random() < 0.5), Slow(end, links, "unit")]

    def pause(self, sleepers: list[int]) -> None:
        begin, end = self.moment()
        sleeper = self.draw.choice(sleepers)
        self.faults += [Pause(begin, sleeper), Resume(end, sleeper)]

    def rage(self, restarts: int, sleepers: list[int]) -> list:
        for _ in range(self.draw.randrange(restarts + 1)):
            self.restart()
        for _ in range(self.draw.randrange(8)):
            self.draw.choice([self.cut, self.part, self.part, self.slow])()
        for _ in range(self.draw.randrange(3) if sleepers else 0):
            self.pause(sleepers)
        last = max([fault.at for fault in self.faults], default=0) + 1
        return [*self.faults, Recover(last, "crashed"), Resume(last, "paused"), Heal(last)]


def weather(draw: Random) -> Network:
    """What links do to messages."""
    delay = draw.choice(["unit", "uniform:1:3", "uniform:1:8", "exponential:3"])
    harm = draw.choice([0.0, 0.0, 0.0, 0.02, 0.1])
    return Network(delay, loss=harm, duplication=draw.choice([0.0, harm]), fifo=draw.random() < 0.5)


def raft_storm(seed: int, algorithm: str = "raft", **parameters) -> Scenario:
    draw = Random(seed)
    ids = list(range(1, draw.choice([2, 3, 3, 3, 4, 5]) + 1))
    length = draw.choice([600, 1500])
    faults = Storm(draw, ids, length, 400).rage(restarts=4, sleepers=ids)
    calls = [Call(draw.randrange(1, length), [draw.choice(ids)], "propose") for _ in range(draw.randrange(25))]
    return Scenario(
        algorithm,
        topology=TopologySpec(ids=ids),
        network=weather(draw),
        parameters=parameters,
        workload=calls,
        faults=faults,
        seed=seed,
        starters="all",
        until=max(fault.at for fault in faults) + CALM,
    )


def group_storm(seed: int, algorithm: str = "leased-group", raft: str = "raft") -> Scenario:
    """Members want the lock while voters and members crash, restart, drift and are cut off; then all is well."""
    draw = Random(seed)
    ids = list(range(1, draw.choice([3, 3, 3, 4, 5]) + 1))
    rho = draw.choice([0.0, 0.01, 0.1])
    ttl = draw.choice([100, 200])
    voters = ids[:3] if draw.random() < 0.3 else []
    idle = draw.sample(ids, draw.choice([0, 0, 1]))  # these host no application, so they may stand still
    length = draw.choice([8, 16]) * ttl
    faults = Storm(draw, ids, length, ttl).rage(restarts=5, sleepers=idle)
    faults += [Drift(0, pid, round(1 + draw.choice([-rho, 0, rho, draw.uniform(-rho, rho)]), 4)) for pid in ids]
    last = max(fault.at for fault in faults)
    longest = draw.choice([10, ttl, 5 * ttl, 5 * ttl])
    active = [pid for pid in ids if pid not in idle]
    calls = [
        Call(draw.randrange(1, length), [pid], "acquire", draw.randrange(1, longest + 1))
        for pid in active
        for _ in range(draw.choice([2, 5]))
    ]
    below = {"low": 40, "high": 80, "heartbeat": 15, "voters": voters}
    above = {"ttl": ttl, "renew": ttl // 4, "sweep": ttl // 10, "rho": rho, "keep": draw.choice([3, 1000])}
    return Scenario(
        algorithm,
        topology=TopologySpec(ids=ids),
        network=weather(draw),
        layers=[Layer(raft, below)],
        parameters={**above, "voters": voters, "witnesses": idle},
        workload=calls,
        faults=faults,
        seed=seed,
        until=last + 25 * ttl,
    )


def duel(seed: int, algorithm: str = "leased-group", raft: str = "raft") -> Scenario:
    """Two members want the lock for long, one after the other, and a few faults hit where it matters."""
    draw = Random(seed)
    ids = list(range(1, draw.choice([3, 3, 4]) + 1))
    ttl, rho = 100, draw.choice([0.0, 0.1])
    first, second = draw.sample(ids, 2)
    storm = Storm(draw, ids, draw.choice([300, 700]), ttl)
    for _ in range(draw.randrange(1, 6)):
        draw.choice([storm.restart, storm.restart, storm.cut, storm.part, storm.part, storm.slow])()
    faults = [*storm.faults, Recover(1200, "crashed"), Heal(1200)]
    faults += [Drift(0, pid, draw.choice([1 - rho, 1.0, 1 + rho])) for pid in ids]
    calls = [Call(draw.choice([1, 100, 200]), [first], "acquire", draw.choice([30, 2000]))]
    calls += [Call(draw.choice([2, 110, 250]), [second], "acquire", draw.choice([30, 2000]))]
    return Scenario(
        algorithm,
        topology=TopologySpec(ids=ids),
        network=Network(draw.choice(["unit", "uniform:1:3"]), fifo=draw.random() < 0.5),
        layers=[Layer(raft, {"low": 30, "high": 60, "heartbeat": 10, "voters": [1, 2, 3]})],
        parameters={"ttl": ttl, "renew": 25, "sweep": 5, "rho": rho, "voters": [1, 2, 3], "keep": draw.choice([3, 99])},
        workload=calls,
        faults=faults,
        seed=seed,
        until=1600,
    )


def restarts(seed: int) -> Scenario:
    """Members crash and are back, one soon after the other; then each asks for a lock of its own.

    It ends when three elections could have been held after all that was forgotten is over.
    """
    draw = Random(seed)
    ids = list(range(1, draw.choice([3, 3, 3, 4, 5]) + 1))
    voters = ids[:3] if draw.random() < 0.3 else []
    ttl, at = draw.choice([200, 300, 400]), draw.randrange(50, 300)
    faults: list = []
    for _ in range(draw.choice([1, 2, 2, 2, 3, 4])):
        victim = draw.choice(ids)
        faults += [Crash(at, victim), Recover(at + draw.choice([1, 2, 5, 10, 30, ttl]), victim)]
        at += draw.choice([1, 2, 3, 5, 10, 20, 40, 80, 120, ttl])
    calm = max(fault.at for fault in faults) + 1
    calls = [Call(draw.randrange(1, calm), [pid], "acquire", draw.choice([1, ttl, 10_000])) for pid in ids]
    own = [Call(calm + 1, [pid], "acquire", data={"ticket": 1, "name": f"of {pid}"}) for pid in ids]
    return Scenario(
        "leased-group",
        topology=TopologySpec(ids=ids),
        network=Network(draw.choice(["unit", "uniform:1:3"]), fifo=draw.random() < 0.5),
        layers=[Layer("raft", {"low": 40, "high": 80, "heartbeat": 15, "voters": voters})],
        parameters={"ttl": ttl, "renew": ttl // 4, "sweep": ttl // 10, "keep": draw.choice([3, 99]), "voters": voters},
        workload=[*draw.sample(calls, draw.randrange(len(calls) + 1)), *own],
        faults=[*faults, Recover(calm, "crashed")],
        seed=seed,
        until=calm + ceil(ttl * 1.01) + 2 + 3 * 80,
    )
