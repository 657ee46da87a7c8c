"""`habemus trace`: what to do with the traces that nodes have written."""

from __future__ import annotations

from typing import Annotated

import typer

trace_app = typer.Typer(help="Traces of real runs.", add_completion=False, rich_markup_mode=None)


@trace_app.callback()
def trace_command() -> None:
    """Traces of real runs."""


@trace_app.command("merge")
def merge_command(
    files: Annotated[list[str], typer.Argument(help="The traces, one of each node.", metavar="FILE...")],
    output: Annotated[str | None, typer.Option("--output", "-o", help="Write the merged trace here.")] = None,
    diagram: Annotated[
        str | None, typer.Option("--diagram", help="Draw it: F.svg, F.mmd for Mermaid, F.log for ShiViz.")
    ] = None,
) -> int:
    """Make one causal trace out of those of the nodes."""
    from pathlib import Path

    from habemus.network.errors import NetworkError
    from habemus.network.merging import merge
    from habemus.trace import read_trace
    from habemus.trace.diagram import space_time_svg
    from habemus.trace.mermaid import mermaid
    from habemus.trace.shiviz import shiviz

    drawings = {".svg": space_time_svg, ".mmd": mermaid, ".log": shiviz}
    suffix = Path(diagram).suffix if diagram is not None else ""
    if diagram is not None and suffix not in drawings:
        raise NetworkError(f"--diagram {diagram}: expected a name that ends in .svg, .mmd or .log")
    merged = merge([read_trace(file) for file in files])
    if output is not None:
        merged.write(output)
    if diagram is not None:
        Path(diagram).write_text(drawings[suffix](merged), encoding="utf-8")
    lost = sum(len(event.sent) for event in merged.events) - sum(len(event.received) for event in merged.events)
    print(
        f"{len(merged.events):,} events of {len(merged.ids)} processes in {merged.events[-1].time:,} ms"
        if merged.events
        else "no events",
        f"; {lost:,} messages were never received" if lost else "",
        sep="",
    )
    return 0
