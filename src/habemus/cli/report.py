"""How a simulation is told: for people, or as JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from habemus.cli.progress import progress_line
from habemus.process import MEAN, Detector
from habemus.properties import Property
from habemus.scenario import Scenario, ScenarioError
from habemus.simulation import Outcome, simulate
from habemus.simulation.figures import DetectionFigures, LockFigures, summary

GOLD, VERMILLION, GREEN = "#E69F00", "#D55E00", "#009E73"

MARKS = {True: ("✓", GREEN), False: ("✗", f"bold {VERMILLION}"), None: ("·", "dim")}

DRAWN_PROCESSES = 8
DRAWN_EVENTS = 400
KEPT_EVENTS = 200_000
WATCHED_PROCESSES = 2_000

SAFETY = ("uniqueness", "stability", "mutual_exclusion")  # what no longer run could mend

ENDINGS = {
    "quiescence": "nothing was left to do",
    "property": "the property it waited for was decided",
    "time": "its time was up",
    "budget": "its budget of events was spent",
}


def run_and_report(scenario: Scenario, json: bool, trace: str | None, diagram: str | None, save: str | None) -> int:
    """Run a scenario, tell what came of it, and write what was asked for."""
    for path in (trace, save):
        check_writable(path)
    check_diagram(diagram)
    small = (scenario.topology.n or 0) <= WATCHED_PROCESSES
    keep = KEPT_EVENTS if diagram is not None else DRAWN_EVENTS if small and not json else 0
    if save is not None:
        scenario.write(save)
    with progress_line() as progress:
        if scenario.schedule is None:
            outcome = simulate(scenario, keep=keep, digest=json, trace=trace, progress=progress)
        else:
            from habemus.checking.replay import play

            outcome = play(scenario, trace)
    if diagram is not None:
        Path(diagram).write_text(drawn(outcome, diagram), encoding="utf-8")
    if json:
        print_json(outcome.as_dict())
    else:
        console = Console(highlight=False)
        console.print(told(outcome, console.width))
        for made, path in (("diagram", diagram), ("trace", trace), ("scenario", save)):
            if path is not None:
                console.print(Text.assemble((f"  {made} written to ", "dim"), path))
    if outcome.ended == "budget":
        spent = f"{outcome.events:,} events"
        print(f"habemus: the budget of {spent} was spent before the run ended; --events allows more", file=sys.stderr)
    return status(outcome)


def check_writable(path: str | None) -> None:
    """Refuse an output path before a long run, not after it."""
    if path is None:
        return
    folder = Path(path).parent
    if Path(path).is_dir():
        raise ScenarioError(f"{path} cannot be written: it is a folder")
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ScenarioError(f"{path} cannot be written: {folder} is not a folder that can be written to")


def check_diagram(path: str | None) -> None:
    """Refuse a diagram that cannot be drawn there."""
    if path is not None and not path.endswith((".svg", ".mmd", ".shiviz", ".txt")):
        raise ScenarioError(f"--diagram {path}: expected a name that ends in .svg, .mmd, .shiviz or .txt")
    check_writable(path)


def check_plot(path: str | None) -> None:
    """Refuse a plot that cannot be drawn there."""
    if path is not None and not path.endswith((".svg", ".png", ".pdf")):
        raise ScenarioError(f"--plot {path}: expected a name that ends in .svg, .png or .pdf")
    check_writable(path)


def status(outcome: Outcome) -> int:
    """The exit status of a run."""
    if (not outcome.holds or outcome.surprises) and outcome.ended != "budget":
        return 1
    if outcome.ended == "budget":
        safety = [watched for watched in outcome.properties if watched.name in SAFETY]
        return 1 if any(watched.witness for watched in safety) else 3
    return 0


def drawn(outcome: Outcome, path: str) -> str:
    """The run as the picture or log that the file's name asks for."""
    if path.endswith(".mmd"):
        from habemus.trace.mermaid import mermaid

        return mermaid(outcome.trace)
    if path.endswith(".shiviz"):
        from habemus.trace.shiviz import shiviz

        return shiviz(outcome.trace)
    if path.endswith(".txt"):
        from habemus.trace.transcript import transcript

        return transcript(outcome.trace)
    from habemus.trace.diagram import space_time_svg

    return space_time_svg(outcome.trace, witnesses=[p.witness for p in outcome.properties if p.witness is not None])


def print_json(data: Any) -> None:
    """JSON on standard output."""
    print(msgspec.json.encode(data).decode())


