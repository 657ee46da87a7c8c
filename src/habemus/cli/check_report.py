"""How a verdict is told: for people, or as JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from habemus.checking.check import HOLDS, INCOMPLETE, VIOLATED, Effort, Verdict
from habemus.checking.replay import Replay, play
from habemus.checking.telling import told_steps
from habemus.cli.report import GREEN, MARKS, VERMILLION, drawn, print_json

if TYPE_CHECKING:
    from habemus.scenario import Schedule

STATUS = {HOLDS: 0, VIOLATED: 1, INCOMPLETE: 3}
COLOURS = {HOLDS: f"bold {GREEN}", VIOLATED: f"bold {VERMILLION}", INCOMPLETE: "bold yellow"}
TOLD_STEPS = 60


def report(verdict: Verdict, json: bool, trace: str | None, diagram: str | None, save: str | None) -> int:
    """Tell the verdict and write what was asked for."""
    outcome: Replay | None = None
    if verdict.counterexample is not None:
        outcome = play(verdict.counterexample, trace)
        if diagram is not None:
            Path(diagram).write_text(drawn(outcome, diagram), encoding="utf-8")
        if save is not None:
            verdict.counterexample.write(save)
    if json:
        print_json({**verdict.as_dict(), "digest": outcome.digest if outcome is not None else None})
    else:
        console = Console(highlight=False)
        console.print(told(verdict, outcome, console.width))
        written = (("diagram", diagram), ("trace", trace), ("counterexample", save))
        for made, path in written if outcome is not None else ():
            if path is not None:
                console.print(Text.assemble((f"  {made} written to ", "dim"), path))
        if outcome is not None and save is not None:
            console.print(Text.assemble(("  replay it with  ", "dim"), f"habemus simulate {save}"))
    return STATUS[verdict.verdict]


def told(verdict: Verdict, outcome: Replay | None, width: int) -> RenderableType:
    """The verdict for a person."""
    instances = f", {verdict.instances:,} instances" if verdict.instances > 1 else ""
    head = Text.assemble("  ", (verdict.algorithm, "bold"), (f"   {verdict.n} processes{instances}", "dim"))
    parts: list[RenderableType] = [Text(), head, Padding(Text(verdict.assumption, style="dim"), (0, 2)), Text()]
    parts += judged(verdict, width)
    if verdict.stopped:
        known = f"{verdict.states:,} states to depth {verdict.depth} hold so far"
        reach = known if verdict.instances else "no instance is done"
        parts.append(Text(f"  Incomplete: {verdict.stopped}; {reach}.", "yellow"))
    if outcome is not None:
        parts += [Text(), *story(verdict, outcome)]
    parts += [Text(), *figures(verdict)]
    return Group(*parts)


def judged(verdict: Verdict, width: int) -> list[RenderableType]:
    """The verdict, and what is known of each property; a mark stays with its name."""
    line = Text.assemble("  ", (verdict.verdict, COLOURS[verdict.verdict]))
    if verdict.truncated and verdict.verdict == HOLDS:
        line.append("  within these limits", "dim")
    lines: list[RenderableType] = []
    for name, holds in verdict.properties.items():
        mark, style = MARKS[holds]
        if line.cell_len + len(f"   {mark} {name}") > width:
            lines.append(line)
            line = Text(" " * (2 + len(verdict.verdict)))
        line.append(f"   {mark} ", style)
        line.append(name)
    return [*lines, line]


def story(verdict: Verdict, outcome: Replay) -> list[RenderableType]:
    """What goes wrong, in sentences."""
    witness = verdict.witness or verdict.violated
    lines: list[RenderableType] = [
        Padding(Text.assemble((f"{verdict.violated}: ", VERMILLION), witness[0].upper() + witness[1:], "."), (0, 2))
    ]
    schedule = verdict.counterexample.schedule if verdict.counterexample is not None else None
    kind = "The shortest run that shows it" if verdict.shortest else "A run that shows it"
    lines.append(Text(f"  {kind}, {counted(schedule)}:", "dim"))
    steps = told_steps(outcome)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", min_width=3)
    table.add_column()
    for number, step in enumerate(steps[:TOLD_STEPS]):
        if schedule is not None and number == schedule.loop:
            table.add_row("", Text("and then for ever:", "dim"))
        for line, sentence in enumerate(step):
            table.add_row("" if line else str(number + 1), Text(sentence))
    lines.append(Padding(table, (0, 2)))
    if len(steps) > TOLD_STEPS:
        lines.append(Text(f"       and {len(steps) - TOLD_STEPS} more steps; --trace writes them all", "dim"))
    return lines


def counted(schedule: Schedule | None) -> str:
    """How long a run is."""
    if schedule is None:
        return "of no steps"
    steps = len(schedule.steps)
    if schedule.loop is not None:
        return f"{schedule.loop} steps and then a circle of {steps - schedule.loop} for ever"
    return f"{steps} step{'s' if steps != 1 else ''}"


def figures(verdict: Verdict) -> list[RenderableType]:
    """What it took."""
    rate = f"{verdict.rate:,.0f} states/s" if verdict.rate else "no time"
    hits = 100 * (1 - verdict.misses / verdict.lookups) if verdict.lookups else 0.0
    how = "reduced by commutation" if verdict.reduced else "every interleaving"
    first = (
        f"  {verdict.states:,} states, {verdict.transitions:,} transitions, depth {verdict.depth}, "
        f"{verdict.seconds:.2f} s ({how})"
    )
    second = (
        f"  {verdict.clauses:,} clauses run, {hits:.1f}% of steps looked up, {rate}, "
        f"{verdict.bytes / verdict.states:,.0f} bytes/state"
    )
    lines = [Text(first), Text(second, "dim")]
    if verdict.set_aside:
        lines.append(Text(f"  besides, {verdict.set_aside:,} states of searches that were given up", "dim"))
    return [*lines]


def report_catalogue(effort: Effort, jobs: int, json: bool) -> int:
    """The whole catalogue at its default sizes: verdict, assumption, states, seconds."""
    from habemus.catalogue import algorithm_names, find_algorithm
    from habemus.checking.defaults import default_question
    from habemus.cli.check import whole_verdicts
    from habemus.process import Election, Mutex

    names = [name for name in algorithm_names() if issubclass(find_algorithm(name), Election | Mutex)]
    questions = [default_question(name, find_algorithm(name)) for name in names]
    rows = whole_verdicts(questions, effort, jobs)
    if json:
        print_json([verdict.as_dict() for verdict in rows])
    else:
        Console(highlight=False).print(catalogue_table(rows), Padding(Text(LEGEND, "dim"), (1, 0, 0, 0)))
    unexpected = [row for row in rows if row.violated and row.algorithm not in KNOWN_TO_FAIL]
    if len(rows) < len(questions):
        print(f"habemus: interrupted after {len(rows)} of {len(questions)} algorithms", file=sys.stderr)
    incomplete = len(rows) < len(questions) or any(row.verdict == INCOMPLETE for row in rows)
    return 1 if unexpected else 3 if incomplete else 0


def catalogue_table(rows: list[Verdict]) -> Table:
    """A line for each algorithm, at most 80 columns wide."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("algorithm", "n", "verdict", "states", "seconds"):
        table.add_column(column, justify="left" if column in ("algorithm", "verdict") else "right", no_wrap=True)
    table.add_column("assumption", style="dim")
    for verdict in rows:
        table.add_row(
            verdict.algorithm,
            str(verdict.n),
            Text(f"✗ {verdict.violated}" if verdict.violated else verdict.verdict, COLOURS[verdict.verdict]),
            f"{verdict.states:,}",
            f"{verdict.seconds:.2f}",
            verdict.assumed + (" *" if verdict.truncated else ""),
        )
    return table


LEGEND = """\
async: any delay, and timers run out at any moment, twice at each process;
bounded: messages take 1 tick; pulses: all take steps together; FIFO links.
* within limits: some runs were cut short by a bound, and their ends not judged.
anonymous-ring cannot be right where several start; btcp is, with high probability."""

KNOWN_TO_FAIL = ("anonymous-ring", "btcp")
"""What is in the catalogue because it fails, or promises uniqueness only with high probability: no news."""
