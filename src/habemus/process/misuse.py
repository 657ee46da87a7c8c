"""What is said to the author of an algorithm: a rule of the vocabulary is broken, or a clause failed."""

from __future__ import annotations

from pathlib import Path
from traceback import extract_tb
from typing import Any

from mypy_extensions import mypyc_attr

from habemus.process.source import source_file


@mypyc_attr(native_class=False)
class MisuseError(TypeError):
    """An algorithm breaks a rule of the vocabulary; the text says where and what would be right."""


@mypyc_attr(native_class=False)
class ClauseError(RuntimeError):
    """A clause of an algorithm failed; the text says which, where and how."""


def clause_error(error: Exception, classes: list[Any], when: str, where: str) -> ClauseError:
    """What an exception out of a clause means to its author: the class, the file and line, else `where`, and when."""
    sources = {source_file(cls) for cls in classes}
    frames = [f for f in extract_tb(error.__traceback__) if any(s and s.endswith(f.filename) for s in sources)]
    if frames:
        where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}, in {frames[-1].name}"
    return ClauseError(f"{classes[-1].__name__} failed {when} ({where}): {type(error).__name__}: {error}")
