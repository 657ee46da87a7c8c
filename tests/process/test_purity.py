"""A clause keeps its state in declared fields and looks at nothing else: what does not is refused, with its line."""

import datetime
import os
import random
import re
import time
from dataclasses import dataclass
from heapq import heappush
from importlib import import_module
from itertools import count
from random import choice
from typing import ClassVar

import pytest

from habemus.catalogue import UnknownAlgorithmError, algorithm_names, find_algorithm
from habemus.checking.answer.asking import check_scenario
from habemus.museum import EXHIBITS
from habemus.network.node.timing import complete_scenario
from habemus.process import (
    Election,
    Message,
    MisuseError,
    Parameter,
    Pid,
    dissect,
    upon,
    upon_start,
    whenever,
)
from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate


@dataclass(frozen=True)
class Hello(Message):
    """One to each neighbour."""


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


SEEN: set[int] = set()
TABLE = {1: 5, 2: 6, 3: 7}
HEAP: list[int] = []
NUMBERS = count()


class SharedSet(Greeter):
    seen = set()

    def note(self, sender: Pid, message: Hello) -> None:
        self.seen.add(sender)
        if len(self.seen) == 3:
            self.elect(max(self.members))


class SharedCounter(Greeter):
    count = 0

    def note(self, sender: Pid, message: Hello) -> None:
        self.count += 1


