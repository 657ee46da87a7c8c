"""Verdicts and counts beside work that no one wrote for this checker.

tlaplus/Examples has Chang and Roberts' algorithm (S. Merz, 2016: links that overtake, no announcement, first steps are
steps) and YoYo (L. Yvoz and S. Merz, 2024). The counts of the former are those of its rules for each set of initiators,
but for the idle first step of the others; with it, all sets together have the 137 distinct states recorded there for
its instance of three. A Promela model of Chang and Roberts' algorithm with announcement has 4,871 states in SPIN, which
counts the one before `init` has run.
"""

from pathlib import Path

import pytest
from small_instances import explore, question

from habemus.checking.answer.check import check
from habemus.checking.answer.instances import all_graphs
from habemus.checking.answer.questions import Question
from habemus.checking.answer.verdicts import HOLDS, VIOLATED
from habemus.scenario import Scenario

QUIET = f"{Path(__file__).parents[3] / 'bench' / 'checking' / 'quiet_ring.py'}:QuietRing"


def quiet_ring(ids, starters):
    return question(QUIET, ids=ids, starters=starters, fifo=False, starts="step")


@pytest.mark.parametrize(
    ("starters", "states", "transitions"),
    [
        ([1], 5, 4),
        ([2], 5, 4),
        ([3], 5, 4),
        ([2, 3], 16, 23),
        ([1, 2], 16, 23),
        ([1, 3], 12, 16),
        ([1, 2, 3], 34, 64),
    ],
)
def test_chang_and_roberts_ring_of_three_has_the_states_of_the_published_rules(starters, states, transitions):
    search = explore(quiet_ring([3, 2, 1], starters), False)
    assert (len(search.states), search.transitions, search.violated) == (states, transitions, "")
    assert check(quiet_ring([3, 2, 1], starters)).verdict == HOLDS


@pytest.mark.parametrize(("n", "states"), [(2, 9), (3, 34), (4, 157), (5, 875), (6, 5786)])
def test_where_all_initiate_larger_rings_have_them_too(n, states):
    search = explore(quiet_ring([*range(n, 0, -1)], None), False)
    assert len(search.states) == states and not search.violated


@pytest.mark.parametrize(("n", "states"), [(3, 17), (4, 46), (5, 137), (6, 435), (7, 1437), (8, 4870)])
def test_chang_and_roberts_ring_with_announcement_has_one_state_less_than_in_spin(n, states):
    search = explore(question("chang-roberts", ids=[*range(n - 1, 0, -1), n]), False)
    assert len(search.states) == states and not search.violated


FIVE = [(1, 2), (1, 5), (3, 4), (3, 5), (4, 5)]
ELEVEN = [
    *[(2, 31), (3, 11), (3, 12), (3, 14), (4, 14), (4, 20), (5, 11)],
    *[(5, 12), (5, 20), (7, 20), (7, 31), (11, 12), (12, 20), (20, 41)],
]


def smallest_leads(asked):
    """Whether the smallest id, and nobody else, is in office wherever a run ends."""
    search = explore(asked, True)
    semantics = search.semantics
    ends = [state for state in search.states if not semantics.expand(state).transitions]
    fields = semantics.instance.stack[-1].fields
    locals = [semantics.locals.known[local] for state in ends for local in state[: semantics.n]]
    leaders = {local.layers[-1][fields.index("leader")] for local in locals}
    return bool(ends) and leaders == {min(semantics.instance.topology.ids)}


@pytest.mark.parametrize("edges", [FIVE, ELEVEN], ids=["five", "eleven"])
def test_yoyo_elects_the_smallest_on_the_published_graphs(edges):
    ids = sorted({id for edge in edges for id in edge})
    asked = question("yoyo", ids=ids, edges=edges)
    assert check(asked).verdict == HOLDS and smallest_leads(asked)


@pytest.mark.parametrize(("n", "graphs"), [(2, 1), (3, 4), (4, 38)])
def test_yoyo_elects_the_smallest_on_every_connected_graph_with_ids_in_every_order(n, graphs):
    limits = question("yoyo", n=n).limits
    asked = [Question(instance, limits, []) for instance in all_graphs(Scenario("yoyo"), n, True)]
    assert len(asked) == graphs
    assert all(check(one).verdict == HOLDS and smallest_leads(one) for one in asked)


def test_yoyo_without_pruning_never_has_two_leaders_and_never_knows_that_it_has_one():
    name = "habemus.museum.yoyo:KeepsRepetitions"
    assert check(question(name, ids=[1, 2, 3, 4, 5], edges=FIVE, properties=["uniqueness"])).verdict == HOLDS
    assert check(question(name, ids=[1, 2, 3, 4, 5], edges=FIVE, properties=["termination"])).verdict == VIOLATED
