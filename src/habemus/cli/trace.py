"""`habemus trace`: the traces that real nodes have recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from habemus.trace import Trace

trace_app = typer.Typer(help="Traces of real runs.", add_completion=False, rich_markup_mode=None)


@trace_app.callback()
def trace_command() -> None:
    """Traces of real runs."""


@trace_app.command("merge")
def merge_command(
    files: Annotated[list[str], typer.Argument(help="The traces, one for each node.", metavar="FILE...")],
    output: Annotated[str | None, typer.Option("--output", "-o", help="Write the merged trace to this file.")] = None,
    diagram: Annotated[
        str | None, typer.Option("--diagram", help="Draw it: F.svg, F.mmd (Mermaid), F.shiviz or F.txt.")
    ] = None,
) -> int:
    """Merge the traces of several nodes into one causal trace."""
    from pathlib import Path

    from habemus.cli.output import check_diagram, check_writable
    from habemus.trace import read_trace
    from habemus.trace.diagram import draw_space_time
    from habemus.trace.merging import merge
    from habemus.trace.mermaid import write_mermaid
    from habemus.trace.shiviz import write_shiviz
    from habemus.trace.transcript import write_transcript

    check_diagram(diagram)
    check_writable(output)
    drawings: dict[str, Callable[[Trace], str]] = {
        ".svg": draw_space_time,
        ".mmd": write_mermaid,
        ".shiviz": write_shiviz,
        ".txt": write_transcript,
    }
    merged = merge([read_trace(file) for file in files])
    if output is not None:
        merged.write(output)
    if diagram is not None:
        Path(diagram).write_text(drawings[Path(diagram).suffix](merged), encoding="utf-8")
    lost = sum(len(event.sent) for event in merged.events) - sum(len(event.received) for event in merged.events)
    of = f"{len(merged.ids)} process{'es' if len(merged.ids) != 1 else ''}"
    print(
        f"{len(merged.events):,} events of {of} in {merged.events[-1].time:,} ms" if merged.events else "no events",
        f"; {lost:,} messages were never received" if lost else "",
        sep="",
    )
    return 0


@trace_app.command("validate")
def validate_command(
    file: Annotated[str, typer.Argument(help="A trace; merge the traces of several nodes first.")],
) -> int:
    """Check that every recorded step is a step of the algorithm; the exit status is 1 if one is not."""
    from habemus.checking.answer.validation import NotARunError, validate
    from habemus.trace import read_trace

    try:
        steps = validate(read_trace(file))
    except NotARunError as error:
        print(error)
        return 1
    print(f"{steps:,} steps, all of them steps of the algorithm")
    return 0
