"""The events of a running group are merged causes first, in whatever order the nodes report them."""

from typing import Any
from unittest import mock

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from habemus.checking.answer.validation import validate
from habemus.scenario import Scenario
from habemus.simulation import simulate
from habemus.trace import Event, Trace, live_merging
from habemus.trace.live_merging import LiveMerger
from habemus.trace.merging import EVENT_BITS


def check_causes(events):
    """Numbers count, causes come first, and whoever receives a message has an event that sent it among its causes."""
    sent = {}
    for number, event in enumerate(events):
        assert event.event == number and all(parent < number for parent in event.parents)
        for carried in event.received:
            assert sent[carried.message] in event.parents
        for carried in event.sent:
            sent[carried.message] = number


def told_by_nodes(recorded: Trace) -> dict[int, list[Event]]:
    """The events of each process, numbered as its node numbers them."""
    lanes = {id: [event for event in recorded.events if event.process == id] for id in recorded.ids}
    numbers = {
        event.event: (life << EVENT_BITS) + position
        for life, lane in enumerate(lanes.values())
        for position, event in enumerate(lane)
    }
    return {
        id: [
            msgspec.structs.replace(event, event=numbers[event.event], parents=[numbers[p] for p in event.parents])
            for event in lane
        ]
        for id, lane in lanes.items()
    }


def merge_live(lanes: dict[int, list[Event]], random: Any) -> tuple[LiveMerger, list[Event]]:
    merged: list[Event] = []
    merger = LiveMerger(0, merged.append)
    while any(lanes.values()):
        merger.add(lanes[random.choice([id for id, lane in lanes.items() if lane])].pop(0))
    return merger, merged


@given(st.randoms(use_true_random=False), st.integers(0, 20))
def test_however_the_reports_of_the_nodes_overtake_each_other_the_merged_trace_is_a_run(random, seed):
    recorded = simulate(Scenario("chang-roberts", seed=seed), keep=1000).trace
    merger, merged = merge_live(told_by_nodes(recorded), random)
    assert len(merged) == len(recorded.events) and not merger.waiting
    check_causes(merged)
    assert validate(Trace(recorded.header, merged)) == len(merged)


@given(st.randoms(use_true_random=False), st.integers(0, 20))
def test_a_live_trace_stays_in_order_and_within_its_memory_when_old_causes_are_forgotten(random, seed):
    recorded = simulate(Scenario("chang-roberts", seed=seed), keep=1000).trace
    with mock.patch.object(live_merging, "REMEMBERED", 5):
        merger, merged = merge_live(told_by_nodes(recorded), random)
        assert len(merger.numbers) <= 5 and len(merger.messages) <= 5
    assert [event.event for event in merged] == list(range(len(recorded.events))) and not merger.waiting
    for event in merged:
        assert all(parent < event.event for parent in event.parents)


def test_a_cause_that_is_lost_on_the_way_holds_up_nobody_for_ever():
    recorded = simulate(Scenario("chang-roberts"), keep=1000).trace
    lanes = told_by_nodes(recorded)
    lost = lanes[recorded.ids[0]].pop(0)
    merged: list[Event] = []
    with mock.patch.object(live_merging, "MOST_WAITING", 3):
        merger = LiveMerger(0, merged.append)
        for lane in lanes.values():
            for event in lane:
                merger.add(event)
                assert merger.waiting_count == sum(map(len, merger.waiting.values())) <= 3
    assert len(merged) + merger.waiting_count == len(recorded.events) - 1
    assert merged[-1].process is not None and lost.event not in merger.numbers
    assert all(parent < event.event for event in merged for parent in event.parents)
