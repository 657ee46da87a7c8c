"""The derivation of P_v, step by step, as the lecture notes give it, with the numbers put in.

Each step is a formula, the same with numbers, and its value. k is the size of the intersection of two quorums; more
than k of the m may forget just as well, hence the sum. Its terms for k > m are 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from math import comb

from habemus.measuring.quorum import PRECISE, QuorumRisk, typeset

SHOWN_TERMS = 3
LONGEST_FACTOR = 8

MEANINGS = {
    "one": "Exactly one given coordinator of the n forgets",
    "some": "Exactly k given coordinators of the n forget",
    "any": "Any k of the m coordinators of a quorum forget",
    "overlap": "Two quorums share at least k coordinators",
    "sum": "Those k or more forget, so that two may be inside",
}


@dataclass(frozen=True)
class DerivationStep:
    """One step. `value` is a probability, but that of the step "overlap", which is a number of coordinators."""

    name: str
    formula: str
    numbers: str
    value: Decimal

    @property
    def result(self) -> str:
        """The value as in print."""
        return f"{self.value:,}" if self.name == "overlap" else typeset(self.value)


def derive(quorum: QuorumRisk) -> list[DerivationStep]:
    n, m, p, k = quorum.n, quorum.m, quorum.p, quorum.overlap
    written = write_factor(p)
    rest = f"(1 − {written.strip('()')})"
    powers = f"{written}{superscript(k)} · {rest}"
    return [
        DerivationStep("one", "P¹(1−P)ⁿ⁻¹", f"{written}¹ · {rest}{superscript(n - 1)}", probability(p, 1, n)),
        DerivationStep("some", "Pᵏ(1−P)ⁿ⁻ᵏ", f"{powers}{superscript(n - k)}", probability(p, k, n)),
        DerivationStep(
            "any", "C(m,k) Pᵏ(1−P)ᵐ⁻ᵏ", f"{comb(m, k):,} · {powers}{superscript(m - k)}", probability(p, k, m, m)
        ),
        DerivationStep("overlap", "k = m + m − n = 2m − n", f"{m:,} + {m:,} − {n:,}", Decimal(k)),
        DerivationStep("sum", "P_v = Σ C(m,k) Pᵏ(1−P)ᵐ⁻ᵏ, k = 2m−n … n", sum_of_terms(quorum), quorum.violation),
    ]


def probability(p: Decimal, forgetting: int, asked: int, out_of: int | None = None) -> Decimal:
    """That so many given ones of those asked forget and the others do not; or any so many `out_of` so many."""
    with localcontext(PRECISE):
        ways = 1 if out_of is None else comb(out_of, forgetting)
        return ways * power(p, forgetting) * power(1 - p, asked - forgetting)


def power(base: Decimal, exponent: int) -> Decimal:
    return base**exponent if exponent else Decimal(1)  # decimals refuse 0⁰


def sum_of_terms(quorum: QuorumRisk) -> str:
    """The first terms of the sum, and how many more there are."""
    last = min(quorum.m, quorum.overlap + SHOWN_TERMS - 1)
    terms = [probability(quorum.p, k, quorum.m, quorum.m) for k in range(quorum.overlap, last + 1)]
    more = f" + … (k ≤ {quorum.m:,})" if last < quorum.m else ""
    return " + ".join(typeset(term) for term in terms) + more


def write_factor(p: Decimal) -> str:
    """P as a factor that may have an exponent: 0.0001, or (10⁻⁹)."""
    plain = f"{p:f}"
    return plain if len(plain) <= LONGEST_FACTOR else f"({typeset(p)})"


def superscript(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
