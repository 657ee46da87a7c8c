"""A run as a file, to keep, to print, or to test against."""

from __future__ import annotations

import msgspec

from habemus.lab.questions import OWN
from habemus.scenario import without_none
from habemus.simulation import Outcome
from habemus.trace import Trace
from habemus.trace.format import encoded

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


def as_json(outcome: Outcome, code: str | None) -> bytes:
    """The trace: a header, then one line of JSON an event."""
    trace = outcome.trace
    return b"".join([msgspec.json.encode(trace.header) + b"\n", *map(encoded, trace.events)])


def as_svg(outcome: Outcome, code: str | None) -> bytes:
    """The space-time diagram."""
    from habemus.trace.diagram import space_time_svg

    witnesses = [judge.witness for judge in outcome.properties if judge.witness is not None]
    return space_time_svg(outcome.trace, witnesses=witnesses).encode()


def as_mermaid(outcome: Outcome, code: str | None) -> bytes:
    """A sequence diagram for Mermaid."""
    from habemus.trace.mermaid import mermaid

    return mermaid(outcome.trace).encode()


def as_shiviz(outcome: Outcome, code: str | None) -> bytes:
    """A log for ShiViz."""
    from habemus.trace.shiviz import shiviz

    return shiviz(outcome.trace).encode()


def as_toml(outcome: Outcome, code: str | None) -> bytes:
    """The scenario, for `habemus simulate`."""
    return msgspec.toml.encode(without_none(outcome.scenario.as_dict()))


def as_pytest(outcome: Outcome, code: str | None) -> bytes:
    """A test that runs the scenario again and asserts what was seen."""
    scenario = outcome.scenario
    simulated = scenario.schedule is None
    parsed = 'parse_scenario(SCENARIO.encode(), "scenario.json")'
    verdicts = [f'        "{judge.name}": {judge.holds},' for judge in outcome.properties]
    text = TEST.format(
        title=" ".join((scenario.title or scenario.algorithm).replace('"', "'").replace("\\", "/").split()),
        module="habemus" if simulated else "habemus.checking.replay",
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
    "json": ("trace.jsonl", "application/jsonl", as_json),
    "svg": ("diagram.svg", "image/svg+xml", as_svg),
    "mermaid": ("diagram.mmd", "text/plain; charset=utf-8", as_mermaid),
    "shiviz": ("log.shiviz", "text/plain; charset=utf-8", as_shiviz),
    "pytest": ("test_run.py", "text/x-python; charset=utf-8", as_pytest),
    "toml": ("scenario.toml", "application/toml", as_toml),
}
"""By name: how the file is called, what it is, and how it is made."""


def thumbnail(trace: Trace, theme: str) -> bytes:
    """A small picture of how a run begins."""
    from habemus.trace.diagram import space_time_svg

    return space_time_svg(trace, title="", theme=theme, limit=60, processes=12).encode()