def told(outcome: Outcome, width: int) -> RenderableType:
    """The outcome for a person."""
    parts: list[RenderableType] = [Text(), setting(outcome)]
    if outcome.scenario.shows:
        parts.append(Padding(Text(outcome.scenario.shows, style="italic"), (0, 2)))
    parts += [Text(), headline(outcome), Text(), *costs(outcome), Text(), *verdicts(outcome, width)]
    if outcome.recorder is not None and outcome.n <= DRAWN_PROCESSES:
        from habemus.trace.terminal import terminal_diagram

        parts += [Text(), Padding(terminal_diagram(outcome.trace, width - 4, total=outcome.recorder.count), (0, 2))]
    parts += [Text(), ending(outcome)]
    return Group(*parts)


def setting(outcome: Outcome) -> RenderableType:
    """What was run."""
    scenario, place = outcome.scenario, outcome.scenario.topology
    processes = f"{outcome.n:,} process{'es' if outcome.n != 1 else ''}, {outcome.topology.kind}"
    if scenario.layers:
        processes = f"over {', '.join(layer.algorithm for layer in reversed(scenario.layers))}, {processes}"
    order = "" if place.ids or place.edges or place.file else f", ids in {place.order} order"
    text = Text(scenario.title or scenario.algorithm, "bold")
    text.append(f"   {processes}{order}, {scenario.network.delay} delays, seed {scenario.seed}", "not bold dim")
    return Padding(text, (0, 2))


def headline(outcome: Outcome) -> Text:
    """Who won, who got in, or who was found out."""
    ticks = f"{outcome.time:,} tick{'s' if outcome.time != 1 else ''}"
    if outcome.lock is not None:
        entries = "1 entry" if outcome.lock.entries == 1 else f"{outcome.lock.entries:,} entries"
        leads = f"; {outcome.leader} leads" if outcome.leader is not None else ""
        return Text.assemble("  ", (f"▣ {entries}", f"bold {GREEN}"), f" in {ticks}{leads}.")
    if outcome.detection is not None and issubclass(outcome.cls, Detector):
        found = len(outcome.detection.detection_times)
        words = f"{found:,} detection{'s' if found != 1 else ''}, {mistakes(outcome.detection)}"
        return Text.assemble("  ", (words, "bold"), f" in {ticks}.")
    if outcome.leader is not None:
        return Text.assemble("  ", (f"♛ {outcome.leader} leads", f"bold {GOLD}"), f" after {ticks}.")
    offices = [watched for watched in outcome.properties if watched.name == "uniqueness" and watched.witness]
    what = "More than one process leads" if offices else "Nobody leads"
    return Text.assemble("  ", (what, f"bold {VERMILLION}"), f" after {ticks}.")


def costs(outcome: Outcome) -> list[RenderableType]:
    """What it took, against what is proven."""
    n, m = outcome.n, outcome.topology.m
    line = Text.assemble("  messages   ", (f"{outcome.messages:>7,}", "bold"))
    lines: list[RenderableType] = [line]
    bound, cost = outcome.bound, float(outcome.messages)
    if outcome.lock is not None and outcome.lock.messages_per_entry is not None:
        cost = outcome.lock.messages_per_entry
        line = Text.assemble("  an entry   ", (f"{cost:>9,.1f}", "bold"))
        lines.append(line)
    if bound is not None and (outcome.lock is None or outcome.lock.entries):
        most = bound.messages(n, m)
        value = f"{most:,.1f}".removesuffix(".0")
        line.append(f"   of at most {value}" + (f" = {bound.formula}  " if bound.formula != value else "  "))
        line.append_text(gauge(cost / most if most else 0.0))
    mean = next((bound for bound in outcome.cls.bounds if bound.case == MEAN), None)
    ordinary = outcome.scenario.topology.order == "random" and not outcome.scenario.topology.ids
    if bound is not None and mean is not None and ordinary and outcome.scenario.starters in (None, "all"):
        when = "in the long run" if outcome.lock is not None else "all starting"
        lines.append(Text(f"  on average {mean.messages(n, m):>9,.1f}   = {mean.formula}, {when}", "dim"))
    kinds = " · ".join(f"{count:,} {kind}" for kind, count in outcome.messages_by_type.items())
    if kinds:
        lines.append(Padding(Text(kinds, "dim"), (0, 2, 0, 23)))
    if outcome.lock is not None:
        lines += service(outcome.lock)
    if outcome.detection is not None:
        lines += judgement(outcome.detection)
    return lines


