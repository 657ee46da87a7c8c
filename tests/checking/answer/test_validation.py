"""A recorded run is a run of its algorithm; a forged one is not, and the event is named."""

import copy

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.checking.answer.validation import NotARunError, validate
from habemus.cli import main
from habemus.scenario import Crash, Recover, Scenario, TopologySpec, named_scenarios
from habemus.simulation import simulate
from habemus.trace import Event, Trace


@pytest.fixture(scope="module")
def recorded():
    return simulate(Scenario("raft-election", seed=1, topology=TopologySpec(n=3), until=700), keep=10_000).trace


def forged(trace, choose, change):
    """The trace with the first event that is chosen changed."""
    events = copy.deepcopy(trace.events)
    place = next(place for place, event in enumerate(events) if choose(event))
    events[place : place + 1] = change(events[place])
    return Trace(trace.header, events)


def test_every_step_of_a_recorded_run_is_a_step_of_the_algorithm(recorded):
    assert validate(recorded) >= 6


replace = msgspec.structs.replace


def received_from(event, **changes):
    return replace(event, received=[replace(event.received[0], **changes)])


FORGERIES = {
    "a vote that was not cast": (
        lambda event: any(sent.type == "Vote" for sent in event.sent),
        lambda event: [replace(event, sent=[])],
    ),
    "a message to somebody else": (
        lambda event: event.sent,
        lambda event: [
            replace(event, sent=[replace(event.sent[0], to=6 - event.process - event.sent[0].to), *event.sent[1:]])
        ],
    ),
    "a message that says something else": (
        lambda event: event.sent and "term" in event.sent[0].fields,
        lambda event: [replace(event, sent=[replace(event.sent[0], fields={"term": 77}), *event.sent[1:]])],
    ),
    "a term that was not entered": (
        lambda event: "term" in event.changed,
        lambda event: [replace(event, changed={**event.changed, "term": event.changed["term"] + 1})],
    ),
    "a change that was not noted": (lambda event: event.changed, lambda event: [replace(event, changed={})]),
    "a vote counted twice": (lambda event: event.clause == "count_vote", lambda event: [event, event]),
    "a timer that was not armed": (lambda event: event.kind == "timeout", lambda event: [event, event]),
    "a clause that there is not": (
        lambda event: event.kind == "message",
        lambda event: [replace(event, clause="seize_power")],
    ),
    "a clause for another message": (
        lambda event: event.clause == "count_vote",
        lambda event: [replace(event, clause="follow")],
    ),
    "a message from nowhere": (lambda event: event.received, lambda event: [received_from(event, message=10**6)]),
    "a message of somebody else": (
        lambda event: event.received,
        lambda event: [received_from(event, sender=6 - event.process - event.received[0].sender)],
    ),
    "a role that nobody gave it": (lambda event: event.role is None, lambda event: [replace(event, role="leader")]),
    "a process that there is not": (lambda event: event.process, lambda event: [replace(event, process=4)]),
    "a step of another process": (
        lambda event: event.kind == "message",
        lambda event: [replace(event, process=event.process % 3 + 1)],
    ),
    "a step without its cause": (lambda event: event.parents, lambda event: [replace(event, parents=[])]),
    "a step in a layer that there is not": (lambda event: event.clause, lambda event: [replace(event, layer="Bully")]),
    "a step after a crash": (
        lambda event: event.kind == "message",
        lambda event: [Event(event.event - 1, event.time, "crash", event.process), event],
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_no_run_has_is_named(recorded, forgery):
    with pytest.raises(NotARunError, match=r"event \d+ \(.* at process \d.* is not a step of raft-election"):
        validate(forged(recorded, *FORGERIES[forgery]))


@pytest.mark.parametrize("kind", ["crash", "recover"])
def test_what_was_done_to_a_process_has_its_place_among_its_steps(kind):
    scenario = Scenario("raft-election", seed=1, topology=TopologySpec(n=3), faults=[Crash(600, 2), Recover(900, 2)])
    trace = simulate(scenario, keep=10_000).trace
    assert validate(trace) > 10
    place = next(place for place, event in enumerate(trace.events) if event.kind == kind and not event.clause)
    for change in (lambda event: [replace(event, parents=[])], lambda event: [event, event], lambda event: []):
        with pytest.raises(NotARunError, match=r"event \d+ \(.* at process 2.* is not a step of raft-election"):
            validate(forged(trace, lambda event: event.event == trace.events[place].event, change))


def test_the_command_says_yes_or_names_the_event(recorded, tmp_path, capsys):
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    recorded.write(good)
    forged(recorded, *FORGERIES["a message from nowhere"]).write(bad)
    assert main(["trace", "validate", str(good)]) == 0
    assert "all of them steps of the algorithm" in capsys.readouterr().out
    assert main(["trace", "validate", str(bad)]) == 1
    assert "is not a step of raft-election" in capsys.readouterr().out
    bad.write_text("nothing of the kind\n")
    assert main(["trace", "validate", str(bad)]) == 2


@given(data=st.data())
def test_a_step_that_was_left_out_is_missed(recorded, data):
    """Wherever it was, unless the process did nothing afterwards."""
    last = {event.process: event.event for event in recorded.events}
    places = [place for place, event in enumerate(recorded.events) if event.event != last[event.process]]
    place = data.draw(st.sampled_from(places))
    with pytest.raises(NotARunError, match="is not a step"):
        validate(Trace(recorded.header, recorded.events[:place] + recorded.events[place + 1 :]))


@given(data=st.data())
def test_a_step_that_is_there_twice_is_noticed(recorded, data):
    place = data.draw(st.integers(0, len(recorded.events) - 1))
    with pytest.raises(NotARunError, match="is not a step"):
        validate(Trace(recorded.header, recorded.events[: place + 1] + recorded.events[place:]))


def test_on_reliable_links_no_message_is_missing_on_the_way():
    """Bully relies on its messages: one that overtakes another, or makes up for it, is no run."""
    trace = simulate(Scenario("ricart-agrawala", seed=1), keep=10_000).trace
    arrivals = {}
    for place, event in enumerate(trace.events):
        for carried in event.received:
            arrivals.setdefault((carried.sender, carried.to), []).append(place)
    first, second = next(places for places in arrivals.values() if len(places) > 1)[:2]
    events = copy.deepcopy(trace.events)
    events[first] = replace(events[first], received=events[second].received)
    with pytest.raises(NotARunError, match=r"should have come before|not sent to it|not among its causes"):
        validate(Trace(trace.header, events))


def test_a_synchronous_process_reads_all_that_was_sent_in_the_pulse_before():
    trace = simulate(Scenario("capture-sync", seed=3), keep=10_000).trace
    with pytest.raises(NotARunError, match=r"it should receive|without"):
        validate(forged(trace, lambda e: len(e.received) > 1, lambda e: [replace(e, received=e.received[:1])]))
    with pytest.raises(NotARunError, match="should come next"):
        validate(forged(trace, lambda e: e.subject == 1, lambda e: [replace(e, subject=2)]))


def test_layers_are_retraced_with_what_they_tell_each_other():
    """A guard, a leader that the layer below names, a suspicion: each where it belongs, and nowhere else."""
    trace = simulate(named_scenarios()["split-brain-bully"], keep=10_000).trace
    kinds = {event.kind for event in trace.events}
    assert {"leader", "suspect", "timeout", "command"} <= kinds
    assert validate(trace) > 100
    with pytest.raises(NotARunError, match="should run here"):
        validate(forged(trace, lambda e: e.kind == "leader", lambda e: [replace(e, subject=1000)]))
    with pytest.raises(NotARunError, match="is not a step"):
        validate(forged(trace, lambda e: e.kind == "leader", lambda e: []))


@pytest.mark.parametrize(
    "algorithm", ["chang-roberts", "itai-rodeh", "ricart-agrawala", "capture-sync", "yoyo", "swim", "sortition"]
)
def test_simulated_runs_are_runs_too(algorithm):
    """The same validation takes the traces of another driver: three ways, one semantics."""
    assert validate(simulate(Scenario(algorithm, seed=3), keep=3000).trace) > 8
