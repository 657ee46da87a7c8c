"""A crashed process and a slow one cannot be told apart: same local history, two truths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.scenario import Crash, Cut, Network, Pause, Resume, Scenario, TopologySpec, named_scenarios
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
    st.integers(2, 60),
    st.integers(0, 2**32),
)
def test_no_time_out_no_threshold_and_no_seed_helps(algorithm, moment, setting, seed):
    """However long it waits: a subject that is slow for longer makes it decide without knowing."""
    setting = {"timeout": 10 * setting} if algorithm == "heartbeat" else {"threshold": 1 + setting / 8}

    def seen(faults):
        scenario = Scenario(
            algorithm,
            parameters=setting,
            topology=TopologySpec(ids=[OBSERVER, SUBJECT]),
            network=Network("uniform:1:9"),
            faults=faults,
            seed=seed,
            until=1600,
        )
        outcome = simulate(scenario, keep=100_000)
        return history(outcome.trace), outcome.detection

    ours, right = seen([Crash(moment, SUBJECT)])
    place = decision(ours)
    theirs, wrong = seen([Pause(moment, SUBJECT), Resume(ours[place][0] + 100, SUBJECT)])
    assert ours[: place + 1] == theirs[: place + 1]
    assert (right.mistakes, wrong.mistakes) == (0, 1)


@pytest.mark.parametrize(
    "fault", [Pause(45, SUBJECT), Cut(45, [(SUBJECT, OBSERVER)], one_way=True)], ids=["it", "link"]
)
def test_silence_for_good_is_never_told_apart_whether_the_process_or_its_link_is_to_blame(fault):
    crashed, silent = named_scenarios()["silent-crashed"], named_scenarios()["silent-crashed"]
    silent.faults = [fault]
    ours, theirs = history(simulate(crashed, keep=1000).trace), history(simulate(silent, keep=1000).trace)
    assert ours == theirs  # to the end: the observer never learns
