"""The ShiViz log."""

import json
import re

from hypothesis import given, settings
from recorded_runs import ring, traces

from habemus.trace.shiviz import EXPRESSION, write_shiviz
from habemus.trace.story import read_story


def parsed(text):
    """The events as ShiViz finds them: the expression from the first line, no separator, the log from the third."""
    expression, separator, log = text.split("\n", 2)
    assert (expression, separator) == (EXPRESSION, "")
    found = re.findall(expression.replace("?<", "?P<"), log)
    return [(host, json.loads(clock), event) for host, clock, event in found]


@given(traces)
@settings(max_examples=20, deadline=None)
def test_shiviz_finds_every_event_and_each_host_counts_its_own(trace):
    events = parsed(write_shiviz(trace))
    assert len(events) == len(trace.events)
    count = {}
    for host, clock, _ in events:
        count[host] = count.get(host, 0) + 1
        assert clock[host] == count[host]


@given(traces)
@settings(max_examples=10, deadline=None)
def test_one_clock_is_below_another_just_if_one_event_may_have_caused_the_other(trace):
    story = read_story(trace)
    events = story.events[:60]
    clocks = [clock for _, clock, _ in parsed(write_shiviz(trace))][: len(events)]
    past = []
    sender, latest = {}, {}
    for number, event in enumerate(events):
        causes = {sender[carried.message] for carried in event.received if carried.message in sender}
        if event.process in latest:
            causes.add(latest[event.process])
        past.append(causes.union(*(past[cause] for cause in causes)))
        latest[event.process] = number
        sender.update((carried.message, number) for carried in event.sent)
    for a in range(len(events)):
        for b in range(len(events)):
            below = a != b and all(count <= clocks[b].get(host, 0) for host, count in clocks[a].items())
            assert below == (a in past[b])


def test_an_event_is_told_in_one_line():
    log = write_shiviz(ring(3))
    assert re.search(
        r'^3 \{"3": 1\}\n0: call_election upon start, sends Candidate\(3\) to \d, now candidate$', log, re.M
    )
