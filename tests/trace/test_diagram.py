"""The SVG: well formed, complete, the same every time, light and dark."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_runs import bully_in_trouble, bully_with_crash, ring, traces

from habemus.properties import Witness
from habemus.trace import Event, Header, Trace
from habemus.trace.diagram import draw_space_time

SVG = "{http://www.w3.org/2000/svg}"


def titles(svg):
    return [title.text for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]


@given(traces, st.sampled_from(["down", "right", "auto"]))
@settings(max_examples=15, deadline=None)
def test_every_message_has_an_arrow_and_every_lost_one_a_cross(trace, direction):
    svg = draw_space_time(trace, direction=direction, limit=100_000)
    said = titles(svg)
    received = [c for e in trace.events if e.kind != "lost" for c in e.received]
    lost = [c for e in trace.events if e.kind == "lost" for c in e.received]
    assert sum(", received at " in title for title in said) == len(received)
    assert sum(", lost at " in title for title in said) == len(lost)
    assert svg.count('class="cross ') == 2 * len(lost)
    heads = svg.count('class="head ')
    in_legend = len({c.type for e in trace.events for c in e.sent}) + ("copy</text>" in svg)
    assert heads == len(received) + in_legend


@given(traces)
@settings(max_examples=15, deadline=None)
def test_every_event_of_a_process_says_what_it_is(trace):
    said = titles(draw_space_time(trace, limit=100_000))
    for event in trace.events:
        if event.process is not None:
            assert any(
                title.startswith(f"{event.time}: {event.clause or event.kind} at {event.process}") for title in said
            )


def test_the_same_trace_gives_the_same_bytes():
    assert draw_space_time(bully_in_trouble()) == draw_space_time(bully_in_trouble())


def test_light_and_dark_come_from_the_same_drawing():
    svg = draw_space_time(ring(5))
    assert "@media (prefers-color-scheme: dark)" in svg
    assert "@media" not in draw_space_time(ring(5), theme="dark")
    used = set(re.findall(r"var\((--\w+)\)", svg))
    light, dark = svg.split("@media")
    for name in used:
        assert f"{name}:" in light and f"{name}:" in dark


def test_nothing_is_loaded_from_elsewhere_and_nothing_is_referred_to_by_id():
    svg = draw_space_time(bully_in_trouble())
    assert re.findall(r"https?://[^\"'\s]*", svg) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"\bid=|href|url\(|@import|@font-face", svg)


def test_the_leader_wears_a_crown_in_gold_along_its_lane():
    svg = draw_space_time(ring(5))
    assert svg.count('stroke="#E69F00"') == 1
    assert "5 leads at the end" in svg
    assert ">leader</text>" in svg


def test_a_crashed_process_has_no_lane_until_it_recovers():
    lanes = re.findall(
        r'class="lane" x1="(\S+)" y1="(\S+)" x2="(\S+)" y2="(\S+)"',
        draw_space_time(bully_with_crash(), direction="down"),
    )
    last = max(float(lane[0]) for lane in lanes)
    pieces = sorted((float(y1), float(y2)) for x, y1, _, y2 in lanes if float(x) == last)
    assert len(pieces) == 2 and pieces[0][1] + 100 < pieces[1][0]


def test_a_paused_process_has_a_dotted_lane():
    assert draw_space_time(bully_in_trouble()).count('class="lane paused"') == 1
    assert 'class="lane paused"' not in draw_space_time(bully_with_crash())


def test_a_witness_is_outlined_and_its_processes_are_named_in_vermillion():
    trace = ring(5)
    witness = Witness("two of them <at once>", 3, [2, 4], [0, 6])
    svg = draw_space_time(trace, witnesses=[witness])
    assert svg.count('class="witness"') == 2
    assert len(re.findall(r'class="id accused"[^>]*>(\d+)<', svg)) == 2
    assert "violation: two of them <at once>" in titles(svg)


def test_a_diagram_of_part_of_a_trace_says_so():
    trace = ring(8)
    assert f"first 12 of {len(trace.events)} events" in draw_space_time(trace, limit=12)
    assert "first 4 of 8 processes" in draw_space_time(trace, processes=4)
    assert "first" not in draw_space_time(trace)


@pytest.mark.parametrize("direction", ["down", "right", "auto"])
def test_an_empty_trace_is_an_empty_diagram(direction):
    trace = Trace(Header("0", 1, "none", [1, 2], [(1, 2)]), [])
    ElementTree.fromstring(draw_space_time(trace, direction=direction))


def test_text_from_a_trace_cannot_break_the_drawing():
    event = Event(0, 0, "start", 1, clause="<&\"'>", changed={"x": "</svg>"})
    trace = Trace(Header("0", 1, "<&>", [1], [], {"title": '"<&>"'}), [event])
    ElementTree.fromstring(draw_space_time(trace))
