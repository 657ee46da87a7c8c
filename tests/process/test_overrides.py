"""A subclass of one of our classes may declare its fields anew, compiled or not."""

import pytest

from habemus.checking.answer.asking import check_scenario
from habemus.election.yoyo import YoYo
from habemus.museum import EXHIBITS
from habemus.mutex.lamport import Lamport
from habemus.mutex.maekawa import Maekawa
from habemus.mutex.quorum import Quorum
from habemus.process import Host, MisuseError, Parameter, Pid, dissect
from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate


class OwnMaekawa(Maekawa):
    highest: int = 5
    queue: set[tuple[int, Pid]] = set()
    quorums: Parameter[str] = "grid"  # type: ignore[assignment]


class OwnLamport(Lamport):
    clock: int = 3
    queue: dict[Pid, int] = {}


class LaterLamport(OwnLamport):
    clock = 7


class OwnQuorum(Quorum):
    latest: dict[Pid, int] = {}


class OwnYoYo(YoYo):
    ids: dict[Pid, Pid] = {}


class Bare(Host):
    def __init__(self) -> None:
        self.id = 1
        self.n = 1


@pytest.mark.parametrize("cls", [OwnMaekawa, OwnLamport, LaterLamport, OwnQuorum, OwnYoYo])
def test_fields_that_are_declared_anew_work_in_the_simulator_and_in_the_checker(cls):
    base = next(base for base in cls.__mro__ if base.__module__.startswith("habemus."))
    scenario = Scenario(f"{__name__}:{cls.__name__}", topology=TopologySpec(n=3))
    outcome, original = simulate(scenario), simulate(Scenario(base.name, topology=TopologySpec(n=3)))
    assert outcome.messages == original.messages
    assert all(judge.holds for judge in outcome.properties)
    assert (
        check_scenario(scenario, entries=1).verdict == check_scenario(original.scenario, entries=1).verdict == "holds"
    )


def test_the_latest_default_counts_and_is_not_shared():
    assert dissect(OwnLamport).create(Bare(), {}).clock == 3
    one, other = (dissect(LaterLamport).create(Bare(), {}) for _ in range(2))
    assert (one.clock, one.queue) == (7, {})
    one.queue[1] = 1
    assert other.queue == {}
    assert dissect(OwnMaekawa).create(Bare(), {}).quorums == "grid"
    assert dissect(OwnMaekawa).create(Bare(), {"quorums": "auto"}).quorums == "auto"


def test_the_museum_overrides_methods_only():
    for exhibit in EXHIBITS.values():
        assert not set(vars(exhibit.cls).get("__annotations__", ())) & set(dissect(exhibit.sound).fields)


class PropertyForField(Lamport):
    @property
    def clock(self) -> int:  # type: ignore[override]
        return 1


def test_a_method_in_place_of_a_field_is_refused():
    with pytest.raises(MisuseError, match=r"clock"):
        dissect(PropertyForField)
