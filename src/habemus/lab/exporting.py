"""A run as a file: trace, diagram, log, test, scenario."""

from __future__ import annotations

import msgspec

from habemus.lab.questions import OWN
from habemus.lab.running import list_violations
from habemus.scenario import without_none
from habemus.trace import Outcome, Trace
from habemus.trace.format import Event, encode

SMALL = 60  # events of a thumbnail
LEAD, TOLD = 8, 4  # of these, so many before the moment that matters, and so many of what was before
TEST = '''"""What was seen in the lab: {title}. Run it with pytest."""

from habemus.scenario import parse_scenario
from {module} import {function}

SCENARIO = r"""
{scenario}
"""
{code}

def test_the_run_is_what_was_seen({fixtures}):
{preparation}    outcome = {call}
    assert outcome.digest == "{digest}"
    assert outcome.leader == {leader!r}
    assert outcome.messages == {messages}
    assert {{judge.name: judge.holds for judge in outcome.properties}} == {{
{verdicts}
    }}
'''
OWN_CODE = """
CODE = {code!r}
"""
PREPARATION = f'''    (tmp_path / "{OWN}").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
'''


def export_trace(outcome: Outcome, code: str | None) -> bytes:
    """Export the trace as JSON lines: a header, then one line for each event."""
    trace = outcome.trace
    return b"".join([msgspec.json.encode(trace.header) + b"\n", *map(encode, trace.events)])


def export_svg(outcome: Outcome, code: str | None) -> bytes:
    from habemus.trace.diagram import draw_space_time

    return draw_space_time(outcome.trace, witnesses=list_violations(outcome)).encode()


def export_mermaid(outcome: Outcome, code: str | None) -> bytes:
    from habemus.trace.mermaid import write_mermaid

    return write_mermaid(outcome.trace).encode()


def export_shiviz(outcome: Outcome, code: str | None) -> bytes:
    from habemus.trace.shiviz import write_shiviz

    return write_shiviz(outcome.trace).encode()


def export_scenario(outcome: Outcome, code: str | None) -> bytes:
    """Export the scenario, for `habemus simulate`."""
    return msgspec.toml.encode(without_none(outcome.scenario.as_dict()))


def export_test(outcome: Outcome, code: str | None) -> bytes:
    """Export a pytest test that runs the scenario again and asserts the same outcome."""
    scenario = outcome.scenario
    simulated = scenario.schedule is None
    parsed = 'parse_scenario(SCENARIO.encode(), "scenario.json")'
    verdicts = [f'        "{judge.name}": {judge.holds},' for judge in outcome.properties]
    text = TEST.format(
        title=" ".join((scenario.title or scenario.algorithm).replace('"', "'").replace("\\", "/").split()),
        module="habemus" if simulated else "habemus.checking.answer.replay",
        function="simulate" if simulated else "play",
        scenario=msgspec.json.format(msgspec.json.encode(without_none(scenario.as_dict())), indent=2).decode(),
        code=OWN_CODE.format(code=code) if code is not None else "",
        fixtures="tmp_path, monkeypatch" if code is not None else "",
        preparation=PREPARATION if code is not None else "",
        call=f"simulate({parsed}, digest=True)" if simulated else f"play({parsed})",
        digest=outcome.digest,
        leader=outcome.leader,
        messages=outcome.messages,
        verdicts="\n".join(verdicts),
    )
    return text.encode()


FORMATS = {
    "json": ("trace.jsonl", "application/jsonl", export_trace),
    "svg": ("diagram.svg", "image/svg+xml", export_svg),
    "mermaid": ("diagram.mmd", "text/plain; charset=utf-8", export_mermaid),
    "shiviz": ("log.shiviz", "text/plain; charset=utf-8", export_shiviz),
    "pytest": ("test_run.py", "text/x-python; charset=utf-8", export_test),
    "toml": ("scenario.toml", "application/toml", export_scenario),
}
"""By format: file name, media type, function."""


def draw_thumbnail(outcome: Outcome, theme: str) -> bytes:
    """Draw the moment of a run that matters."""
    from habemus.trace.diagram import draw_space_time

    moment = Trace(outcome.trace.header, select_moment(outcome))
    return draw_space_time(moment, title="", theme=theme, limit=SMALL, processes=12).encode()


def select_moment(outcome: Outcome) -> list[Event]:
    """The events around the first violation or else the first fault; of what came before, offices and faults."""
    events = outcome.trace.events
    broken = [max(witness.events) for witness in list_violations(outcome) if witness.events]
    faults = [event.event for event in events if is_fault(event)]
    matters = min(broken or faults, default=0)
    begin = next((k for k, event in enumerate(events) if event.event >= matters), 0) - LEAD
    if begin <= 0:
        return events
    told = [event for event in events[:begin] if event.role or is_fault(event)]
    return [*told[-TOLD:], *events[begin:]]


def is_fault(event: Event) -> bool:
    """Whether something was done to a process or to the network."""
    return not event.clause and event.kind != "lost"
