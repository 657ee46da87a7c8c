"""`habemus scenario`: the named ones."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer

from habemus.cli import options as o
from habemus.cli.simulate import Diagram, TraceFile


def scenario_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which one; without it, all are listed.")] = None,
    show: Annotated[bool, typer.Option("--print", help="Print the scenario file instead of running it.")] = False,
    json: o.Json = False,
    trace: TraceFile = None,
    diagram: Diagram = None,
) -> int:
    """List the named scenarios, run one, or print one."""
    from habemus.scenario import ScenarioError, named_scenario_text, named_scenarios

    scenarios = named_scenarios()
    if name is None:
        return list_scenarios(json)
    if name not in scenarios:
        near = difflib.get_close_matches(name, scenarios, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else "`habemus scenario` lists them."
        raise ScenarioError(f"there is no scenario {name!r}; {hint}")
    if show:
        print(named_scenario_text(name), end="")
        return 0
    from habemus.cli.report import run_and_report

    return run_and_report(scenarios[name], json=json, trace=trace, diagram=diagram, save=None)


def list_scenarios(json: bool) -> int:
    """A line each: what it is and what it shows."""
    from habemus.cli.report import print_json
    from habemus.scenario import named_scenarios

    scenarios = named_scenarios()
    if json:
        print_json([{"name": name, **scenario.as_dict()} for name, scenario in scenarios.items()])
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 1, 0), header_style="dim")
    table.add_column("scenario", no_wrap=True)
    table.add_column("algorithm", no_wrap=True, style="dim")
    table.add_column("shows")
    for name, scenario in scenarios.items():
        table.add_row(f"[bold]{name}[/]", scenario.algorithm, scenario.shows)
    console = Console()
    console.print(table)
    console.print("[dim]Run one with[/] habemus scenario NAME[dim], print its file with[/] --print[dim].[/]")
    return 0
