"""Detectors are judged in runs without end: whether they suspect the crashed for good, and cease to be mistaken."""

import pytest
from small_instances import Ball, question

from habemus.checking.answer.check import check
from habemus.checking.answer.replay import play
from habemus.checking.answer.verdicts import HOLDS
from habemus.process import Detector, Pid, upon, upon_start, upon_timeout

HERE = "test_judged_detectors"


class Blind(Detector):
    """Beats for ever and suspects nobody."""

    name = "blind"
    topology = "complete"
    guarantees = ("completeness", "accuracy")

    @upon_start
    def begin(self) -> None:
        self.set_timer("beat", 1)

    @upon_timeout("beat")
    def beat(self) -> None:
        self.send(self.neighbours, Ball())
        self.set_timer("beat", 1)

    @upon(Ball)
    def hear(self, sender: Pid, message: Ball) -> None:
        pass


class Paranoid(Blind):
    """Suspects everybody, for ever."""

    name = "paranoid"

    def begin(self) -> None:
        for other in self.neighbours:
            self.suspect(other)
        self.set_timer("beat", 1)


class Moody(Blind):
    """Suspects and trusts by turns, for ever."""

    name = "moody"
    sure: bool = True

    def hear(self, sender: Pid, message: Ball) -> None:
        self.sure = not self.sure
        (self.trust if self.sure else self.suspect)(sender)


class Forgiving(Blind):
    """Suspects one that was silent for a while, and trusts it again for a while, though it has crashed."""

    name = "forgiving"
    heard: set[Pid] = set()
    suspected: set[Pid] = set()

    def begin(self) -> None:
        self.heard = set(self.neighbours)
        self.set_timer("beat", 4)

    def beat(self) -> None:
        for other in self.neighbours:
            if other in self.suspected:
                self.suspected.discard(other)
                self.trust(other)
            elif other not in self.heard:
                self.suspected.add(other)
                self.suspect(other)
        self.heard = set()
        self.send(self.neighbours, Ball())
        self.set_timer("beat", 4)

    def hear(self, sender: Pid, message: Ball) -> None:
        self.heard.add(sender)


@pytest.mark.parametrize(
    ("cls", "limits", "broken"),
    [
        ("Forgiving", {"crashes": 1}, "completeness"),
        ("Blind", {"crashes": 1}, "completeness"),
        ("Paranoid", {}, "accuracy"),
        ("Moody", {}, "accuracy"),
    ],
)
def test_a_detector_is_judged_in_runs_without_end(cls, limits, broken):
    verdict = check(question(f"{HERE}:{cls}", n=2, timing="bounded", properties=[broken], **limits))
    assert verdict.violated == broken and verdict.counterexample.schedule.loop is not None
    assert broken in [judge.name for judge in play(verdict.counterexample).properties if judge.witness]


def test_one_that_suspects_nobody_makes_no_mistake():
    assert check(question(f"{HERE}:Blind", n=2, timing="bounded", properties=["accuracy"])).verdict == HOLDS


def test_without_a_crash_nothing_is_known_of_completeness():
    verdict = check(question(f"{HERE}:Blind", n=2, timing="bounded", properties=["completeness", "accuracy"]))
    assert verdict.open == {"completeness": {"--crashes 0"}} and verdict.properties["completeness"] is None
    assert "--crashes 1" in verdict.next_question
