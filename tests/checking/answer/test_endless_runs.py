"""Runs without end: only fair ones count; what no run shows is not judged; a search without an end finds them."""

import pytest
from small_instances import Ball, Word, question

from habemus.checking.answer import check as answer
from habemus.checking.answer.check import check
from habemus.checking.answer.replay import play
from habemus.checking.answer.verdicts import HOLDS, INCOMPLETE
from habemus.checking.search.effort import Effort
from habemus.process import (
    Election,
    Pid,
    upon,
    upon_start,
    upon_timeout,
)

HERE = "test_endless_runs"

both = pytest.mark.parametrize("reduced", [True, False], ids=["reduced", "full"])


def violates(verdict, name):
    """Whether the verdict is that, and its run shows it when it is played."""
    assert verdict.violated == name, (verdict, verdict.properties)
    assert name in [judge.name for judge in play(verdict.counterexample).properties if judge.witness]
    return True


# Ticks that stand for nothing


class Counting(Election):
    """Counts for ever and elects nobody; nobody knows whether it ever would."""

    name = "counting"
    topology = "complete"
    count: int = 0

    @upon_start
    def begin(self) -> None:
        self.set_timer("next", 1)

    @upon_timeout("next")
    def go_on(self) -> None:
        self.count += 1
        self.set_timer("next", 1)


@pytest.mark.parametrize(
    ("limits", "hit"), [({"alarms": 2}, "--timeouts 2"), ({"bounds": {"count": 3}, "alarms": 9}, "--bound count=3")]
)
def test_what_was_not_judged_is_no_tick_and_says_which_limit_was_hit(limits, hit):
    verdict = check(question(f"{HERE}:Counting", n=2, properties=["termination", "uniqueness"], **limits))
    assert verdict.properties == {"termination": None, "uniqueness": True}
    assert verdict.verdict == HOLDS and verdict.open == {"termination": {hit}}
    assert verdict.ends == verdict.open_ends > 0
    alone = check(question(f"{HERE}:Counting", n=2, properties=["termination"], **limits))
    assert alone.verdict == INCOMPLETE


def test_where_no_run_came_to_an_end_nothing_is_known_of_ends():
    beats = question("swim", n=2, bounds={"number": 1}, parameters={"period": 8}, properties=["completeness"])
    verdict = check(beats)
    assert verdict.ends == verdict.open_ends > 0 and verdict.properties == {"completeness": None}


# Fairness


def test_a_short_timer_is_not_put_off_for_ever_by_longer_ones():
    verdict = check(question("coordinator-retry", n=3, timing="ordered", parameters={"retry": 3}))
    assert verdict.verdict == HOLDS


class Overtaken(Election):
    """Two play for ever on a link that keeps no order; the first ball that was marked makes 2 leader."""

    name = "overtaken"
    topology = "complete"

    @upon_start
    def serve(self) -> None:
        if self.id == 1:
            self.send(2, Word())
            self.send(2, Ball())

    @upon(Ball)
    def play(self, sender: Pid, message: Ball) -> None:
        self.send(sender, message)

    @upon(Word)
    def win(self, sender: Pid, message: Word) -> None:
        self.elect(2)


@both
def test_no_message_is_overtaken_for_ever(reduced):
    asked = question(f"{HERE}:Overtaken", n=2, fifo=False, properties=["termination"])
    assert check(asked, Effort(reduced=reduced)).verdict == HOLDS


class Rings(Election):
    """1 sets one timer again and again; another one, set once, makes it leader."""

    name = "rings"
    topology = "complete"

    @upon_start
    def begin(self) -> None:
        if self.id == 1:
            self.set_timer("bell", 1)
            self.set_timer("win", 1)

    @upon_timeout("bell")
    def ring(self) -> None:
        self.set_timer("bell", 1)

    @upon_timeout("win")
    def win(self) -> None:
        self.elect(1)


class Postponed(Rings):
    """The other one is set anew each time, too."""

    name = "postponed"

    def ring(self) -> None:
        self.set_timer("bell", 1)
        self.set_timer("win", 1)


