"""The four properties of a mutex explain themselves, and the resource defends itself."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from habemus.properties import (
    BoundedWaiting,
    DeadlockFreedom,
    MutualExclusion,
    StarvationFreedom,
    World,
    find_waiting_circle,
    mutex_properties,
)


def world(*moves: tuple) -> World:
    """A world of four processes in which these moves were made: ("asks", 1, 10), ("enters", 1, 12, token), ..."""
    seen = World([1, 2, 3, 4])
    for number, (what, process, time, *token) in enumerate(moves):
        seen.time, seen.event = time, number
        if what == "asks":
            seen.lock.asks(process, time, number)
        elif what == "enters":
            seen.lock.enters(process, token[0] if token else None, time, number)
        elif what == "leaves":
            seen.lock.leaves(process, time)
        else:
            seen.crashed(process)
    return seen


def verdict(watched, seen: World, over: bool = True) -> tuple[bool | None, str]:
    watched.observe(seen)
    seen.over = over
    watched.conclude(seen)
    return watched.holds, watched.witness.text if watched.witness else ""


def test_one_after_the_other_is_exclusion_and_two_at_once_is_named():
    assert verdict(MutualExclusion(), world(("enters", 1, 5), ("leaves", 1, 9), ("enters", 2, 9)))[0]
    holds, text = verdict(MutualExclusion(), world(("enters", 1, 5), ("enters", 2, 8)))
    assert not holds and text == "2 entered at time 8 while 1, inside since 5, had not left"


def test_the_resource_refuses_a_stale_token_and_exclusion_holds():
    seen = world(("enters", 1, 5, 1), ("enters", 2, 8, 2))
    assert verdict(MutualExclusion(), seen)[0] and list(seen.lock.inside) == [1, 2]
    assert not seen.lock.leaves(1, 9) and seen.lock.leaves(2, 10)
    assert [(use.process, use.token, use.refused) for use in seen.lock.resource.refusals] == [(1, 1, 9)]


def test_a_token_that_comes_too_late_is_refused_at_the_door():
    seen = world(("enters", 2, 5, 7), ("leaves", 2, 6), ("enters", 1, 8, 6))
    assert [use.process for use in seen.lock.resource.refusals] == [1]
    assert not seen.lock.resource.users


def test_without_growing_tokens_fencing_helps_nobody():
    assert not verdict(MutualExclusion(), world(("enters", 1, 5, 1), ("enters", 2, 8, 1)))[0]


def test_who_crashes_inside_is_inside_no_more():
    assert verdict(MutualExclusion(), world(("enters", 1, 5), ("crashes", 1, 6), ("enters", 2, 8)))[0]


def test_a_deadlock_names_the_circle_of_who_waits_for_whom():
    seen = world(("asks", 1, 1), ("asks", 2, 1), ("asks", 3, 2))
    seen.lock.waits_for = {1: (3, 2), 2: (4,), 4: (1,), 3: ()}
    holds, text = verdict(DeadlockFreedom(), seen)
    assert not holds and text == "1, 2 and 3 wait and nobody is inside: 1 for 2 for 4 for 1 wait in a circle"


def test_a_deadlock_without_a_circle_names_the_dead():
    seen = world(("asks", 1, 1), ("enters", 2, 3), ("crashes", 2, 4))
    seen.lock.waits_for = {1: (2,)}
    text = verdict(DeadlockFreedom(), seen)[1]
    assert text == "1 waits and nobody is inside, nor will be; 2, for whom they wait, has crashed"


def test_no_deadlock_while_somebody_is_inside():
    assert verdict(DeadlockFreedom(), world(("asks", 1, 1), ("enters", 2, 3)))[0]


def test_starvation_names_who_waits_and_how_often_others_entered():
    moves = [("asks", 4, 2)]
    for time in range(10, 60, 10):
        moves += [("asks", 1, time), ("enters", 1, time + 1), ("leaves", 1, time + 2)]
    holds, text = verdict(StarvationFreedom(), world(*moves))
    assert not holds
    assert text == "4 asked at time 2 and had not entered by the end of the run; others entered 5 times meanwhile"


def test_when_time_is_up_only_a_long_wait_for_a_mutex_that_stands_still_is_a_violation():
    moves = [("asks", 1, 0), ("enters", 1, 30), ("leaves", 1, 31), ("asks", 2, 40)]
    for time, still, expected in ((75, True, None), (500, False, None), (500, True, False), (3000, False, False)):
        seen = world(*moves)
        seen.time, seen.lock.at_standstill, seen.lock.satisfied = time, still, False
        assert verdict(StarvationFreedom(), seen, over=False)[0] is expected
        assert verdict(DeadlockFreedom(), seen, over=False)[0] is expected


def test_when_time_is_up_before_all_have_asked_nothing_is_promised():
    seen = world(("asks", 1, 0), ("enters", 1, 30), ("leaves", 1, 31))
    seen.lock.satisfied = False
    assert [verdict(watched, seen, over=False)[0] for watched in mutex_properties()] == [True, None, None, None]


def test_nobody_hands_over_to_who_has_crashed():
    seen = world(
        ("enters", 1, 5), ("asks", 2, 6), ("leaves", 1, 9), ("crashes", 2, 10), ("asks", 3, 50), ("enters", 3, 52)
    )
    assert seen.lock.handovers == []
    seen = world(("enters", 1, 5), ("asks", 2, 6), ("leaves", 1, 9), ("enters", 2, 12))
    assert seen.lock.handovers == [3]


def test_bounded_waiting_is_caught_in_the_entry_that_breaks_the_bound():
    moves = [("asks", 4, 2)]
    for time in (10, 20, 30):
        moves += [("asks", 1, time), ("enters", 1, time + 1), ("leaves", 1, time + 2)]
    seen = world(*moves)
    assert verdict(BoundedWaiting(2), seen)[1] == "4 has waited since 2 while others entered 3 times; the limit is 2"
    seen.lock.enters(4, None, 40, 99)
    assert verdict(BoundedWaiting(3), seen)[0]


@given(st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=3).map(tuple), max_size=10))
def test_a_circle_is_found_exactly_where_there_is_one(waits_for):
    def reaches(start: int, goal: int) -> bool:
        seen, ahead = set(), list(waits_for.get(start, ()))
        while ahead:
            pid = ahead.pop()
            if pid not in seen:
                seen.add(pid)
                ahead += waits_for.get(pid, ())
        return goal in seen

    starts = sorted(waits_for)
    circle = find_waiting_circle(waits_for, starts)
    assert bool(circle) == any(reaches(pid, pid) for pid in range(10))
    assert all(b in waits_for[a] for a, b in itertools.pairwise(circle))
    assert not circle or circle[0] == circle[-1]


def test_a_mutex_is_judged_by_the_seeds_four():
    names = [watched.name for watched in mutex_properties()]
    assert names == ["mutual_exclusion", "deadlock_freedom", "starvation_freedom", "bounded_waiting"]


def test_the_dead_are_named_even_if_others_wait_for_them_on_one_s_behalf():
    seen = world(("asks", 1, 1), ("crashes", 4, 4))
    seen.lock.waits_for = {1: (2,), 2: (3,), 3: (4,)}
    text = verdict(DeadlockFreedom(), seen)[1]
    assert text.endswith("nor will be; 4, for whom they wait, has crashed")
