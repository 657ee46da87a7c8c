"""Report the verdict of a check, for people or as JSON."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from habemus.checking.answer.replay import Replay, play
from habemus.checking.answer.telling import tell_steps
from habemus.checking.answer.verdicts import HOLDS, INCOMPLETE, VIOLATED, Verdict
from habemus.checking.search.effort import Effort
from habemus.cli.output import draw_run, print_json
from habemus.cli.report import GREEN, MARKS, NOT_PROMISED, VERMILLION, explain_violation, name_messages_as_noted
from habemus.properties import NO_FAILURE
from habemus.words.language import say, say_number, say_pattern, say_step

if TYPE_CHECKING:
    from habemus.checking.answer.questions import Question
    from habemus.scenario import Schedule

OUT_OF_BUDGET = 3
COLOURS = {HOLDS: f"bold {GREEN}", VIOLATED: f"bold {VERMILLION}", INCOMPLETE: "bold yellow"}
TOLD_STEPS = 60


def report_verdict(verdict: Verdict, json: bool, trace: str | None, diagram: str | None, save: str | None) -> int:
    """Print the verdict and write the files that were asked for."""
    outcome: Replay | None = None
    if verdict.counterexample is not None:
        outcome = play(verdict.counterexample, trace)
        if not json:
            name_messages_as_noted(outcome)
        if diagram is not None:
            Path(diagram).write_text(draw_run(outcome, diagram), encoding="utf-8")
        if save is not None:
            verdict.counterexample.write(save)
    if json:
        print_json({**verdict.as_dict(), "digest": outcome.digest if outcome is not None else None})
    else:
        console = Console(highlight=False)
        console.print(render_verdict(verdict, outcome, console.width))
        written = (("diagram", diagram), ("trace", trace), ("counterexample", save))
        for made, path in written if outcome is not None else ():
            if path is not None:
                console.print(Text.assemble((f"  {say(f'{made} written to')} ", "dim"), path))
        if outcome is not None and save is not None:
            console.print(Text.assemble((f"  {say('replay it with')}  ", "dim"), f"habemus simulate {save}"))
    return exit_status(verdict)


def exit_status(verdict: Verdict) -> int:
    """1 if a property is violated that is promised or was asked about by name, 3 if the search is incomplete."""
    return 1 if verdict.fails else OUT_OF_BUDGET if verdict.verdict == INCOMPLETE else 0


def render_verdict(verdict: Verdict, outcome: Replay | None, width: int) -> RenderableType:
    instances = [say_pattern(f"{verdict.instances:,} instances")] if verdict.instances > 1 else []
    sizes = verdict.sizes if len(verdict.sizes) < 3 else [verdict.sizes[0], verdict.sizes[-1]]
    n = say(" and " if len(verdict.sizes) < 3 else " to ").join(map(str, sizes))
    scope = " · ".join([f"n = {n}", *instances, *map(say_pattern, verdict.scope)])
    assumption = "; ".join([say_pattern(part) for part in verdict.assumption.split("; ")])
    head = Padding(Text.assemble((verdict.algorithm, "bold"), (f"   {scope}", "dim")), (0, 2))
    parts: list[RenderableType] = [Text(), head, Padding(Text(assumption, style="dim"), (0, 2)), Text()]
    parts += render_properties(verdict, width)
    parts += render_open(verdict)
    if verdict.stopped:
        known = f"{verdict.states:,} states to depth {verdict.depth} hold so far"
        reach = known if verdict.instances else "no instance is done"
        parts.append(Text(f"  {say_pattern(f'Incomplete: {verdict.stopped}; {reach}.')}", "yellow"))
    if outcome is not None:
        parts += [Text(), *render_counterexample(verdict, outcome)]
    parts += [Text(), *render_effort(verdict)]
    if verdict.next_question:
        parts.append(Text.assemble((f"  {say('next')}: ", "dim"), verdict.next_question))
    return Group(*parts)


def render_open(verdict: Verdict) -> list[RenderableType]:
    """What was not judged, because of which limit, and how many ends that concerns."""
    if verdict.violated:
        return []
    by_limit: dict[tuple[str, ...], list[str]] = {}
    for name, limits in verdict.open.items():
        by_limit.setdefault(tuple(sorted(limits)), []).append(name)
    lines: list[RenderableType] = []
    for reasons, names in by_limit.items():
        judged = ", ".join([say(name) for name in names])
        text = f"not judged: {judged}. Reached: {' and '.join(reasons)}; raise it to judge more."
        if "--compact" in reasons:
            text = f"not judged: {judged} in runs without end. Leave out --compact to judge them."
        lines.append(Padding(Text(say_pattern(text), "yellow"), (0, 2)))
    if verdict.open_ends:
        text = f"{verdict.open_ends:,} of {verdict.ends:,} ends are at a limit, and not judged"
        lines.append(Text(f"  {say_pattern(text)}", "dim"))
    return lines


def render_properties(verdict: Verdict, width: int) -> list[RenderableType]:
    """The verdict and what is known of each property; a mark and its name stay on one line."""
    colour = "dim" if verdict.violated and not verdict.fails else COLOURS[verdict.verdict]
    judged = say(verdict.verdict)
    line = Text.assemble("  ", (judged, colour))
    if verdict.truncated and verdict.verdict == HOLDS:
        line.append(f"  {say('within these limits')}", "dim")
    lines: list[RenderableType] = []
    for name, holds in verdict.properties.items():
        promised = verdict.question.properties or name in (*verdict.promised, NO_FAILURE)
        mark, style = (MARKS if promised else NOT_PROMISED)[holds]
        told = say(name)
        if line.cell_len + len(f"   {mark} {told}") > width:
            lines.append(line)
            line = Text(" " * (2 + len(judged)))
        line.append(f"   {mark} ", style)
        line.append(told)
    return [*lines, line]


def render_counterexample(verdict: Verdict, outcome: Replay) -> list[RenderableType]:
    """The counterexample as sentences."""
    witness = verdict.witness or verdict.violated
    lines: list[RenderableType] = [explain_violation(verdict.violated, witness, verdict.fails, 2)]
    schedule = verdict.counterexample.schedule if verdict.counterexample is not None else None
    kind = "The shortest run that shows it" if verdict.shortest else "A run that shows it"
    lines.append(Text(f"  {say(kind)}, {say_pattern(describe_length(schedule))}:", "dim"))
    steps = tell_steps(outcome)
    lines.append(render_steps(steps, schedule.loop if schedule is not None else None))
    if len(steps) > TOLD_STEPS:
        more = say_pattern(f"and {len(steps) - TOLD_STEPS} more steps; --trace writes them all")
        lines.append(Text(f"       {more}", "dim"))
    return lines


def render_steps(steps: list[list[str]], loop: int | None) -> RenderableType:
    """The first steps of a run, numbered; from step `loop` on it repeats for ever."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", min_width=3)
    table.add_column()
    for number, step in enumerate(steps[:TOLD_STEPS]):
        if number == loop:
            table.add_row("", Text(say("and then for ever:"), "dim"))
        for line, sentence in enumerate(step):
            table.add_row("" if line else str(number + 1), Text(say_step(sentence)))
    return Padding(table, (0, 2))