@both
def test_each_timer_runs_out_in_the_end_unless_it_is_set_anew(reduced):
    asked = {"n": 2, "alarms": -1, "properties": ["termination"]}
    assert check(question(f"{HERE}:Rings", **asked), Effort(reduced=reduced)).verdict == HOLDS
    assert violates(check(question(f"{HERE}:Postponed", **asked), Effort(reduced=reduced)), "termination")


# Long searches


@pytest.mark.parametrize("timing", ["async", "bounded"])
def test_random_runs_beside_a_long_search_find_what_it_has_not_and_the_run_shown_is_still_shortest(timing, monkeypatch):
    asked = question("bully", n=3, timing=timing, delay=3, anybody=True, parameters={"transmission": 1})
    patiently = check(asked)
    monkeypatch.setattr(answer, "TURN", 1)
    hastily = check(asked)
    assert (hastily.violated, hastily.shortest) == (patiently.violated, True)
    assert len(hastily.counterexample.schedule.steps) == len(patiently.counterexample.schedule.steps)


class Restless(Election):
    """Counts for ever, or plays for ever: the one has no end of states, the other is a cycle."""

    name = "restless"
    topology = "complete"
    count: int = 0

    @upon_start
    def begin(self) -> None:
        if self.id == 1:
            self.send(2, Ball() if self.choose((True, False)) else Word())

    @upon(Ball)
    def play(self, sender: Pid, message: Ball) -> None:
        self.send(sender, message)

    @upon(Word)
    def go_on(self, sender: Pid, message: Word) -> None:
        self.count += 1
        self.send(sender, message)


@both
def test_a_run_without_end_is_found_although_the_search_has_no_end(reduced, monkeypatch):
    monkeypatch.setattr(answer, "TURN", 100)
    verdict = check(
        question(f"{HERE}:Restless", n=2, starters=[1], properties=["termination"]), Effort(reduced, states=20_000)
    )
    assert violates(verdict, "termination") and verdict.counterexample.schedule.loop is not None


def test_an_unfair_cycle_among_the_first_states_is_no_counterexample(monkeypatch):
    monkeypatch.setattr(answer, "TURN", 1)
    assert (
        check(question(f"{HERE}:Rings", n=3, alarms=-1, properties=["termination"]), Effort(reduced=False)).verdict
        == HOLDS
    )


class Rumour(Election):
    """Each message is answered by two."""

    name = "rumour"
    topology = "complete"

    @upon_start
    def begin(self) -> None:
        self.send(self.neighbours, Word())

    @upon(Word)
    def tell_twice(self, sender: Pid, message: Word) -> None:
        self.send(sender, message)
        self.send(sender, message)


@both
def test_messages_without_end_are_told_with_the_clause_that_sends_them(reduced, monkeypatch):
    monkeypatch.setattr(answer, "TURN", 1000)
    verdict = check(question(f"{HERE}:Rumour", n=2, properties=["uniqueness"]), Effort(reduced=reduced))
    assert verdict.verdict == INCOMPLETE and verdict.states < 20_000
    assert "messages grow without end" in verdict.stopped and verdict.stopped.endswith("sent by tell_twice")


# Runs of so many steps


@pytest.mark.parametrize(("depth", "found"), [(11, ""), (12, "uniqueness")])
def test_runs_are_followed_to_the_depth_and_no_further(depth, found):
    asked = {"ids": [2, 1, 3], "properties": ["uniqueness", "termination"]}
    steps = len(check(question("anonymous-ring", **asked)).counterexample.schedule.steps)
    verdict = check(question("anonymous-ring", depth=steps - 12 + depth, **asked))
    assert verdict.violated == found
    if not found:
        limit = f"--depth {steps - 1}"
        assert verdict.verdict == HOLDS and verdict.open == {"termination": {limit}} and verdict.truncated
        assert verdict.properties == {"uniqueness": True, "termination": None}


def test_where_all_runs_end_before_it_the_depth_is_no_limit():
    verdict = check(question("chang-roberts", n=3, depth=100))
    assert verdict.verdict == HOLDS and not verdict.truncated and not verdict.open
    assert not verdict.reduced  # a run that is left out may be shorter than the one in its place
