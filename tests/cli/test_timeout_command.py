"""`habemus timeout` as scripts and people meet it."""

import json

import pytest

from habemus.cli import main


def run(capsys, command):
    status = main(["timeout", *command.split()])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def as_json(capsys, command):
    status, out, err = run(capsys, command + " --json")
    assert (status, err) == (0, "")
    return json.loads(out)


def told(capsys, command):
    status, out, err = run(capsys, command)
    assert (status, err) == (0, "")
    return " ".join(out.split())


@pytest.fixture
def hundred(tmp_path):
    """Round trips of 1 to 100."""
    path = tmp_path / "rtt.txt"
    path.write_text("# ms\n" + "\n".join(str(k) for k in range(1, 101)))
    return path


def test_a_distribution_gives_the_best_time_out_its_risk_and_its_cost(capsys):
    out = told(capsys, "--delay exponential:100 --wait-cost 1 --mistake-cost 1000")
    for part in ("T = 230 ticks", "p = 0.0998", "E·T = 230", "C·p = 99.76", "329.8 together", "for T above 174.6"):
        assert part in out


def test_json_has_the_fields_that_scripts_rely_on(capsys, hundred):
    result = as_json(capsys, f"--samples {hundred} --wait-cost 1 --mistake-cost 50 --timeout 90")
    assert (result["samples"], result["wait_cost"], result["mistake_cost"]) == (100, 1, 50)
    assert result["asked"] == {
        "timeout": 90, "p": 0.1, "waiting": 90, "mistakes": 5, "cost": 95, "p_at_most": None, "cost_at_most": None,
    }  # fmt: skip
    assert result["best"]["timeout"] == 0 and result["best"]["cost"] == 50
    assert result["break_even"]["timeout"] == pytest.approx(50 * 0.67)
    assert [row["timeout"] for row in result["table"]] == sorted(row["timeout"] for row in result["table"])
    assert as_json(capsys, "--delay unit --wait-cost 1 --mistake-cost 5")["samples"] is None


def test_where_the_samples_end_nothing_is_claimed(capsys, hundred):
    command = f"--samples {hundred} --wait-cost 1 --mistake-cost 100000"
    out = told(capsys, command)
    for part in (
        "T = 100 is the time-out that costs least, as far as was measured",
        "what mistakes cost is not known",
        "p is below 0.03 with 95 % confidence, and mistakes may cost up to 3,000",
        "It takes 3,000 round trips",
        "with 95 % confidence it holds above 3,000",
        "100 < 0.03 100 < 3,000 < 3,100",
    ):
        assert part in out
    best = as_json(capsys, command)["best"]
    assert (best["timeout"], best["p_at_most"], best["cost_at_most"]) == (100, 0.03, 3100)


def test_where_mistakes_are_cheap_one_does_not_wait(capsys):
    assert "T = 0: do not wait at all." in told(capsys, "--delay uniform:5:20 --wait-cost 1 --mistake-cost 5")


def test_a_distribution_that_ends_makes_no_mistakes_beyond_its_end(capsys):
    out = told(capsys, "--delay uniform:5:20 --wait-cost 1 --mistake-cost 1000")
    assert "T = 20 ticks" in out and "nobody alive is taken for dead" in out and "confidence" not in out


@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")])
def test_the_plot_is_written_in_the_format_of_its_name(capsys, tmp_path, hundred, name, start):
    command = f"--samples {hundred} --wait-cost 1 --mistake-cost 1000 --timeout 50 --plot {tmp_path / name}"
    assert "plot written to" in told(capsys, command)
    assert (tmp_path / name).read_bytes().startswith(start)


COSTS = "--wait-cost 1 --mistake-cost 100"
MISTAKES = {
    f"{COSTS}": "--samples and --delay: give exactly one of them",
    f"{COSTS} --delay unit --samples good.txt": "--samples and --delay: give exactly one of them",
    "--delay unit --wait-cost 1": "--mistake-cost",
    "--delay unit --mistake-cost 1": "--wait-cost",
    "--delay unit --wait-cost -1 --mistake-cost 5": "wait-cost = -1: expected a number above 0",
    "--delay unit --wait-cost 0 --mistake-cost 5": "wait-cost = 0: expected a number above 0",
    "--delay unit --wait-cost 1 --mistake-cost -5": "mistake-cost = -5: expected a number, at least 0",
    "--delay unit --wait-cost 1 --mistake-cost nan": "mistake-cost = nan",
    "--delay unit --wait-cost 1 --mistake-cost 1e300": "at most 10^15 times",
    "--delay unit --wait-cost x --mistake-cost 5": "--wait-cost",
    f"{COSTS} --delay sometimes": "delay 'sometimes' is not known; expected unit",
    f"{COSTS} --delay uniform:9:2": "1 <= A <= B",
    f"{COSTS} --delay unit --timeout -3": "timeout = -3: expected a time, at least 0",
    f"{COSTS} --delay unit --timeout inf": "timeout = inf",
    f"{COSTS} --samples missing.txt": "missing.txt cannot be read: No such file or directory",
    f"{COSTS} --samples .": ". cannot be read: Is a directory",
    f"{COSTS} --samples empty.txt": "empty.txt has no round trips: expected one number a line",
    f"{COSTS} --samples words.txt": "words.txt, line 2: expected a number, got 'soon'",
    f"{COSTS} --samples negative.txt": "negative.txt, line 1: expected a time, at least 0, got -4",
    f"{COSTS} --samples nan.txt": "nan.txt, line 3: expected a time, at least 0, got nan",
    f"{COSTS} --samples good.txt --plot nowhere/x.svg": "cannot be written",
    f"{COSTS} --samples good.txt --plot x.gif": "expected a name that ends in .svg, .png or .pdf",
}


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_gets_one_clear_sentence_and_status_2(capsys, monkeypatch, tmp_path, command):
    files = {
        "good": "1\n2\n",
        "empty": "# none yet\n\n",
        "words": "1\nsoon\n",
        "negative": "-4\n",
        "nan": "1\n2\nnan\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.txt").write_text(text)
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, command)
    assert (status, out) == (2, "")
    assert err.startswith("habemus: ") and err.count("\n") == 1 and MISTAKES[command] in err
    assert len(list(tmp_path.iterdir())) == len(files)
