"""Compiled or interpreted: the same source, the same traces.

Where a C compiler was at hand when Habemus was installed, the kernel runs as machine code, with its `.py` beside it.
HABEMUS_COMPILED=0 makes Python load the `.py` all the same, HABEMUS_COMPILED=1 refuses to run uncompiled.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType

VARIABLE = "HABEMUS_COMPILED"


def choose_implementation() -> None:
    """Do as the environment says."""
    wish = os.environ.get(VARIABLE, "")
    if wish == "0":
        sys.meta_path.insert(0, SourceFinder())
    elif wish == "1" and not is_compiled():
        raise ImportError(f"{VARIABLE}=1, but Habemus was installed without a C compiler; unset {VARIABLE}")


def is_compiled() -> bool:
    """Whether the kernel runs as machine code."""
    if any(isinstance(finder, SourceFinder) for finder in sys.meta_path):
        return False
    process = Path(__file__).parent / "process"
    return any((process / f"message{suffix}").exists() for suffix in EXTENSION_SUFFIXES)


class SourceFinder:
    """Finds the `.py` of a Habemus module even where a compiled one lies beside it."""

    def __init__(self) -> None:
        self.folders: dict[str, FileFinder] = {}  # each remembers what is in its folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The source of a module of Habemus; others are none of its business."""
        if not name.startswith("habemus.") or path is None:
            return None
        for folder in path:
            if folder not in self.folders:
                self.folders[folder] = FileFinder(folder, (SourceFileLoader, [".py"]))
            spec = self.folders[folder].find_spec(name)
            if spec is not None:
                return spec
        raise ModuleNotFoundError(f"{name} exists only as machine code, and {VARIABLE}=0", name=name)
