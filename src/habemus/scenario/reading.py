"""Scenario files: TOML or JSON, checked whole; a mistake is reported with file, field and what was expected."""

from __future__ import annotations

from pathlib import Path

import msgspec

from habemus.scenario.checked import ScenarioError, explain_error
from habemus.scenario.scenario import Scenario

NAMED = Path(__file__).parents[1] / "scenarios"


def read_scenario(path: str | Path) -> Scenario:
    """Read a scenario file; ScenarioError says what is wrong with it."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise ScenarioError(f"{path} cannot be read: {error.strerror}") from None
    return parse_scenario(text, str(path))


def parse_scenario(text: bytes, name: str) -> Scenario:
    """A scenario from the text of its file; `name` is the file's, and tells TOML from JSON."""
    decode = msgspec.json.decode if name.endswith(".json") else msgspec.toml.decode
    try:
        scenario = decode(text, type=Scenario)
    except msgspec.ValidationError as error:
        raise ScenarioError(f"{name}: {explain_error(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        kind = "JSON" if name.endswith(".json") else "TOML"
        raise ScenarioError(f"{name} is not {kind}: {error}") from None
    return scenario


def named_scenarios() -> dict[str, Scenario]:
    """The scenarios that ship with Habemus, by name."""
    return {path.stem: parse_scenario(path.read_bytes(), path.name) for path in sorted(NAMED.glob("*.toml"))}


def find_named_scenario(name: str) -> Scenario | None:
    """The scenario of that name that ships with Habemus, without reading all the others."""
    path = NAMED / f"{name}.toml"
    return parse_scenario(path.read_bytes(), path.name) if path.parent == NAMED and path.exists() else None


def read_named_text(name: str) -> str:
    """The file of a named scenario, as it is."""
    return (NAMED / f"{name}.toml").read_text(encoding="utf-8")
