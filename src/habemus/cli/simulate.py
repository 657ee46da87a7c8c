"""`habemus simulate`: one run, told so that a person enjoys reading it."""

from __future__ import annotations

from typing import Annotated

import typer

from habemus.cli import options as o

Diagram = Annotated[str | None, typer.Option("--diagram", help="Draw the run: F.svg, .mmd, .shiviz or .txt.")]
TraceFile = Annotated[str | None, typer.Option("--trace", help="Write the trace as JSON lines.")]
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
    layer: o.Layers = None,
    settings: o.Settings = None,
    until: o.Until = None,
    events: o.Events = None,
    json: o.Json = False,
    trace: TraceFile = None,
    diagram: Diagram = None,
    save: Save = None,
) -> int:
    """Run an election, a mutex or a failure detector once and show what came of it."""
    given = dict(locals())
    for own in ("name", "json", "trace", "diagram", "save"):
        del given[own]
    scenario = o.adjusted(o.scenario_from(name), given)

    from habemus.cli.report import run_and_report

    return run_and_report(scenario, json=json, trace=trace, diagram=diagram, save=save)
