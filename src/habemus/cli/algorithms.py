"""`habemus algorithms`: the catalogue."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from habemus.cli import options as o
from habemus.words.language import PORTUGUESE, language, say, say_number, say_pattern

DRAWN_N, DRAWN_EVENTS, DRAWN_ROWS, EXAMPLE_N = 4, 200, 18, 8
WIDTH = 26  # of the names in the table

GRAPHS = {"ring": "a ring", "complete": "a complete graph", "tree": "a tree", "any": "any connected graph"}
UNITS = "Messages at most, for n processes and m links. A variant stands below what it is a variant of."
KINDS = {"election": "elections", "mutex": "mutexes", "detector": "failure detectors"}


def algorithms(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One entry in full.")] = None,
    json: o.Json = False,
) -> int:
    """List the algorithms, or show one in full: idea, assumptions, costs, a small run, clauses, source."""
    from habemus.catalogue import algorithm_names, find_algorithm
    from habemus.cli.output import print_json

    known = algorithm_names()
    meant = find_meant(name, known) if name is not None else known
    if name is not None and (name in known or not meant):
        entry = describe_algorithm(name, find_algorithm(name))
        if json:
            print_json(entry)
        else:
            show_entry(name, entry, find_algorithm(name))
        return 0
    entries = [describe_algorithm(each, find_algorithm(each)) for each in meant]
    if json:
        print_json(entries)
    else:
        show_table(entries)
    return 0


def find_meant(term: str, known: list[str]) -> list[str]:
    """The algorithms that a term stands for; if it stands for runs only, the algorithms that these show."""
    from habemus.scenario import find_named_scenario
    from habemus.words.terms import find_by_term

    named = find_by_term(term)
    algorithms = [each for each in named if each in known]
    shown = [scenario.algorithm for each in named if (scenario := find_named_scenario(each)) is not None]
    return algorithms or list(dict.fromkeys([each for each in shown if each in known]))


def describe_algorithm(name: str, cls: Any) -> dict[str, Any]:
    """What the catalogue knows of an algorithm."""
    from habemus.catalogue import find_parent
    from habemus.process import dissect
    from habemus.process.source import documentation
    from habemus.scenario import Scenario, TopologySpec
    from habemus.scenario.placing import place_processes
    from habemus.words.terms import terms_of

    anatomy = dissect(cls)
    parent, essay = find_parent(cls), documentation(cls)
    links = place_processes(Scenario(name, topology=TopologySpec(n=EXAMPLE_N)), [cls]).m
    return {
        "name": cls.name or name,
        "variant_of": parent.name if parent is not None else None,
        "also": terms_of(cls.name),
        "kind": cls.kind,
        "topology": cls.topology,
        "model": cls.model,
        "idea": idea_of(essay),
        "text": essay,
        "guarantees": list(cls.guarantees),
        "bounds": [
            {"case": bound.case, "formula": bound.formula, "example": bound.messages(EXAMPLE_N, links)}
            for bound in cls.bounds
        ],
        "waiting_bound": cls.waiting_bound.formula if getattr(cls, "waiting_bound", None) is not None else None,
        "parameters": list(anatomy.parameters),
        "durable": list(anatomy.durable),
        "clauses": [
            {"name": clause.name, "trigger": clause.trigger, **locate_clause(cls, clause.name)}
            for clause in anatomy.clauses.values()
        ],
        "messages": [message.__name__ for message in anatomy.messages],
    }


def locate_clause(cls: Any, clause: str) -> dict[str, Any]:
    """The file and the line of a clause; a variant has many of its clauses from the algorithm that it varies."""
    from habemus.process.source import line_of, source_file

    owner = next(base for base in cls.__mro__ if clause in vars(base))
    file = source_file(owner)
    return {"file": Path(file).name if file else "", "line": line_of(owner, clause)}


def sort_by_family(entries: list[dict[str, Any]]) -> list[tuple[dict[str, Any], int]]:
    """The entries by kind, topology, model and name; variants follow their parent, each with its depth below it."""

    names = {entry["name"] for entry in entries}

    def below(parent: str | None, depth: int) -> list[tuple[dict[str, Any], int]]:
        members = [
            entry for entry in entries if (entry["variant_of"] if entry["variant_of"] in names else None) == parent
        ]
        members.sort(key=lambda entry: (entry["kind"], entry["topology"], entry["model"], entry["name"]))
        return [found for entry in members for found in [(entry, depth), *below(entry["name"], depth + 1)]]

    return below(None, 0)


def show_table(entries: list[dict[str, Any]]) -> None:
    """The catalogue by topology and model."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    heading = ""
    for entry, depth in sort_by_family(entries):
        kind = KINDS.get(entry["kind"], entry["kind"])
        if heading != (heading := f"{kind} on {GRAPHS.get(entry['topology'], entry['topology'])}"):
            console.print(f"\n[dim]{say_pattern(heading)}[/]")
        worst = next((bound["formula"] for bound in entry["bounds"] if bound["case"] == "worst"), "")
        each = f" {say('an entry')}" if entry["kind"] == "mutex" else ""
        cost = f"{say('at most')} {say_pattern(worst)}{each}" if worst else ""
        indent = 2 + 2 * depth
        console.print(Text.assemble(" " * indent, (f"{entry['name']:<{WIDTH - 2 * depth}}", "bold"), cost))
        model = ", ".join([say(part) for part in entry["model"].split(", ")])
        console.print(Padding(Text(f"{model} · {idea_of(essay_of(entry))}", "dim"), (0, 0, 0, indent + 2)))
    name = say("NAME")
    console.print(f"\n[dim]{say(UNITS)}[/]")
    shown, run = f"habemus algorithms {name}", f"habemus simulate {name}"
    console.print(f"[dim]{say('One in full:')}[/] {shown}[dim]. {say('Run it:')}[/] {run}[dim].[/]")


