"""Verdicts: what holds, what does not, the shortest run that shows it, and what the checker refuses."""

import itertools
from dataclasses import dataclass
from typing import Any

import pytest
from small_instances import AnyProtocol, explore, question

from habemus.checking.check import HOLDS, INCOMPLETE, VIOLATED, Effort, check
from habemus.checking.replay import play
from habemus.checking.search import DEPTH
from habemus.checking.telling import told_steps
from habemus.process import (
    Election,
    Message,
    MisuseError,
    Mutex,
    Parameter,
    Pid,
    upon,
    upon_command,
    upon_start,
    upon_suspect,
    upon_timeout,
)
from habemus.scenario import read_scenario
from habemus.simulation.run import ClauseError

HERE = "test_verdicts"


@dataclass(frozen=True)
class Ball(Message):
    """To and fro."""


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
    told = [line for step in told_steps(play(verdict.counterexample)) for line in step]
    assert sum("before what was sent earlier" in line for line in told) == 1


REGENERATING = {"regenerate": True}


@pytest.mark.parametrize("crashes", [1, 2])
def test_a_token_ring_that_regenerates_holds_where_all_are_told_at_once_which_it_assumes(crashes):
    verdict = check(question("token-ring", n=3, parameters=REGENERATING, crashes=crashes))
    assert verdict.verdict == HOLDS and "tells all at once" in verdict.assumption


def test_where_each_is_told_on_its_own_the_new_token_may_go_to_the_dead():
    verdict = check(question("token-ring", n=3, parameters=REGENERATING, crashes=1, detector="perfect"))
    assert verdict.violated == "deadlock_freedom"
    steps = verdict.counterexample.schedule.steps
    assert steps[-1].startswith("suspect") and any("Token(" in step for step in steps)


def test_bully_needs_a_detector_that_is_never_wrong_and_never_ahead_of_what_the_dead_have_sent():
    verdict = check(question("bully", n=2, detector="eventual", mistakes=2))
    steps = verdict.counterexample.schedule.steps
    assert verdict.violated == "uniqueness" and len(steps) == 8 and steps[-1] == "mistake 1 2"
    assert verdict.counterexample.schedule.mistakes == 1 and "which is well" in str(
        told_steps(play(verdict.counterexample))
    )
    assert check(question("bully", n=3, crashes=1)).verdict == HOLDS
    verdict = check(question("bully", n=2, detector="eventual", crashes=1))
    steps = verdict.counterexample.schedule.steps
    assert verdict.violated == "termination" and steps.index("suspect 1 2") < steps.index("deliver 2>1 Coordinator")


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("token-ring", {"parameters": REGENERATING, "crashes": 1, "detector": "simultaneous"}),
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
    assert verdict.verdict == HOLDS and verdict.truncated == bounded


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


@pytest.mark.parametrize("seed", range(40))
def test_counterexamples_are_the_shortest_and_replay_to_the_same_violation(seed, tmp_path):
    parameters = {"seed": seed, "calm": 4}
    asked = question(f"{AnyProtocol.__module__}:AnyProtocol", n=3, parameters=parameters, properties=["uniqueness"])
    verdict = check(asked)
    full = explore(asked, False)
    assert verdict.violated == full.violated
    if verdict.violated:
        schedule = verdict.counterexample.schedule
        starts = sum(step.startswith("start") for step in schedule.steps)
        assert verdict.shortest and len(schedule.steps) - starts <= full.depths[full.culprit]
        verdict.counterexample.write(tmp_path / "run.toml")
        again = read_scenario(tmp_path / "run.toml")
        first, second = play(verdict.counterexample), play(again)
        assert first.digest == second.digest
        assert "uniqueness" in [judge.name for judge in second.properties if judge.witness is not None]
        assert second.surprises == []


@dataclass(frozen=True)
class Note(Message):
    """Two numbers, of which one is often left out."""

    left: int = 0
    right: int = 0


class Musical(Election):
    """2 sends four notes to 1, who rises when it hears them in the order that `tune` says."""

    name = "musical"
    topology = "complete"
    tune: Parameter[tuple[int, ...]] = ()

    heard: tuple[int, ...] = ()

    @upon_start
    def play(self) -> None:
        if self.id == 2:
            self.elect(2)
            for note in (Note(left=1), Note(right=1), Note(left=3), Note(right=1)):
                self.send(1, note)

    @upon(Note)
    def hear(self, sender: Pid, message: Note) -> None:
        self.heard = (*self.heard, message.left + 2 * message.right)
        if self.heard == self.tune:
            self.elect(self.id)


@pytest.mark.parametrize(
    ("tune", "limits", "numbered"),
    [
        ((2,), {"fifo": False}, 0),  # `Note(1)` and `Note(right=1)` are not one
        ((2, 1, 2, 3), {"reorders": 1}, 1),  # the second of two equal notes overtakes all
        ((2, 1, 3, 2), {"reorders": 1}, 0),
    ],
)
def test_steps_that_look_alike_have_names_of_their_own(tune, limits, numbered):
    verdict = check(
        question(f"{HERE}:Musical", n=2, parameters={"tune": list(tune)}, properties=["uniqueness"], **limits)
    )
    assert verdict.violated == "uniqueness" and "still held it" in verdict.witness
    assert sum("#2" in step for step in verdict.counterexample.schedule.steps) == numbered
    assert play(verdict.counterexample).surprises == []


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


clock = itertools.count()


class Fickle(Election):
    """Looks at something that is not its own."""

    name = "fickle"
    topology = "ring"
    when: int = 0

    @upon_start
    def look_at_the_clock(self) -> None:
        self.when = next(clock)


@pytest.mark.parametrize(
    ("name", "said"), [("Opaque", "the field things"), ("Fickle", "look_at_the_clock did two things")]
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
    with pytest.raises(ClauseError, match=r"Clumsy failed .*test_verdicts\.py:\d+, in catch.*IndexError") as error:
        check(question(f"{HERE}:Clumsy", n=3))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("reduced", [True, False])
def test_a_lock_that_waits_for_one_who_never_asks_is_no_lock(reduced):
    verdict = check(question(f"{HERE}:Alternating", n=2), Effort(reduced))
    assert verdict.violated == "deadlock_freedom" and verdict.shortest
    assert verdict.counterexample.schedule.steps[-1:] == ["acquire 2"]
    assert "deadlock_freedom" in [judge.name for judge in play(verdict.counterexample).properties if judge.witness]
