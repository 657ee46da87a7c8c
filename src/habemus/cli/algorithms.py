"""`habemus algorithms`: the catalogue."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from habemus.cli import options as o

DRAWN_N, DRAWN_EVENTS, DRAWN_ROWS, EXAMPLE_N = 4, 200, 18, 8

GRAPHS = {"ring": "a ring", "complete": "a complete graph", "tree": "a tree", "any": "any connected graph"}
KINDS = {"election": "elections", "mutex": "mutexes", "detector": "failure detectors"}


def algorithms(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One entry in full.")] = None,
    json: o.Json = False,
) -> int:
    """List the algorithms, or show one in full: idea, assumptions, costs, a small run, clauses, source."""
    from habemus.catalogue import algorithm_names, find_algorithm
    from habemus.cli.report import print_json

    if name is not None:
        entry = catalogue_entry(name, find_algorithm(name))
        if json:
            print_json(entry)
        else:
            show_entry(name, entry, find_algorithm(name))
        return 0
    entries = [catalogue_entry(known, find_algorithm(known)) for known in algorithm_names()]
    if json:
        print_json(entries)
    else:
        show_table(entries)
    return 0


def catalogue_entry(name: str, cls: Any) -> dict[str, Any]:
    """What the catalogue knows of an algorithm."""
    from habemus.process import dissect
    from habemus.process.source import documentation, line_of
    from habemus.scenario import Place, Scenario
    from habemus.simulation.placing import place_processes

    anatomy = dissect(cls)
    essay = documentation(cls)
    links = place_processes(Scenario(name, topology=Place(n=EXAMPLE_N)), [cls]).m
    return {
        "name": cls.name or name,
        "kind": cls.kind,
        "topology": cls.topology,
        "model": cls.model,
        "idea": essay.splitlines()[0].partition(": ")[2] if essay else "",
        "text": essay,
        "guarantees": list(cls.guarantees),
        "bounds": [
            {"case": bound.case, "formula": bound.formula, "example": bound.messages(EXAMPLE_N, links)}
            for bound in cls.bounds
        ],
        "parameters": list(anatomy.parameters),
        "durable": list(anatomy.durable),
        "clauses": [
            {"name": clause.name, "trigger": clause.trigger, "line": line_of(cls, clause.name)}
            for clause in anatomy.clauses.values()
        ],
        "messages": [message.__name__ for message in anatomy.messages],
    }


def show_table(entries: list[dict[str, Any]]) -> None:
    """The catalogue by topology and model."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    heading = ""
    for entry in sorted(entries, key=lambda entry: (entry["kind"], entry["topology"], entry["model"], entry["name"])):
        kind = KINDS.get(entry["kind"], entry["kind"])
        if heading != (heading := f"{kind} on {GRAPHS.get(entry['topology'], entry['topology'])}"):
            console.print(f"\n[dim]{heading}[/]")
        worst = next((bound["formula"] for bound in entry["bounds"] if bound["case"] == "worst"), "")
        cost = f"at most {worst}{' an entry' if entry['kind'] == 'mutex' else ''}" if worst else ""
        console.print(Text.assemble("  ", (f"{entry['name']:<22}", "bold"), cost))
        console.print(Padding(Text(f"{entry['model']} · {entry['idea']}", "dim"), (0, 0, 0, 4)))
    console.print("\n[dim]Messages at most, for n processes and m links.[/]")
    console.print("[dim]One in full:[/] habemus algorithms NAME[dim]. Run it:[/] habemus simulate NAME[dim].[/]")


def show_essay(console: Any, essay: str) -> None:
    """The head of the algorithm's file, set to the width of the terminal: paragraphs, and labelled ones hanging."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    title, _, rest = essay.partition("\n")
    console.print(Text(title, style="bold"))
    for paragraph in rest.strip().split("\n\n"):
        console.print()
        labelled = re.split(r"^(\S[\w ]{2,8}?) {2,}", paragraph, flags=re.MULTILINE)
        if len(labelled) == 1:
            console.print(Text(" ".join(paragraph.split())))
            continue
        table = Table.grid(padding=(0, 3, 0, 0))
        for label, text in zip(labelled[1::2], labelled[2::2], strict=True):
            table.add_row(Text(label, style="dim", no_wrap=True), Text(" ".join(text.split())))
        console.print(Padding(table, 0))


def show_entry(name: str, entry: dict[str, Any], cls: Any) -> None:
    """One algorithm in full: the essay, the bounds, a small run, the clauses, the source."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.syntax import Syntax
    from rich.table import Table
    from rich.text import Text

    from habemus.process.source import essay_end, source_file

    console = Console(highlight=False)
    show_essay(console, entry["text"])
    for bound in entry["bounds"]:
        value = f"{bound['example']:,.1f}".removesuffix(".0")
        each = " an entry" if entry["kind"] == "mutex" else ""
        line = f"   {bound['formula']} messages{each}; {value} for n = {EXAMPLE_N}"
        console.print(Text.assemble(("\n" + {"worst": "at most", "mean": "on average"}[bound["case"]], "dim"), line))
    console.print(Text.assemble("\n", (f"a run with n = {DRAWN_N}", "dim")))
    console.print(Padding(small_run(name, console.width), (0, 2)))

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("clause", no_wrap=True)
    table.add_column("runs", style="dim", no_wrap=True)
    table.add_column("line", justify="right", style="dim")
    for clause in entry["clauses"]:
        table.add_row(clause["name"], clause["trigger"], str(clause["line"] or ""))
    console.print()
    console.print(table)
    if entry["parameters"]:
        console.print(Text.assemble(("\nparameters   ", "dim"), ", ".join(entry["parameters"])))
    file = source_file(cls)
    if file is not None:
        console.print()
        lines = Path(file).read_text(encoding="utf-8").splitlines()
        first = essay_end(file) + 2  # the essay stands above already
        code = "\n".join(lines[first - 1 :])
        console.print(Syntax(code, "python", line_numbers=True, start_line=first, word_wrap=True, theme="ansi_light"))


def small_run(name: str, width: int) -> Any:
    """A few processes at work, drawn for the terminal."""
    from habemus.scenario import Place, Scenario
    from habemus.simulation import simulate
    from habemus.trace.terminal import terminal_diagram

    outcome = simulate(Scenario(name, topology=Place(n=DRAWN_N)), keep=DRAWN_EVENTS)
    assert outcome.recorder is not None
    return terminal_diagram(outcome.trace, width - 4, DRAWN_ROWS, outcome.recorder.count)
