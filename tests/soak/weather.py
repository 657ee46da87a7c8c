"""The faults of a run, drawn from a seed: the same seed, the same faults, whatever the nodes do.

A run is a sequence of storms with a calm after each. The weather of a storm says which faults come in it: crashes leave
messages and processes punctual, the others do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

LEADER = 0  # as a member: whoever leads at that moment

CRASHES = {"kill": 4, "leave": 2, "full": 3, "crowd": 2, "restart": 1, "wipe": 1, "damage": 1}
NETWORK = {"cut": 4, "mute": 3, "pair": 3, "slow": 2, "lose": 2}
STOPS = {"stop": 1}
WEATHERS = {
    "crashes": CRASHES,
    "network": NETWORK,
    "stops": STOPS,
    "everything": {
        **{kind: share for kind, share in CRASHES.items() if kind not in ("wipe", "damage")},
        **NETWORK,
        "stop": 4,
    },
    "old": {"old": 1},
}
SHARES = {"crashes": 4, "network": 3, "stops": 2, "everything": 4, "old": 1}
FORGETFUL = {"wipe", "damage", "old"}


@dataclass(frozen=True)
class Planned:
    """A fault: what, when, to whom, how long and how much of it."""

    kind: str
    at: float  # seconds after the storm began
    members: tuple[int, ...]
    length: float  # seconds
    strength: float  # the share of frames that is lost, or the longest delay in seconds
    seed: int  # for what else is left to chance


@dataclass(frozen=True)
class Storm:
    weather: str
    faults: tuple[Planned, ...]
    rest: float  # seconds of calm after it, when all has come to rest


def draw_storms(seed: int, nodes: int) -> Iterator[Storm]:
    chance = Random(seed)
    while True:
        (weather,) = chance.choices(list(SHARES), list(SHARES.values()))
        faults = tuple(draw_faults(weather, nodes, chance))
        yield Storm(weather, faults, chance.choice([1, 1, 1, 10]))


def draw_faults(weather: str, nodes: int, chance: Random) -> list[Planned]:
    kinds = WEATHERS[weather]
    drawn = chance.choices(list(kinds), list(kinds.values()), k=chance.randint(2, 2 * nodes))
    forgetful = [kind for kind in drawn if kind in FORGETFUL][:1]  # two of three could vote twice
    drawn = [kind for kind in drawn if kind not in FORGETFUL] + forgetful
    return sorted((draw_fault(kind, nodes, chance) for kind in drawn), key=lambda fault: fault.at)


def draw_fault(kind: str, nodes: int, chance: Random) -> Planned:
    at = chance.uniform(0, 4)
    all_members = range(1, nodes + 1)
    length, strength = chance.uniform(0.5, 6), 0.0
    match kind:
        case "restart":
            size = nodes
        case "cut" | "slow" | "lose":  # between these and the others
            size = chance.randint(1, nodes // 2)
        case "mute":  # the first cannot be heard by the others
            size = chance.randint(2, nodes)
        case "pair":
            size = 2
        case _:
            size = 1
    members = chance.sample(all_members, size)
    if kind != "restart" and chance.random() < 0.4:
        members[0] = LEADER
    if kind == "cut":
        length = chance.uniform(0.5, 12)
    elif kind == "stop":
        length = 10 ** chance.uniform(-1.3, 0.9)
    elif kind == "slow":
        strength = 10 ** chance.uniform(-1.7, 0)
    elif kind == "lose":
        strength = chance.uniform(0.05, 0.5)
    return Planned(kind, at, tuple(members), length, strength, chance.randrange(2**32))
