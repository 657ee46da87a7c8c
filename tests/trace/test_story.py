"""What the pictures read out of a trace."""

from hypothesis import given, settings
from recorded_runs import bully_with_crash, ring, traces

from habemus.catalogue import find_algorithm
from habemus.process.anatomy import dissect, messages_of
from habemus.scenario import Scenario, TopologySpec
from habemus.simulation import simulate
from habemus.trace import Event
from habemus.trace.story import LOST, RECEIVED, UNDER_WAY, find_outages, find_roles, read_story


@given(traces)
@settings(max_examples=20, deadline=None)
def test_every_receipt_and_every_loss_is_the_end_of_one_flight(trace):
    story = read_story(trace)
    ends = [(f.end.event, f.message.message) for f in story.transmissions if f.end is not None]
    assert sorted(ends) == sorted((e.event, c.message) for e in trace.events for c in e.received)
    assert all((f.fate == LOST) == (f.end.kind == "lost") for f in story.transmissions if f.end is not None)


@given(traces)
@settings(max_examples=20, deadline=None)
def test_what_is_sent_and_never_arrives_is_under_way(trace):
    arrived = {c.message for e in trace.events for c in e.received}
    under_way = {f.message.message for f in read_story(trace).transmissions if f.fate == UNDER_WAY}
    assert under_way == {c.message for e in trace.events for c in e.sent} - arrived


def test_a_crash_ends_the_role_and_begins_an_outage_that_recovery_ends():
    story = read_story(bully_with_crash())
    first_reign = next(s for s in story.roles if s.process == 5 and s.what == "leader")
    assert (first_reign.start.kind, first_reign.end.kind) == ("timeout", "crash")
    (outage,) = story.outages
    assert (outage.process, outage.start.time, outage.end.time) == (5, 30, 200)


def test_a_pause_that_turns_into_a_crash_is_two_outages():
    events = [Event(0, 1, "pause", 7), Event(1, 2, "crash", 7), Event(2, 3, "resume", 7), Event(3, 4, "recover", 7)]
    assert [(s.what, s.start.time, s.end.time) for s in find_outages(events)] == [("pause", 1, 2), ("crash", 2, 4)]


def test_a_role_lasts_until_the_next_one():
    events = [Event(0, 1, "start", 7, role="candidate"), Event(1, 2, "message", 7), Event(2, 5, "message", 7, role="")]
    assert [(s.what, s.start.time, s.end.time) for s in find_roles(events)] == [("candidate", 1, 5)]


def test_only_a_circle_of_links_is_a_ring():
    assert read_story(ring(6)).ring
    assert not read_story(bully_with_crash()).ring
    assert not read_story(ring(6), processes=5).ring


def test_a_limit_keeps_the_first_events_and_the_total():
    trace = ring(8)
    story = read_story(trace, limit=10)
    assert [e.event for e in story.events] == list(range(10))
    assert story.total == len(trace.events)
    assert any(f.fate == RECEIVED for f in story.transmissions) or any(f.fate == UNDER_WAY for f in story.transmissions)


def test_a_type_of_messages_has_the_number_of_its_declaration_whatever_is_sent_first():
    ids = TopologySpec(ids=[1, 2, 3, 4, 5])
    all_start = read_story(simulate(Scenario("bully", topology=ids), keep=500).trace)
    one_starts = read_story(simulate(Scenario("bully", topology=ids, starters=[5]), keep=500).trace)
    declared = [message.__name__ for message in messages_of(dissect(find_algorithm("bully")))]
    assert len(all_start.kinds) > len(one_starts.kinds) > 0
    for story in (all_start, one_starts):
        assert all(declared[number] == name for name, number in story.kinds.items())