def service(lock: LockFigures) -> list[RenderableType]:
    """How the lock served those who wanted it."""
    if not lock.entries:
        return []
    lines: list[RenderableType] = [figures("waiting", lock.waits, "ticks")]
    lines.append(figures("handover", lock.handovers, "ticks"))
    rate = f"{lock.throughput:>9,.1f}   entries in 1,000 ticks" if lock.throughput is not None else ""
    lines.append(Text.assemble("  throughput ", rate))
    lines.append(figures("overtaken", lock.overtaken, "times"))
    lines.append(Text(f"  bypassed   {lock.bypassed_most:>7,}     times at most: others entered while one waited"))
    for use in lock.refusals[:5]:
        refused = f"the resource refused {use.process} at time {use.refused}: its token {use.token} was out of date"
        lines.append(Text(f"  ⊘ {refused}", VERMILLION))
    return lines


def judgement(detection: DetectionFigures) -> list[RenderableType]:
    """How well a failure detector judged."""
    lasting = summary(detection.mistake_durations)
    how_long = f"   of {lasting['mean']:,.1f} ticks on average, at most {lasting['max']:,.0f}" if lasting else ""
    return [
        figures("detection", detection.detection_times, "ticks after the crash"),
        Text(f"  mistakes   {detection.mistakes:>7,}  {how_long}"),
        Text(f"  load       {detection.load:>9,.1f}   messages a member in 1,000 ticks"),
    ]


def mistakes(detection: DetectionFigures) -> str:
    """How often it was wrong."""
    return "1 mistake" if detection.mistakes == 1 else f"{detection.mistakes:,} mistakes"


def figures(name: str, values: Sequence[int], unit: str) -> Text:
    """Mean, 99th percentile and maximum of something, on a line."""
    found = summary(values)
    if found is None:
        return Text(f"  {name:<10} {'–':>9}", "dim")
    worst = f"p99 {found['p99']:,.0f}, at most {found['max']:,.0f}"
    return Text.assemble(f"  {name:<10} {found['mean']:>9,.1f}   {unit} on average, {worst}")


def gauge(share: float) -> Text:
    """How much of the bound was used."""
    width = 20
    filled = min(width, round(share * width))
    return Text.assemble(("━" * filled, GOLD), ("┄" * (width - filled), "bright_black"))


def verdicts(outcome: Outcome, width: int) -> list[RenderableType]:
    """Which properties hold; for one that does not, why."""
    lines: list[RenderableType] = []
    line = Text(" ")
    for watched in outcome.properties:
        mark, style = MARKS[watched.holds]
        if line.cell_len + len(f" {mark} {watched.name}") > width:
            lines.append(line)
            line = Text(" ")
        line.append(f" {mark} ", style)
        line.append(watched.name + "  ")
    lines.append(line)
    lines += [explained(watched) for watched in outcome.properties if watched.witness is not None]
    if outcome.broken_assumption:
        lines.append(Padding(Text(outcome.broken_assumption, style="dim"), (0, 2, 0, 4)))
    if outcome.scenario.expect is not None:
        lines.append(expectations(outcome))
    return lines


def explained(watched: Property) -> RenderableType:
    """The witness of a violated property."""
    assert watched.witness is not None
    sentence = watched.witness.text[0].upper() + watched.witness.text[1:]
    return Padding(Text.assemble((f"{watched.name}: ", VERMILLION), sentence, "."), (0, 2, 0, 4))


def expectations(outcome: Outcome) -> RenderableType:
    """Whether it went as the scenario says it should."""
    surprises = outcome.surprises
    if surprises:
        return Padding(Text(f"Not as expected: {'; '.join(surprises)}.", style=f"bold {VERMILLION}"), (0, 2))
    expect = outcome.scenario.expect
    failing = expect.violated if expect is not None else []
    violated = f": {listed(failing)} {'fails' if len(failing) == 1 else 'fail'}" if failing else ""
    return Padding(Text(f"As this scenario expects{violated}.", "dim"), (0, 2))


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def ending(outcome: Outcome) -> Text:
    """Why the run ended, and its digest."""
    text = Text(f"  It ended because {ENDINGS[outcome.ended]}.", "dim")
    if outcome.digest is not None:
        text.append(f"   digest {outcome.digest[:12]}", "dim")
    return text
