"""`habemus scenario`: list, run or print the named scenarios."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer

from habemus.cli import options as o
from habemus.cli.simulate import Diagram, Digest, TraceFile, Whole


def scenario_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which one; without it, all are listed.")] = None,
    show: Annotated[bool, typer.Option("--print", help="Print the scenario file instead of running it.")] = False,
    json: o.Json = False,
    digest: Digest = False,
    trace: TraceFile = None,
    diagram: Diagram = None,
    whole: Whole = False,
) -> int:
    """List the named scenarios, run one, or print one."""
    from habemus.scenario import ScenarioError, named_scenarios, read_named_text

    scenarios = named_scenarios()
    if name is None:
        return list_scenarios(json)
    if name not in scenarios:
        meant = find_scenarios(name)
        if meant:
            return list_scenarios(json, meant)
        near = difflib.get_close_matches(name, scenarios, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else "`habemus scenario` lists them."
        raise ScenarioError(f"there is no scenario {name!r}; {hint}")
    if show:
        print(read_named_text(name), end="")
        return 0
    from habemus.cli.running import run_and_report

    files = {"trace": trace, "diagram": diagram, "save": None}
    return run_and_report(o.find_scenario(name), json=json, digest=digest, whole=whole, **files)


def find_scenarios(text: str) -> list[str]:
    """The scenarios that a term stands for, or that show the algorithm of this name."""
    from habemus.scenario import named_scenarios
    from habemus.words.terms import find_alias, find_by_term

    algorithms = {*find_by_term(text), find_alias(text) or text}
    return [
        name for name, scenario in named_scenarios().items() if name in algorithms or scenario.algorithm in algorithms
    ]


def list_scenarios(json: bool, chosen: list[str] | None = None) -> int:
    from habemus.cli.output import print_json
    from habemus.scenario import named_scenarios

    scenarios = {name: each for name, each in named_scenarios().items() if chosen is None or name in chosen}
    if json:
        print_json([{"name": name, **scenario.as_dict()} for name, scenario in scenarios.items()])
        return 0
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from habemus.words.language import say

    console = Console(highlight=False)
    for name, scenario in scenarios.items():
        console.print(Text.assemble((name, "bold"), (f"   {scenario.algorithm}", "dim")))
        console.print(Padding(Text(o.find_scenario(name).shows), (0, 0, 1, 2)))
    run, show = say("Run one with"), say("print its file with")
    console.print(f"[dim]{run}[/] habemus scenario {say('NAME')}[dim], {show}[/] --print[dim].[/]")
    return 0
