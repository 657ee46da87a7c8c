"""State that no driver could save and compare, and promises that nobody would judge, are refused by all drivers."""

from collections import Counter, deque
from dataclasses import dataclass, field

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


@dataclass(frozen=True)
class Hop(Message):
    id: Pid
    hops: int = field(default=0, compare=False)


class Uncompared(Greeter):
    """Two messages that differ would be one action."""

    @upon(Hop)
    def count_hops(self, sender: Pid, message: Hop) -> None:
        if message.hops == 5:
            self.elect(self.id)


@dataclass(frozen=True)
class Alike(Message):
    hops: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alike)


class OwnEquality(Greeter):
    @upon(Alike)
    def count_hops(self, sender: Pid, message: Alike) -> None:
        pass


@dataclass(frozen=True)
class Record:
    number: int = field(default=0, compare=False)


class UncomparedField(Greeter):
    record: Record = Record()


class Queue(Greeter):
    """One queue for all processes, if nobody notices."""

    queue: deque[int] = deque()


class Tally(Greeter):
    """A saved Counter would come back as a dict, which fails where a Counter does not."""

    tally: Counter[int] = Counter()


class TakenFromVariable(Greeter):
    def hear(self, sender: Pid, message: Hello) -> None:
        names = {"a", "b"} - {"c"}
        self.elect(self.id if names.pop() == "a" else sender)


class GoesThroughDifference(Greeter):
    seen: set[Pid] = set()

    def hear(self, sender: Pid, message: Hello) -> None:
        for other in self.seen - {self.id}:
            self.elect(other)


class ChangesMessage(Greeter):
    def hear(self, sender: Pid, message: Hello) -> None:
        object.__setattr__(message, "mood", 1)


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
    Uncompared: "is not compared by all its fields",
    OwnEquality: "is not compared by all its fields",
    UncomparedField: "keeps a Record in the field record",
    Queue: "keeps a deque in the field queue",
    Tally: "keeps a Counter in the field tally",
    TakenFromVariable: "goes through names, a set, in the order of hashes",
    GoesThroughDifference: "goes through self.seen - {self.id}, a set",
    ChangesMessage: "uses __setattr__: a clause may not reach around declared fields",
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
    __private: int = 0

    def hear(self, sender: Pid, message: Hello) -> None:
        self.__private += 1
        names = {"a", "b"}
        names = sorted(names)
        self.rows.setdefault(sender, []).append((message, Hello()))
        self.one = list(self.other)
        self.elect(max({sender, self.id}))


def test_what_can_be_saved_and_compared_is_accepted():
    assert check(Scenario("test_hidden_state:Plain", topology=TopologySpec(n=2))).verdict == "holds"


class Parcel:
    content = 0


@dataclass(frozen=True)
class Delivery(Message):
    parcel: object = None


class SendsParcel(Greeter):
    """Whoever receives it could change it for all."""

    def greet(self) -> None:
        self.send(self.neighbours, Delivery(Parcel()))

    @upon(Delivery)
    def unpack(self, sender: Pid, message: Delivery) -> None:
        pass


def test_an_object_of_an_unknown_class_in_a_message_is_refused_by_the_checker():
    with pytest.raises(MisuseError, match=r"Delivery .* is sent with a Parcel in its parcel"):
        check(Scenario("test_hidden_state:SendsParcel", topology=TopologySpec(n=2)))


class InOrderOfArrival(Greeter):
    """1 leads, and 2 as well if 3 was heard first; the order is read while something seems to be counted."""

    heard: dict[Pid, bool] = {}
    queue: list[Pid] = []

    def greet(self) -> None:
        if self.id == 1:
            self.elect(1)
        else:
            self.send(1, Hello())

    def hear(self, sender: Pid, message: Hello) -> None:
        self.heard[sender] = True
        if len(self.heard) == 2:
            any(self.queue.append(other) for other in self.heard)
            if self.queue == [3, 2]:
                self.send(2, Delivery())

    @upon(Delivery)
    def follow(self, sender: Pid, message: Delivery) -> None:
        self.elect(2)


def test_the_order_of_a_dict_counts_where_something_is_done_while_it_is_gone_through():
    asked = Scenario("test_hidden_state:InOrderOfArrival", topology=TopologySpec(n=3))
    assert check(asked, properties=["uniqueness"]).violated == "uniqueness"
