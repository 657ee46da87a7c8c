"""Runs and scenarios in Portuguese, in the words of the page and of the lecture notes."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import msgspec

import habemus.lab
from habemus.catalogue import name_messages
from habemus.scenario import Scenario, find_named_scenario
from habemus.trace import Event, Outcome
from habemus.trace.format import SentMessage
from habemus.words.language import NUMBER, PORTUGUESE, compile_shapes, language, read_portuguese, say_number

STATIC = Path(habemus.lab.__file__).parent / "static" / "words" / "pt"
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
TOLD = re.compile(rf"^  ({TEXT.pattern}): ({TEXT.pattern}),$", re.MULTILINE)
PART = re.compile(rf"^  \[/(.+)/, ({TEXT.pattern})\],$", re.MULTILINE)
FIELD = re.compile(r"([\w.\[\]-]+): (.+)", re.DOTALL)  # `topology.n: expected ...`


@cache
def scenario_texts() -> dict[str, tuple[str, str]]:
    """Title and sentence of each named scenario, as the page has them."""
    lines = (STATIC / "scenarios.js").read_text(encoding="utf-8").partition("export default {")[2]
    texts = [json.loads(found) for found in TEXT.findall(lines)]
    return {name: (title, shows) for name, title, shows in zip(texts[::3], texts[1::3], texts[2::3], strict=True)}


@cache
def read_refusals() -> tuple[list[tuple[re.Pattern[str], str]], list[tuple[re.Pattern[str], str]]]:
    """The shapes of the sentences with which something is refused, and of their parts, as the page has them."""
    lines = (STATIC / "server.js").read_text(encoding="utf-8")
    told = {json.loads(english): json.loads(said) for english, said in TOLD.findall(lines)}
    shapes = compile_shapes({**told, **read_portuguese()["refusals"]})
    parts = [(re.compile(part), re.sub(r"\$(\d)", r"\\\1", json.loads(said))) for part, said in PART.findall(lines)]
    return shapes, parts


def say_refusal(english: str) -> str:
    """A sentence with which something is refused or warned of, in the chosen language; as it is, if it is unknown."""
    if language() != PORTUGUESE:
        return english
    shapes, parts = read_refusals()
    for part, said in parts:
        if part.fullmatch(english):
            return part.sub(said, english)
    field = FIELD.fullmatch(english)
    if field is not None and (rest := say_refusal(field[2])) != field[2]:
        return f"{field[1]}: {rest}"
    for shape, said in shapes:
        found = shape.fullmatch(english)
        if found is not None:
            return said.format(**{name: say_refusal(text) for name, text in found.groupdict().items()})
    return say_number(english) if NUMBER.fullmatch(english) else english


def translate_scenario(scenario: Scenario, name: str) -> Scenario:
    """The scenario with its title and its sentence in Portuguese, if it is a named one as it stands."""
    named = find_named_scenario(name)
    texts = scenario_texts().get(name)
    if named is None or texts is None or named.title != scenario.title:
        return scenario
    return msgspec.structs.replace(scenario, title=texts[0], shows=texts[1])


def rename_messages(outcome: Outcome) -> None:
    """Call messages what the lecture notes call them, in the kept events and in the counts by type."""
    names = name_messages(outcome.cls)
    if not names or outcome.recorder is None:
        return
    _ = outcome.counts  # kept from here on: it counts messages by the names that they have in the code
    outcome.recorder.events = [rename_in_event(event, names) for event in outcome.recorder.events]
    outcome.messages_by_type = {names.get(kind, kind): count for kind, count in outcome.messages_by_type.items()}


def rename_in_event(event: Event, names: dict[str, str]) -> Event:
    sent = [rename(message, names) for message in event.sent]
    return msgspec.structs.replace(event, sent=sent, received=[rename(message, names) for message in event.received])


def rename(message: SentMessage, names: dict[str, str]) -> SentMessage:
    own = names.get(message.label)  # a name for these contents says all
    if own is not None:
        return msgspec.structs.replace(message, type=own, fields={})
    return msgspec.structs.replace(message, type=names.get(message.type, message.type))