def describe_length(schedule: Schedule | None) -> str:
    if schedule is None:
        return "of no steps"
    steps = len(schedule.steps)
    if schedule.loop is not None:
        return f"{schedule.loop} steps and then a circle of {steps - schedule.loop} for ever"
    return f"{steps} step{'s' if steps != 1 else ''}"


def render_effort(verdict: Verdict) -> list[RenderableType]:
    rate = f"{verdict.rate:,.0f} states/s" if verdict.rate else "no time"
    hits = 100 * (1 - verdict.misses / verdict.lookups) if verdict.lookups else 0.0
    how = "reduced by commutation" if verdict.reduced else "every interleaving"
    first = (
        f"{verdict.states:,} states, {verdict.transitions:,} transitions, depth {verdict.depth}, "
        f"{verdict.seconds:.2f} s ({how})"
    )
    second = (
        f"{verdict.clauses:,} clauses run, {hits:.1f}% of steps looked up, {rate}, "
        f"{verdict.bytes / verdict.states:,.0f} bytes/state"
    )
    lines = [Text(f"  {say_pattern(first)}"), Text(f"  {say_pattern(second)}", "dim")]
    if verdict.compact and not verdict.violated:
        risk = f"of each state 64 bits were kept: one was missed with probability {verdict.missed:.1e} at most"
        lines.append(Text(f"  {say_pattern(risk)}"))
    if verdict.set_aside:
        abandoned = say_pattern(f"and {verdict.set_aside:,} states of searches that were abandoned")
        lines.append(Text(f"  {abandoned}", "dim"))
    return [*lines]


def report_catalogue(effort: Effort, jobs: int, json: bool) -> int:
    """Check the whole catalogue at its default sizes."""
    from habemus.catalogue import algorithm_names, find_algorithm
    from habemus.checking.answer.defaults import default_question
    from habemus.cli.answering import collect_verdicts
    from habemus.process import Election, Mutex

    names = algorithm_names()
    questions: list[Question] = []
    rows: list[Verdict] = []
    with suppress(KeyboardInterrupt):  # to read all classes takes a second
        classes = [(name, cls) for name in names if issubclass(cls := find_algorithm(name), Election | Mutex)]
        questions = [default_question(name, cls) for name, cls in classes]
        rows = collect_verdicts(questions, effort, jobs)
    planned = len(questions) or len(names)
    if json:
        print_json([verdict.as_dict() for verdict in rows])
    else:
        Console(highlight=False).print(build_catalogue_table(rows), Padding(Text(say(LEGEND), "dim"), (1, 0, 0, 0)))
    if len(rows) < planned:
        print(f"habemus: interrupted after {len(rows)} of {planned} algorithms", file=sys.stderr)
    incomplete = len(rows) < planned or any(row.verdict == INCOMPLETE for row in rows)
    return 1 if any(row.fails for row in rows) else OUT_OF_BUDGET if incomplete else 0


def build_catalogue_table(rows: list[Verdict]) -> Table:
    """One row for each algorithm, at most 80 columns wide."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("algorithm", "n", "verdict", "states", "seconds"):
        table.add_column(say(column), justify="left" if column in ("algorithm", "verdict") else "right", no_wrap=True)
    table.add_column(say("assumption"), style="dim")
    for verdict in rows:
        table.add_row(
            verdict.algorithm,
            str(verdict.n),
            describe_verdict(verdict),
            say_number(f"{verdict.states:,}"),
            say_number(f"{verdict.seconds:.2f}"),
            verdict.assumption_in_short + (" *" if verdict.truncated else ""),
        )
    return table


def describe_verdict(verdict: Verdict) -> Text:
    """The verdict in a cell of the table; greyed if what is violated was not promised."""
    if not verdict.violated:
        return Text(say(verdict.verdict), COLOURS[verdict.verdict])
    if not verdict.fails:
        return Text(f"○ {say(verdict.violated)}", "dim")
    return Text(f"✗ {say(verdict.violated)}", COLOURS[VIOLATED])


LEGEND = """\
async: any delay; timers run out at any moment, twice at each process;
bounded: messages take 1 tick; pulses: all take steps together; FIFO links.
* within limits: some runs were stopped by a bound, and their ends not judged.
○ violated but not promised, so it is no failure."""
