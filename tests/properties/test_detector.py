"""Suspicions are held against the truth: right ones by how soon, mistakes by how many and how long."""

from habemus.properties import Accuracy, Completeness, Suspicions, World


def test_detection_time_runs_from_the_crash():
    seen = Suspicions(3)
    seen.crashed(3, 100)
    seen.suspects(1, 3, 121)
    seen.suspects(2, 3, 130)
    assert seen.detection_times == [21, 30] and seen.mistakes == 0


def test_a_mistake_lasts_until_it_is_taken_back():
    seen = Suspicions(3)
    seen.suspects(1, 3, 50)
    seen.trusts(1, 3, 64)
    assert (seen.mistakes, seen.mistake_durations, seen.detection_times) == (1, [14], [])


def test_a_mistake_that_comes_true_is_a_mistake_until_then_and_a_detection_at_once():
    seen = Suspicions(3)
    seen.suspects(1, 3, 50)
    seen.crashed(3, 70)
    assert (seen.mistakes, seen.mistake_durations, seen.detection_times) == (1, [20], [0])


def test_to_go_on_suspecting_who_is_back_is_a_mistake():
    seen = Suspicions(3)
    seen.crashed(3, 10)
    seen.suspects(1, 3, 20)
    seen.recovered(3, 40)
    seen.trusts(1, 3, 45)
    assert (seen.mistakes, seen.mistake_durations) == (1, [5])


def test_only_the_suspicion_that_is_not_taken_back_counts_as_detection():
    seen = Suspicions(3)
    seen.suspects(1, 3, 50)
    seen.crashed(3, 60)
    seen.trusts(1, 3, 65)  # a late sign of life
    seen.suspects(1, 3, 100)
    assert seen.detection_times == [40]


def test_the_dead_neither_watch_nor_are_watched():
    seen = Suspicions(3)
    seen.crashed(3, 100)
    seen.recovered(3, 150)
    seen.advance(200)
    assert seen.pair_ticks == 6 * 100 + 2 * 50 + 6 * 50


def test_to_say_the_same_twice_counts_once():
    seen = Suspicions(3)
    seen.suspects(1, 3, 50)
    seen.suspects(1, 3, 55)
    assert seen.mistakes == 1


def test_completeness_and_accuracy_name_the_pair():
    world = World([1, 2, 3])
    world.time = 100
    world.crashed(3)
    world.suspicions.suspects(1, 3, 120)
    world.suspicions.suspects(2, 1, 130)
    complete, accurate = Completeness(), Accuracy()
    complete.conclude(world)
    accurate.conclude(world)
    assert complete.witness.text == "2 does not suspect 3, which crashed at 100"
    assert accurate.witness.text == "2 has suspected 1 since 130, which is well"
