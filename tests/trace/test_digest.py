"""The digest: the same from every way to record a run, and another one as soon as any fact is."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.scenario import Scenario
from habemus.simulation import simulate
from habemus.trace import Event, Header, SentMessage, Trace
from habemus.trace.digest import MASK, hash_value, mix

HEADER = Header("0", 1, "bully", [1, 2], [(1, 2)])
MESSAGE = SentMessage(3, 1, 2, "Answer", {"term": 4, "log": [1, 2]})
EVENT = Event(7, 9, "message", 2, "answer", "Bully", None, [MESSAGE], [MESSAGE], {"stage": "asking"}, "leader", [5, 6])

OTHERS = [
    {"event": 8},
    {"time": 10},
    {"kind": "timeout"},
    {"process": 1},
    {"process": None},
    {"clause": "ask"},
    {"layer": ""},
    {"subject": "patience"},
    {"subject": 0},
    {"received": []},
    {"received": [MESSAGE, MESSAGE]},
    {"received": [], "sent": [MESSAGE, MESSAGE]},
    {"sent": []},
    {"changed": {}},
    {"changed": {"stage": None}},
    {"changed": {"asking": "stage"}},
    {"changed": {"stage": "asking", "leader": 1}},
    {"role": None},
    {"role": ""},
    {"parents": [5]},
    {"parents": [5, 6, 6]},
    *({"sent": [msgspec.structs.replace(MESSAGE, **{field: 8})]} for field in ("message", "sender", "to")),
    {"sent": [msgspec.structs.replace(MESSAGE, type="Reply")]},
    {"sent": [msgspec.structs.replace(MESSAGE, fields={"term": 4})]},
    {"sent": [msgspec.structs.replace(MESSAGE, fields={"term": 4, "log": [2, 1]})]},
    {"received": [msgspec.structs.replace(MESSAGE, fields={"term": 5, "log": [1, 2]})]},
]


def digest(*events):
    return Trace(HEADER, list(events)).digest


@pytest.mark.parametrize("fact", OTHERS, ids=str)
def test_another_fact_another_digest(fact):
    assert digest(msgspec.structs.replace(EVENT, **fact)) != digest(EVENT)


def test_the_order_and_the_number_of_events_count():
    other = msgspec.structs.replace(EVENT, event=8)
    assert len({digest(EVENT, other), digest(other, EVENT), digest(EVENT), digest(EVENT, other, other)}) == 4


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(values, values)
def test_values_have_the_same_number_only_if_json_writes_them_alike(one, other):
    alike = msgspec.json.encode(one) == msgspec.json.encode(other)
    assert (hash_value(one) == hash_value(other)) == alike


@given(st.integers(0, MASK), st.integers(-MASK, MASK), st.integers(-MASK, MASK))
def test_no_fact_is_lost_in_the_mixture(state, one, other):
    assert 0 <= mix(state, one) <= MASK
    assert (mix(state, one) == mix(state, other)) == ((one - other) % (MASK + 1) == 0)


def test_the_digest_may_be_asked_for_before_the_end():
    whole = simulate(Scenario("bully"), keep=10**6)
    begun = simulate(Scenario("bully", events=5), keep=10**6)
    assert begun.digest == begun.trace.digest == Trace(HEADER, whole.trace.events[: len(begun.trace.events)]).digest
