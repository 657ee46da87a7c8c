"""The trace file: what is written is what is read, and what is no trace is refused with file and line."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from habemus.scenario import Crash, Network, Scenario, TopologySpec
from habemus.simulation import simulate
from habemus.trace import Event, Header, SentMessage, Trace, TraceError, read_trace

SCENARIO = Scenario(
    "bully", topology=TopologySpec(n=4), network=Network(delay="uniform:1:9", loss=0.1), faults=[Crash(50, 4)]
)

plain = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5)
fields = st.dictionaries(st.text(max_size=4), plain | st.lists(plain, max_size=3), max_size=3)
small = st.integers(0, 99)
carried = st.builds(SentMessage, small, small, small, st.text(min_size=1, max_size=5), fields)
events = st.builds(
    Event,
    small,
    small,
    st.sampled_from(["message", "timeout", "crash", "lost", "start"]),
    st.none() | small,
    st.text(max_size=5),
    st.text(max_size=5),
    plain,
    st.lists(carried, max_size=2),
    st.lists(carried, max_size=2),
    fields,
    st.none() | st.sampled_from(["leader", "candidate", ""]),
    st.lists(small, max_size=3),
)


@given(st.lists(events, max_size=5))
def test_what_is_written_is_what_is_read(tmp_path_factory, story):
    path = tmp_path_factory.mktemp("trace") / "run.jsonl"
    trace = Trace(Header("0", 1, "bully", [1, 2], [(1, 2)], {"algorithm": "bully"}), story)
    trace.write(path)
    again = read_trace(path)
    assert again.header == trace.header and again.events == story and again.digest == trace.digest


def test_a_run_written_as_it_happens_is_the_run_that_was_kept(tmp_path):
    streamed, written = tmp_path / "streamed.jsonl", tmp_path / "written.jsonl"
    outcome = simulate(SCENARIO, trace=streamed)
    kept = simulate(SCENARIO, keep=10_000)
    kept.trace.write(written)
    assert streamed.read_bytes() == written.read_bytes()
    assert read_trace(streamed).digest == outcome.digest == kept.digest
    assert read_trace(streamed).ids == outcome.ids


def test_a_trace_carries_the_scenario_it_came_from(tmp_path):
    simulate(SCENARIO, trace=tmp_path / "run.jsonl")
    header = read_trace(tmp_path / "run.jsonl").header
    assert msgspec.convert(header.scenario, Scenario) == SCENARIO
    assert len(header.edges) == 6 and header.algorithm == "bully"


def test_one_line_an_event_and_every_line_json(tmp_path):
    simulate(SCENARIO, trace=tmp_path / "run.jsonl")
    lines = (tmp_path / "run.jsonl").read_bytes().splitlines()
    assert [msgspec.json.decode(line)["event"] for line in lines[1:]] == list(range(len(lines) - 1))


def test_the_digest_changes_with_any_event():
    trace = simulate(SCENARIO, keep=10_000).trace
    before = trace.digest
    trace.events[-1].time += 1
    assert trace.digest != before
    trace.events[-1].time -= 1
    assert trace.digest == before
    assert Trace(trace.header, trace.events[:-1]).digest != before


def test_a_message_is_labelled_as_diagrams_write_it():
    assert SentMessage(1, 1, 2, "Candidate", {"id": 7}).label == "Candidate(7)"
    assert SentMessage(1, 1, 2, "Pair", {"a": 7, "b": "x"}).label == "Pair(7, x)"
    assert SentMessage(1, 1, 2, "Answer", {}).label == "Answer"


HEADER = '{"habemus":"0","format":1,"algorithm":"a","ids":[1],"edges":[]}\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is empty"),
        ("hello\n", "line 1 is not the header of a trace"),
        ('{"event":0,"time":0,"kind":"start"}\n', "line 1 is not the header of a trace"),
        (HEADER.replace('"format":1', '"format":99'), "format 99; this version reads format 1"),
        (HEADER + '{"event":0,"time":0,"kind":"start"}\n{"event":1,"ti', "line 3 is not an event"),
        (HEADER + '{"event":0,"time":"noon","kind":"start"}\n', "line 2 is not an event"),
    ],
)
def test_what_is_no_trace_is_refused_with_file_and_line(tmp_path, text, expected):
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    with pytest.raises(TraceError) as caught:
        read_trace(path)
    said = str(caught.value)
    assert expected in said and said.startswith(str(path)) and "\n" not in said


def test_a_run_that_was_not_recorded_says_how_to_record_it():
    with pytest.raises(ValueError, match="keep=1000"):
        _ = simulate(SCENARIO).trace
