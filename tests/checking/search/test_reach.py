"""Rings in every order of the ids, with every set of starters, as far as seconds go; `make soak` goes further."""

import pytest
from small_instances import question
from soak import SOAK

from habemus.checking.answer.check import check
from habemus.checking.answer.instances import all_orders
from habemus.checking.answer.questions import Question
from habemus.checking.answer.verdicts import HOLDS
from habemus.scenario import Scenario

RINGS = [("chang-roberts", 5), ("lcr", 5), ("peterson", 5), ("franklin", 4), ("hirschberg-sinclair", 4)]
LARGE_RINGS = [("chang-roberts", 8), ("lcr", 7), ("peterson", 8), ("franklin", 6), ("hirschberg-sinclair", 5)]


@pytest.mark.parametrize(("name", "n"), LARGE_RINGS if SOAK else RINGS)
def test_ring_elections_hold_for_every_order_of_the_ids_and_every_set_of_starters(name, n):
    limits = question(name, n=n, anybody=True).limits
    assert all(check(Question(ring, limits, [])).verdict == HOLDS for ring in all_orders(Scenario(name), n))
