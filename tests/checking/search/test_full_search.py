"""Two processes for one question: whichever is faster, the verdict is the same."""

import multiprocessing
import os
import time
from functools import partial

import pytest
from small_instances import question

from habemus.checking.answer.check import check
from habemus.checking.answer.verdicts import HOLDS, VIOLATED
from habemus.checking.search.effort import Effort
from habemus.checking.search.full_search import OVERTAKEN, FullSearch
from habemus.checking.search.search import BREADTH, Search

SOUND = question("ricart-agrawala", n=3)
LARGER = question("lamport", n=3)
RAFT = {"low": 1, "high": 1, "heartbeat": 1}
BROKEN = question("bully", n=3, timing="async")


@pytest.fixture(autouse=True)
def race_at_once(monkeypatch):
    """The race begins where a search is not done in its first turn; let that be short."""
    monkeypatch.setattr("habemus.checking.answer.check.TURN", 10)


@pytest.mark.parametrize(
    "asked", [SOUND, LARGER, question("raft-election", n=2, bounds={"term": 2}, parameters=RAFT), BROKEN]
)
def test_a_race_ends_with_the_verdict_of_the_searches_that_take_turns(asked):
    alone, together = check(asked), check(asked, Effort(jobs=2))
    assert (together.verdict, together.properties) == (alone.verdict, alone.properties)
    if alone.violated:
        assert together.counterexample.schedule == alone.counterexample.schedule
    assert not multiprocessing.active_children()


def never_done():
    time.sleep(600)


def dies():
    os._exit(1)


def fails():
    raise ValueError("a clause failed")


def race_against(monkeypatch, find_answer, waits=False):
    """The verdict on a sound algorithm if the full search is like that."""

    class Patient(FullSearch):
        def __init__(self, _):
            super().__init__(find_answer)
            if waits:
                self.connection.poll(60)

    monkeypatch.setattr("habemus.checking.answer.check.FullSearch", Patient)
    monkeypatch.setattr("habemus.checking.search.search.INTERVAL", 1)
    return check(SOUND, Effort(jobs=2))


@pytest.mark.parametrize("find_answer", [never_done, dies, fails])
def test_a_full_search_that_is_slow_or_dies_changes_nothing_and_says_nothing(find_answer, monkeypatch, capfd):
    verdict = race_against(monkeypatch, find_answer, waits=find_answer is not never_done)
    assert capfd.readouterr().err == ""
    assert verdict.verdict == HOLDS and verdict.reduced
    assert not multiprocessing.active_children()


def finished(asked, effort):
    """A full search in another process, which has its answer or none."""
    full = FullSearch(partial(check, asked, effort))
    full.connection.poll(60)
    return full


def test_a_full_search_that_is_faster_ends_the_other():
    full = finished(SOUND, Effort(False))
    search = Search(SOUND.build_semantics(), True, BREADTH, 1000, 8 << 30)
    full.watch(search)
    full.end()
    assert search.stopped == OVERTAKEN
    assert full.answer.verdict == HOLDS and not full.answer.reduced


def test_a_full_search_that_gives_up_has_no_answer():
    full = finished(LARGER, Effort(False, states=10))
    search = Search(LARGER.build_semantics(), True, BREADTH, 1000, 8 << 30)
    full.watch(search)
    full.watch(search)
    full.end()
    assert full.answer is None and not search.stopped


def test_a_faster_full_search_gives_the_counterexample():
    full = finished(BROKEN, Effort(False))
    full.watch(Search(BROKEN.build_semantics(), True, BREADTH, 1000, 8 << 30))
    full.end()
    assert full.answer.verdict == VIOLATED and full.answer.shortest
