"""Single messages are dropped, hurried, delayed and doubled by hand; what was seen before stays as it was."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.scenario import Deliver, Drop, Duplicate, Network, Postpone, Scenario, ScenarioError, Slow, TopologySpec
from habemus.simulation import simulate

RING = Scenario("chang-roberts", topology=TopologySpec(n=6), network=Network("uniform:1:90"), seed=3)
CROWD = Scenario("lamport", topology=TopologySpec(n=4), network=Network("uniform:1:90"), seed=5)
HAND = (Drop, Deliver, Duplicate, Postpone)


def run(scenario: Scenario, *faults: object) -> tuple[object, list]:
    outcome = simulate(with_faults(scenario, *faults), keep=100_000)
    return outcome, outcome.trace.events


def with_faults(scenario: Scenario, *faults: object) -> Scenario:
    return msgspec.structs.replace(scenario, faults=list(faults))


def under_way(events: list) -> list[tuple[int, int, int]]:
    """(message, time sent, time received) of all that was received."""
    sent = {carried.message: event.time for event in events for carried in event.sent}
    return [(carried.message, sent[carried.message], event.time) for event in events for carried in event.received]


def arrivals(events: list, number: int) -> list[int]:
    return [event.time for event in events for carried in event.received if carried.message == number]


@st.composite
def interventions(draw: st.DrawFn) -> tuple[Scenario, object, int, int]:
    scenario = draw(st.sampled_from([RING, CROWD]))
    _, events = run(scenario)
    flights = [flight for flight in under_way(events) if flight[2] > flight[1]]
    number, sent, received = draw(st.sampled_from(flights))
    at = draw(st.integers(sent + 1, received))
    kind = draw(st.sampled_from(HAND))
    by = draw(st.integers(1, 200))
    return scenario, kind(at, number, by) if kind is Postpone else kind(at, number), number, at


@given(interventions())
def test_all_that_happened_before_a_message_was_touched_stays_as_it_was(case):
    scenario, fault, _, at = case
    _, untouched = run(scenario)
    _, touched = run(scenario, fault)
    before = [event for event in untouched if event.time < at]
    assert touched[: len(before)] == before


@given(interventions())
def test_a_message_fares_as_its_fault_says(case):
    scenario, fault, number, at = case
    _, untouched = run(scenario)
    outcome, touched = run(scenario, fault)
    planned, actual = arrivals(untouched, number)[0], arrivals(touched, number)
    if isinstance(fault, Drop):
        assert [event.kind for event in touched if number in [c.message for c in event.received]] == ["lost"]
        assert actual == [at]
    elif isinstance(fault, Deliver):
        assert actual == [at]
    elif isinstance(fault, Postpone):
        assert actual == [planned + fault.by]
    else:
        assert actual == [planned, planned]
    sent = sum(len(event.sent) for event in touched)
    assert outcome.messages == sent == sum(outcome.messages_by_type.values())


@given(interventions())
def test_a_fifo_link_stays_one_whatever_is_done_to_its_messages(case):
    scenario, fault, *_ = case
    _, events = run(scenario, fault)
    order: dict[tuple[int, int], list[int]] = {}
    for event in events:
        for carried in event.received if event.kind != "lost" else []:
            order.setdefault((carried.sender, carried.to), []).append(carried.message)
    for numbers in order.values():
        assert numbers == sorted(numbers)


@pytest.mark.parametrize("fault", [Drop(50, 0), Deliver(50, 10_000), Duplicate(0, 0), Postpone(50, 9_999, 3)])
def test_a_message_that_is_not_under_way_is_named(fault):
    scenario = Scenario("chang-roberts", topology=TopologySpec(n=3), network=Network("constant:4"), faults=[fault])
    with pytest.raises(ScenarioError, match=rf"faults\[0\].message: message {fault.message} is not under way at time"):
        simulate(scenario)


def test_a_touched_run_has_one_digest_whether_or_not_it_is_kept():
    touched = with_faults(RING, Drop(2, 0))
    assert simulate(touched, digest=True).digest == simulate(touched, keep=1000).digest


def test_a_slow_link_is_slow_from_then_on_and_in_its_direction_only():
    slow = Slow(5, [(1, 2)], "constant:40", one_way=True)
    scenario = Scenario("lamport", topology=TopologySpec(ids=[1, 2, 3]), network=Network("constant:2"), faults=[slow])
    flights: dict[tuple[int, int, bool], set[int]] = {}
    for number, sent, received in under_way(simulate(scenario, keep=1000).trace.events):
        link = ends(scenario, number)
        flights.setdefault((*link, sent >= 5), set()).add(received - sent)
    assert flights.pop((1, 2, True)) == {40}
    assert set().union(*flights.values()) == {2}


def ends(scenario: Scenario, number: int) -> tuple[int, int]:
    events = simulate(scenario, keep=1000).trace.events
    return next((c.sender, c.to) for event in events for c in event.sent if c.message == number)


def test_a_slow_link_counts_among_the_delays_that_break_an_assumption():
    scenario = Scenario("bully", topology=TopologySpec(n=4), faults=[Slow(5, [(1, 2)], "constant:400")])
    assert "up to 400 ticks" in simulate(scenario).broken_assumption


def test_timers_are_kept_beside_the_events_and_do_not_change_the_digest():
    outcome = simulate(Scenario("bully", topology=TopologySpec(n=4)), keep=1000)
    recorder = outcome.recorder
    assert recorder is not None and recorder.timers
    for alarm in recorder.timers:
        event = outcome.trace.events[alarm.event]
        assert (event.process, event.time) == (alarm.process, alarm.time)
        assert alarm.deadline == -1 or alarm.deadline > alarm.time
    assert outcome.digest == outcome.trace.digest
