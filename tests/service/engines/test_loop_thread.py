"""Who runs the loop of an engine: its own thread, or one that waits and has nothing else to do."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from habemus.service.engine import Latch
from habemus.service.engines import loop_thread
from habemus.service.engines.loop_thread import LoopThread

SOON = 10.0  # seconds, on a busy machine


@pytest.fixture
def thread():
    thread = LoopThread("loop")
    yield thread
    thread.stop()


@pytest.fixture
def patient(monkeypatch):
    """The loop's own thread gives others much time to come back."""
    monkeypatch.setattr(loop_thread, "UNHURRIED", 10 * SOON)


def ask(thread, delay=0.0):
    """Have something done in the loop, perhaps later, and wait for it. Says which thread did it."""
    latch, done = Latch(), []

    def answer():
        done.append(threading.get_ident())
        latch.open()
        thread.note_settled()

    thread.call_soon(lambda: thread.loop.call_later(delay, answer) if delay else answer())
    thread.wait(latch, None)
    return done[0]


def in_another_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result(SOON)


def test_a_thread_that_comes_back_soon_runs_the_loop_itself(patient, thread):
    def ask_often():
        first, *others = [ask(thread) for _ in range(20)]
        return first == thread.thread.ident and set(others) == {threading.get_ident()}

    assert in_another_thread(ask_often)


@pytest.mark.timing
def test_so_does_one_that_waits_for_longer_than_others_are_waited_for(monkeypatch, thread):
    monkeypatch.setattr(loop_thread, "UNHURRIED", 0.2)

    def ask_slowly():
        return [ask(thread, delay=0.25) == threading.get_ident() for _ in range(4)]

    answered = in_another_thread(ask_slowly)
    assert (True, True) in pairwise(answered), answered  # not only every second time


def test_the_main_thread_never_does_since_a_signal_may_interrupt_it_anywhere(thread):
    assert {ask(thread) for _ in range(20)} == {thread.thread.ident}


def test_when_nobody_comes_back_the_loops_own_thread_goes_on(thread):
    in_another_thread(lambda: [ask(thread) for _ in range(5)])
    done = Latch()
    thread.call_unhurried(done.open)
    done.wait(SOON)
    assert done.is_open


def test_who_runs_the_loop_hears_what_other_threads_hand_over(patient, thread):
    latch = Latch()

    def wait():
        ask(thread)
        thread.wait(latch, None)

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait)
        while thread.driver is not latch:
            assert not waiting.done()
        thread.call_soon(lambda: (latch.open(), thread.note_settled()))
        waiting.result(SOON)


def test_all_of_several_threads_are_answered_whoever_runs_the_loop(thread):
    with ThreadPoolExecutor(4) as pool:
        others = [pool.submit(lambda: [ask(thread) for _ in range(200)]) for _ in range(4)]
        assert {ask(thread) for _ in range(200)} <= {thread.thread.ident, *[each.ident for each in pool._threads]}
        for each in others:
            assert len(each.result(SOON)) == 200


def test_who_runs_the_loop_waits_no_longer_than_it_wants_to(patient, thread):
    def give_up():
        ask(thread)
        latch = Latch()
        thread.wait(latch, 0.01)
        return latch.is_open

    assert in_another_thread(give_up) is False
