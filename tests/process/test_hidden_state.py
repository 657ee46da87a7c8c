"""State that no driver could save and compare, and promises that nobody would judge, are refused by all drivers."""

from dataclasses import dataclass

import pytest

from habemus import check, simulate
from habemus.catalogue import UnknownAlgorithmError
from habemus.process import Election, Message, MisuseError, Pid, upon, upon_start
from habemus.scenario import Scenario, TopologySpec


@dataclass(frozen=True)
class Hello(Message):
    pass


class Box:
    content = 0


class Greeter(Election):
    name = "greeter"
    topology = "complete"

    @upon_start
    def greet(self) -> None:
        self.send(self.neighbours, Hello())

    @upon(Hello)
    def hear(self, sender: Pid, message: Hello) -> None:
        self.elect(max(sender, self.id))


class Boxed(Greeter):
    """Its default is one box for all processes."""

    box: object = Box()


class BoxedLater(Greeter):
    box: object = None

    def hear(self, sender: Pid, message: Hello) -> None:
        self.box = (Box(),)


class TwoNames(Greeter):
    """What goes into one list goes into the other, unless the two are saved and restored meanwhile."""

    one: list[int] = []
    other: list[int] = []

    def hear(self, sender: Pid, message: Hello) -> None:
        self.one = self.other
        self.one.append(sender)


class Twice(Greeter):
    rows: list[list[int]] = []

    def greet(self) -> None:
        self.rows = [[]] * 2


class Misspelt(Greeter):
    guarantees = ("uniqueness", "terminaton")


class WithoutTerm(Greeter):
    """It has no terms, so that nobody could judge this."""

    guarantees = ("one_leader_a_term",)


class FirstOfSet(Greeter):
    def hear(self, sender: Pid, message: Hello) -> None:
        self.elect(next(iter({sender, self.id})))


class TakenApart(Greeter):
    def hear(self, sender: Pid, message: Hello) -> None:
        first, _ = {sender, self.id}
        self.elect(first)


class SameKey(Greeter):
    seen: set[str] = set()

    def hear(self, sender: Pid, message: Hello) -> None:
        self.seen = {"a", "b"}
        self.elect(self.id if min(self.seen, key=len) == "a" else sender)


class Written(Greeter):
    def hear(self, sender: Pid, message: Hello) -> None:
        self.elect(self.id if f"{ {'a', 'b'} }" == "{'a', 'b'}" else sender)


REFUSED = {
    Boxed: "keeps a Box in the field box",
    BoxedLater: "keeps a Box in the field box",
    TwoNames: "the same list in two places, in one and in other",
    Twice: "the same list in two places, in rows and in rows",
    Misspelt: "promises 'terminaton' in `guarantees`, by which it is not judged: expected some of termination",
    WithoutTerm: "promises 'one_leader_a_term'",
    FirstOfSet: "in the order of hashes",
    TakenApart: "in the order of hashes",
    SameKey: "goes through self.seen, a set, in the order of hashes",
    Written: "in the order of hashes",
}


@pytest.mark.parametrize("driver", [simulate, check])
@pytest.mark.parametrize("cls", REFUSED, ids=lambda cls: cls.__name__)
def test_it_is_refused_with_its_name(cls, driver):
    with pytest.raises((MisuseError, UnknownAlgorithmError)) as refused:
        driver(Scenario(f"test_hidden_state:{cls.__name__}", topology=TopologySpec(n=2)))
    assert REFUSED[cls] in str(refused.value)


class Plain(Greeter):
    """What is known to be saved and compared: containers of containers, frozen dataclasses, and copies of a list."""

    rows: dict[int, list[tuple[Hello, ...]]] = {}
    one: list[int] = []
    other: list[int] = []

    def hear(self, sender: Pid, message: Hello) -> None:
        self.rows.setdefault(sender, []).append((message, Hello()))
        self.one = list(self.other)
        self.elect(max({sender, self.id}))


def test_what_can_be_saved_and_compared_is_accepted():
    assert check(Scenario("test_hidden_state:Plain", topology=TopologySpec(n=2))).verdict == "holds"
