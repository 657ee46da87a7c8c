"""`habemus quorum` as scripts and people meet it."""

import json
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from math import comb

import pytest

from habemus.cli import main


def run(capsys, command):
    status = main(["quorum", *command.split()])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def as_json(capsys, command):
    status, out, err = run(capsys, command + " --json")
    assert err == ""
    return status, json.loads(out)


def told(capsys, command):
    status, out, err = run(capsys, command)
    assert err == ""
    return status, " ".join(out.split())


def test_the_example_is_told_with_what_it_means_and_what_it_costs(capsys):
    status, out = told(capsys, "--n 32 --m 24 --p 1e-4")
    assert status == 0
    for part in ("P_v = 7.349e-59", "share at least 16 coordinators", "8 of the 32 may be down", "24 16 8 7.349e-59"):
        assert part in out


def test_json_has_the_fields_that_scripts_rely_on(capsys):
    status, result = as_json(capsys, "--n 32 --m 24 --p 0.0001")
    assert status == 0
    assert (result["n"], result["m"], result["overlap"], result["may_be_down"], result["p"]) == (32, 24, 16, 8, 1e-4)
    assert result["p_v"] == pytest.approx(7.349e-59, rel=1e-4)
    assert result["log10_p_v"] == pytest.approx(-58.1338, rel=1e-5)
    assert [row["m"] for row in result["table"]] == [17, 21, 22, 23, 24, 25, 26, 27, 32]


def test_the_derivation_is_printed_when_asked_for_and_in_json_always(capsys):
    _, out = told(capsys, "--n 7 --m 4 --p 0.1 --explain")
    assert "3. Any k of the m coordinators of a quorum forget: C(m,k) Pᵏ(1−P)ᵐ⁻ᵏ 4 · 0.1¹ · (1 − 0.1)³ = 0.2916" in out
    assert "How P_v comes about" not in told(capsys, "--n 7 --m 4 --p 0.1")[1]
    steps = as_json(capsys, "--n 7 --m 4 --p 0.1")[1]["derivation"]
    assert [step["step"] for step in steps] == ["one", "some", "any", "overlap", "sum"]
    assert steps[-1]["value"] == pytest.approx(0.3439)


def test_json_writes_what_no_float_can_hold(capsys):
    _, out, _ = run(capsys, "--n 1000 --m 750 --p 1e-4 --json")
    p = Fraction(1, 10_000)
    exact = sum(comb(750, k) * p**k * (1 - p) ** (750 - k) for k in range(500, 751))
    assert abs(Fraction(json.loads(out, parse_float=Decimal)["p_v"]) / exact - 1) < Fraction(1, 10**16)
    assert as_json(capsys, "--n 5 --p 0")[1]["log10_p_v"] is None


def test_without_m_it_is_the_smallest_majority(capsys):
    for n, m in ((1, 1), (2, 2), (3, 2), (7, 4), (8, 5)):
        assert as_json(capsys, f"--n {n} --p 0.1")[1]["m"] == m


def test_few_sizes_are_all_listed(capsys):
    assert [row["m"] for row in as_json(capsys, "--n 20 --p 0.1")[1]["table"]] == list(range(11, 21))


def test_wanted_finds_the_smallest_m_beside_the_one_asked_for(capsys):
    status, alone = as_json(capsys, "--n 32 --p 1e-4 --wanted 1e-20")
    assert status == 0 and alone["m"] == alone["smallest"]["m"] == 20
    beside = as_json(capsys, "--n 32 --p 1e-4 --m 24 --wanted 1e-20")[1]
    assert (beside["m"], beside["smallest"]["m"]) == (24, 20)
    assert beside["smallest"]["p_v"] <= 1e-20 < next(row["p_v"] for row in beside["table"] if row["m"] == 19)
    assert "at most 1e-20 from m = 20 on; with that many, 12 may be down" in told(
        capsys, "--n 32 --p 1e-4 --wanted 1e-20"
    )[1]  # fmt: skip


def test_what_no_m_reaches_is_said_and_is_status_1(capsys):
    status, out = told(capsys, "--n 3 --p 0.1 --wanted 1e-20")
    assert status == 1 and "No quorum of 3 has P_v at most 1e-20: even all of them give 0.001." in out
    assert as_json(capsys, "--n 3 --p 0.1 --wanted 1e-20")[1]["smallest"] is None


