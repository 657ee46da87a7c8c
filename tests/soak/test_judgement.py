"""The judge is judged: a history that keeps every promise passes, and each broken promise is found by itself."""

from dataclasses import replace

import pytest

from .history import Answer, Calm, Claim, Entry, Exit, History, Life, Size, Upset
from .judgement import judge

GOOD = [
    Life(1, 1, 0, 50, -9, "kill", lines=10),
    Life(1, 2, 51, 200, 0, "end", lines=300),
    Life(2, 1, 0, 200, 0, "end", lines=300),
    Life(3, 1, 0, 100, 2, "full", lines=300, last_line="habemus: no space is left"),
    Life(3, 2, 101, 102, 2, "wipe", lines=4, last_line="habemus: the others remember another directory"),
    Life(3, 3, 103, 200, 0, "end", lines=200),
    *(Claim(time, process, 1, "answer", 1, 1) for time in (5, 10, 15) for process in (1, 2, 3)),
    Claim(5, 1, 1, "stdout", 1, 1),
    Claim(50.5, 2, 1, "answer", None, 1),
    Claim(52, 2, 1, "answer", 2, 2),
    Claim(102, 3, 2, "answer", None, 0),
    *(Answer(time, time + 0.1, 1, True) for time in (5, 10, 15)),
    Answer(51, 53, 1, None),
    Answer(52, 52.1, 1, False),
    *(Answer(time, time + 0.1, 2, True) for time in (52, 60, 70)),
    Entry(6, 1, 1, "events", 10),
    Exit(7, 1, 1, "events"),
    Entry(7, 2, 1, "events", 11),
    Exit(8, 2, 1, "events"),
    Entry(49, 1, 1, "events", 12),  # and is killed inside
    Entry(53, 2, 1, "events", 20),
    Exit(54, 2, 1, "events"),
    Calm(2, 4, 8, 20),
    Calm(105, 107, 108, 110),
    *(Size(time, 2, 1, 40_000_000, 20) for time in (20, 100)),
]


def judge_with(*records, without=()):
    return judge(History([record for record in [*GOOD, *records] if record not in without]))


def test_a_history_that_keeps_every_promise_passes():
    assert judge_with() == []


BROKEN = {
    "two leaders in term 2": [Claim(60, 3, 1, "events", 3, 2)],
    "two leaders in term 1": [Claim(60, 3, 1, "history", 3, 1)],
    "went back from term 2 at 52.000 to term 1": [Claim(60, 2, 1, "answer", 1, 1)],
    "both said that they lead, for 10.0 s": [
        Answer(55, 55.1, 1, True),
        Answer(60, 60.1, 1, True),
        Answer(65.1, 66, 1, True),
    ],
    "token 20 was given twice": [Entry(60, 3, 1, "events", 20)],
    "tokens fell: process 3 entered with 15": [Entry(60, 3, 1, "events", 15)],
    "2 and 3 were both inside, for 100 ms": [Entry(53.9, 3, 1, "events", 21), Exit(54.2, 3, 1, "events")],
    "1 and 3 were both inside, for 900 ms": [Entry(49.1, 3, 1, "events", 13), Exit(51.2, 3, 1, "events")],
    "2 and 3 were both inside, for 1000 ms": [
        *(Entry(60, 2, 1, "stdout", None), Exit(62, 2, 1, "stdout")),
        *(Entry(61, 3, 1, "stdout", None), Exit(62, 3, 1, "stdout")),
    ],
    "process 4 (life 1) ended by itself": [Life(4, 1, 0, 10, 2, "")],
    "process 4 (life 2) ended by itself": [Life(4, 2, 0, 10, 0, "")],
    "did not end in time after leave": [Life(4, 1, 0, 10, -9, "leave", late=True)],
    "did not end in time after wipe": [Life(4, 1, 0, 10, -9, "wipe", late=True)],
    "ended with status 2 after leave": [Life(4, 1, 0, 10, 2, "leave")],
    "ended with status 0 after full": [Life(4, 1, 0, 10, 0, "full")],
    "ended after full and did not say why": [Life(4, 1, 0, 10, 2, "full", last_line="connected to process 1")],
    "ended with status -11 after damage": [Life(4, 1, 0, 10, -11, "damage")],
    "ended with status -6 after kill": [Life(4, 1, 0, 10, -6, "kill")],
    "process 3 lost its memory, and still follows 2": [Claim(102, 3, 2, "answer", 2, 2)],
    "printed a traceback": [Life(4, 1, 0, 10, -9, "kill", traceback="Traceback (most recent call last):")],
    "logged 1000 lines in 10 s": [Life(4, 1, 0, 10, -9, "kill", lines=1000)],
    "grew from 38 to 76 MB": [Size(101, 2, 1, 80_000_000, 20)],
    "had 20 descriptors open, and later 60": [Size(101, 2, 1, 40_000_000, 60)],
    "no agreement 60 s after": [Calm(110, None, None, 170)],
    "not everybody got the lock 59 s after": [Calm(110, 111, None, 170)],
    "the leader changed in the calm": [Claim(108, 2, 1, "answer", 2, 2), Claim(109, 2, 1, "answer", None, 2)],
}


@pytest.mark.parametrize("sentence", BROKEN)
def test_each_broken_promise_is_found(sentence):
    assert [sentence in found for found in judge_with(*BROKEN[sentence])] == [True]


def test_where_processes_or_messages_are_late_only_the_tokens_protect():
    overlap = [Entry(53.5, 3, 1, "events", 21), Exit(54.2, 3, 1, "events")]
    late_entry = [Entry(60, 3, 1, "events", 15)]
    stop = Upset(52, 53.4, "stop")
    assert judge_with(*overlap, *late_entry, stop) == []
    assert judge_with(*overlap, *late_entry, replace(stop, begin=30, end=30))
    assert judge_with(*overlap, *late_entry, replace(stop, begin=61, end=62))
    assert judge_with(Entry(53.5, 3, 1, "events", 20), stop)


def test_a_leader_may_go_soon_after_an_upset_and_not_later():
    change = BROKEN["the leader changed in the calm"]
    assert judge_with(*change, Upset(100, 106, "standstill")) == []
    assert judge_with(*change, Upset(100, 102, "standstill"))
