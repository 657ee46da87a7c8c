"""Merged traces keep causality, whatever the clocks say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.trace import Event, Header, Trace, TraceError
from habemus.trace.merging import merge


@given(st.data())
def test_clocks_that_disagree_do_not_change_what_caused_what(data):
    """Two processes that pass a message to and fro, with clocks that say anything."""
    clock = st.integers(0, 10**6)
    count = data.draw(st.integers(1, 12))
    traces = [[], []]
    for number in range(count):
        parents = [number - 1] if number else []
        traces[number % 2].append(Event(number, data.draw(clock), "message", number % 2 + 1, parents=parents))
    header = Header("0", 1, "any", [1, 2], [(1, 2)])
    merged = merge([Trace(header, traces[0]), Trace(header, traces[1])])
    assert [event.process for event in merged.events] == [number % 2 + 1 for number in range(count)]
    assert sorted(event.time for event in merged.events) == [event.time for event in merged.events]


def test_a_circle_of_causes_is_no_run():
    header = Header("0", 1, "any", [1], [])
    with pytest.raises(TraceError, match="causes of themselves"):
        merge([Trace(header, [Event(0, 0, "message", 1, parents=[1]), Event(1, 0, "message", 1, parents=[0])])])
