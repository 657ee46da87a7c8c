"""The language of the command line: English, or Portuguese with `--language pt` or HABEMUS_LANGUAGE=pt."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

ENGLISH, PORTUGUESE = "en", "pt"
VARIABLE = "HABEMUS_LANGUAGE"
NUMBER = re.compile(r"(\d{1,3}(,\d{3})+|\d+)(\.\d+)?(e[+-]?\d+)?%?")
BLANKS = {"count": r"[\d.,]+", "total": r"[\d.,]+", "chain": r"\d+(?: for \d+)*"}  # any text, if it is not here
SIGNS = str.maketrans(",.", ".,")

_chosen: list[str] = []


class UnknownLanguageError(ValueError):
    """There is no such language; the text says which there are."""


def choose_language(name: str | None) -> None:
    """Speak this language from now on; None: that of the environment variable, else English."""
    wanted = name or os.environ.get(VARIABLE) or ENGLISH
    code = wanted.lower().partition("_")[0].partition("-")[0]
    if code not in (ENGLISH, PORTUGUESE):
        raise UnknownLanguageError(f"--language {wanted}: expected en or pt")
    _chosen[:] = [code]


def language() -> str:
    return _chosen[0] if _chosen else ENGLISH


def take_language(arguments: list[str]) -> list[str]:
    """Choose the language that the arguments name, and return the other arguments."""
    rest: list[str] = []
    chosen: str | None = None
    ahead = iter(arguments)
    for argument in ahead:
        if argument == "--language":
            chosen = next(ahead, "")
        elif argument.startswith("--language="):
            chosen = argument.partition("=")[2]
        else:
            rest.append(argument)
    choose_language(chosen if chosen != "" else "nothing")
    return rest


@cache
def read_portuguese() -> dict[str, dict[str, str]]:
    import tomllib  # seldom wanted, and the command line starts at once

    return tomllib.loads((Path(__file__).parent / "pt.toml").read_text(encoding="utf-8"))


def say(english: str) -> str:
    """A word or a sentence of a report in the chosen language; as it is, if nobody has translated it."""
    return read_portuguese()["report"].get(english, english) if language() == PORTUGUESE else english


def say_step(english: str) -> str:
    """A step of a counterexample: `1 receives Vote(2) from 2, sends Vote(2) to 3 and takes office.`"""
    if language() != PORTUGUESE:
        return english
    verbs = "sends|takes|stands|is inside|waits to|gives up|has no leader|sets|changes"
    parts = re.split(rf"(?:, | and )(?=(?:{verbs})\b)", english.removesuffix("."))
    parts = [say_pattern(part.replace(" to ", " = ") if part.startswith("sets") else part) for part in parts]
    return f"{' e '.join([*([', '.join(parts[:-1])] if len(parts) > 1 else []), parts[-1]])}."


def say_help(english: str) -> str:
    """The help of an option or a command in the chosen language."""
    return read_portuguese()["help"].get(english, english) if language() == PORTUGUESE else english


def say_comments(code: str) -> str:
    """Code with its comments in the chosen language."""
    known = read_portuguese()["comments"] if language() == PORTUGUESE else {}
    return re.sub(r"(?<=# ).+$", lambda said: known.get(said[0], said[0]), code, flags=re.MULTILINE)


def say_number(english: str) -> str:
    """A number with the signs of the chosen language: 1,234.5 or 1.234,5."""
    return english.translate(SIGNS) if language() == PORTUGUESE else english


def say_pattern(english: str) -> str:
    """A sentence with numbers and names in it, in the chosen language: the numbers stay where the translation wants."""
    if language() != PORTUGUESE:
        return english
    if english in read_portuguese()["report"]:
        return say(english)
    if NUMBER.fullmatch(english):
        return say_number(english)
    for shape, told in read_shapes():
        found = shape.fullmatch(english)
        if found is not None:
            return told.format(**{name: say_pattern(text) for name, text in found.groupdict().items()})
    return english


@cache
def read_shapes() -> list[tuple[re.Pattern[str], str]]:
    """What sentences with blanks look like, and how they are said; those with most words of their own first."""
    return compile_shapes(read_portuguese()["patterns"])


def compile_shapes(told: dict[str, str]) -> list[tuple[re.Pattern[str], str]]:
    """`{name}` stands for any text, if BLANKS does not say more, and a second time for the same text."""

    def compiled(shape: str) -> re.Pattern[str]:
        seen = set[str]()

        def place(blank: re.Match[str]) -> str:
            name = blank[1]
            if name in seen:
                return f"(?P={name})"
            seen.add(name)
            return f"(?P<{name}>{BLANKS.get(name, '.+?')})"

        return re.compile(re.sub(r"\\\{(\w+)\\\}", place, re.escape(shape)), re.DOTALL)

    longest_first = sorted(told, key=lambda shape: -len(re.sub(r"\{\w+\}", "", shape)))
    return [(compiled(shape), told[shape]) for shape in longest_first]
