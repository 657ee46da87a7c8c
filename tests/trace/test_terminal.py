"""The small diagram in the terminal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_runs import bully_in_trouble, bully_with_crash, ring, traces
from rich.cells import cell_len

from habemus.trace.terminal import terminal_diagram


def lines(trace, **options):
    return terminal_diagram(trace, **options).plain.splitlines()


@given(traces, st.integers(60, 160))
@settings(max_examples=20, deadline=None)
def test_no_line_is_wider_than_the_terminal(trace, width):
    assert max(map(cell_len, lines(trace, width=width))) <= width


def test_a_message_is_an_arrow_from_lane_to_lane_with_its_name_beside_it():
    picture = lines(ring(5))
    assert picture[0].split() == ["tick", "2", "3", "4", "5", "1"]
    assert picture[2] == "   1  ├────▶●     │     │     │     Candidate(2)  weigh_candidate"
    assert picture[6] == "      ●◀────┼─────┼─────┼─────┤     Candidate(1)  weigh_candidate"


def test_what_one_step_sends_to_several_shares_a_row():
    assert "      ●◀────●◀────●◀────●◀────┤     Coordinator  accept_coordinator" in lines(bully_with_crash())


def test_the_leader_wears_a_crown_and_a_strong_lane_until_it_crashes():
    picture = lines(bully_with_crash(), rows=100)
    crowned = next(number for number, line in enumerate(picture) if "5 leads" in line)
    crashed = next(number for number, line in enumerate(picture) if "5 crashes" in line)
    column = picture[crowned].index("♛")
    assert {line[column] for line in picture[crowned + 1 : crashed]} <= set("┃◇●")
    assert picture[crashed][column] == "○"
    assert picture[crashed + 1][column] == " "


def test_lost_messages_end_in_a_cross():
    trace = bully_in_trouble()
    picture = "\n".join(lines(trace, rows=1000, width=120))
    assert picture.count("✗") == sum(event.kind == "lost" for event in trace.events) + 1  # and one in the legend


@pytest.mark.parametrize("rows", [3, 10])
def test_what_is_cut_off_is_counted(rows):
    trace = ring(8)
    picture = lines(trace, rows=rows)
    assert len(picture) == rows + 3
    shown = 8 + rows - 1  # the eight starts share the first row
    assert picture[-2].strip() == f"... and {len(trace.events) - shown} more events"


def test_too_many_lanes_leave_the_words():
    picture = lines(ring(40), rows=5)
    assert picture[2].split()[:2] == ["1", "Candidate(" + picture[2].split("(")[1].split(")")[0] + ")"]
    assert not any("│" in line for line in picture)
