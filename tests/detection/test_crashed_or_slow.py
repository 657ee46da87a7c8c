"""A crashed process and a slow one cannot be told apart: same local history, two truths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.scenario import Crash, Cut, LinkDelay, Network, Pause, Place, Resume, Scenario, named_scenarios
from habemus.simulation import simulate

OBSERVER, SUBJECT = 1, 2


def history(trace, observer=OBSERVER):
    """All that the observer sees of a run: what set off each of its steps, what it received, sent and changed, when."""
    return [
        (
            event.time,
            event.kind,
            event.clause,
            event.subject,
            [(message.sender, message.type, message.fields) for message in event.received],
            [(message.to, message.type, message.fields) for message in event.sent],
            event.changed,
        )
        for event in trace.events
        if event.process == observer
    ]


def decision(history):
    """The place of the step in which the observer begins to suspect."""
    return next(place for place, step in enumerate(history) if step[6].get("suspected"))


def truths(scenario):
    """What really happened to the subject."""
    return {type(fault).__name__ for fault in scenario.faults}


def test_the_observer_of_the_two_named_scenarios_sees_the_same_and_decides_the_same():
    scenarios = named_scenarios()
    crashed, slow = scenarios["silent-crashed"], scenarios["silent-slow"]
    assert truths(crashed) == {"Crash"} and truths(slow) == {"Pause", "Resume"}
    first, second = simulate(crashed, keep=1000), simulate(slow, keep=1000)
    ours, theirs = history(first.trace), history(second.trace)
    moment = decision(ours)
    assert moment == decision(theirs)
    assert ours[: moment + 1] == theirs[: moment + 1]
    assert ours != theirs  # in the end the slow one speaks again
    assert (len(first.detection.detection_times), first.detection.mistakes) == (1, 0)
    assert (len(second.detection.detection_times), second.detection.mistakes) == (0, 1)


@given(
    st.sampled_from(["heartbeat", "phi-accrual"]),
    st.integers(100, 400),
    st.integers(1, 60),
    st.integers(0, 2**32),
)
def test_no_time_out_no_threshold_and_no_seed_helps(algorithm, moment, setting, seed):
    """However long it waits: if the subject is slow for longer than that, the observer has to decide without knowing."""
    setting = {"timeout": 10 * setting} if algorithm == "heartbeat" else {"threshold": setting / 4}

    def seen(faults):
        scenario = Scenario(
            algorithm,
            parameters=setting,
            topology=Place(ids=[OBSERVER, SUBJECT]),
            network=Network("uniform:1:9"),
            faults=faults,
            seed=seed,
            until=4000,
        )
        outcome = simulate(scenario, keep=100_000)
        return history(outcome.trace), outcome.detection

    ours, right = seen([Crash(moment, SUBJECT)])
    place = decision(ours)
    theirs, wrong = seen([Pause(moment, SUBJECT), Resume(ours[place][0] + 100, SUBJECT)])
    assert ours[: place + 1] == theirs[: place + 1]
    assert (right.mistakes, wrong.mistakes) == (0, 1)


@pytest.mark.parametrize(
    "network",
    [{"faults": [Cut(45, [(SUBJECT, OBSERVER)], one_way=True)]}, {"faults": [Pause(45, SUBJECT)]}],
    ids=["its messages are lost", "it never goes on"],
)
def test_nor_can_silence_that_comes_from_the_network_be_told(network):
    crashed = named_scenarios()["silent-crashed"]
    other = named_scenarios()["silent-crashed"]
    other.faults = network["faults"]
    ours, theirs = history(simulate(crashed, keep=1000).trace), history(simulate(other, keep=1000).trace)
    assert ours == theirs  # to the end: the observer never learns


def test_nor_a_beat_that_is_only_late():
    """The sixth beat takes 60 ticks: the observer suspects a process that did nothing wrong, and not even late."""
    crashed = named_scenarios()["silent-crashed"]
    late = named_scenarios()["silent-crashed"]
    late.faults = []
    late.network = Network(fifo=False, links=[LinkDelay(SUBJECT, OBSERVER, "constant:60")])
    ours, theirs = history(simulate(crashed, keep=1000).trace), history(simulate(late, keep=1000).trace)
    assert decision(theirs) is not None and ours[0] == theirs[0]
