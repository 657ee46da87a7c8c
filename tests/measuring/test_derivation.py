"""The steps of P_v in the lecture notes, with the numbers put in, add up."""

from decimal import Decimal
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.measuring.derivation import derive
from habemus.measuring.quorum import QuorumRisk


def test_the_example_of_the_notes():
    one, some, any_k, overlap, total = derive(QuorumRisk(32, 24, Decimal("0.0001")))
    assert (one.formula, one.numbers) == ("P¹(1−P)ⁿ⁻¹", "0.0001¹ · (1 − 0.0001)³¹")
    assert (some.formula, some.numbers) == ("Pᵏ(1−P)ⁿ⁻ᵏ", "0.0001¹⁶ · (1 − 0.0001)¹⁶")
    assert any_k.numbers == "735,471 · 0.0001¹⁶ · (1 − 0.0001)⁸"
    assert (overlap.numbers, overlap.result) == ("24 + 24 − 32", "16")
    assert total.result == "7.349·10⁻⁵⁹" and total.value < Decimal("1e-40")


@given(st.integers(1, 40), st.data())
def test_each_value_is_that_of_its_formula(n, data):
    m = data.draw(st.integers(n // 2 + 1, n))
    p = Decimal(data.draw(st.integers(0, 1000))) / 1000
    exact, k = Fraction(p), 2 * m - n
    one, some, any_k, overlap, total = [step.value for step in derive(QuorumRisk(n, m, p))]
    assert overlap == k
    assert float(one) == pytest.approx(float(exact * (1 - exact) ** (n - 1)), rel=1e-12)
    assert float(some) == pytest.approx(float(exact**k * (1 - exact) ** (n - k)), rel=1e-12)
    assert float(any_k) == pytest.approx(float(comb(m, k) * exact**k * (1 - exact) ** (m - k)), rel=1e-12)
    terms = [comb(m, j) * exact**j * (1 - exact) ** (m - j) for j in range(k, m + 1)]
    assert float(total) == pytest.approx(float(sum(terms)), rel=1e-12)
