"""Verdicts: what holds, what does not, the shortest run that shows it, and what the checker refuses."""

import itertools
import re
from typing import Any

import pytest
from small_instances import Ball, question

from habemus.checking.answer.check import check
from habemus.checking.answer.replay import play
from habemus.checking.answer.telling import tell_steps
from habemus.checking.answer.verdicts import HOLDS, INCOMPLETE, VIOLATED
from habemus.checking.search.effort import Effort
from habemus.checking.search.search import DEPTH
from habemus.process import (
    Election,
    Inbox,
    MisuseError,
    Pid,
    upon,
    upon_pulse,
    upon_start,
)

HERE = "test_verdicts"


def test_bully_does_not_solve_the_problem_in_an_asynchronous_system():
    verdict = check(question("bully", n=3, timing="async"))
    assert verdict.verdict == VIOLATED and verdict.violated == "uniqueness"
    assert "async" in verdict.assumption
    steps = verdict.counterexample.schedule.steps
    assert len(steps) == 5 and sum("timeout" in step for step in steps) == 3  # too early, three times


@pytest.mark.parametrize("delay", [1, 2])
def test_bully_solves_it_where_delays_are_bounded_even_if_one_crashes_and_comes_back(delay):
    asked = question("bully", n=3, crashes=1, recoveries=1, anybody=True, parameters={"transmission": delay})
    verdict = check(asked)
    assert verdict.verdict == HOLDS and verdict.assumption.startswith("bounded")


def test_bully_of_four_with_a_crash_and_a_recovery_under_bounded_delays():
    verdict = check(question("bully", n=4, crashes=1, recoveries=1))
    assert verdict.verdict == HOLDS and verdict.properties == dict.fromkeys(
        ["termination", "uniqueness", "agreement"], True
    )


def test_bully_fails_where_messages_take_longer_than_it_thinks():
    verdict = check(question("bully", n=3, delay=3, anybody=True, parameters={"transmission": 1}))
    assert verdict.verdict == VIOLATED


def test_two_candidates_on_an_anonymous_ring_both_take_the_seat():
    verdict = check(question("anonymous-ring", n=4))
    assert verdict.violated == "uniqueness" and len(verdict.counterexample.starters) == 2


def test_lamport_needs_links_that_keep_the_order():
    assert check(question("lamport", n=3)).verdict == HOLDS
    assert check(question("lamport", n=3, fifo=False)).violated == "mutual_exclusion"


def test_one_message_that_overtakes_another_is_enough_for_lamport_and_the_story_says_which():
    verdict = check(question("lamport", n=3, reorders=2))
    schedule = verdict.counterexample.schedule
    assert verdict.violated == "mutual_exclusion" and schedule.reorders == 1
    assert sum(step.startswith("overtake") for step in schedule.steps) == 1
    told = [line for step in tell_steps(play(verdict.counterexample)) for line in step]
    assert sum("before what was sent earlier" in line for line in told) == 1


@pytest.mark.parametrize("crashes", [1, 2])
def test_a_token_ring_that_regenerates_holds_where_all_are_told_at_once_which_it_assumes(crashes):
    verdict = check(question("token-ring-regenerating", n=3, crashes=crashes))
    assert verdict.verdict == HOLDS and "tells all at once" in verdict.assumption


def test_where_each_is_told_on_its_own_the_new_token_may_go_to_the_dead():
    verdict = check(question("token-ring-regenerating", n=3, crashes=1, detector="perfect"))
    assert verdict.violated == "deadlock_freedom"
    steps = verdict.counterexample.schedule.steps
    assert steps[-1].startswith("suspect") and any("Token(" in step for step in steps)


def test_bully_needs_a_detector_that_is_never_wrong_and_never_ahead_of_what_the_dead_have_sent():
    verdict = check(question("bully", n=2, detector="eventual", mistakes=2))
    steps = verdict.counterexample.schedule.steps
    assert verdict.violated == "uniqueness" and len(steps) == 8 and steps[-1] == "mistake 1 2"
    assert verdict.counterexample.schedule.mistakes == 1 and "which is up" in str(
        tell_steps(play(verdict.counterexample))
    )
    assert check(question("bully", n=3, crashes=1)).verdict == HOLDS
    verdict = check(question("bully", n=2, detector="eventual", crashes=1))
    steps = verdict.counterexample.schedule.steps
    assert verdict.violated == "termination" and steps.index("suspect 1 2") < steps.index("deliver 2>1 Coordinator")


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("token-ring-regenerating", {"crashes": 1, "detector": "simultaneous"}),
        ("ring-coordinator", {"crashes": 1, "detector": "simultaneous"}),
        ("ring-coordinator", {"mistakes": 1, "detector": "eventual", "alarms": 1}),
        ("lamport", {"reorders": 1}),
        ("raft-election", {"parameters": {"low": 1, "high": 1, "heartbeat": 1}, "reorders": 1, "bounds": {"term": 1}}),
    ],
)
def test_with_these_faults_too_reduced_and_full_agree_and_what_is_found_replays(name, asked):
    reduced, full = check(question(name, n=3, **asked)), check(question(name, n=3, **asked), Effort(reduced=False))
    assert (reduced.verdict, reduced.violated) == (full.verdict, full.violated)
    for found in (reduced, full):
        if found.counterexample is not None:
            assert found.violated in [judge.name for judge in play(found.counterexample).properties if judge.witness]


