"""Figure 16 of the Raft paper: its numbers, where its text gives them, and the order of its curves."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from habemus.measuring.raft_figure import (
    BOTTOM,
    PATIENCE,
    TOP,
    Downtimes,
    draw_raft_figure,
    measure_downtimes,
    run_trial,
)

TRIALS = 250


@pytest.fixture(scope="module")
def rows() -> dict[tuple[int, int], Downtimes]:
    return {(row.low, row.high): row for row in measure_downtimes(TRIALS)}


def test_every_setting_of_both_graphs_is_there(rows):
    assert list(rows) == [*TOP, *BOTTOM[:-1]]
    assert {row.trials for setting, row in rows.items() if setting != (150, 150)} == {TRIALS}


def test_medians_and_means_are_within_a_quarter_of_the_papers(rows):
    compared = 0
    for row in rows.values():
        for name in ("median", "mean"):
            if name in row.paper:
                assert getattr(row, name) == pytest.approx(row.paper[name], rel=0.25), (row.low, row.high, name)
                compared += 1
    assert compared == 2


def test_without_randomness_it_takes_more_than_ten_seconds(rows):
    assert rows[150, 150].least > rows[150, 150].paper["least"]


def test_the_smallest_downtime_is_about_half_of_the_shortest_timeout(rows):
    """Half of it, plus the broadcast that elects the next leader: 8 ms at least, and a few more for the timeout."""
    for (low, high), row in rows.items():
        assert row.least >= low / 2 + 8
        if high >= low + 5:
            assert row.least <= low / 2 + 35


def test_more_randomness_shortens_the_worst_case_and_shorter_timeouts_the_median(rows):
    long = [sorted(rows[setting].all_times)[int(0.95 * rows[setting].trials)] for setting in TOP[:5]]
    assert long == sorted(long, reverse=True)
    medians = [rows[setting].median for setting in BOTTOM]
    assert medians == sorted(medians)


def test_a_trial_is_the_same_wherever_it_is_run():
    alone = measure_downtimes(4)
    with ThreadPoolExecutor(2) as executor:
        reports: list[tuple[int, int]] = []
        together = measure_downtimes(4, executor, lambda *report: reports.append(report))
    assert alone == together
    assert reports == [(number, 10) for number in range(1, 11)]
    assert run_trial(150, 300, 3) in next(row for row in alone if (row.low, row.high) == (150, 300)).times


def test_what_is_given_up_counts_as_the_longest():
    row = Downtimes(150, 150, [200.0, 100.0], 2)
    assert (row.trials, row.least, row.longest) == (4, 100.0, float(PATIENCE))
    assert row.median == (200 + PATIENCE) / 2


def test_the_figure_is_drawn_the_same_each_time(rows, tmp_path):
    for name in ("a.svg", "b.svg"):
        draw_raft_figure(list(rows.values()), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    draw_raft_figure(list(rows.values()), tmp_path / "c.png")
    assert (tmp_path / "c.png").stat().st_size > 10_000
