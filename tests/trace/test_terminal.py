"""The small diagram in the terminal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_runs import bully_in_trouble, bully_with_crash, recorded, ring, traces
from rich.cells import cell_len

from habemus.scenario import Crash, Scenario, TopologySpec, find_named_scenario
from habemus.simulation import simulate
from habemus.trace.rows import choose_rows, gather_rows
from habemus.trace.terminal import draw_for_terminal


def lines(trace, **options):
    return draw_for_terminal(trace, **options).plain.splitlines()


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
    picture = lines(bully_with_crash(), rows=1000)
    assert "      ●◀════●═════●═════●═════╬     Coordinator  accept_coordinator" in picture


def test_a_broadcast_does_not_read_like_a_relay():
    """One arrow-head on each side, at the last who receive it; a relay is a row for each step."""
    trace = recorded(Scenario("raft-election", topology=TopologySpec(ids=[1, 2, 3, 4, 5, 6]), until=300, seed=2))
    picture = lines(trace)
    asked = next(line for line in picture if "RequestVote" in line)
    assert asked.count("◀") + asked.count("▶") == ("╬" in asked[7:36]) + 1 == 2
    assert asked.count("●") == 5 and asked.count("╬") == 1
    assert picture[-1].strip().endswith("╬═▶ one message to several")
    assert "╬" not in "".join(lines(ring(5)))


def test_lanes_that_a_broadcast_only_crosses_are_not_its_receivers():
    trace = recorded(Scenario("bully", topology=TopologySpec(ids=[3, 1, 4, 2, 5]), starters=[3]))
    assert "   1  ╬═════╪═════⚑═════╪════▶⚑     ElectionCall  answer_call  4, 5 stand" in lines(trace)


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


def number_hidden(picture):
    """The events that the diagram leaves out, as it says."""
    return [int(line.split()[1].replace(",", "")) for line in picture if line.strip().startswith("… ")]


@pytest.mark.parametrize("rows", [3, 10])
def test_what_is_left_out_is_counted(rows):
    trace = ring(8)
    picture = lines(trace, rows=rows)
    drawn = [line for line in picture[1:-1] if "…" not in line]
    assert len(drawn) == rows
    shown = 8 + rows - 1  # the eight starts share the first row
    assert sum(number_hidden(picture)) == len(trace.events) - shown
    assert sum(number_hidden(lines(trace, rows=rows, total=1000))) == 1000 - shown


def test_a_long_run_shows_the_crash_and_who_takes_over_with_what_was_before_and_after():
    faults = [Crash(900, "leader")]
    trace = recorded(Scenario("raft-election", topology=TopologySpec(n=5), faults=faults, until=2000))
    picture = lines(trace, width=100, hint="`--all` shows them")
    points = ("4 leads", "4 crashes", "1 leads")
    first, crash, second = (next(k for k, line in enumerate(picture) if sign in line) for sign in points)
    assert first < crash < second
    left_out = [number for number, line in enumerate(picture) if line.strip().endswith("events, `--all` shows them")]
    assert [number for number in left_out if first < number < crash] and left_out[-1] > second
    assert not [number for number in left_out if crash < number < second]  # the takeover is whole
    assert len(picture) <= 40 + len(left_out) + 3


def test_lanes_go_on_after_a_gap_as_what_was_left_out_has_left_them():
    faults = [Crash(30, 2), Crash(900, "leader")]
    trace = recorded(Scenario("raft-election", topology=TopologySpec(n=5), faults=faults, until=2000))
    last = trace.events[-1].event
    picture = lines(trace, rows=4, evidence=dict.fromkeys(range(last - 3, last + 1), ""))
    gap = next(number for number, line in enumerate(picture) if "…" in line)
    assert not any("2 crashes" in line for line in picture)
    column = picture[0].index("2")
    assert {line[column] for line in picture[gap + 1 : -1] if "…" not in line} <= set(" ─═✗")


def test_a_long_run_shows_the_evidence_of_a_violation_however_late():
    outcome = simulate(find_named_scenario("split-brain-bully"), keep=10_000)
    (found,) = [watched.witness for watched in outcome.properties if watched.name == "mutual_exclusion"]
    *_, last = found.events
    for rows in (4, 12, 40):
        picture = lines(outcome.trace, width=110, rows=rows, evidence={last: "mutual_exclusion"})
        assert any(line.startswith(f"{found.time:>4}  ▣") and "✗ mutual_exclusion  " in line for line in picture)


@given(traces, st.integers(1, 60), st.sets(st.integers(0, 400)))
@settings(max_examples=30, deadline=None)
def test_no_event_is_shown_twice_or_forgotten(trace, rows, evidence):
    gathered = gather_rows(sorted(trace.events, key=lambda event: event.event))
    chosen = choose_rows(gathered, evidence, rows)
    assert chosen == sorted(set(chosen)) and len(chosen) == min(rows, len(gathered))
    picture = lines(trace, rows=rows, evidence=dict.fromkeys(evidence, ""))
    shown = sum(len(gathered[place].events) for place in chosen)
    assert sum(number_hidden(picture)) == len(trace.events) - shown


def test_the_legend_says_what_set_off_the_steps_without_a_message():
    def legend(scenario):
        return lines(recorded(scenario), rows=1000, width=120)[-1]

    assert "◇ start   " in legend(Scenario("raft-election", topology=TopologySpec(n=3), until=200))
    assert "◇ start, timer   " in legend(Scenario("raft-election", topology=TopologySpec(n=3), until=400))
    three = TopologySpec(n=3, order="sorted")
    assert "◇ timer   " in legend(Scenario("bully", topology=three))
    in_layers = lines(recorded(find_named_scenario("split-brain-bully")), rows=1000, width=120)[-2]
    assert in_layers.endswith("◇ start, timer, detector, election below, command, condition")


def test_too_many_lanes_leave_the_words():
    picture = lines(ring(40), rows=5)
    assert picture[2].split()[:2] == ["1", "Candidate(" + picture[2].split("(")[1].split(")")[0] + ")"]
    assert not any("│" in line for line in picture)