def test_raft_has_one_leader_a_term_whatever_happens_to_messages():
    asked = {"parameters": {"low": 1, "high": 1, "heartbeat": 1}, "alarms": 1, "properties": ["one_leader_a_term"]}
    assert check(question("raft-election", n=3, losses=1, doubles=1, bounds={"term": 1}, **asked)).verdict == HOLDS
    assert check(question("raft-election", n=3, crashes=1, recoveries=1, bounds={"term": 1}, **asked)).verdict == HOLDS


def test_depth_first_and_random_runs_find_it_too():
    asked = question("anonymous-ring", n=3)
    assert check(asked, Effort(order=DEPTH)).violated == "uniqueness"
    assert check(asked, Effort(walk=1)).violated
    sample = check(question("chang-roberts", n=3), Effort(walk=1))
    assert sample.verdict == INCOMPLETE and "sample" in sample.stopped


def test_a_budget_that_is_spent_is_said_with_how_far_it_got():
    verdict = check(question("raft-election", n=3, parameters={"low": 1, "high": 1}), Effort(states=5000))
    assert verdict.verdict == INCOMPLETE and "5,000 states" in verdict.stopped and verdict.states >= 5000
    assert set(verdict.properties.values()) == {None}


def test_a_memory_limit_that_is_reached_is_said_too():
    verdict = check(question("lamport", n=3), Effort(reduced=False, memory=1_000_000))
    assert verdict.verdict == INCOMPLETE and "memory limit of 0.0 GB" in verdict.stopped


class Opaque(Election):
    """Keeps something that cannot be hashed."""

    name = "opaque"
    topology = "ring"
    things: Any = None

    @upon_start
    def begin(self) -> None:
        self.things = ([1],)


read_clock = itertools.count().__next__  # what it counts is out of reach


class Fickle(Election):
    """Looks at something that is not its own."""

    name = "fickle"
    topology = "ring"
    when: int = 0

    @upon_start
    def look_at_the_clock(self) -> None:
        self.when = read_clock()


@pytest.mark.parametrize(
    ("name", "said"), [("Opaque", "the field things"), ("Fickle", "look_at_the_clock had two different effects")]
)
def test_what_cannot_be_checked_is_refused_by_name(name, said):
    with pytest.raises(MisuseError, match=said) as error:
        check(question(f"{HERE}:{name}", n=2))
    assert name in str(error.value)


class Clumsy(Election):
    """Trips over its own feet as soon as it has won."""

    name = "clumsy"
    topology = "ring"

    @upon_start
    def begin(self) -> None:
        self.send(self.successor, Ball())

    @upon(Ball)
    def catch(self, sender: Pid, message: Ball) -> None:
        self.elect([1][sender])


def test_a_clause_that_fails_is_named_with_its_line_and_its_error():
    verdict = check(question(f"{HERE}:Clumsy", n=3))
    assert verdict.violated == "no_failure" and verdict.fails and verdict.properties["no_failure"] is False
    assert re.match(r"Clumsy failed .*test_verdicts\.py:\d+, in catch.*IndexError", verdict.witness)
    assert "\n" not in verdict.witness
    steps = verdict.counterexample.schedule.steps
    assert len(steps) == 2 and steps[-1].startswith("deliver")
    outcome = play(verdict.counterexample)
    assert [judge.name for judge in outcome.properties if judge.witness] == ["no_failure"]


class OutOfStep(Election):
    """The second of them trips in the first pulse."""

    name = "out-of-step"
    topology = "complete"

    @upon_pulse
    def march(self, pulse: int, inbox: Inbox) -> None:
        self.elect([1, 1][self.id])


def test_a_clause_that_fails_in_a_pulse_is_named_as_well():
    verdict = check(question(f"{HERE}:OutOfStep", n=2))
    assert verdict.violated == "no_failure" and "in march" in verdict.witness
    assert len(verdict.counterexample.schedule.steps) == 1


RAFT_TIMES = {"low": 1, "high": 2, "heartbeat": 1}
ENTERS = {"fifo": False, "properties": ["mutual_exclusion"], "entries": 2}


@pytest.mark.parametrize(
    ("name", "asked", "suggested"),
    [
        ("chang-roberts", {"n": 3}, "--n 3 --starters any"),
        ("chang-roberts", {"n": 3, "starters": [2]}, "--n 3 --starters 2 --all-orders"),
        ("bully", {"n": 2, "crashes": 1, "anybody": True}, "--n 2 --crashes 1 --starters any --starts step"),
        (
            "raft-election",
            {"n": 2, "bounds": {"term": 1}, "parameters": RAFT_TIMES},
            "--n 2 --timeouts 2 --bound term=2 --set high=2",
        ),
        ("ricart-agrawala", {"n": 2, **ENTERS}, "--n 3 --entries 2 --unordered --property mutual_exclusion"),
    ],
)
def test_the_next_question_keeps_what_was_asked_and_adds_one_thing(name, asked, suggested):
    verdict = check(question(name, **asked))
    assert verdict.next_question == f"habemus check {name} {suggested}"
