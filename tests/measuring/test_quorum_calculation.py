"""The probability that a forgetful quorum lets two in: formula, brute force and bookkeeping agree."""

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import comb, isclose, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.measuring.quorum import (
    Confirmation,
    QuorumRisk,
    draw_quorum,
    list_decades,
    parse_probability,
    simulate_quorum,
    smallest_majority,
    smallest_quorum,
    typeset,
)
from habemus.scenario import ScenarioError

RELATIVE = Fraction(1, 10**49)

probabilities = st.decimals(min_value=0, max_value=1, places=6)


@st.composite
def quorums(draw, most=40):
    n = draw(st.integers(1, most))
    return QuorumRisk(n, draw(st.integers(smallest_majority(n), n)), draw(probabilities))


def by_definition(n, m, p):
    """The sum in exact fractions."""
    p = Fraction(p)
    return sum((comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(2 * m - n, m + 1)), Fraction(0))


def by_brute_force(n, m, p):
    """Every way in which coordinators may forget, and for each whether a second process finds m that are free."""
    p = Fraction(p)
    total = Fraction(0)
    for forgot in product((False, True), repeat=n):
        holds = [coordinator < m and not forgot[coordinator] for coordinator in range(n)]
        if holds.count(False) >= m:
            total += prod(p if lost else 1 - p for lost in forgot)
    return total


def test_the_example_of_32_coordinators_is_7_349e_59():
    quorum = QuorumRisk(32, 24, Decimal("1e-4"))
    assert f"{quorum.violation:.3e}" == "7.349e-59"
    assert (quorum.overlap, quorum.spare) == (16, 8)
    assert abs(Fraction(quorum.violation) / by_definition(32, 24, "1e-4") - 1) < RELATIVE


def test_four_of_seven_are_violated_as_soon_as_one_forgets():
    assert QuorumRisk(7, 4, Decimal("0.1")).violation == 1 - Decimal("0.9") ** 4


@given(quorums())
def test_fifty_digits_of_the_sum_are_right(quorum):
    exact = by_definition(quorum.n, quorum.m, quorum.p)
    assert abs(Fraction(quorum.violation) - exact) <= exact * RELATIVE


@pytest.mark.parametrize("p", ["0", "0.013", "0.5", "1"])
@pytest.mark.parametrize("n", range(1, 10))
def test_it_is_the_probability_of_all_histories_that_let_a_second_one_in(n, p):
    for m in range(smallest_majority(n), n + 1):
        exact = by_brute_force(n, m, p)
        assert abs(Fraction(QuorumRisk(n, m, Decimal(p)).violation) - exact) <= exact * RELATIVE


@given(quorums())
def test_a_larger_quorum_is_never_less_safe(quorum):
    if quorum.m < quorum.n:
        assert QuorumRisk(quorum.n, quorum.m + 1, quorum.p).violation <= quorum.violation


@given(quorums(), probabilities)
def test_worse_memory_is_never_safer(quorum, other):
    low, high = sorted((quorum.p, other))
    assert QuorumRisk(quorum.n, quorum.m, low).violation <= QuorumRisk(quorum.n, quorum.m, high).violation


def test_what_no_float_can_hold_keeps_its_digits_and_its_exponent():
    quorum = QuorumRisk(1000, 750, Decimal("1e-4"))
    exact = by_definition(1000, 750, "1e-4")
    assert f"{quorum.violation:.3e}" == "6.382e-1795"
    assert abs(Fraction(quorum.violation) / exact - 1) < RELATIVE
    assert isclose(quorum.log10_violation, -1794.195, abs_tol=1e-3)
    assert f"{QuorumRisk(10_000, 10_000, Decimal('1e-300')).violation:.3e}" == "1.000e-3000000"


@given(st.integers(1, 40), probabilities, st.integers(1, 60))
def test_the_smallest_quorum_is_safe_enough_and_one_less_is_not(n, p, digits):
    wanted = Decimal(1).scaleb(-digits)
    found = smallest_quorum(n, p, wanted)
    if found is None:
        assert QuorumRisk(n, n, p).violation > wanted
    else:
        assert found.violation <= wanted
        if found.m > smallest_majority(n):
            assert QuorumRisk(n, found.m - 1, p).violation > wanted


# Five points where P can be seen, with both parities of n, from a bare majority to well above it.
@pytest.mark.parametrize(
    ("n", "m", "p"), [(5, 3, "0.05"), (7, 4, "0.1"), (10, 6, "0.15"), (16, 10, "0.25"), (32, 18, "0.3")]
)
def test_bookkeeping_of_grants_agrees_with_the_formula_within_three_standard_errors(n, m, p):
    confirmation = simulate_quorum(QuorumRisk(n, m, Decimal(p)), 100_000, seed=1)
    assert confirmation.agrees is True
    error = (confirmation.estimate * (1 - confirmation.estimate) / 100_000) ** 0.5
    assert abs(confirmation.estimate - float(by_definition(n, m, p))) <= 3 * error