def essay_of(entry: dict[str, Any]) -> str:
    """The head of the algorithm's file, in the chosen language."""
    from habemus.words.essays import portuguese_essay

    own = portuguese_essay(entry["name"]) if language() == PORTUGUESE else None
    return own or str(entry["text"])


def idea_of(essay: str) -> str:
    return essay.partition("\n")[0].partition(": ")[2]


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
    show_essay(console, essay_of(entry))
    if entry["also"]:
        console.print(Text.assemble("\n", (f"{say('also found as')} ", "dim"), ", ".join(entry["also"])))
    if entry["variant_of"] is not None:
        console.print(Text.assemble("\n", (f"{say('a variant of')} ", "dim"), entry["variant_of"]))
    for bound in entry["bounds"]:
        value = say_number(f"{bound['example']:,.1f}".removesuffix(".0"))
        each = f" {say('an entry')}" if entry["kind"] == "mutex" else ""
        line = f"   {say_pattern(bound['formula'])} {say('messages')}{each}; {value} {say('for')} n = {EXAMPLE_N}"
        case = say({"worst": "at most", "mean": "on average"}[bound["case"]])
        console.print(Text.assemble((f"\n{case}", "dim"), line))
    if entry["waiting_bound"] is not None:
        told = say_pattern(f"others enter at most {entry['waiting_bound']}")
        console.print(Text.assemble((f"\n{say('waiting')}", "dim"), f"   {told}"))
    console.print(Text.assemble("\n", (f"{say('a run with')} n = {DRAWN_N}", "dim")))
    console.print(Padding(draw_small_run(name, console.width), (0, 2)))

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(say("clause"), no_wrap=True)
    table.add_column(say("when"), style="dim", no_wrap=True)
    table.add_column(say("file"), style="dim", no_wrap=True)
    table.add_column(say("line in it"), justify="right", style="dim")
    for clause in entry["clauses"]:
        table.add_row(clause["name"], clause["trigger"], clause["file"], str(clause["line"] or ""))
    console.print()
    console.print(table)
    if entry["parameters"]:
        console.print(Text.assemble((f"\n{say('parameters')}   ", "dim"), ", ".join(entry["parameters"])))
    file = source_file(cls)
    if file is not None:
        console.print()
        lines = Path(file).read_text(encoding="utf-8").splitlines()
        first = essay_end(file) + 2  # the essay stands above already
        code = "\n".join(lines[first - 1 :])
        console.print(Syntax(code, "python", line_numbers=True, start_line=first, word_wrap=True, theme="ansi_light"))


def draw_small_run(name: str, width: int) -> Any:
    """A few processes at work, drawn for the terminal."""
    from habemus.cli.report import name_messages_as_noted
    from habemus.scenario import Scenario, TopologySpec
    from habemus.simulation import simulate
    from habemus.trace.terminal import draw_for_terminal

    outcome = simulate(Scenario(name, topology=TopologySpec(n=DRAWN_N)), keep=DRAWN_EVENTS)
    assert outcome.recorder is not None
    name_messages_as_noted(outcome)
    return draw_for_terminal(outcome.trace, width - 4, DRAWN_ROWS, outcome.recorder.count, say=say_pattern)
