"""State that a clause keeps where its own source does not show it is found, whichever way leads there."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count
from types import SimpleNamespace

import neighbour_module
import pytest
from neighbour_module import Registry, tally

from habemus.catalogue import UnknownAlgorithmError
from habemus.checking.answer.asking import check_scenario
from habemus.process import Election, Message, MisuseError, Pid, dissect, upon, upon_start
from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate


@dataclass(frozen=True)
class Hello(Message):
    pass


class Greeter(Election):
    """Elects the largest when all have greeted: what each test spoils in its own way."""

    topology = "complete"
    heard: int = 0

    @upon_start
    def greet(self) -> None:
        self.send(self.neighbours, Hello())

    @upon(Hello)
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard += 1
        if self.heard == self.n - 1:
            self.elect(max(self.members))


class ByFunctionOfNeighbour(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = tally(sender)


class ByNeighbour(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = neighbour_module.tally(sender)


class ByClassOfNeighbour(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = Registry.note(sender)


class InOwnClass(Greeter):
    """Under another name, so that the source does not show it."""

    def note(self, sender: Pid, message: Hello) -> None:
        cls = type(self)
        cls.total = getattr(cls, "total", 0) + sender


class InObjectOfClass(Greeter):
    board = SimpleNamespace(total=0)

    def note(self, sender: Pid, message: Hello) -> None:
        self.board.total += sender


class CountsInClass(Greeter):
    numbers = count()

    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = next(self.numbers)


MEMORY: list[Pid] = []


class InDefault(Greeter):
    def note(self, sender: Pid, message: Hello, memory: list[Pid] = MEMORY) -> None:
        if sender not in memory:
            memory.append(sender)


@cache
def box(pid: Pid):
    return []


class InCache(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        if sender not in box(0):
            box(0).append(sender)


def remember() -> Callable[[Pid], int]:
    seen: list[Pid] = []

    def add(pid: Pid) -> int:
        memory = seen
        memory.append(pid)
        return pid

    return add


REMEMBER = remember()


class InClosure(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = REMEMBER(sender)


def make_class() -> type[Greeter]:
    total = 0

    class InEnclosing(Greeter):
        def note(self, sender: Pid, message: Hello) -> None:
            nonlocal total
            total += sender

    return InEnclosing


InEnclosing = make_class()

BOARDS = {"mine": [SimpleNamespace(total=0)]}


class DeepInside(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        for boards in BOARDS.values():
            boards[0].total += sender


FOUND = {
    ByFunctionOfNeighbour: r"\(neighbour_module.py:\d+\) changes SEEN",
    ByNeighbour: r"\(neighbour_module.py:\d+\) changes SEEN",
    ByClassOfNeighbour: "changes the class attribute seen",
    InOwnClass: "changes the class InOwnClass",
    InObjectOfClass: "changes the class attribute board",
    CountsInClass: "uses the class attribute numbers, which all processes share and which remembers",
    InDefault: "changes a default argument of note",
    InCache: r"uses box\(\), which keeps its results for all processes",
    InClosure: "changes the variable seen",
    InEnclosing: "changes the variable total",
    DeepInside: "changes the global BOARDS",
}


@pytest.mark.parametrize("drive", [simulate, check_scenario])
@pytest.mark.parametrize("cls", FOUND, ids=lambda cls: cls.__name__)
def test_state_outside_the_fields_is_found_whichever_way_leads_there(cls, drive):
    try:
        for watched in dissect(cls).shared:
            watched.before = watched.read()  # the other driver has changed it already
    except MisuseError:
        pass  # refused at once, as it will be again
    for memory in (MEMORY, Registry.seen, neighbour_module.SEEN):
        memory.clear()
    with pytest.raises((MisuseError, UnknownAlgorithmError), match=FOUND[cls]):
        drive(Scenario(f"{__name__}:{cls.__name__}", topology=TopologySpec(n=3)))


@cache
def squares(n: int) -> tuple[int, ...]:
    return tuple(i * i for i in range(n))


TABLE = {1: [1, 2], 2: [3]}


class Reads(Greeter):
    """Reading what never changes is sound, and so is a cache of what cannot be changed."""

    weights = (1, 2, 3)

    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = len(squares(3)) + len(TABLE.get(sender, [])) + sum(self.weights)


def test_what_only_reads_is_not_refused():
    for drive in (simulate, check_scenario):
        drive(Scenario(f"{__name__}:Reads", topology=TopologySpec(n=3)))
