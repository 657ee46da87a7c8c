"""`habemus museum`: broken variants, and the shortest run that violates a property."""

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

    from habemus.checking.answer.questions import Question
    from habemus.checking.answer.replay import Replay
    from habemus.checking.answer.verdicts import Verdict
    from habemus.museum import Exhibit, Instance, Run
    from habemus.properties import Witness
    from habemus.scenario import Scenario
    from habemus.trace import Outcome

DRAWN_ROWS = 60
KEPT_EVENTS = 100_000

Name = Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which one; without it, all are listed.")]
Save = Annotated[str | None, typer.Option("--save", help="Write the counterexample as a scenario: F.toml or F.json.")]


def museum_command(
    name: Name = None,
    json: o.Json = False,
    trace: TraceFile = None,
    diagram: Diagram = None,
    save: Save = None,
) -> int:
    """List broken variants of the algorithms, or check one and show what goes wrong (exit status 1)."""
    from habemus.museum import EXHIBITS
    from habemus.scenario import ScenarioError

    if name is None:
        return list_exhibits(list(EXHIBITS.values()), json)
    if name not in EXHIBITS:
        near = difflib.get_close_matches(name, EXHIBITS, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else "`habemus museum` lists them."
        raise ScenarioError(f"there is no exhibit {name!r}; {hint}")
    return show_exhibit(EXHIBITS[name], json, trace, diagram, save)


def list_exhibits(exhibits: list[Exhibit], json: bool) -> int:
    """Print every exhibit with the property it violates."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from habemus.cli.output import print_json
    from habemus.cli.report import VERMILLION
    from habemus.museum import TEXTBOOK

    if json:
        print_json([describe_exhibit(exhibit) for exhibit in exhibits])
        return 0
    console = Console(highlight=False)
    heading = ""
    for exhibit in sorted(exhibits, key=lambda exhibit: exhibit.original.name):
        if heading != (heading := exhibit.original.name):
            console.print(f"\n[dim]{heading}[/]")
        console.print(Text.assemble("  ", (f"{exhibit.name:<38}", "bold"), (exhibit.violates, VERMILLION)))
        console.print(Padding(Text(exhibit.bug), (0, 0, 0, 4)))
        if exhibit.happened != TEXTBOOK:
            console.print(Padding(Text(exhibit.happened, "dim"), (0, 0, 0, 4)))
    console.print(f"\n[dim]{len(exhibits)} in all. See one go wrong:[/] habemus museum NAME")
    return 0


def describe_exhibit(exhibit: Exhibit) -> dict[str, Any]:
    return {
        "name": exhibit.name,
        "original": exhibit.original.name,
        "class": name_class(exhibit.cls),
        "violates": exhibit.violates,
        "bug": exhibit.bug,
        "happened": exhibit.happened,
        "source": exhibit.source or None,
    }


# Checking


def name_class(cls: Any) -> str:
    """The name of a class in a scenario."""
    return cls.name if not cls.__module__.startswith("habemus.museum") else f"{cls.__module__}:{cls.__name__}"


def build_scenario(cls: Any, run: Run) -> Scenario:
    """A run of a class: on top, or as the raft below the algorithm that the run is of."""
    import msgspec

    from habemus.scenario import Scenario

    name, layers = (run.above, [name_class(cls)]) if run.above else (name_class(cls), ["raft"])
    below = [{"algorithm": layer, "parameters": dict(run.below or {})} for layer in layers if run.below is not None]
    return msgspec.convert({"algorithm": name, "layers": below, **run.scenario}, Scenario)


def build_question(cls: Any, instance: Instance, violates: str) -> Question:
    """Ask whether a class has a property in an instance."""
    from habemus.checking.answer.questions import Question, settle
    from habemus.scenario import Network, Scenario, TopologySpec

    scenario = Scenario(
        name_class(cls),
        parameters=dict(instance.parameters),
        topology=TopologySpec(ids=list(instance.members), edges=list(instance.edges) or None),
        network=Network(fifo=instance.fifo),
        starters=list(instance.starters) or None,
    )
    return Question(*settle(scenario, instance.timing, dict(instance.limits)), [violates])


def show_exhibit(exhibit: Exhibit, json: bool, trace: str | None, diagram: str | None, save: str | None) -> int:
    """Check one exhibit and its sound version."""
    if exhibit.run is not None:
        return show_run(exhibit, exhibit.run, json, trace, diagram, save)

    from habemus.checking.search.effort import Effort
    from habemus.cli.answering import collect_verdicts
    from habemus.cli.check import check_scenario_path
    from habemus.cli.check_report import OUT_OF_BUDGET, exit_status
    from habemus.cli.output import check_diagram, check_writable, print_json

    check_writable(trace)
    check_scenario_path(save)
    check_diagram(diagram)
    assert exhibit.instance is not None and exhibit.sound_instance is not None, "it is shown by a run or checked"
    asked = [(exhibit.cls, exhibit.instance), (exhibit.sound, exhibit.sound_instance)]
    answers = collect_verdicts(
        [build_question(cls, instance, exhibit.violates) for cls, instance in asked], Effort(), 1
    )
    if len(answers) < len(asked):
        print(f"habemus: interrupted before {exhibit.name} and its sound version were explored", file=sys.stderr)
        return OUT_OF_BUDGET
    verdict, sound = answers
    outcome = replay_counterexample(exhibit, verdict, trace, diagram, save)
    if json:
        data = {
            **describe_exhibit(exhibit),
            "difference": find_difference(exhibit),
            "verdict": verdict.as_dict(),
            "sound": sound.as_dict(),
            "digest": outcome.digest if outcome is not None else None,
        }
        print_json(data)
    else:
        print_exhibit(exhibit, verdict, sound, outcome, [path for path in (trace, diagram, save) if path is not None])
    return exit_status(verdict)


def show_run(exhibit: Exhibit, run: Run, json: bool, trace: str | None, diagram: str | None, save: str | None) -> int:
    """Run an exhibit and its sound version in the scenario that shows the mistake."""
    from pathlib import Path

    from habemus.cli.check import check_scenario_path
    from habemus.cli.output import check_diagram, check_writable, draw_run, print_json
    from habemus.simulation import simulate

    check_writable(trace)
    check_scenario_path(save)
    check_diagram(diagram)
    scenario = build_scenario(exhibit.cls, run)
    scenario.title, scenario.shows = exhibit.name, exhibit.bug
    outcome = simulate(scenario, keep=KEPT_EVENTS, trace=trace)
    sound = simulate(build_scenario(exhibit.sound, run))
    if diagram is not None:
        Path(diagram).write_text(draw_run(outcome, diagram), encoding="utf-8")
    if save is not None:
        scenario.write(save)
    witness = next(judge.witness for judge in outcome.properties if judge.name == exhibit.violates)
    if json:
        data = {
            **describe_exhibit(exhibit),
            "difference": find_difference(exhibit),
            "witness": witness.text if witness is not None else None,
            "scenario": scenario.as_dict(),
            "sound": {"violated": sound.violated},
            "digest": outcome.digest,
        }
        print_json(data)
    else:
        print_run(exhibit, outcome, witness, [path for path in (trace, diagram, save) if path is not None])
    return int(witness is not None)


def print_run(exhibit: Exhibit, outcome: Outcome, witness: Witness | None, written: list[str]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from habemus.cli.report import VERMILLION

    console = Console(highlight=False)
    said = f"{exhibit.violates}: {witness.text}" if witness is not None else f"{exhibit.violates} holds"
    parts: list[RenderableType] = [
        *label(exhibit),
        Padding(Text(said, VERMILLION), (0, 2)),
        Text(),
        *draw_in_terminal(outcome, console),
        Text(),
        Text(f"  {name_sound_version(exhibit)} in the same run: holds"),
        *[Text.assemble(("  written to ", "dim"), path) for path in written],
    ]
    for part in parts:
        console.print(part)


def label(exhibit: Exhibit) -> list[RenderableType]:
    """What is wrong, where that happened, and what is different."""
    from rich.padding import Padding
    from rich.text import Text

    return [
        Text(),
        Text.assemble("  ", (exhibit.name, "bold"), (f"   {exhibit.original.name}, broken", "dim")),
        Padding(Text(exhibit.bug), (0, 2)),
        Padding(Text(" ".join([exhibit.happened, exhibit.source]).rstrip(), "dim"), (0, 2)),
        Text(),
        Text("  What is different: - is sound, + is broken", "dim"),
        Padding(colour_difference(find_difference(exhibit)), (0, 2)),
        Text(),
    ]


def replay_counterexample(
    exhibit: Exhibit, verdict: Verdict, trace: str | None, diagram: str | None, save: str | None
) -> Replay | None:
    """Replay the counterexample, and write the files that were asked for."""
    from pathlib import Path

    from habemus.checking.answer.replay import play
    from habemus.cli.output import draw_run

    if verdict.counterexample is None:
        return None
    verdict.counterexample.title, verdict.counterexample.shows = exhibit.name, exhibit.bug
    outcome = play(verdict.counterexample, trace)
    if diagram is not None:
        Path(diagram).write_text(draw_run(outcome, diagram), encoding="utf-8")
    if save is not None:
        verdict.counterexample.write(save)
    return outcome


def print_exhibit(
    exhibit: Exhibit, verdict: Verdict, sound: Verdict, outcome: Replay | None, written: list[str]
) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from habemus.cli.check_report import COLOURS, render_counterexample, render_effort

    console = Console(highlight=False)
    parts: list[RenderableType] = [
        *label(exhibit),
        Padding(Text(f"{verdict.n} processes, {verdict.assumption}", "dim"), (0, 2)),
        Text(),
    ]
    if outcome is not None:
        parts += [*render_counterexample(verdict, outcome), Text(), *draw_in_terminal(outcome, console), Text()]
    setting = "in the same instance" if exhibit.mended is None else "in a sound setting"
    words = Text.assemble(f"  {name_sound_version(exhibit)} {setting}: ", (sound.verdict, COLOURS[sound.verdict]))
    parts += [words.append(f", {sound.states:,} states, {sound.seconds:.2f} s."), *render_effort(verdict)]
    parts += [Text.assemble(("  written to ", "dim"), path) for path in written]
    for part in parts:
        console.print(part)


def name_sound_version(exhibit: Exhibit) -> str:
    """What the exhibit is compared with: the original, or a form of it that a smaller instance suffices for."""
    name = exhibit.original.name
    return name if exhibit.sound is exhibit.original else f"{name} ({exhibit.sound.__name__})"


def draw_in_terminal(outcome: Replay | Outcome, console: Console) -> list[RenderableType]:
    from rich.padding import Padding

    from habemus.trace.terminal import draw_for_terminal

    return [Padding(draw_for_terminal(outcome.trace, console.width - 4, DRAWN_ROWS), (0, 2))]


# What is different


def find_difference(exhibit: Exhibit) -> list[str]:
    """The broken clauses beside the sound ones, line by line; or the settings, if these are broken."""
    from habemus.process.source import class_definition

    lines = []
    if exhibit.mended is not None and exhibit.instance is not None:
        lines += list(
            difflib.ndiff(
                list_settings(exhibit.mended, exhibit.instance), list_settings(exhibit.instance, exhibit.mended)
            )
        )
    definition = class_definition(exhibit.cls)
    for node in definition.body if definition is not None else []:
        name = getattr(node, "name", "")
        if name:
            lines += list(difflib.ndiff(read_method(exhibit.sound, name), read_method(exhibit.cls, name)))
    return [line.rstrip() for line in lines if not line.startswith("?")]


def list_settings(instance: Instance, other: Instance) -> list[str]:
    """The settings of an instance that differ from another one's."""
    found = []
    for field in fields(instance):
        mine, theirs = getattr(instance, field.name), getattr(other, field.name)
        if mine != theirs:
            found.append(f"{field.name} = {mine!r}" if mine not in ((), {}) else f"{field.name} not given")
    return found


def read_method(cls: Any, name: str) -> list[str]:
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


def colour_difference(lines: list[str]) -> Any:
    from rich.text import Text

    from habemus.cli.report import GREEN, VERMILLION

    styles = {"-": GREEN, "+": f"bold {VERMILLION}"}
    return Text("\n").join([Text(line, styles.get(line[:1], "")) for line in lines])
