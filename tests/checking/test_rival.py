"""Two processes for one question: whoever is faster, the verdict is the same."""

import multiprocessing
import os
import time

import pytest
from small_instances import question

from habemus.checking import check as checking
from habemus.checking.check import HOLDS, VIOLATED, Effort, check
from habemus.checking.rival import OVERTAKEN, Rival
from habemus.checking.search import BREADTH, Search

SOUND = question("ricart-agrawala", n=3)
LARGER = question("lamport", n=3)
RAFT = {"low": 1, "high": 1, "heartbeat": 1}
BROKEN = question("bully", n=3, timing="async")


@pytest.fixture(autouse=True)
def race_at_once(monkeypatch):
    """The race begins where a search is not done in its first turn; let that be short."""
    monkeypatch.setattr(checking, "TURN", 10)


@pytest.mark.parametrize(
    "asked", [SOUND, LARGER, question("raft-election", n=2, bounds={"term": 2}, parameters=RAFT), BROKEN]
)
def test_a_race_ends_with_the_verdict_of_the_searches_that_take_turns(asked):
    alone, together = check(asked), check(asked, Effort(jobs=2))
    assert (together.verdict, together.properties) == (alone.verdict, alone.properties)
    if alone.violated:
        assert together.counterexample.schedule == alone.counterexample.schedule
    assert not multiprocessing.active_children()


def never_done(question, effort):
    time.sleep(600)


def dies(question, effort):
    os._exit(1)


def fails(question, effort):
    raise ValueError("a clause failed")


def at_once(question, effort):
    return check(question, effort)


def raced(monkeypatch, ask, waits=False):
    """The verdict on a sound algorithm if the rival is like that."""

    class Patient(Rival):
        def __init__(self, _, question, effort):
            super().__init__(ask, question, effort)
            if waits:
                self.words.poll(60)

    monkeypatch.setattr(checking, "Rival", Patient)
    monkeypatch.setattr("habemus.checking.search.EVERY", 1)
    return check(SOUND, Effort(jobs=2))


@pytest.mark.parametrize("ask", [never_done, dies, fails])
def test_a_rival_that_is_slow_or_dies_changes_nothing_and_says_nothing(ask, monkeypatch, capfd):
    verdict = raced(monkeypatch, ask, waits=ask is not never_done)
    assert capfd.readouterr().err == ""
    assert verdict.verdict == HOLDS and verdict.reduced
    assert not multiprocessing.active_children()


def test_a_rival_that_is_faster_ends_the_search():
    rival = Rival(at_once, SOUND, Effort(False))
    search = Search(SOUND.semantics(), True, BREADTH, 1000, 8 << 30)
    rival.words.poll(60)
    rival.watch(search)
    rival.end()
    assert search.stopped == OVERTAKEN
    assert rival.answer.verdict == HOLDS and not rival.answer.reduced


def test_a_rival_that_gives_up_has_no_answer():
    rival = Rival(at_once, LARGER, Effort(False, states=10))
    search = Search(LARGER.semantics(), True, BREADTH, 1000, 8 << 30)
    rival.words.poll(60)
    rival.watch(search)
    rival.watch(search)
    rival.end()
    assert rival.answer is None and not search.stopped


def test_a_faster_rival_gives_the_counterexample():
    rival = Rival(at_once, BROKEN, Effort(False))
    rival.words.poll(60)
    rival.watch(Search(BROKEN.semantics(), True, BREADTH, 1000, 8 << 30))
    rival.end()
    assert rival.answer.verdict == VIOLATED and rival.answer.shortest