def test_simulate_confirms_the_formula(capsys):
    status, result = as_json(capsys, "--n 7 --p 0.1 --simulate --seed 5")
    simulation = result["simulation"]
    assert status == 0 and (simulation["trials"], simulation["seed"], simulation["agrees"]) == (100_000, 5, True)
    assert abs(simulation["estimate"] - result["p_v"]) <= 3 * simulation["standard_error"]
    assert "formula and simulation agree" in told(capsys, "--n 7 --p 0.1 --trials 20000")[1]


def test_what_is_too_rare_to_be_seen_is_not_called_confirmed(capsys):
    status, out = told(capsys, "--n 32 --m 24 --p 1e-4 --simulate --trials 1000")
    assert (
        status == 0 and "0 violations in 1,000 trials, which neither confirms nor refutes" in out and "agree" not in out
    )


def test_a_disagreement_is_status_1(capsys, monkeypatch):
    from habemus.measuring.quorum import Confirmation

    monkeypatch.setattr("habemus.measuring.quorum.simulate_quorum", lambda quorum, *_: Confirmation(quorum, 1000, 1))
    status, out = told(capsys, "--n 7 --p 0.1 --simulate")
    assert status == 1 and "formula and simulation disagree" in out


@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")])
def test_the_plot_is_written_in_the_format_of_its_name(capsys, tmp_path, name, start):
    status, out = told(capsys, f"--n 32 --m 24 --p 1e-4 --wanted 1e-20 --plot {tmp_path / name}")
    assert status == 0 and "plot written to" in out
    assert (tmp_path / name).read_bytes().startswith(start)


MISTAKES = {
    "--n 32 --m 16 --p 0.1": "m = 16: expected more than half of n = 32, from 17 to 32",
    "--n 32 --m 33 --p 0.1": "from 17 to 32",
    "--n 32 --m -1 --p 0.1": "m = -1",
    "--n 0 --p 0.1": "n = 0: expected 1 to 10,000 coordinators",
    "--n -4 --p 0.1": "n = -4",
    "--n 0 --p 0.1 --wanted 0.1": "n = 0",
    "--n 100000 --p 0.1": "expected 1 to 10,000",
    "--n many --p 0.1": "--n",
    "--n 7 --m x --p 0.1": "--m",
    "--n 7": "--p",
    "--p 0.1": "--n",
    "--n 7 --p 2": "--p = 2: expected a probability from 0 to 1",
    "--n 7 --p -0.1": "from 0 to 1",
    "--n 7 --p nan": "from 0 to 1",
    "--n 7 --p often": "--p = often: expected a probability from 0 to 1, such as 0.0001 or 1e-4",
    "--n 7 --p 0.1 --wanted 0": "wanted = 0: expected a probability above 0, at most 1",
    "--n 7 --p 0.1 --wanted 1.5": "--wanted = 1.5",
    "--n 7 --p 0.1 --wanted little": "--wanted = little",
    "--n 7 --p 0.1 --trials 0": "trials = 0: expected at least 1",
    "--n 7 --p 0.1 --simulate --trials -5": "at least 1",
    "--n 7 --p 0.1 --plot nowhere/x.svg": "cannot be written",
    "--n 7 --p 0.1 --plot x.gif": "expected a name that ends in .svg, .png or .pdf",
    "--n 7 --p 0 --plot x.svg": "P_v is 0 for every m",
    "--n 7 --p 0.1 --bogus": "--bogus",
}


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_gets_one_clear_sentence_and_status_2(capsys, monkeypatch, tmp_path, command):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, command)
    assert (status, out) == (2, "")
    assert err.startswith("habemus: ") and err.count("\n") == 1 and MISTAKES[command] in err
    assert list(tmp_path.iterdir()) == []


def test_without_plot_and_simulation_no_heavy_library_is_loaded():
    heavy = "sorted({'numpy', 'matplotlib', 'networkx'} & set(sys.modules))"
    code = f"import sys; from habemus.cli import main; main('quorum --n 5 --p 0.1 --json'.split()); print({heavy})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[1] == "[]"
