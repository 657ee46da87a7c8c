"""The files that a command writes, and JSON on standard output."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from habemus.extras import require
from habemus.scenario import ScenarioError
from habemus.trace import Outcome


def check_writable(path: str | None) -> None:
    """Refuse an output path before the run, not after it."""
    if path is None:
        return
    folder = Path(path).parent
    if Path(path).is_dir():
        raise ScenarioError(f"{path} cannot be written: it is a folder")
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ScenarioError(f"{path} cannot be written: {folder} is not a writable folder")


def check_diagram(path: str | None) -> None:
    if path is not None and not path.endswith((".svg", ".mmd", ".shiviz", ".txt")):
        raise ScenarioError(f"--diagram {path}: expected a name that ends in .svg, .mmd, .shiviz or .txt")
    check_writable(path)


def check_plot(path: str | None) -> None:
    if path is not None:
        require("--plot", "matplotlib")
    if path is not None and not path.endswith((".svg", ".png", ".pdf")):
        raise ScenarioError(f"--plot {path}: expected a name that ends in .svg, .png or .pdf")
    check_writable(path)


def draw_run(outcome: Outcome, path: str) -> str:
    """The diagram or log that the file's name asks for."""
    if path.endswith(".mmd"):
        from habemus.trace.mermaid import write_mermaid

        return write_mermaid(outcome.trace)
    if path.endswith(".shiviz"):
        from habemus.trace.shiviz import write_shiviz

        return write_shiviz(outcome.trace)
    if path.endswith(".txt"):
        from habemus.trace.transcript import write_transcript

        return write_transcript(outcome.trace)
    from habemus.trace.diagram import draw_space_time

    return draw_space_time(outcome.trace, witnesses=[p.witness for p in outcome.properties if p.witness is not None])


def print_json(data: Any) -> None:
    print(msgspec.json.encode(data).decode())
