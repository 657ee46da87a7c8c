"""What sweeps of mutexes say: messages an entry, and how they grow with n."""

import csv
import json
from concurrent.futures import ThreadPoolExecutor
from math import isnan, log, log2, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.cli import main
from habemus.measuring.plot import draw_sweep
from habemus.measuring.sweep import (
    GROWTHS,
    Fit,
    RunCost,
    build_usual_scenario,
    fit_growths,
    repeat_with_seeds,
    run_one,
    summarise_runs,
    sweep,
    write_csv,
)
from habemus.process import Detector, Mutex
from habemus.scenario import TopologySpec
from habemus.scenario.topology import build_topology
from habemus.simulation import simulate

SIZES = (8, 16, 32, 64, 128, 256)


def rows_of(algorithm: str, sizes, seeds: int = 2, **place) -> list[RunCost]:
    bases = [build_usual_scenario(algorithm, n) for n in sizes]
    for base, n in zip(bases, sizes, strict=True):
        base.topology = TopologySpec(n=n, **place)
    return [run_one(scenario) for scenario in repeat_with_seeds(bases, seeds)]


def growth_of(algorithm: str, sizes, seeds: int = 2, **place) -> list[Fit]:
    rows = rows_of(algorithm, sizes, seeds, **place)
    assert not any(row.violated for row in rows)
    return summarise_runs(rows)[0].fits


# How the costs grow.


def test_naimi_trehel_grows_as_log_n_with_the_factor_of_the_harmonic_number():
    best, second, *_ = growth_of("naimi-trehel", SIZES)
    assert best.growth == "log n" and best.r2 > 0.998 > second.r2
    assert best.factor == pytest.approx(log(2), rel=0.1)  # H_n is ln n and a constant


def test_raymond_grows_as_log_n_on_a_tree_of_two_branches():
    best, second, *_ = growth_of("raymond", SIZES)
    assert best.growth == "log n" and best.r2 > 0.99 > second.r2
    assert 3 < best.factor < 4  # twice the mean distance, which comes near 2 log n - 6


def test_raymond_grows_as_n_on_a_line_and_not_at_all_on_a_star():
    best = growth_of("raymond", SIZES[:4], kind="line")[0]
    assert best.growth == "n" and best.factor == pytest.approx(2 / 3, rel=0.1)  # the mean distance is n / 3
    star = growth_of("raymond", SIZES[:4], kind="star")[0]
    assert star.growth == "1/n" and star.constant == pytest.approx(4.1, rel=0.05)


def test_suzuki_kasami_grows_as_n():
    best = growth_of("suzuki-kasami", SIZES[:4])[0]
    assert best.growth == "n" and best.factor == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("n", [15, 64])
