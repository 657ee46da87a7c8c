"""Counterexamples are the shortest, and each of their steps has a name by which it is replayed."""

from dataclasses import dataclass

import pytest
from small_instances import AnyProtocol, explore, question

from habemus.checking.answer.check import check
from habemus.checking.answer.replay import play
from habemus.process import (
    Election,
    Message,
    Parameter,
    Pid,
    upon,
    upon_start,
    upon_suspect,
)
from habemus.scenario import read_scenario

HERE = "test_counterexamples"


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
        assert verdict.shortest and len(schedule.steps) - starts <= full.states.depth(full.culprit)
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


def test_named_starters_stay_and_others_go_if_they_are_not_needed():
    named = check(question("anonymous-ring", n=4, starters=[1, 2, 3]))
    assert named.counterexample.starters == [1, 2, 3]
    assert sum(step.startswith("start") for step in named.counterexample.schedule.steps) == 3
    assert len(check(question("anonymous-ring", n=4)).counterexample.starters) == 2


class Detour(Election):
    """1 leads; 2 does so as well when it hears of a crash, and after the last of many notes without one."""

    name = "detour"
    topology = "complete"
    notes: Parameter[int] = 6

    @upon_start
    def begin(self) -> None:
        if self.id == 1:
            self.elect(1)
            self.send(2, Note(left=self.notes))

    @upon(Note)
    def pass_on(self, sender: Pid, message: Note) -> None:
        if message.left > 1:
            self.send(sender, Note(left=message.left - 1))
        elif self.id == 2:
            self.elect(2)
        else:
            self.send(2, message)

    @upon_suspect
    def rise(self, subject: Pid) -> None:
        if self.id == 2:
            self.elect(2)


@pytest.mark.parametrize("allowed", [1, 10**26])
@pytest.mark.parametrize(("notes", "crashes"), [(6, 1), (1, 0)])
def test_a_crash_that_makes_the_run_shorter_stays_and_a_needless_one_goes(notes, crashes, allowed):
    parameters = {"notes": notes}
    asked = question(f"{HERE}:Detour", n=3, crashes=allowed, parameters=parameters, properties=["uniqueness"])
    verdict = check(asked)
    steps = verdict.counterexample.schedule.steps
    assert verdict.shortest and sum(step.startswith("crash") for step in steps) == crashes
    assert len(steps) == (3 if crashes else 2)
