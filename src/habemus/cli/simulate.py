"""`habemus simulate`: one run and its outcome."""

from __future__ import annotations

from typing import Annotated

import typer

from habemus.cli import options as o

Diagram = Annotated[str | None, typer.Option("--diagram", help="Draw the run: F.svg, .mmd, .shiviz or .txt.")]
Digest = Annotated[bool, typer.Option("--digest", help="Compute the digest of the run and the rounds it took.")]
TraceFile = Annotated[str | None, typer.Option("--trace", help="Write the trace as JSON lines.")]
Whole = Annotated[bool, typer.Option("--all", help="Show all events of the run, not only those that matter.")]
Save = Annotated[str | None, typer.Option("--save", help="Write the scenario itself: F.toml or F.json.")]
Name = Annotated[str, typer.Argument(metavar="NAME|FILE", help="An algorithm, a named scenario or a scenario file.")]


def simulate_command(
    name: Name,
    n: o.N = None,
    topology: o.TopologyKind = None,
    order: o.Order = None,
    ids: o.Ids = None,
    graph: o.Graph = None,
    starters: o.Starters = None,
    seed: o.Seed = None,
    delay: o.DelayText = None,
    loss: o.Loss = None,
    duplication: o.Duplication = None,
    fifo: o.Fifo = None,
    detection: o.Detection = None,
    crash: o.Crashes = None,
    recover: o.Recovers = None,
    pause: o.Pauses = None,
    resume: o.Resumes = None,
    cut: o.Cuts = None,
    heal: o.Heals = None,
    partition: o.Partitions = None,
    skew: o.Skews = None,
    drift: o.Drifts = None,
    call: o.Calls = None,
    workload: o.WorkloadKind = None,
    entries: o.Entries = None,
    think: o.Think = None,
    hold: o.Hold = None,
    hot: o.Hot = None,
    waiting_limit: o.WaitingLimit = None,
    waiting_time: o.WaitingTime = None,
    layer: o.Layers = None,
    settings: o.Settings = None,
    until: o.Until = None,
    events: o.Events = None,
    json: o.Json = False,
    digest: Digest = False,
    trace: TraceFile = None,
    diagram: Diagram = None,
    plot: Annotated[
        str | None, typer.Option("--plot", help="Draw levels, or counts beside their bounds: F.svg, F.png or F.pdf.")
    ] = None,
    save: Save = None,
    whole: Whole = False,
) -> int:
    """Run an election, a mutex or a failure detector once, and show the outcome."""
    given = dict(locals())
    for own in ("name", "json", "digest", "trace", "diagram", "plot", "save", "whole"):
        del given[own]
    scenario = o.apply_options(o.find_scenario(name), given)

    from habemus.cli.running import run_and_report

    files = {"trace": trace, "diagram": diagram, "save": save, "plot": plot}
    return run_and_report(scenario, json=json, digest=digest, whole=whole, **files)