class Undeclared(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.last = sender


class OfTheClass(Greeter):
    total: ClassVar[int] = 0

    def note(self, sender: Pid, message: Hello) -> None:
        type(self).total += 1


class OfTheClassInPlace(Greeter):
    seen: ClassVar[set[int]] = set()

    def note(self, sender: Pid, message: Hello) -> None:
        self.seen.add(sender)


class SetsParameter(Greeter):
    patience: Parameter[int] = 3

    def note(self, sender: Pid, message: Hello) -> None:
        self.patience = 4


class ChangesGlobal(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        SEEN.add(sender)


class DeclaresGlobal(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        global counter
        counter = 1


class TossesCoin(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = random.randrange(3)


class TossesImported(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = choice((1, 2))


class LooksAtClock(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        if time.monotonic() > 5:
            self.heard += 1


class LooksAtCalendar(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = datetime.datetime.now().second


class LooksAround(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = len(os.environ)


class OpensFile(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        with open("x") as file:
            self.heard = len(file.read())


class InGuard(Greeter):
    @whenever(lambda self: self.heard > time.time())
    def act(self) -> None:
        self.heard = 0


def draw() -> int:
    return random.randrange(6)


class ByFunction(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = draw()


class ImportsInside(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        import secrets

        self.heard = secrets.randbelow(3)


class ImportsByName(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = __import__("random").randrange(3)


class ImportsLater(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = import_module("random").randrange(3)


class Evaluates(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = eval("1 + 1")


class Hashes(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = hash("a") % 3


class RemembersInDefault(Greeter):
    def note(self, sender: Pid, message: Hello, memory: list[Pid] = []) -> None:  # noqa: B006
        memory.append(sender)


class CountsOutside(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard = sum(zip(NUMBERS, [0], strict=False).__next__())


class InHashOrder(Greeter):
    senders: set[Pid] = set()

    def note(self, sender: Pid, message: Hello) -> None:
        self.senders.add(sender)
        for other in self.senders:
            self.heard = other


class SendsInHashOrder(Greeter):
    senders: frozenset[Pid] = frozenset()

    def note(self, sender: Pid, message: Hello) -> None:
        self.send(self.senders, Hello())


@pytest.mark.parametrize(
    ("cls", "line", "said"),
    [
        (SharedSet, "seen = set()", "`seen: set[...] = set()`"),
        (SharedCounter, "self.count += 1", "`count: int = 0`"),
        (Undeclared, "self.last = sender", "`last: ... = ...`"),
        (OfTheClass, "type(self).total += 1", "all processes share"),
        (OfTheClassInPlace, "self.seen.add(sender)", "all processes share"),
        (SetsParameter, "self.patience = 4", "a parameter"),
        (ChangesGlobal, "SEEN.add(sender)", "keep it in a field"),
        (DeclaresGlobal, "global counter", "keep it in a field"),
        (TossesCoin, "random.randrange(3)", "self.choose"),
        (TossesImported, "choice((1, 2))", "self.choose"),
        (LooksAtClock, "time.monotonic()", "uses time"),
        (LooksAtCalendar, "datetime.datetime.now()", "uses datetime"),
        (LooksAround, "os.environ", "uses os"),
        (OpensFile, 'open("x")', "uses open()"),
        (InGuard, "time.time()", "uses time"),
        (ByFunction, "return random.randrange(6)", "uses random"),
        (ImportsInside, "import secrets", "uses secrets"),
        (ImportsByName, '__import__("random")', "uses __import__"),
        (ImportsLater, "import_module", "uses importlib"),
        (Evaluates, 'eval("1 + 1")', "uses eval"),
        (Hashes, 'hash("a")', "differ from run to run"),
        (RemembersInDefault, "memory: list[Pid] = []", "a default argument that can be changed"),
        (CountsOutside, "NUMBERS", "uses NUMBERS, which all processes share"),
        (InHashOrder, "for other in self.senders", "`sorted(self.senders)`"),
    ],
)
def test_it_is_refused_when_the_class_is_first_used_in_one_sentence_with_the_line(cls, line, said):
    with pytest.raises(MisuseError) as caught:
        dissect(cls)
    text = str(caught.value)
    assert "\n" not in text and text.endswith(".") and said in text
    place = re.match(rf"{cls.__name__} \(test_purity\.py:(\d+)\) ", text)
    assert place, text
    with open(__file__) as file:
        assert line in file.readlines()[int(place[1]) - 1]


def scenario_of(cls: type) -> Scenario:
    return Scenario(f"{__name__}:{cls.__name__}", topology=TopologySpec(n=3))


@pytest.mark.parametrize("cls", [SharedSet, SharedCounter, TossesCoin])
def test_all_three_drivers_refuse_it(cls):
    for drive in (simulate, check_scenario, lambda scenario: complete_scenario(scenario, [1, 2, 3])):
        with pytest.raises(UnknownAlgorithmError, match=cls.__name__):
            drive(scenario_of(cls))


class ChangesByHelper(Greeter):
    """`heappush` does not look as if it changed anything."""

    def note(self, sender: Pid, message: Hello) -> None:
        heappush(HEAP, sender)


def write(process: Election) -> None:
    process.mood = "good"  # type: ignore[attr-defined]


class WrittenByOthers(Greeter):
    def note(self, sender: Pid, message: Hello) -> None:
        write(self)


class Diary:
    pages = 0


DIARY = Diary()


class WritesDiary(Greeter):
    """Under another name, so that the source does not show it."""

    def note(self, sender: Pid, message: Hello) -> None:
        diary = DIARY
        diary.pages += 1


@pytest.mark.parametrize(
    ("cls", "said"),
    [(ChangesByHelper, "the global HEAP"), (WrittenByOthers, "sets mood"), (WritesDiary, "the global DIARY")],
)
@pytest.mark.parametrize("drive", [simulate, check_scenario])
def test_what_the_source_does_not_show_is_found_when_it_has_happened(cls, said, drive):
    HEAP.clear()
    vars(DIARY).clear()
    for watched in dissect(cls).shared:
        watched.before = watched.read()
    with pytest.raises(MisuseError, match=said):
        drive(scenario_of(cls))


class ReadsTable(Greeter):
    """Reading what never changes is sound, and so is a local variable of any name."""

    weights: ClassVar[dict[int, int]] = {1: 2}

    def note(self, sender: Pid, message: Hello) -> None:
        random = [TABLE.get(sender, 0) + self.weights.get(sender, 0)]
        random.append(1)
        self.heard += min(random)


def test_what_is_sound_is_not_refused():
    dissect(ReadsTable)
    for name in algorithm_names():
        dissect(find_algorithm(name))
    for exhibit in EXHIBITS.values():
        dissect(exhibit.cls)


def test_a_variable_of_the_function_that_makes_the_class_is_no_field():
    kept: list[int] = []

    class Enclosed(Greeter):
        def note(self, sender: Pid, message: Hello) -> None:
            kept.append(sender)

    with pytest.raises(MisuseError, match="changes kept, which all processes share"):
        dissect(Enclosed)


def test_sending_to_a_set_is_refused_as_going_through_it():
    with pytest.raises(MisuseError, match=r"write `sorted\(self\.senders\)`"):
        dissect(SendsInHashOrder)


def remembering(step):
    """A decorator that puts in the place of a method one that remembers."""
    seen: list[int] = []

    def remember(method):
        def inner(self, sender, message):
            seen.append(sender)
            return method(self, sender, message)

        return inner

    def count_up(method):
        calls = 0

        def inner(self, sender, message):
            nonlocal calls
            calls += 1
            return method(self, sender, message)

        return inner

    return remember if step == "append" else count_up


class Remembers(Greeter):
    @remembering("append")
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard += 1


class Counts(Greeter):
    @remembering("count")
    def note(self, sender: Pid, message: Hello) -> None:
        self.heard += 1


def test_a_decorator_may_not_remember():
    for cls, variable in [(Remembers, "seen"), (Counts, "calls")]:
        with pytest.raises(MisuseError, match=f"changes the variable {variable}, which all processes share"):
            simulate(scenario_of(cls))


class ChangesDefault(Greeter):
    kept: list[Pid] = []

    def note(self, sender: Pid, message: Hello) -> None:
        default = ChangesDefault.kept
        default.append(sender)


def test_the_default_of_a_field_is_not_changed():
    with pytest.raises(MisuseError, match="changes the default of kept, which all processes share"):
        simulate(scenario_of(ChangesDefault))
