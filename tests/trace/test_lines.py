"""The lines of a trace are written without building events, and are what msgspec makes of them, byte for byte."""

import io
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.strings import BytesWriter

from habemus.catalogue import algorithm_names
from habemus.process import Election, Message, upon_start, upon_timeout
from habemus.process.misuse import ClauseError
from habemus.scenario import Crash, Network, Scenario, TopologySpec
from habemus.simulation import simulate
from habemus.trace import read_trace
from habemus.trace.format import Event, encode
from habemus.trace.lines import Lines, name_process
from habemus.trace.spelling import write_number


@pytest.mark.parametrize("name", algorithm_names())
def test_the_file_of_a_run_says_what_its_kept_events_say(name, tmp_path):
    troubles = Network("uniform:1:9", loss=0.05, duplication=0.05)
    scenario = Scenario(name, topology=TopologySpec(n=5), network=troubles, faults=[Crash(40, 5)], until=300)
    outcome = simulate(scenario, keep=10**6, trace=tmp_path / "streamed.jsonl")
    outcome.trace.write(tmp_path / "kept.jsonl")
    assert (tmp_path / "streamed.jsonl").read_bytes() == (tmp_path / "kept.jsonl").read_bytes()


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
plain = st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False) | texts
numbers = st.integers(0, 2**40)


@given(
    st.lists(
        st.builds(
            Event,
            numbers,
            numbers,
            texts,
            process=st.none() | numbers,
            clause=texts,
            layer=texts,
            subject=plain | st.lists(plain, max_size=3),
            changed=st.dictionaries(texts, plain | st.lists(plain, max_size=3), max_size=3),
            role=st.none() | texts,
            parents=st.lists(numbers, max_size=3),
        ),
        max_size=4,
    )
)
def test_a_line_is_what_msgspec_makes_of_the_event(story):
    file = io.BytesIO()
    lines = Lines(file)
    for event in story:
        lines.begin(
            event.event, event.time, event.kind, name_process(event.process), event.clause, event.layer, event.subject
        )
        for parent in event.parents:
            lines.follow(parent)
        for name, value in event.changed.items():
            lines.change(name, value)
        if event.role is not None:
            lines.turn(event.role)
        lines.end()
    lines.flush()
    assert file.getvalue() == b"".join(map(encode, story))


@given(st.integers(-(2**62), 2**62) | st.integers(0, 2_000_000))
def test_a_number_is_spelled_as_python_spells_it(number):
    text = BytesWriter()
    write_number(text, number)
    assert text.getvalue() == str(number).encode()


class Fragile(Election):
    """Breaks in its second step, after it has sent something."""

    topology = "complete"

    @upon_start
    def begin(self):
        self.set_timer("soon", 5)

    @upon_timeout("soon")
    def act(self):
        self.send(self.neighbours, Greeting())
        raise RuntimeError


@dataclass(frozen=True)
class Greeting(Message):
    pass


def test_a_clause_that_fails_leaves_all_lines_before_it_and_no_half_one(tmp_path):
    scenario = Scenario(f"{__name__}:Fragile", topology=TopologySpec(n=3), starters="all")
    with pytest.raises(ClauseError, match="RuntimeError"):
        simulate(scenario, trace=tmp_path / "run.jsonl")
    events = read_trace(tmp_path / "run.jsonl").events
    assert [event.clause for event in events] == ["begin"] * 3
