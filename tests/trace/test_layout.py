"""Where things are in a diagram: nothing coincides, nothing overlaps, time goes one way."""

import math
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_runs import bully_in_trouble, bully_with_crash, ring, traces

from habemus.trace import Event, Header, SentMessage, Trace
from habemus.trace.axis import Scale, lay_axis
from habemus.trace.labels import Canvas, Label, Spot, Style, make_box, measure_text, touch
from habemus.trace.layout import lay_out
from habemus.trace.story import LOST, RECEIVED, read_story

SCALE = Scale(slot=20, step=40, per_flight=15)
DIRECTIONS = ["down", "right"]


def layout_of(trace, direction="auto"):
    return lay_out(read_story(trace), direction, 80, 100)


@given(traces, st.sampled_from(DIRECTIONS))
@settings(max_examples=15, deadline=None)
def test_no_two_labels_overlap(trace, direction):
    for one, other in combinations(layout_of(trace, direction).labels, 2):
        assert not touch(one.corners, other.corners), f"{one} and {other}"


@given(traces, st.sampled_from(DIRECTIONS))
@settings(max_examples=15, deadline=None)
def test_no_label_covers_an_event_or_a_foreign_arrow(trace, direction):
    layout = layout_of(trace, direction)
    for label in layout.labels:
        assert not any(touch(label.corners, make_box(*mark.at, 6, 6)) for mark in layout.marks), label
        if label.kind is not None:
            assert not any(touch(label.corners, piece) for arrow in layout.arrows for piece in arrow.pieces), label


@given(traces)
@settings(max_examples=20, deadline=None)
def test_no_two_events_of_a_process_coincide_and_time_never_runs_backwards(trace):
    story = read_story(trace)
    position = lay_axis(story, SCALE).position
    for pid in story.ids:
        own = [position[e.event] for e in story.events if e.process == pid]
        assert all(after - before > SCALE.slot - 0.001 for before, after in pairwise(own))
    for transmission in story.transmissions:
        if transmission.fate == RECEIVED:
            assert position[transmission.end.event] > position[transmission.sent.event]
    for one, other in combinations(story.events, 2):
        if one.time < other.time:
            assert position[one.event] < position[other.event]


def test_idle_time_is_left_out_and_the_break_is_marked():
    axis = lay_axis(read_story(bully_with_crash()), SCALE)
    starts = {moment.time: moment.start for moment in axis.moments}
    before = max(time for time in starts if time < 200)
    assert any(starts[before] < broken.at < starts[200] and broken.ticks == 200 - before for broken in axis.breaks)
    assert starts[200] - starts[before] < 4 * SCALE.step


def test_equal_delays_in_a_ring_look_equal():
    assert lay_axis(read_story(ring(6)), SCALE).even
    assert not lay_axis(read_story(bully_with_crash()), SCALE).even


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_arrows_run_from_the_sender_s_event_to_the_receiver_s(direction):
    layout = layout_of(bully_with_crash(), direction)
    at = {mark.event.event: mark.at for mark in layout.marks}
    received = [arrow for arrow in layout.arrows if arrow.transmission.fate == RECEIVED]
    assert received
    for arrow in received:
        assert arrow.pieces == [(at[arrow.transmission.sent.event], at[arrow.transmission.end.event])]


def test_lost_messages_end_before_they_reach_the_lane_and_apart_from_each_other():
    layout = layout_of(bully_in_trouble(), "down")
    lost = [arrow for arrow in layout.arrows if arrow.transmission.fate == LOST]
    assert len(lost) > 3
    for arrow in lost:
        (x1, _), (x2, _) = arrow.pieces[-1]
        lane = layout.frame.left + layout.story.ids.index(arrow.transmission.message.to) * layout.frame.spacing
        assert min(x1, lane) < x2 < max(x1, lane)
    ends = [arrow.pieces[-1][1] for arrow in lost]
    assert all(math.dist(one, other) > 3 for one, other in combinations(ends, 2))


def test_where_a_ring_closes_an_arrow_leaves_on_one_side_and_comes_back_on_the_other():
    layout = layout_of(ring(8), "down")
    closing = [arrow for arrow in layout.arrows if layout.story.closes_ring(arrow.transmission)]
    assert closing
    for arrow in closing:
        (start, out), (back, end) = arrow.pieces
        assert out[0] > start[0] and back[0] < end[0] and out[1] == back[1]


def test_no_arrow_of_a_ring_crosses_the_axis_whichever_way_it_goes():
    there = SentMessage(0, 4, 1, "Probe", {"text": "a label as long as they get"})
    back = SentMessage(1, 1, 4, "Echo", {})
    events = [
        Event(0, 0, "start", 4, "ask", sent=[there]),
        Event(1, 1, "message", 1, "answer", received=[there], sent=[back]),
        Event(2, 2, "message", 4, "hear", received=[back]),
    ]
    header = Header("0", 1, "ring", [1, 2, 3, 4], [(1, 2), (2, 3), (3, 4), (4, 1)])
    layout = lay_out(read_story(Trace(header, events)), "down", 100, 100)
    axis = layout.frame.axis_at(0)[0]
    assert [len(arrow.pieces) for arrow in layout.arrows] == [2, 2]
    assert all(x > axis for arrow in layout.arrows for piece in arrow.pieces for x, _ in piece)


@pytest.mark.parametrize("n", [5, 16])
def test_in_a_ring_every_message_has_its_label(n):
    layout = layout_of(ring(n))
    assert sum(label.kind is not None for label in layout.labels) == len(layout.arrows)


def test_a_label_without_room_is_dropped():
    canvas = Canvas(100, 100)
    style = Style("message", 10)
    assert canvas.place("here", style, [Spot(50, 50, 0, 0)], 1)
    assert not canvas.place("here", style, [Spot(52, 55, 30, 0)], 1)
    assert canvas.place("here", style, [Spot(52, 55, 30, 0), Spot(50, 70, 0, 0.5)], 1)
    assert not canvas.place("here", style, [Spot(99, 20, 0, 0)], 1)
    assert [label.y for label in canvas.labels] == [50, 70]


def test_turned_boxes_touch_only_where_they_really_do():
    style = Style("message", 10)
    flat = Label("a long label", style, 0, 0)
    steep = Label("a long label", style, 0, 0, 45)
    beyond = (measure_text("a long label", 10) / 2 * 0.9, 0)
    assert touch(flat.corners, make_box(*beyond, 4, 4))
    assert not touch(steep.corners, make_box(*beyond, 4, 4))
