"""Every misuse of the vocabulary is refused when the class is first used, in one sentence that names class and line."""

import re
from dataclasses import dataclass

import pytest

from habemus import check
from habemus.process import (
    Election,
    Message,
    MisuseError,
    Pid,
    Process,
    dissect,
    upon,
    upon_pulse,
    upon_start,
    upon_timeout,
    whenever,
)
from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate


@dataclass(frozen=True)
class Ping(Message):
    n: int = 0


@dataclass
class Thawed(Message):
    n: int = 0


class NoDataclass(Message):
    pass


@dataclass(frozen=True)
class WithList(Message):
    items: list[int]


@dataclass(frozen=True)
class WithDeepSet(Message):
    items: tuple[set[int], ...] | None = None


def refused(cls) -> str:
    """What is said of a class when it is first looked at."""
    with pytest.raises(MisuseError) as caught:
        dissect(cls)
    return str(caught.value)


def refused_in_a_run(name: str, **scenario) -> str:
    """What is said of a class when it runs."""
    with pytest.raises(MisuseError) as caught:
        simulate(Scenario(f"{__name__}:{name}", topology=TopologySpec(n=4, kind="ring"), starters="all", **scenario))
    return str(caught.value)


def assert_one_sentence(text: str, cls: str, line_holds: str) -> None:
    """One line, one full stop at its end, the class, and the line of this very file where the culprit stands."""
    assert "\n" not in text and text.endswith(".")
    place = re.match(rf"{cls} \(test_misuse\.py:(\d+)\) ", text)
    assert place, text
    with open(__file__) as file:
        assert line_holds in file.readlines()[int(place[1]) - 1]


class TwoForOne(Process):
    @upon(Ping)
    def first(self, sender, message):
        pass

    @upon(Ping)
    def second(self, sender, message):
        pass


def test_two_clauses_for_one_message():
    text = refused(TwoForOne)
    assert_one_sentence(text, "TwoForOne", "def second")
    assert "upon(Ping)" in text and "first and second" in text


class TwoStarts(Process):
    @upon_start
    def begin(self):
        pass

    @upon_start
    def begin_again(self):
        pass


def test_two_clauses_for_the_start():
    assert_one_sentence(refused(TwoStarts), "TwoStarts", "def begin_again")


class NobodyListens(Election):
    topology = "ring"

    @upon_start
    def begin(self):
        self.send(self.successor, Ping())


def test_a_message_that_nobody_handles():
    text = refused_in_a_run("NobodyListens")
    assert_one_sentence(text, "NobodyListens", "class NobodyListens")
    assert "@upon(Ping)" in text


class TakesThawed(Process):
    @upon(Thawed)
    def take(self, sender, message):
        pass


class TakesNoDataclass(Process):
    @upon(NoDataclass)
    def take(self, sender, message):
        pass


@pytest.mark.parametrize(("cls", "culprit"), [(TakesThawed, "Thawed"), (TakesNoDataclass, "NoDataclass")])
def test_a_message_that_is_not_frozen(cls, culprit):
    text = refused(cls)
    assert_one_sentence(text, culprit, f"class {culprit}")
    assert "@dataclass(frozen=True)" in text


class TakesList(Process):
    @upon(WithList)
    def take(self, sender, message):
        pass


class TakesDeepSet(Process):
    @upon(WithDeepSet)
    def take(self, sender, message):
        pass


@pytest.mark.parametrize(("cls", "culprit"), [(TakesList, "WithList"), (TakesDeepSet, "WithDeepSet")])
def test_a_message_with_a_mutable_field(cls, culprit):
    text = refused(cls)
    assert_one_sentence(text, culprit, f"class {culprit}")
    assert "items" in text and "tuple or frozenset" in text


class PulsesList(Process):
    topology = "ring"

    @upon_pulse
    def beat(self, pulse, inbox):
        if pulse == 0:
            self.send(self.successor, WithList([1]))


def test_a_message_with_a_mutable_field_between_pulses():
    text = refused_in_a_run("PulsesList")
    assert_one_sentence(text, "WithList", "class WithList")


class TakesNumber(Process):
    @upon(int)
    def take(self, sender, message):
        pass


def test_a_clause_for_what_is_no_message():
    assert_one_sentence(refused(TakesNumber), "TakesNumber", "class TakesNumber")


