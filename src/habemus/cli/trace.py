"""`habemus trace`: what to do with the traces that nodes have written."""

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
    files: Annotated[list[str], typer.Argument(help="The traces, one of each node.", metavar="FILE...")],
    output: Annotated[str | None, typer.Option("--output", "-o", help="Write the merged trace here.")] = None,
    diagram: Annotated[
        str | None, typer.Option("--diagram", help="Draw it: F.svg, F.mmd (Mermaid), F.shiviz or F.txt.")
    ] = None,
) -> int:
    """Make one causal trace out of those of the nodes."""
    from pathlib import Path

    from habemus.cli.report import check_diagram, check_writable
    from habemus.network.merging import merge
    from habemus.trace import read_trace
    from habemus.trace.diagram import space_time_svg
    from habemus.trace.mermaid import mermaid
    from habemus.trace.shiviz import shiviz
    from habemus.trace.transcript import transcript

    check_diagram(diagram)
    check_writable(output)
    drawings: dict[str, Callable[[Trace], str]] = {
        ".svg": space_time_svg,
        ".mmd": mermaid,
        ".shiviz": shiviz,
        ".txt": transcript,
    }
    merged = merge([read_trace(file) for file in files])
    if output is not None:
        merged.write(output)
    if diagram is not None:
        Path(diagram).write_text(drawings[Path(diagram).suffix](merged), encoding="utf-8")
    lost = sum(len(event.sent) for event in merged.events) - sum(len(event.received) for event in merged.events)
    print(
        f"{len(merged.events):,} events of {len(merged.ids)} processes in {merged.events[-1].time:,} ms"
        if merged.events
        else "no events",
        f"; {lost:,} messages were never received" if lost else "",
        sep="",
    )
    return 0


@trace_app.command("validate")
def validate_command(
    file: Annotated[str, typer.Argument(help="A trace, merged if it is of several nodes.")],
) -> int:
    """Retrace a run by the checker's rules: is every step one of the algorithm? Status 1 if not."""
    from habemus.network.validation import NotARunError, validate
    from habemus.trace import read_trace

    try:
        steps = validate(read_trace(file))
    except NotARunError as error:
        print(error)
        return 1
    print(f"{steps:,} steps, each as the algorithm would take it")
    return 0
