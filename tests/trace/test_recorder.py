"""The recorder: numbered events in order, causes, changes, roles, and losses where they belong."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.scenario import Crash, Cut, Network, Recover, Scenario, TopologySpec
from habemus.simulation import simulate


def events(keep: int = 10**6, **fields):
    return simulate(Scenario(**fields), keep=keep).trace.events


troubled = st.builds(
    Scenario,
    algorithm=st.sampled_from(["bully", "chang-roberts"]),
    topology=st.just(TopologySpec(n=5)),
    network=st.builds(
        Network,
        delay=st.just("uniform:1:9"),
        loss=st.sampled_from([0.0, 0.3, 0.9]),
        duplication=st.sampled_from([0.0, 0.5]),
    ),
    faults=st.lists(
        st.builds(Crash, st.integers(0, 90), st.integers(1, 5))
        | st.builds(Recover, st.integers(0, 90), st.integers(1, 5))
        | st.builds(Cut, st.integers(0, 90), st.just([(1, 2), (3, 4), (4, 5)])),
        max_size=6,
    ),
    seed=st.integers(0, 1000),
    until=st.just(1000),
)


@given(troubled)
def test_events_are_numbered_in_order_and_time_does_not_run_backwards(scenario):
    found = simulate(scenario, keep=10**6).trace.events
    assert [event.event for event in found] == list(range(len(found)))
    assert all(a.time <= b.time for a, b in pairwise(found))


@given(troubled)
def test_every_message_is_sent_once_and_ends_received_lost_or_under_way(scenario):
    outcome = simulate(scenario, keep=10**6)
    found = outcome.trace.events
    sent = [carried for event in found for carried in event.sent]
    assert [carried.message for carried in sent] == list(range(outcome.messages))
    by_number = {carried.message: carried for carried in sent}
    sent_by = {carried.message: event for event in found for carried in event.sent}
    for event in found:
        for carried in event.received:
            assert by_number[carried.message] == carried
            origin = sent_by[carried.message]
            assert origin.process == carried.sender and origin.event in event.parents
            assert event.kind == "lost" or event.process == carried.to
    ends = {carried.message for event in found for carried in event.received}
    if outcome.ended == "quiescence":
        assert ends == set(by_number)


@given(troubled)
def test_the_event_before_at_the_same_process_is_a_parent(scenario):
    latest = {}
    for event in simulate(scenario, keep=10**6).trace.events:
        if event.process is not None:
            assert event.process not in latest or latest[event.process] in event.parents
            latest[event.process] = event.event


@given(troubled)
def test_changes_add_up_to_who_leads_in_the_end(scenario):
    outcome = simulate(scenario, keep=10**6)
    leader, role = dict.fromkeys(outcome.ids), dict.fromkeys(outcome.ids, "")
    for event in outcome.trace.events:
        if event.kind == "crash":
            leader[event.process], role[event.process] = None, ""
        leader[event.process] = event.changed.get("leader", leader.get(event.process))
        if event.role is not None:
            role[event.process] = event.role
    in_office = [p for p in outcome.ids if leader[p] == p]
    assert outcome.leader == (in_office[0] if len(in_office) == 1 else None)
    assert [p for p in outcome.ids if role[p] == "leader"] == in_office


def test_only_the_fields_that_changed_are_named():
    first, *_ = events(algorithm="chang-roberts", topology=TopologySpec(ids=[1, 2, 3]), starters=[3])
    assert (first.kind, first.clause, first.process) == ("start", "call_election", 3)
    assert first.changed == {"participant": True}
    assert [carried.label for carried in first.sent] == ["Candidate(3)"]


def test_roles_follow_the_story():
    found = events(algorithm="chang-roberts", topology=TopologySpec(ids=[1, 2, 3]), starters=[3])
    roles = [(event.process, event.role) for event in found if event.role is not None]
    assert roles == [
        (3, "candidate"),
        (1, "candidate"),
        (2, "candidate"),
        (3, "leader"),
        (1, ""),
        (2, ""),
    ]


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_rounds_are_the_longest_chain_of_messages(n):
    outcome = simulate(Scenario("chang-roberts", topology=TopologySpec(n=n, order="best"), starters="one"), digest=True)
    assert outcome.rounds == 2 * n


def test_keep_bounds_what_is_kept_and_not_what_is_hashed():
    scenario = Scenario("bully")
    some, all_of_them = simulate(scenario, keep=5), simulate(scenario, keep=10**6)
    assert len(some.trace.events) == 5 and some.trace.events == all_of_them.trace.events[:5]
    assert some.digest == all_of_them.digest