class NoDefault(Process):
    round: int = 0
    best: Pid


def test_a_field_without_a_default():
    text = refused(NoDefault)
    assert_one_sentence(text, "NoDefault", "best: Pid")
    assert "best" in text


def test_what_is_no_class_of_processes():
    assert "int" in refused(int)


class UnknownTimer(Election):
    topology = "ring"

    @upon_start
    def begin(self):
        self.set_timer("tea", 5)


def test_an_unknown_timer():
    text = refused_in_a_run("UnknownTimer")
    assert_one_sentence(text, "UnknownTimer", "class UnknownTimer")
    assert '@upon_timeout("tea")' in text


class EarlyTimer(UnknownTimer):
    @upon_start
    def begin(self):
        self.set_timer("tea", 0)

    @upon_timeout("tea")
    def drink(self):
        pass


def test_a_timer_set_to_less_than_one_tick():
    text = refused_in_a_run("EarlyTimer")
    assert_one_sentence(text, "EarlyTimer", "class EarlyTimer")
    assert "at least 1" in text


class NeverRests(Election):
    topology = "ring"
    count: int = 0

    @upon_start
    def begin(self):
        self.count = 1

    @whenever(lambda self: self.count > 0)
    def go_on(self):
        self.count += 1


def test_a_whenever_that_never_rests():
    text = refused_in_a_run("NeverRests")
    assert_one_sentence(text, "NeverRests", "class NeverRests")
    assert "whenever" in text


class Stranger(Election):
    @upon_start
    def begin(self):
        self.send((self.id + 1) % 4 + 1, Ping())

    @upon(Ping)
    def take(self, sender, message):
        pass


@pytest.mark.parametrize("digest", [False, True])
def test_sending_to_one_who_is_no_neighbour(digest):
    scenario = Scenario(f"{__name__}:Stranger", topology=TopologySpec(ids=[1, 2, 3, 4], kind="ring"), starters=[1])
    with pytest.raises(MisuseError) as caught:
        simulate(scenario, digest=digest)
    text = str(caught.value)
    assert_one_sentence(text, "Stranger", "class Stranger")
    assert "process 1 send to 3" in text


def test_sending_to_one_who_does_not_exist():
    scenario = Scenario(f"{__name__}:Stranger", topology=TopologySpec(ids=[1, 20], kind="complete"), starters=[20])
    with pytest.raises(MisuseError, match="process 20 send to 2, to which it has no link"):
        simulate(scenario)


class ShowsNothing(Election):
    name = "shows-nothing"
    links_to = "below"


def test_what_is_declared_to_be_shown_has_to_be_a_field():
    said = refused(ShowsNothing)
    assert_one_sentence(said, "ShowsNothing", "class ShowsNothing")
    assert "declares that 'below' is shown, but has no such field" in said


class MakesItself(Election):
    count: int = 0

    def __init__(self):
        self.count = 3


@dataclass
class MadeByDataclass(Election):
    count: int = 0


def test_a_class_that_makes_its_processes_by_itself():
    for cls in (MakesItself, MadeByDataclass):
        text = refused(cls)
        assert_one_sentence(text, cls.__name__, f"class {cls.__name__}")
        assert "__init__" in text and "declare fields with defaults" in text


class FieldAndProperty(Election):
    best: Pid = 0

    @property
    def best(self):  # noqa: F811
        return 1


def test_a_field_and_a_method_of_one_name():
    assert "has a method best" in refused(FieldAndProperty)


@dataclass(frozen=True)
class WithPath(Message):
    path: tuple[int, ...] = ()


class SendsList(Election):
    name = "sends-list"
    topology = "ring"

    @upon_start
    def begin(self):
        self.send(self.successor, WithPath([self.id]))

    @upon(WithPath)
    def receive(self, sender, message):
        self.elect(self.id)


def test_a_list_where_a_message_declares_a_tuple_is_told_by_the_checker():
    with pytest.raises(MisuseError) as caught:
        check(Scenario(f"{__name__}:SendsList", topology=TopologySpec(n=2)))
    assert_one_sentence(str(caught.value), "WithPath", "class WithPath")
    assert "with a list as its path: use tuple" in str(caught.value)
