"""From the annotations come snapshot, restore, diff and JSON; the author of an algorithm writes none of them."""

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.catalogue import algorithm_names, find_algorithm
from habemus.process import (
    Durable,
    Host,
    Message,
    MisuseError,
    Parameter,
    Process,
    State,
    dissect,
    upon,
    upon_command,
    upon_recover,
    upon_start,
)
from habemus.process.anatomy import field_types
from habemus.scenario import Call, Crash, Recover, Scenario, TopologySpec
from habemus.simulation import simulate


class Shelf(State):
    """A value with methods of its own."""

    def __init__(self, books: list[int]) -> None:
        self.books = books

    def freeze(self):
        return tuple(self.books)

    @classmethod
    def thaw(cls, frozen):
        return cls(list(frozen))

    def to_plain(self):
        return {"books": self.books}


class Everything(Process):
    """A field of every sort."""

    number: int = 0
    text: str = ""
    flag: bool = False
    perhaps: int | None = None
    pair: tuple[int, str] = (0, "")
    names: set[int] = set()
    queue: list[int] = []
    table: dict[int, str] = {}
    deep: dict[int, list[set[int]]] = {1: [{1}]}
    shelf: Shelf = Shelf([])
    patience: Parameter[int] = 7
    term: Durable[int] = 0


class Bare(Host):
    def __init__(self, id: int = 1, n: int = 1) -> None:
        self.id = id
        self.n = n


ANATOMY = dissect(Everything)
ints = st.integers(-5, 5)
states = st.fixed_dictionaries(
    {
        "number": ints,
        "text": st.text(max_size=3),
        "flag": st.booleans(),
        "perhaps": st.none() | ints,
        "pair": st.tuples(ints, st.text(max_size=2)),
        "names": st.sets(ints),
        "queue": st.lists(ints),
        "table": st.dictionaries(ints, st.text(max_size=2)),
        "deep": st.dictionaries(ints, st.lists(st.sets(ints), max_size=2), max_size=3),
        "shelf": st.lists(ints).map(Shelf),
        "term": ints,
    }
)


def process_in(state: dict) -> Everything:
    process = ANATOMY.create(Bare(), {})
    for name, value in state.items():
        setattr(process, name, value)
    return process


def state_of(process: Everything) -> dict:
    return {name: getattr(process, name) for name in ANATOMY.fields}


def test_parameters_are_not_state():
    assert set(ANATOMY.fields) == set(state_of(process_in({}))) and "patience" not in ANATOMY.fields
    assert list(ANATOMY.parameters) == ["patience"]
    assert ANATOMY.durable == ("term",)


@given(states)
def test_restore_brings_back_exactly_what_snapshot_saw_in_values_and_types(state):
    snapshot = ANATOMY.snapshot(process_in(state))
    other = ANATOMY.create(Bare(), {})
    ANATOMY.restore(other, snapshot)
    assert state_of(other) == state
    assert [type(value) for value in state_of(other).values()] == [type(state[name]) for name in ANATOMY.fields]


@given(states)
def test_a_snapshot_is_hashable_and_does_not_follow_later_changes(state):
    process = process_in(state)
    snapshot = ANATOMY.snapshot(process)
    key = hash(snapshot)
    process.names.add(99)
    process.queue.append(99)
    process.table[99] = "late"
    process.shelf.books.append(99)
    process.deep.setdefault(99, []).append({99})
    for sets in process.deep.values():
        sets.append({98})
        sets[0].add(97)
    assert hash(snapshot) == key
    after = ANATOMY.snapshot(process)
    assert set(ANATOMY.diff(snapshot, after)) == {"names", "queue", "table", "deep", "shelf"}
    ANATOMY.restore(process, snapshot)
    assert ANATOMY.snapshot(process) == snapshot


@given(states)
def test_two_restored_processes_share_nothing(state):
    snapshot = ANATOMY.snapshot(process_in(state))
    one, other = ANATOMY.create(Bare(), {}), ANATOMY.create(Bare(), {})
    ANATOMY.restore(one, snapshot)
    ANATOMY.restore(other, snapshot)
    one.queue.append(99)
    one.shelf.books.append(99)
    one.deep[99] = []
    for sets in one.deep.values():
        sets.append({5})
    assert ANATOMY.snapshot(other) == snapshot


