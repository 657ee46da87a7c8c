"""The time-out of bully: short, and elections are called for nothing; long, and nobody leads for longer."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from habemus.measuring.election_timeout import build_scenario, choose_timeouts, draw_timeouts, measure_timeouts
from habemus.scenario import ScenarioError

DELAY = "lognormal:10:0.6"


@pytest.fixture(scope="module")
def rows():
    with ThreadPoolExecutor(1) as executor:
        return measure_timeouts(DELAY, [20, 60, 200], 3, 3, executor)


def test_false_elections_fall_and_downtime_grows_with_the_time_out(rows):
    short, middle, long = rows
    assert short.false_elections > middle.false_elections >= long.false_elections == 0
    assert short.downtime < long.downtime and middle.downtime < long.downtime
    assert all(row.runs == 3 and row.unreplaced == 0 for row in rows)


def test_too_short_a_time_out_makes_two_leaders_and_a_long_one_none(rows):
    assert rows[0].two_leaders > 0 and rows[-1].two_leaders == 0


def test_it_can_be_drawn(rows, tmp_path):
    draw_timeouts(rows, DELAY, tmp_path / "timeouts.svg")
    assert "<svg" in (tmp_path / "timeouts.svg").read_text()


def test_time_outs_are_chosen_from_the_median_on_and_shorter_ones_than_a_beat_refused():
    assert choose_timeouts("constant:10") == [20, 25, 30, 40, 50, 60, 80, 120, 160]
    with pytest.raises(ScenarioError, match="--timeouts 10: expected more than 10"):
        build_scenario("constant:10", 10, 3, 0)
