"""What the heads of the algorithms' files say, in Portuguese."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


@cache
def read_essays() -> dict[str, str]:
    files = sorted((Path(__file__).parent / "essays").glob("*.toml"))
    return {name: text.strip() for file in files for name, text in tomllib.loads(file.read_text("utf-8")).items()}


def portuguese_essay(name: str) -> str | None:
    """The essay of an algorithm of the catalogue, laid out as the English one."""
    return read_essays().get(name)
