"""`habemus museum`: broken variants, what is wrong with each, and the shortest run that shows it."""

from __future__ import annotations

import difflib
import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from habemus.cli import options as o
from habemus.cli.simulate import Diagram, TraceFile

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from habemus.checking.check import Verdict
    from habemus.checking.instances import Question
    from habemus.checking.replay import Replay
    from habemus.museum import Exhibit, Instance

DRAWN_ROWS = 60

Name = Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which one; without it, all are listed.")]
Save = Annotated[
    str | None, typer.Option("--save", help="Write the run that goes wrong as a scenario: F.toml or F.json.")
]


def museum_command(
    name: Name = None,
    json: o.Json = False,
    trace: TraceFile = None,
    diagram: Diagram = None,
    save: Save = None,
) -> int:
    """List broken variants of the algorithms, or have one checked and see what goes wrong (status 1: it does)."""
    from habemus.museum import EXHIBITS
    from habemus.scenario import ScenarioError

    if name is None:
        return list_exhibits(list(EXHIBITS.values()), json)
    if name not in EXHIBITS:
        near = difflib.get_close_matches(name, EXHIBITS, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else "`habemus museum` lists them."
        raise ScenarioError(f"there is no exhibit {name!r}; {hint}")
    return show(EXHIBITS[name], json, trace, diagram, save)


def list_exhibits(exhibits: list[Exhibit], json: bool) -> int:
    """All of them: what goes wrong, and which property that violates."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from habemus.cli.report import VERMILLION, print_json
    from habemus.museum import TEXTBOOK

    if json:
        print_json([label(exhibit) for exhibit in exhibits])
        return 0
    console = Console(highlight=False)
    heading = ""
    for exhibit in exhibits:
        if heading != (heading := exhibit.original.name):
            console.print(f"\n[dim]{heading}[/]")
        console.print(Text.assemble("  ", (f"{exhibit.name:<38}", "bold"), (exhibit.violates, VERMILLION)))
        console.print(Padding(Text(exhibit.bug), (0, 0, 0, 4)))
        if exhibit.happened != TEXTBOOK:
            console.print(Padding(Text(exhibit.happened, "dim"), (0, 0, 0, 4)))
    console.print(f"\n[dim]{len(exhibits)} in all. See one go wrong:[/] habemus museum NAME")
    return 0


def label(exhibit: Exhibit) -> dict[str, Any]:
    """What hangs beside it, for programs."""
    return {
        "name": exhibit.name,
        "original": exhibit.original.name,
        "class": scenario_name(exhibit.cls),
        "violates": exhibit.violates,
        "bug": exhibit.bug,
        "happened": exhibit.happened,
        "source": exhibit.source or None,
    }


# Checking


def scenario_name(cls: Any) -> str:
    """A class as scenarios name it."""
    return cls.name if not cls.__module__.startswith("habemus.museum") else f"{cls.__module__}:{cls.__name__}"


def question(cls: Any, instance: Instance, violates: str) -> Question:
    """Does a class have that property in that place?"""
    from habemus.checking.instances import Question, settled
    from habemus.scenario import Network, Place, Scenario

    scenario = Scenario(
        scenario_name(cls),
        parameters=dict(instance.parameters),
        topology=Place(ids=list(instance.members), edges=list(instance.edges) or None),
        network=Network(fifo=instance.fifo),
        starters=list(instance.starters) or None,
    )
    return Question(*settled(scenario, instance.timing, dict(instance.limits)), [violates])


def show(exhibit: Exhibit, json: bool, trace: str | None, diagram: str | None, save: str | None) -> int:
    """One of them: what is different, and what comes of it."""
    from habemus.checking.check import INCOMPLETE, Effort
    from habemus.cli.check import check_saved, whole_verdicts
    from habemus.cli.check_report import STATUS
    from habemus.cli.report import check_diagram, check_writable, print_json

    check_writable(trace)
    check_saved(save)
    check_diagram(diagram)
    asked = [(exhibit.cls, exhibit.instance), (exhibit.sound, exhibit.sound_instance)]
    answers = whole_verdicts([question(cls, instance, exhibit.violates) for cls, instance in asked], Effort(), 1)
    if len(answers) < len(asked):
        print(f"habemus: interrupted before {exhibit.name} and what is sound were explored", file=sys.stderr)
        return STATUS[INCOMPLETE]
    verdict, sound = answers
    outcome = played(exhibit, verdict, trace, diagram, save)
    if json:
        data = {
            **label(exhibit),
            "difference": difference(exhibit),
            "verdict": verdict.as_dict(),
            "sound": sound.as_dict(),
            "digest": outcome.digest if outcome is not None else None,
        }
        print_json(data)
    else:
        tell(exhibit, verdict, sound, outcome, [path for path in (trace, diagram, save) if path is not None])
    return STATUS[verdict.verdict]


def played(
    exhibit: Exhibit, verdict: Verdict, trace: str | None, diagram: str | None, save: str | None
) -> Replay | None:
    """The run that goes wrong, played, and written to the files that were asked for."""
    from pathlib import Path

    from habemus.checking.replay import play
    from habemus.cli.report import drawn

    if verdict.counterexample is None:
        return None
    verdict.counterexample.title, verdict.counterexample.shows = exhibit.name, exhibit.bug
    outcome = play(verdict.counterexample, trace)
    if diagram is not None:
        Path(diagram).write_text(drawn(outcome, diagram), encoding="utf-8")
    if save is not None:
        verdict.counterexample.write(save)
    return outcome


def tell(exhibit: Exhibit, verdict: Verdict, sound: Verdict, outcome: Replay | None, written: list[str]) -> None:
    """The exhibit for a person."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from habemus.cli.check_report import COLOURS, figures, story

    console = Console(highlight=False)
    parts: list[RenderableType] = [
        Text(),
        Text.assemble("  ", (exhibit.name, "bold"), (f"   {exhibit.original.name}, broken", "dim")),
        Padding(Text(exhibit.bug), (0, 2)),
        Padding(Text(" ".join([exhibit.happened, exhibit.source]).rstrip(), "dim"), (0, 2)),
        Text(),
        Text("  What is different: - is sound, + is broken", "dim"),
        Padding(coloured(difference(exhibit)), (0, 2)),
        Text(),
        Padding(Text(f"{verdict.n} processes, {verdict.assumption}", "dim"), (0, 2)),
        Text(),
    ]
    if outcome is not None:
        parts += [*story(verdict, outcome), Text(), *pictured(outcome, console), Text()]
    place = "in the same place" if exhibit.mended is None else "in surroundings that are sound"
    words = Text.assemble(f"  {sound_name(exhibit)} {place}: ", (sound.verdict, COLOURS[sound.verdict]))
    parts += [words.append(f", {sound.states:,} states, {sound.seconds:.2f} s."), *figures(verdict)]
    parts += [Text.assemble(("  written to ", "dim"), path) for path in written]
    for part in parts:
        console.print(part)


def sound_name(exhibit: Exhibit) -> str:
    """What the variant is compared with: the original, or a form of it that a smaller place will do for."""
    name = exhibit.original.name
    return name if exhibit.sound is exhibit.original else f"{name} ({exhibit.sound.__name__})"


def pictured(outcome: Replay, console: Console) -> list[RenderableType]:
    """The run as a space-time diagram."""
    from rich.padding import Padding

    from habemus.trace.terminal import terminal_diagram

    return [Padding(terminal_diagram(outcome.trace, console.width - 4, DRAWN_ROWS), (0, 2))]


# What is different


def difference(exhibit: Exhibit) -> list[str]:
    """The clauses that are broken, line by line beside the sound ones; or the surroundings, where these are."""
    from habemus.process.source import class_definition

    lines = []
    if exhibit.mended is not None:
        lines += list(
            difflib.ndiff(settings(exhibit.mended, exhibit.instance), settings(exhibit.instance, exhibit.mended))
        )
    definition = class_definition(exhibit.cls)
    for node in definition.body if definition is not None else []:
        name = getattr(node, "name", "")
        if name:
            lines += list(difflib.ndiff(member(exhibit.sound, name), member(exhibit.cls, name)))
    return [line.rstrip() for line in lines if not line.startswith("?")]


def settings(instance: Instance, other: Instance) -> list[str]:
    """How an instance is set up, as far as the other one differs."""
    found = []
    for field in fields(instance):
        mine, theirs = getattr(instance, field.name), getattr(other, field.name)
        if mine != theirs:
            found.append(f"{field.name} = {mine!r}" if mine not in ((), {}) else f"{field.name} not given")
    return found


def member(cls: Any, name: str) -> list[str]:
    """The source of a method, from the class that defines it."""
    import ast
    import linecache
    from textwrap import dedent

    from habemus.process.source import class_definition, source_file

    for base in cls.__mro__:
        definition = class_definition(base)
        for node in definition.body if definition is not None else []:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                lines = linecache.getlines(source_file(base) or "")[node.lineno - 1 : node.end_lineno]
                return dedent("".join(lines)).splitlines()
    return []


def coloured(lines: list[str]) -> Any:
    """A difference for the terminal."""
    from rich.text import Text

    from habemus.cli.report import GREEN, VERMILLION

    styles = {"-": GREEN, "+": f"bold {VERMILLION}"}
    return Text("\n").join([Text(line, styles.get(line[:1], "")) for line in lines])