@given(states, states)
def test_diff_names_exactly_the_fields_that_differ_with_their_new_values(before, after):
    old, new = ANATOMY.snapshot(process_in(before)), ANATOMY.snapshot(process_in(after))
    diff = ANATOMY.diff(old, new)
    assert set(diff) == {name for name in ANATOMY.fields if before[name] != after[name]}
    everything = ANATOMY.state(process_in(after))
    assert diff == {name: everything[name] for name in diff}


@given(states)
def test_state_is_json_and_says_the_same_whatever_order_sets_and_dicts_were_filled_in(state):
    written = json.dumps(ANATOMY.state(process_in(state)))
    assert json.loads(written) == ANATOMY.state(process_in(state))
    shuffled = {
        **state,
        "names": {*list(state["names"])[::-1]},
        "table": dict(sorted(state["table"].items(), reverse=True)),
    }
    assert json.dumps(ANATOMY.state(process_in(shuffled))) == written
    restored = ANATOMY.create(Bare(), {})
    ANATOMY.restore(restored, ANATOMY.snapshot(process_in(state)))
    assert json.dumps(ANATOMY.state(restored)) == written


def test_mutable_defaults_are_not_shared_between_processes_however_deep():
    one, other = ANATOMY.create(Bare(1), {}), ANATOMY.create(Bare(2), {})
    one.names.add(1)
    one.queue.append(1)
    one.table[1] = "mine"
    one.deep[1][0].add(42)
    one.shelf.books.append(1)
    assert (other.names, other.queue, other.table, other.deep) == (set(), [], {}, {1: [{1}]})
    assert other.shelf == Shelf([])


def test_a_value_that_can_change_has_no_hash_and_is_no_part_of_a_message():
    @dataclass(frozen=True)
    class Loan(Message):
        shelf: Shelf

    class Library(Process):
        @upon(Loan)
        def lend(self, sender, message):
            pass

    with pytest.raises(TypeError, match="Shelf can change and has no hash"):
        hash(Shelf([]))
    with pytest.raises(MisuseError, match="mutable field shelf"):
        dissect(Library)


def test_fields_are_inherited_and_a_default_can_be_given_anew():
    class Special(Everything):
        number = 5
        extra: list[int] = [1]

    anatomy = dissect(Special)
    process = anatomy.create(Bare(), {})
    assert anatomy.fields == (*ANATOMY.fields, "extra")
    assert (process.number, process.extra, process.queue) == (5, [1], [])


class Diary(Process):
    """Counts what it does, half of it durably."""

    remembered: Durable[int] = 0
    pages: Durable[list[int]] = []
    forgotten: int = 0
    back: int = 0

    @upon_start
    def begin(self):
        self.note()

    @upon_command("note")
    def note(self):
        self.remembered += 1
        self.pages.append(self.remembered)
        self.forgotten += 1

    @upon_recover
    def come_back(self):
        self.back = 1


def test_durable_fields_survive_a_crash_and_all_others_do_not():
    scenario = Scenario(
        f"{__name__}:Diary",
        topology=TopologySpec(ids=[1, 2], kind="complete"),
        workload=[Call(5, [1, 2], "note"), Call(20, [1, 2], "note")],
        faults=[Crash(10, 1), Recover(15, 1)],
    )
    events = simulate(scenario, keep=100).trace.events
    last = {event.process: event.changed for event in events if event.clause == "note"}
    assert last[1] == {"remembered": 3, "pages": [1, 2, 3], "forgotten": 1}
    assert last[2] == {"remembered": 3, "pages": [1, 2, 3], "forgotten": 3}
    assert [event.changed for event in events if event.clause == "come_back"] == [{"back": 1}]


@pytest.mark.parametrize("name", algorithm_names())
def test_a_message_type_knows_what_its_tuples_hold(name):
    """Compiled classes have forgotten it; their source has not."""
    anatomy = dissect(find_algorithm(name))
    for message in anatomy.messages:
        for _, hint in field_types(message):
            assert hint is not tuple and not isinstance(hint, str)
