"""Many locks by name and mode in a storm, and who holds what, looked at after every tick."""

from __future__ import annotations

from random import Random

from storms import Storm, weather

from habemus.replication.entries import Granted
from habemus.scenario import Call, Drift, Layer, Scenario, TopologySpec
from habemus.simulation.run import build_simulation

MODES = {"exclusive": {}, "read-write": {"shared": True}, "printer": {"slots": 2}}
LAST = "last"  # what everybody wants, one after the other, when the storm is over


def named_storm(seed: int, algorithm: str = "leased-group", raft: str = "raft") -> Scenario:
    """Members want, cancel and give back locks of all modes, close and pause, while everything breaks.

    When the storm is over each member gives back what it has, and each in turn wants one more lock.
    """
    draw = Random(seed)
    ids = list(range(1, draw.choice([3, 5, 5, 6]) + 1))
    ttl, rho = 100, draw.choice([0.0, 0.05])
    voters = ids[:3]
    length = draw.choice([4, 10]) * ttl
    faults = Storm(draw, draw.choice([ids, voters, voters]), length, ttl).rage(restarts=3, sleepers=[])
    faults += Storm(draw, ids, length, ttl).rage(restarts=0, sleepers=[])
    faults += [Drift(0, pid, round(1 + draw.choice([-rho, 0, rho]), 4)) for pid in ids]
    last = max([length, *(fault.at for fault in faults)])
    members = draw.choice([ids, ids[-2:], ids[-3:]])
    calls = [call for ticket in range(1, draw.choice([5, 15, 30])) for call in use(draw, members, ticket, length, ttl)]
    for command in draw.choices(["close", "check", "pause", "resume", "transfer"], k=draw.choice([0, 0, 3, 6])):
        data = {"to": draw.choice(ids)} if command == "transfer" else None
        calls.append(Call(draw.randrange(1, length), [draw.choice(ids)], command, data=data))
    calls += [Call(last + 2 * ttl, [pid], "release", data={"ticket": ticket}) for pid in ids for ticket in range(1, 31)]
    calls += [Call(last + 2 * ttl, ids[:1], "resume")]
    for place, pid in enumerate(ids):
        begin = last + (8 + 3 * place) * ttl
        calls += [Call(begin, [pid], "acquire", data={"ticket": 99, "name": LAST})]
        calls += [Call(begin + 2 * ttl, [pid], "release", data={"ticket": 99})]
    network = weather(draw)
    network.loss = 0.0  # else what is lost in the end could not be told from what is never granted
    return Scenario(
        algorithm,
        topology=TopologySpec(ids=ids),
        network=network,
        layers=[Layer(raft, {"low": 40, "high": 80, "heartbeat": 15, "voters": voters})],
        parameters={
            "ttl": ttl,
            "renew": ttl // 4,
            "sweep": ttl // 10,
            "rho": rho,
            "keep": draw.choice([3, 1000]),
            "voters": voters,
        },
        workload=sorted(calls, key=lambda call: call.at),
        faults=faults,
        seed=seed,
        until=last + (10 + 3 * len(ids)) * ttl,
    )


def use(draw: Random, ids: list[int], ticket: int, length: int, ttl: int) -> list[Call]:
    """Somebody wants a lock, and gives it back after a while, whether it was granted or not."""
    name = draw.choice(list(MODES))
    mode = MODES[name] if name != "read-write" or draw.random() < 0.7 else {}
    who, begin = [draw.choice(ids)], draw.randrange(1, length)
    end = begin + draw.choice([1, 4, 8, ttl, 4 * ttl, length])
    want = {"ticket": ticket, "name": name, "priority": draw.choice([0, 0, 2]), "wait": draw.random() < 0.8, **mode}
    return [Call(begin, who, "acquire", data=want), Call(end, who, "release", data={"ticket": ticket})]


class Judge:
    """What is wrong with who holds what."""

    def __init__(self) -> None:
        self.highest: dict[tuple[str, int], int] = {}  # the largest token of a name and slot that was not shared
        self.owners: dict[int, int] = {}  # by token
        self.wrong: list[str] = []

    def look(self, time: int, holders: list[tuple[int, Granted]]) -> None:
        for pid, granted in sorted(holders, key=lambda holder: holder[1].token):
            token, place = granted.token, (granted.name, granted.slot)
            if token not in self.owners and token < self.highest.get(place, 0):
                self.wrong.append(f"at {time} {pid} gets {granted} after {self.highest[place]}")
            if self.owners.setdefault(token, pid) != pid:
                self.wrong.append(f"at {time} {pid} has the token {token}, which {self.owners[token]} had")
            if not granted.shared:
                self.highest[place] = max(token, self.highest.get(place, 0))
        for pid, granted in holders:
            for other, another in holders:
                if granted.token < another.token and conflict(granted, another):
                    self.wrong.append(f"at {time} {pid} has {granted} and {other} has {another}")


def conflict(one: Granted, other: Granted) -> bool:
    if one.name != other.name or (one.shared and other.shared):
        return False
    return one.slot == other.slot or one.shared != other.shared


def play(scenario: Scenario) -> tuple[list[str], int, set[int]]:
    """What went wrong in a run, how many grants there were, and who got the last lock."""
    simulation, judge = build_simulation(scenario, None), Judge()
    finishers: set[int] = set()
    for tick in range(scenario.until):
        simulation.run(tick, scenario.events)
        up = [node for node in simulation.nodes if not node.crashed]
        holders = [(node.id, granted) for node in up for granted in node.process.grants.values()]
        judge.look(tick, holders)
        finishers |= {pid for pid, granted in holders if granted.name == LAST}
    leaders = [node.process for node in simulation.nodes if node.process.leads]
    judge.wrong += [
        f"at the end {name} is locked, says {leader.id}" for leader in leaders for name in leader.table.locks
    ]
    return judge.wrong, len(judge.owners), finishers
