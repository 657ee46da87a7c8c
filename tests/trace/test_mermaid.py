"""The Mermaid sequence diagram."""

import re

from hypothesis import given, settings
from recorded_runs import bully_with_crash, ring, traces

from habemus.trace import Event, Header, SentMessage, Trace
from habemus.trace.mermaid import write_mermaid

LINE = re.compile(
    r"sequenceDiagram|    (participant p\d+ as \d+|%% time \d+|p\d+(->>|-x|--\))p\d+: [^;]+"
    r"|Note over p\d+(,p\d+)?: [^;]+)"
)


@given(traces)
@settings(max_examples=20, deadline=None)
def test_every_line_is_of_the_language_and_every_message_has_its_arrow(trace):
    text = write_mermaid(trace)
    assert all(LINE.fullmatch(line) for line in text.splitlines())
    assert text.count("->>") == sum(len(e.received) for e in trace.events if e.kind != "lost")
    assert text.count("-x") == sum(e.kind == "lost" for e in trace.events)


def test_participants_stand_in_the_order_of_places():
    trace = ring(6)
    assert re.findall(r"participant p(\d+)", write_mermaid(trace)) == [str(pid) for pid in trace.ids]


def test_office_crash_and_recovery_are_notes():
    text = write_mermaid(bully_with_crash())
    assert (
        text.index("Note over p5: 👑 leader") < text.index("Note over p5: crash") < text.index("Note over p5: recover")
    )


def test_what_means_something_to_mermaid_is_escaped():
    message = SentMessage(0, 1, 2, "Say", {"text": "a;b#c"})
    events = [Event(0, 0, "start", 1, "go", sent=[message]), Event(1, 1, "message", 2, "hear", received=[message])]
    assert "p1->>p2: Say(a#59;b#35;c)\n" in write_mermaid(Trace(Header("0", 1, "x", [1, 2], [(1, 2)]), events))