def test_a_wrong_formula_would_be_noticed():
    simulated = simulate_quorum(QuorumRisk(7, 4, Decimal("0.1")), 100_000, seed=1)
    elsewhere = QuorumRisk(7, 4, Decimal("0.105"))
    assert Confirmation(elsewhere, simulated.trials, simulated.violations).agrees is False


def test_the_same_seed_gives_the_same_trials_in_one_batch_or_in_many(monkeypatch):
    quorum, done = QuorumRisk(9, 5, Decimal("0.1")), []
    first = simulate_quorum(quorum, 5_000, seed=3)
    assert simulate_quorum(quorum, 5_000, seed=3) == first != simulate_quorum(quorum, 5_000, seed=4)
    monkeypatch.setattr("habemus.measuring.quorum.BATCH", 9 * 700)
    assert simulate_quorum(quorum, 5_000, 3, done.append).agrees is True
    assert done == [*range(700, 5_000, 700), 5_000]


def test_what_cannot_be_seen_is_not_judged():
    rare = simulate_quorum(QuorumRisk(32, 24, Decimal("1e-4")), 1_000, seed=0)
    assert (rare.violations, rare.can_tell, rare.agrees) == (0, False, None)
    common = simulate_quorum(QuorumRisk(32, 17, Decimal("0.9")), 1_000, seed=0)
    assert (common.violations, common.can_tell, common.agrees) == (1_000, False, None)


@pytest.mark.parametrize("p", [0, 1])
def test_certainty_is_confirmed_exactly(p):
    confirmation = simulate_quorum(QuorumRisk(5, 3, Decimal(p)), 1_000, seed=0)
    assert confirmation.estimate == p and confirmation.agrees is True
    assert Confirmation(confirmation.quorum, 1_000, 999 - 998 * (1 - p)).agrees is False


@pytest.mark.parametrize(
    ("n", "m", "p", "complaint"),
    [
        (0, 1, "0.1", "n = 0: expected 1 to 10,000"),
        (10_001, 9_000, "0.1", "expected 1 to 10,000"),
        (32, 16, "0.1", "m = 16: expected more than half of n = 32, from 17 to 32"),
        (7, 8, "0.1", "from 4 to 7"),
        (7, 4, "1.1", "p = 1.1: expected a probability from 0 to 1"),
        (7, 4, "-0.1", "from 0 to 1"),
    ],
)
def test_what_is_no_quorum_is_refused(n, m, p, complaint):
    with pytest.raises(ScenarioError, match=complaint):
        QuorumRisk(n, m, Decimal(p))


@pytest.mark.parametrize("text", ["often", "", "nan", "inf", "-0.1", "1.0000001", "1/2"])
def test_what_is_no_probability_is_refused(text):
    with pytest.raises(ScenarioError, match="expected a probability from 0 to 1"):
        parse_probability(text, "--p")


def test_a_probability_is_taken_as_it_was_written():
    assert Fraction(parse_probability("1e-4", "--p")) == Fraction(1, 10_000) != Fraction(1e-4)


def test_the_curves_are_powers_of_ten_apart_and_have_the_asked_one_among_them():
    assert [typeset(p) for p in list_decades(Decimal("1e-4"))] == ["0.01", "10⁻³", "10⁻⁴", "10⁻⁵", "10⁻⁶"]
    assert [typeset(p) for p in list_decades(Decimal("0.2"))] == [
        "0.2",
        "0.02",
        "2·10⁻³",
        "2·10⁻⁴",
        "2·10⁻⁵",
    ]
    assert list_decades(Decimal(1))[0] == 1


@pytest.mark.parametrize(("n", "m", "p"), [(1, 1, "0.5"), (2, 2, "1"), (32, 24, "1e-4"), (1000, 600, "1e-300")])
def test_any_quorum_can_be_drawn_twice_the_same_light_and_dark(tmp_path, n, m, p):
    quorum = QuorumRisk(n, m, Decimal(p))
    for name in ("one.svg", "two.svg"):
        draw_quorum(quorum, tmp_path / name, QuorumRisk(n, n, Decimal(p)), Decimal("1e-20"))
    one = (tmp_path / "one.svg").read_text()
    assert one == (tmp_path / "two.svg").read_text()
    assert one.count("<style>@media (prefers-color-scheme: dark)") == 1 and one.rstrip().endswith("</svg>")


def test_zero_has_no_place_on_a_logarithmic_axis(tmp_path):
    with pytest.raises(ScenarioError, match="P_v is 0 for every m"):
        draw_quorum(QuorumRisk(5, 3, Decimal(0)), tmp_path / "plot.svg")
