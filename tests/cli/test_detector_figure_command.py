"""`habemus detector-figure`: a table, a plot, JSON; one sentence for a mistake."""

import json

import pytest

from habemus.cli import main
from habemus.measuring import detector_figure as figure

FEW = {"heartbeat": (160, 300), "phi-accrual": (1.2, 3.5)}


@pytest.fixture(scope="module")
def rows():
    return figure.measure_detectors(1, settings=FEW)


@pytest.fixture
def quick(monkeypatch, rows):
    """A figure of few settings, made before."""
    monkeypatch.setattr(figure, "measure_detectors", lambda seeds, pool, progress: rows)


def test_it_prints_what_was_measured_and_compares_at_equal_detection_times(quick, capsys, tmp_path):
    plot = tmp_path / "f.svg"
    assert main(["detector-figure", "--seeds", "1", "--jobs", "1", "--plot", str(plot)]) == 0
    out = capsys.readouterr().out
    for part in ("all links alike", "every link its own delays", "threshold 3.5", "times fewer", "written to"):
        assert part in out
    assert plot.read_text(encoding="utf-8").startswith("<?xml")


def test_json_has_a_line_a_setting(quick, capsys, tmp_path):
    plot = tmp_path / "f.png"
    assert main(["detector-figure", "--seeds", "1", "--jobs", "1", "--plot", str(plot), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 8 and {row["algorithm"] for row in rows} == set(FEW)
    assert all(row["detection_time"] > 0 and row["mistakes"] > 0 and row["trials"] == 1 for row in rows)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("--seeds 0", "at least 1"),
        ("--jobs 0", "at least 1"),
        ("--plot x.gif", "expected a name that ends in"),
        ("--plot nowhere/x.svg", "cannot be written"),
    ],
)
def test_a_mistake_gets_one_clear_sentence_and_status_2(capsys, monkeypatch, tmp_path, options, complaint):
    monkeypatch.chdir(tmp_path)
    assert main(["detector-figure", *options.split()]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("habemus: ") and said.err.count("\n") == 1
    assert complaint in said.err and list(tmp_path.iterdir()) == []
