"""Mistakes at equal detection time: fewer by the adaptive detector, if links differ."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from habemus.measuring.detector_figure import (
    ALIKE,
    DIFFERENT,
    LOOK,
    NETWORKS,
    PARAMETER,
    PERIOD,
    RAREST,
    SettingResult,
    build_network,
    compare_mistakes,
    describe_ratio,
    draw_detector_figure,
    interpolate_mistakes,
    measure_detectors,
    run_trial,
    select_curve,
)
from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate

SETTINGS = {"heartbeat": (160, 200, 250, 300), "phi-accrual": (1.2, 1.8, 2.5, 3.5)}


@pytest.fixture(scope="module")
def rows() -> list[SettingResult]:
    return measure_detectors(2, settings=SETTINGS)


@pytest.mark.parametrize("time", [230, 250, 270, 285])
def test_phi_accrual_makes_fewer_mistakes_at_equal_detection_time_where_links_differ(rows, time):
    assert compare_mistakes(rows, DIFFERENT, time) > (1.2 if time < 250 else 1.5)


@pytest.mark.parametrize("time", [180, 200, 220, 240])
def test_a_fixed_time_out_is_no_worse_where_all_links_are_alike(rows, time):
    assert 0.4 < compare_mistakes(rows, ALIKE, time) < 1.05


def test_who_waits_longer_errs_less(rows):
    for network in NETWORKS:
        for algorithm in PARAMETER:
            points = select_curve(rows, network, algorithm)
            assert [row.setting for row in points] == list(SETTINGS[algorithm])
            rates = [row.mistake_rate for row in points]
            assert rates == sorted(rates, reverse=True) and rates[-1] < rates[0] / 10


def test_both_detectors_hear_the_very_same_beats():
    kinds = {kind: [build_network(kind, [1, 2, 3], seed) for seed in (5, 5, 6)] for kind in NETWORKS}
    assert kinds[ALIKE][0] == kinds[ALIKE][2]
    assert kinds[DIFFERENT][0] == kinds[DIFFERENT][1] != kinds[DIFFERENT][2]

    def arrivals(algorithm):
        scenario = Scenario(
            algorithm, parameters={"period": PERIOD, "look": LOOK}, topology=TopologySpec(ids=[1, 2, 3])
        )
        scenario.network, scenario.until = kinds[DIFFERENT][0], 3000
        events = simulate(scenario, keep=10_000).trace.events
        return [(event.time, event.process, event.received[0].sender) for event in events if event.received]

    assert len(arrivals("heartbeat")) > 100
    assert arrivals("heartbeat") == arrivals("phi-accrual")


def test_a_trial_is_the_same_wherever_it_is_run():
    few = {"heartbeat": (200,), "phi-accrual": (1.8,)}
    with ThreadPoolExecutor(2) as executor:
        reports: list[tuple[int, int]] = []
        together = measure_detectors(1, executor, lambda *report: reports.append(report), few)
    assert reports == [(1, 4), (2, 4), (3, 4), (4, 4)]
    for row in together:
        assert run_trial(row.network, row.algorithm, row.setting, 0) == (row.detection_times[0], row.mistakes[0])


def tried(setting: float, time: float, rate: float) -> SettingResult:
    return SettingResult(ALIKE, "heartbeat", setting, [time], [rate])


def test_between_two_settings_the_rate_lies_on_a_line_in_its_logarithm_and_nowhere_beyond():
    points = [tried(1, 100, 100.0), tried(2, 200, 1.0), tried(3, 300, RAREST / 2)]
    assert interpolate_mistakes(points, 150) == pytest.approx(10)
    assert interpolate_mistakes(points, 200) == pytest.approx(1)
    assert interpolate_mistakes(points, 99) is None and interpolate_mistakes(points, 250) is None


def test_a_ratio_in_words():
    assert describe_ratio(3.04) == "3.0 times fewer" and describe_ratio(0.5) == "2.0 times more"


def test_the_figure_is_drawn_the_same_each_time(rows, tmp_path):
    for name in ("a.svg", "b.svg"):
        draw_detector_figure(rows, tmp_path / name)
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text() and "prefers-color-scheme: dark" in text
    draw_detector_figure(rows, tmp_path / "c.png")
    assert (tmp_path / "c.png").stat().st_size > 10_000
