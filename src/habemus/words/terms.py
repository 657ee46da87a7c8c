"""Other names of algorithms, terms in two languages, and the names that lecture notes give to messages."""

from __future__ import annotations

import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any


@cache
def read_terms() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "terms.toml").read_text(encoding="utf-8"))


def simplify(text: str) -> str:
    """The text without accents, capitals, hyphens and underscores: `A_Elect_Leader_C`, `valentão`."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    letters = [" " if letter in "-_" else letter for letter in plain if not unicodedata.combining(letter)]
    return " ".join("".join(letters).split())


def find_alias(name: str) -> str | None:
    """The algorithm that is also called so."""
    wanted = simplify(name)
    aliases: dict[str, list[str]] = read_terms()["aliases"]
    return next((known for known, others in aliases.items() if wanted in map(simplify, others)), None)


def find_by_term(text: str) -> list[str]:
    """The algorithms and scenarios that a term stands for."""
    wanted = simplify(text)
    terms: dict[str, list[str]] = read_terms()["terms"]
    return next((names for term, names in terms.items() if simplify(term) == wanted), [])


def terms_of(name: str) -> list[str]:
    """The other names and the terms of an algorithm or a scenario."""
    known = read_terms()
    return [*known["aliases"].get(name, []), *[term for term, names in known["terms"].items() if name in names]]


def message_names(families: list[str]) -> dict[str, str]:
    """What lecture notes call the messages of an algorithm, given its name and those of what it is a variant of."""
    known: dict[str, dict[str, str]] = read_terms()["messages"]
    return next((known[name] for name in families if name in known), {})
