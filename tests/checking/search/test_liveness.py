"""Runs without end: those that are fair and violate a property are shown as a lasso; others are not judged."""

import pytest
from small_instances import Ball, question

from habemus.checking.answer.check import check
from habemus.checking.answer.replay import play
from habemus.checking.answer.verdicts import HOLDS
from habemus.checking.search.effort import Effort
from habemus.process import (
    Election,
    Mutex,
    Pid,
    upon,
    upon_command,
    upon_start,
    upon_suspect,
    upon_timeout,
)

HERE = "test_liveness"


class PingPong(Election):
    """Two play for ever, and nobody is elected."""

    name = "ping-pong"
    topology = "complete"

    @upon_start
    def serve(self) -> None:
        self.send(self.neighbours[0], Ball())

    @upon(Ball)
    def return_ball(self, sender: Pid, message: Ball) -> None:
        self.send(sender, message)


class Alternating(Mutex):
    """Two take turns: who has the ball keeps it until it has been inside, whether it ever wants to or not."""

    name = "alternating"
    topology = "complete"

    mine: bool = False

    @upon_start
    def serve(self) -> None:
        self.mine = self.id == 1

    @upon_command("acquire")
    def want(self) -> None:
        self.ask()
        if self.mine:
            self.enter()

    @upon(Ball)
    def take_turn(self, sender: Pid, message: Ball) -> None:
        self.mine = True
        if self.waiting:
            self.enter()

    @upon_command("release")
    def pass_on(self) -> None:
        self.leave()
        self.mine = False
        self.send(self.neighbours[0], Ball())


class Rude(Mutex):
    """The ball goes to and fro between the first two, who may enter when they have it; the third waits for ever."""

    name = "rude"
    topology = "complete"

    @upon_start
    def serve(self) -> None:
        if self.id == 1:
            self.send(2, Ball())

    @upon_command("acquire")
    def want(self) -> None:
        self.ask()

    @upon(Ball)
    def take_turn(self, sender: Pid, message: Ball) -> None:
        if self.waiting:
            self.enter()
        else:
            self.send(sender, message)

    @upon_command("release")
    def give_up(self) -> None:
        self.leave()
        self.send(3 - self.id, Ball())


def test_a_run_without_end_is_shown_as_a_lasso():
    verdict = check(question(f"{HERE}:PingPong", n=2, starters=[1]))
    schedule = verdict.counterexample.schedule
    assert verdict.violated == "termination"
    assert schedule.steps[schedule.loop :] == ["deliver 1>2 Ball", "deliver 2>1 Ball"]


def test_who_waits_while_others_go_on_for_ever_starves():
    verdict = check(question(f"{HERE}:Rude", n=3, properties=["starvation_freedom"]))
    assert verdict.violated == "starvation_freedom"
    assert "acquire 3" in verdict.counterexample.schedule.steps[: verdict.counterexample.schedule.loop]
    assert "3 asked" in verdict.witness


class Patient(Election):
    """Two play for ever; 1 takes office when its timer has run out for the third time."""

    name = "patient"
    topology = "complete"
    times: int = 0

    @upon_start
    def serve(self) -> None:
        if self.id == 1:
            self.send(2, Ball())
            self.set_timer("nap", 1)

    @upon(Ball)
    def return_ball(self, sender: Pid, message: Ball) -> None:
        self.send(sender, message)

    @upon_timeout("nap")
    def wake_up(self) -> None:
        self.times += 1
        if self.times == 3:
            self.elect(self.id)
        else:
            self.set_timer("nap", 1)


@pytest.mark.parametrize(
    ("limits", "bounded"),
    [({"alarms": 2}, True), ({"alarms": 3}, False), ({"alarms": 5, "bounds": {"times": 2}}, True)],
)
def test_a_run_without_end_is_not_judged_if_only_a_limit_keeps_somebody_from_going_on(limits, bounded):
    verdict = check(question(f"{HERE}:Patient", n=2, properties=["termination"], **limits))
    assert verdict.violated == "" and verdict.truncated == bounded
    assert verdict.properties == {"termination": None if bounded else True}


class Resigned(Election):
    """Elects nobody, and counts whom it is told to suspect."""

    name = "resigned"
    topology = "complete"
    suspects: int = 0

    @upon_suspect
    def count(self, subject: Pid) -> None:
        self.suspects += 1


@pytest.mark.parametrize("reduced", [True, False], ids=["reduced", "full"])
def test_the_end_of_a_run_is_judged_though_a_fault_that_could_still_come_is_beyond_a_bound(reduced):
    limits = {"detector": "eventual", "mistakes": 1, "bounds": {"suspects": 0}}
    verdict = check(question(f"{HERE}:Resigned", n=2, properties=["termination"], **limits), Effort(reduced=reduced))
    assert verdict.violated == "termination"


def test_unfair_runs_are_no_counterexample():
    """A ring passes its token for ever; whoever wants in gets it unless a link is left out for ever."""
    assert check(question("token-ring", n=3)).verdict == HOLDS


@pytest.mark.parametrize("reduced", [True, False])
def test_a_lock_that_waits_for_one_who_never_asks_is_no_lock(reduced):
    verdict = check(question(f"{HERE}:Alternating", n=2), Effort(reduced))
    assert verdict.violated == "deadlock_freedom" and verdict.shortest
    assert verdict.counterexample.schedule.steps[-1:] == ["acquire 2"]
    assert "deadlock_freedom" in [judge.name for judge in play(verdict.counterexample).properties if judge.witness]


def test_a_compact_search_does_not_judge_runs_without_end():
    asked = question(f"{HERE}:PingPong", n=2, properties=["termination"])
    assert check(asked).verdict == "violated"
    verdict = check(asked, Effort(compact=True))
    assert verdict.verdict == "incomplete" and verdict.open == {"termination": {"--compact"}}
    assert verdict.next_question == f"habemus check {HERE}:PingPong --n 2 --property termination"
