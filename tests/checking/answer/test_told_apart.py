"""States and messages that differ are told apart: by the order of a dict, and by the types of values."""

from dataclasses import dataclass

import pytest
from small_instances import Ball, question

from habemus.checking.answer.check import check
from habemus.checking.answer.replay import play
from habemus.checking.search.effort import Effort
from habemus.process import Election, Message, MisuseError, Pid, upon, upon_start

HERE = "test_told_apart"

both = pytest.mark.parametrize("reduced", [True, False], ids=["reduced", "full"])


def has_two_leaders(verdict):
    """Whether the verdict is that, and its run shows it when it is played."""
    assert verdict.violated == "uniqueness", (verdict, verdict.properties)
    return "uniqueness" in [judge.name for judge in play(verdict.counterexample).properties if judge.witness]


@dataclass(frozen=True)
class Nested(Message):
    """A tuple may hold what can be changed."""

    parts: tuple[object, ...] = ()


class FirstHeard(Election):
    """2 leads, and 1 as well if it heard 3 before 2; it remembers them in a dict within its field."""

    name = "first-heard"
    topology = "complete"
    heard: dict[int, dict[Pid, bool]] = {0: {}}

    @upon_start
    def begin(self) -> None:
        if self.id > 1:
            self.send(1, Ball())

    @upon(Ball)
    def hear(self, sender: Pid, message: Ball) -> None:
        self.heard[0][sender] = True
        if len(self.heard[0]) == 2:
            self.send(2, Nested())

    @upon(Nested)
    def decide(self, sender: Pid, message: Nested) -> None:
        if self.id == 2:
            self.elect(2)
            self.send(1, Nested())
        elif list(self.heard[0]) == [3, 2]:
            self.elect(1)


class FirstInList(FirstHeard):
    """The same with a dict in a list."""

    name = "first-in-list"
    heard: list[dict[Pid, bool]] = [{}]


@pytest.mark.parametrize("cls", ["FirstHeard", "FirstInList"])
@both
def test_the_order_of_a_dict_within_a_field_is_part_of_the_state(cls, reduced):
    asked = question(f"{HERE}:{cls}", n=3, properties=["uniqueness"])
    assert has_two_leaders(check(asked, Effort(reduced=reduced)))


class Unhashable(FirstHeard):
    """Sends a list within a tuple."""

    name = "unhashable"

    def begin(self) -> None:
        self.send(self.neighbours, Nested(([],)))


class Mixed(FirstHeard):
    """Its keys cannot be sorted."""

    name = "mixed"
    heard: dict[object, dict[Pid, bool]] = {0: {}, None: {}}


def test_contents_that_cannot_be_compared_are_told_or_kept_as_they_are():
    with pytest.raises(MisuseError, match=r"Nested \(.*\) is sent with contents of its parts that cannot be hashed"):
        check(question(f"{HERE}:Unhashable", n=2))
    assert has_two_leaders(check(question(f"{HERE}:Mixed", n=3, properties=["uniqueness"])))


class TrueOrOne(Election):
    """1 leads, and 2 as well if what it heard first is True: 1 is not."""

    name = "true-or-one"
    topology = "complete"
    first: object = None

    @upon_start
    def begin(self) -> None:
        if self.id == 1:
            self.elect(1)
        self.send(self.neighbours, Ball())

    @upon(Ball)
    def hear(self, sender: Pid, message: Ball) -> None:
        if self.id == 2 and self.first is None:
            self.first = 1 if sender == 1 else True
        elif self.first is True:
            self.elect(2)


class SaysTrueOrOne(TrueOrOne):
    """The same with what is in a message."""

    name = "says-true-or-one"

    def begin(self) -> None:
        if self.id == 1:
            self.elect(1)
            self.send(2, Nested((1,)))
            self.send(2, Nested((True,)))

    @upon(Nested)
    def hear_part(self, sender: Pid, message: Nested) -> None:
        if message.parts[0] is True:
            self.elect(2)


@pytest.mark.parametrize("cls", ["TrueOrOne", "SaysTrueOrOne"])
@both
def test_values_of_two_types_are_two_values_though_python_takes_them_for_equal(cls, reduced):
    asked = question(f"{HERE}:{cls}", n=3, properties=["uniqueness"])
    assert has_two_leaders(check(asked, Effort(reduced=reduced)))