def test_raymond_costs_twice_the_mean_distance_of_two_random_processes(n):
    topology = build_topology("tree", list(range(n)), None)
    hops = [[0] * n for _ in range(n)]
    for place in range(1, n):  # the parent of each comes before it
        for other in range(place):
            hops[place][other] = hops[other][place] = hops[(place - 1) // 2][other] + 1
    assert all(hops[a][b] == 1 for a, b in topology.edges())
    distance = sum(map(sum, hops)) / n**2
    (summary,) = summarise_runs(rows_of("raymond", [n], seeds=5))
    assert summary.mean == pytest.approx(
        2 * distance + (n - 1) / (10 * n), rel=0.05
    )  # 10 entries each share Initialize


def test_as_a_rule_nobody_waits_for_another_unless_told_otherwise():
    outcome = simulate(build_usual_scenario("suzuki-kasami", 16))
    assert outcome.lock.entries == 160
    alone = [wait for wait in outcome.lock.waits if wait <= 2]  # the way to the token and back
    assert len(alone) > 0.95 * 160


def test_one_that_never_comes_to_rest_is_asked_before_its_run_ends():
    assert build_usual_scenario("suzuki-kasami", 50).demand.think == "exponential:50000"
    assert build_usual_scenario(f"{__name__}:Restless", 50).demand.think == "exponential:300"
    assert build_usual_scenario("chang-roberts", 50).demand is None


class Restless(Mutex):
    name = "restless"
    horizon = 3000


class Watcher(Detector):
    name = "watcher"


# Fitting.


@given(
    st.sampled_from(GROWTHS),
    st.floats(-100, 100),
    st.floats(0.01, 100) | st.floats(-100, -0.01),
    st.sets(st.integers(2, 4095), min_size=2, max_size=10).map(lambda sizes: {1, 4096} | sizes),
)
def test_a_curve_of_each_growth_is_found_again(growth, constant, factor, sizes):
    name, function = growth
    fits = fit_growths({n: constant + factor * function(n) for n in sorted(sizes)})
    found = next(fit for fit in fits if fit.growth == name)
    assert found.r2 == pytest.approx(1) and found.r2 >= fits[0].r2 - 1e-9
    assert found.factor == pytest.approx(factor, rel=1e-3) and found.constant == pytest.approx(constant, abs=1e-1)
    assert [fit.r2 for fit in fits] == sorted((fit.r2 for fit in fits), reverse=True)


def test_two_sizes_and_a_constant_cost_say_nothing_of_growth():
    assert fit_growths({8: 3.0, 16: 4.0}) == [] == fit_growths({8: 3.0, 16: 3.0, 32: 3.0})


def test_a_fit_is_spelled_as_a_formula():
    assert str(Fit("log n", 0.482, 0.6551, 1)) == "0.655 log n + 0.482"
    assert str(Fit("√n", -6.5, 6.06, 1)) == "6.06√n - 6.5"
    assert str(Fit("1/n", 4, -4, 1)) == "-4/n + 4"
    assert str(Fit("n", -3, 3, 1)) == "3n - 3" and str(Fit("n", 12345, 1, 1)) == "1n + 12,345"
    assert [growth(16) for _, growth in GROWTHS] == [1 / 16, log2(16), sqrt(16), 16]


# Rows, summaries, files.


def test_the_cost_of_a_mutex_is_for_an_entry_and_that_of_an_election_for_all():
    (lock,) = rows_of("raymond", [8], seeds=1)
    assert lock.entries == 80 and lock.cost == lock.messages / 80
    election = run_one(build_usual_scenario("chang-roberts", 8))
    assert election.entries is None and election.cost == election.messages


def test_runs_in_which_nobody_entered_have_no_cost_and_spoil_no_mean():
    some = RunCost("raymond", 8, 7, 0, 20, 9, None, [], [], "quiescence", 10)
    none = RunCost("raymond", 8, 7, 1, 20, 9, None, ["deadlock_freedom"], [], "quiescence", 0)
    assert isnan(none.cost)
    (summary,) = summarise_runs([some, none])
    assert (summary.mean, summary.least, summary.most, summary.runs, summary.violations) == (2, 2, 2, 2, 1)
    assert isnan(summarise_runs([none])[0].mean)


def test_the_executor_does_not_matter_nor_the_order_in_which_rows_come(monkeypatch):
    monkeypatch.setattr("habemus.measuring.sweep.CHUNK_MESSAGES", 1)  # each run travels alone
    scenarios = repeat_with_seeds([build_usual_scenario("naimi-trehel", n) for n in (4, 8, 16)], 3)
    with ThreadPoolExecutor(2) as executor:
        chunks = list(sweep(scenarios, executor))
    alone = [run_one(scenario) for scenario in scenarios]
    assert len(chunks) == 9
    assert (
        summarise_runs([row for chunk in chunks for row in chunk])
        == summarise_runs(alone)
        == summarise_runs(reversed(alone))
    )


def test_the_csv_of_a_mutex_has_entries_and_that_of_an_election_a_leader(tmp_path):
    files = tmp_path / "lock.csv", tmp_path / "election.csv"
    write_csv(rows_of("raymond", [4], seeds=2), files[0])
    write_csv([run_one(build_usual_scenario("bully", 4))], files[1])
    lock, election = ([*csv.DictReader(file.open(encoding="utf-8"))] for file in files)
    assert len(lock) == 2 and "leader" not in lock[0] and "entries" not in election[0]
    assert float(lock[0]["messages_per_entry"]) == int(lock[0]["messages"]) / int(lock[0]["entries"])
    assert election[0]["leader"] == "4"


def test_the_picture_is_the_same_each_time_and_survives_costs_that_are_nothing_or_none(tmp_path):
    rows = rows_of("naimi-trehel", [1, 2, 4, 8]) + rows_of("raymond", [1, 2, 4, 8])
    for name in ("a.svg", "b.svg"):
        draw_sweep(rows, summarise_runs(rows), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert b"prefers-color-scheme: dark" in (tmp_path / "a.svg").read_bytes()
    stuck = [RunCost("raymond", n, n - 1, 0, 9, 9, None, ["deadlock_freedom"], [], "quiescence", 0) for n in (4, 8, 16)]
    for number, odd in enumerate((rows_of("raymond", [1]), stuck, stuck + rows_of("raymond", [32, 64, 128], seeds=1))):
        draw_sweep(odd, summarise_runs(odd), tmp_path / f"{number}.png")
        assert (tmp_path / f"{number}.png").stat().st_size > 5000


# The command.


def run(capsys, *arguments):
    status = main(["sweep", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command_prints_the_cost_an_entry_and_the_fits(capsys):
    status, out, _ = run(capsys, "raymond", "naimi-trehel", "--n", "8,16,32", "--seeds", "2")
    assert status == 0
    assert out.count("messages an entry") == out.count("nearest fit") == 2 and out.count("R²") == 2 * len(GROWTHS)
    status, out, _ = run(capsys, "raymond", "--n", "8,16,32", "--seeds", "2", "--json")
    rows = json.loads(out)
    assert [row["n"] for row in rows] == [8, 16, 32] and rows[0]["fits"][0].keys() == {
        "growth",
        "constant",
        "factor",
        "r2",
    }
    status, out, _ = run(capsys, "bully", "--n", "4,5,6", "--seeds", "2", "--json")
    assert "fits" not in json.loads(out)[0]


def test_a_mutex_is_run_10_times_and_an_election_100_times_unless_told(capsys):
    assert json.loads(run(capsys, "naimi-trehel", "--n", "2", "--json")[1])[0]["runs"] == 10
    assert json.loads(run(capsys, "chang-roberts", "--n", "2", "--json")[1])[0]["runs"] == 100


def test_demand_and_parameters_can_be_set(capsys, tmp_path):
    def cost(*options: str) -> float:
        return json.loads(run(capsys, *options, "--n", "16", "--seeds", "3", "--json")[1])[0]["mean"]

    assert cost("raymond", "--workload", "all-at-once", "--entries", "20") < 4.6 < cost("raymond")
    assert cost("naimi-trehel", "--workload", "one-each") <= 3
    for patience in ("10", "50"):
        file = str(tmp_path / f"{patience}.csv")
        assert (
            run(capsys, "bully", "--n", "4", "--seeds", "1", "--csv", file, "--set", f"transmission={patience}")[0] == 0
        )
    short, long = (next(csv.DictReader((tmp_path / f"{p}.csv").open(encoding="utf-8"))) for p in ("10", "50"))
    assert int(short["time"]) < int(long["time"])


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("bully raymond", "sweep needs algorithms of one kind: bully costs messages an election, raymond messages an"),
        ("raymond ring", "sweep needs algorithms of one kind"),
        ("raymond --workload idle", "nobody enters"),
        ("raymond --workload one-each --entries 3", "one-each means one entry each"),
        ("raymond --workload never", "expected one-each, poisson, hot-spot, all-at-once or idle"),
        ("raymond --think soon", "demand.think"),
        ("raymond --topology ring", "needs a tree"),
        ("raymond --set patience=3", "has no such parameter"),
        ("raymond --set patience", "expected NAME=VALUE"),
        ("raymond --seeds 0", "at least 1"),
        ("bully --entries 3", "bully is not a mutex"),
        (f"{__name__}:Watcher", "sweep needs elections or mutexes, and"),
    ],
)
def test_a_mistake_gets_one_sentence_before_anything_is_run(capsys, command, complaint):
    status, out, err = run(capsys, *command.split())
    assert (status, out) == (2, "") and err.count("\n") == 1 and complaint in err
