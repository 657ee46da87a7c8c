"""The packed search finds what the search in Python finds, state by state."""

import gc

import pytest
from small_instances import question

from habemus.checking.answer.check import check
from habemus.checking.search.effort import Effort
from habemus.checking.search.liveness import has_endless_run
from habemus.checking.search.search import BREADTH, Search
from habemus.checking.search.states import missing_probability
from habemus.compilation import is_compiled

PACKED = {
    "a ring": {"name": "chang-roberts", "ids": [4, 3, 2, 1, 5]},
    "a ring whose links overtake": {"name": "chang-roberts", "n": 4, "fifo": False},
    "first steps between others": {"name": "franklin", "n": 4, "starts": "step"},
    "any starters": {"name": "lcr", "n": 4, "starters": None, "anybody": True},
    "coins": {"name": "itai-rodeh", "n": 3, "bounds": {"round": 1}},
    "a lock": {"name": "ricart-agrawala", "n": 3, "fifo": False},
    "a lock with guards": {"name": "maekawa", "n": 3},
    "a deadlock": {"name": "maekawa", "n": 2, "fifo": False, "parameters": {"repaired": False}},
    "two leaders": {"name": "anonymous-ring", "n": 3},
    "timers at any moment": {"name": "coordinator-retry", "n": 3, "timing": "async", "alarms": 1},
    "timers after messages": {"name": "coordinator-retry", "n": 3, "timing": "ordered"},
    "crashes and losses": {"name": "raft-election", "n": 3, "crashes": 1, "losses": 1, "bounds": {"term": 1}},
}


def search_twice(instance):
    asked = question(**instance)
    pair = [
        Search(asked.build_semantics(), False, BREADTH, 50_000, 8 << 30, packing=packing) for packing in (True, False)
    ]
    for search in pair:
        search.run()
    return pair


@pytest.mark.parametrize("name", PACKED)
def test_the_packed_search_finds_the_same_states_in_the_same_order(name):
    packed, reference = search_twice(PACKED[name])
    assert (packed.packed is not None) == is_compiled()
    common = min(len(packed.states), len(reference.states))  # where the budget ends the search, one looks more often
    assert list(packed.states)[:common] == list(reference.states)[:common]
    assert packed.violated == reference.violated
    if not reference.stopped:
        assert len(packed.states) == len(reference.states)
        assert packed.transitions == reference.transitions
        assert packed.deepest == reference.deepest and packed.expanded == reference.expanded
        assert (packed.truncated, packed.recurrent) == (reference.truncated, reference.recurrent)
        assert (packed.culprit, packed.at_end) == (reference.culprit, reference.at_end)
        if not reference.violated:
            assert has_endless_run(packed) == has_endless_run(reference)
        else:
            steps = [[step.action for step in search.path_to(search.culprit)] for search in (packed, reference)]
            assert steps[0] == steps[1]


def test_each_way_of_ending_is_among_the_instances():
    ends = {name: search_twice(PACKED[name])[1] for name in ("two leaders", "a deadlock", "coins", "a ring")}
    assert ends["two leaders"].violated == "uniqueness" and not ends["two leaders"].at_end
    assert ends["a deadlock"].violated and ends["a deadlock"].at_end
    assert ends["coins"].truncated and not ends["a ring"].truncated


def test_the_packed_states_take_less_than_a_third_of_the_memory():
    packed, reference = search_twice({"name": "ricart-agrawala", "n": 3, "fifo": False, "entries": 3})
    if is_compiled():
        assert 3 * packed.bytes_in_use() < reference.bytes_in_use()


def test_a_search_that_is_done_is_freed_without_the_collector():
    asked = question("chang-roberts", n=4)
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            check(asked, Effort(reduced=False))
        assert not [found for found in gc.get_objects() if type(found).__name__ == "States"]
    finally:
        gc.enable()


# A hash in place of the state


@pytest.mark.parametrize("depth", [6, 15])
@pytest.mark.parametrize("name", PACKED)
def test_a_compact_search_and_the_one_that_keeps_its_states_find_the_same(name, depth):
    asked = question(**PACKED[name], depth=depth)
    reference, *others = [
        Search(asked.build_semantics(), False, BREADTH, 5_000, 8 << 30, packing=packing, compact=compact)
        for packing, compact in ((False, False), (True, False), (False, True), (True, True))
    ]
    reference.run()
    for search in others:
        search.run()
        assert (search.violated, search.culprit) == (reference.violated, reference.culprit)
        if reference.violated:  # the run was forgotten, and found again
            assert [step.state for step in search.path_to(search.culprit)] == [
                step.state for step in reference.path_to(reference.culprit)
            ]
        if not reference.stopped:
            mine, theirs = [
                (len(one.states), one.transitions, one.ends, one.deepest, one.is_cut) for one in (search, reference)
            ]
            assert mine == theirs


def test_a_compact_store_forgets_what_is_expanded_and_not_pinned():
    search = Search(question("lcr", n=2).build_semantics(), False, BREADTH, 100, 8 << 30, compact=True)
    states, width = search.states, len(search.states[0])
    many = 1 << 17  # those that are packed are forgotten by the chunk, of 65,536
    for number in range(1, many):
        states.add((number,) * width, number - 1)
    states.pin(70_000)
    for number in range(many):
        states.forget(number)
    assert len(states) == many and states.deepest == many - 1
    assert states.find((5,) * width) >= 0 and states.find((many,) * width) < 0
    assert states[70_000] == (70_000,) * width and states[many - 1] == (many - 1,) * width
    assert states.parent(5) == 4 and states.depth(5) == 5
    with pytest.raises(LookupError):
        states[5]


def test_the_probability_of_a_missed_state_is_that_of_two_equal_hashes():
    assert missing_probability(1) == 0.0
    assert missing_probability(10**9) == pytest.approx(0.0271, rel=0.01)
    assert missing_probability(10**12) == 1.0
    verdict = check(question("ricart-agrawala", n=2), Effort(compact=True))
    assert verdict.verdict == "holds" and 0 < verdict.missed == missing_probability(verdict.states)
    assert check(question("ricart-agrawala", n=2)).missed == 0.0
