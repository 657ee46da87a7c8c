"""Report the outcome of a run for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from habemus.process import MEAN, Detector
from habemus.trace import Outcome, Recorder
from habemus.trace.figures import DetectionFigures, LockFigures, summarise_values
from habemus.words.language import PORTUGUESE, language, say, say_number, say_pattern

GOLD, VERMILLION, GREEN = "#E69F00", "#D55E00", "#009E73"

MARKS = {True: ("✓", GREEN), False: ("✗", f"bold {VERMILLION}"), None: ("·", "dim")}
NOT_PROMISED = {True: ("✓", "dim"), False: ("○", "dim"), None: ("·", "dim")}

DRAWN_PROCESSES = 12  # more do not fit beside each other in 80 columns
DRAWN_ROWS = 40
HINT = "`--all` shows them"

ENDINGS = {
    "quiescence": "nothing was left to do",
    "property": "the property it waited for was decided",
    "time": "its time was up",
    "budget": "its budget of events ran out",
}


def render_outcome(outcome: Outcome, width: int, whole: bool = False) -> RenderableType:
    """The outcome as a page of text; `whole`: with all events that were kept."""
    parts: list[RenderableType] = [Text(), render_setting(outcome)]
    if outcome.scenario.shows:
        parts.append(Padding(Text(outcome.scenario.shows, style="italic"), (0, 2)))
    parts += [
        Text(),
        render_headline(outcome),
        Text(),
        *render_costs(outcome, width),
        Text(),
        *render_properties(outcome, width),
    ]
    if outcome.recorder is not None and outcome.n <= DRAWN_PROCESSES:
        parts += [Text(), Padding(draw_diagram(outcome, outcome.recorder, width - 4, whole), (0, 2))]
    parts += [Text(), render_ending(outcome)]
    return Group(*parts)


def draw_diagram(outcome: Outcome, recorder: Recorder, width: int, whole: bool) -> Text:
    """The run, or what matters in it, with the evidence of what was violated."""
    from habemus.trace.terminal import draw_for_terminal

    evidence: dict[int, str] = {}
    for watched in outcome.properties:
        if watched.witness is not None and watched.promised:
            *before, last = watched.witness.events or [-1]
            evidence |= dict.fromkeys(before, "")
            evidence[last] = ", ".join(filter(None, [evidence.get(last), say(watched.name)]))
    rows = max(DRAWN_ROWS, recorder.count if whole else 0)
    return draw_for_terminal(outcome.trace, width, rows, recorder.count, evidence, "" if whole else HINT, say_pattern)


def name_messages_as_noted(outcome: Outcome) -> None:
    """In Portuguese, messages have the names that the lecture notes give them."""
    if language() == PORTUGUESE:
        from habemus.cli.portuguese import rename_messages

        rename_messages(outcome)


def render_setting(outcome: Outcome) -> RenderableType:
    scenario, spec = outcome.scenario, outcome.scenario.topology
    processes = f"{outcome.n:,} process{'es' if outcome.n != 1 else ''}, {outcome.topology.kind}"
    if scenario.layers:
        processes = f"over {', '.join(layer.algorithm for layer in reversed(scenario.layers))}, {processes}"
    order = "" if spec.ids or spec.edges or spec.file else f", ids in {spec.order} order"
    text = Text(scenario.title or scenario.algorithm, "bold")
    setting = f"   {processes}{order}, {scenario.network.delay} delays, seed {scenario.seed}"
    text.append(say_pattern(setting), "not bold dim")
    return Padding(text, (0, 2))


def render_headline(outcome: Outcome) -> Text:
    """Who leads, how many entered, or how many crashes were detected."""
    ticks = f"{outcome.time:,} tick{'s' if outcome.time != 1 else ''}"
    if outcome.lock is not None:
        entries = "1 entry" if outcome.lock.entries == 1 else f"{outcome.lock.entries:,} entries"
        leads = f"; {outcome.leader} leads" if outcome.leader is not None else ""
        return Text.assemble("  ", (f"▣ {say_pattern(entries)}", f"bold {GREEN}"), say_pattern(f" in {ticks}{leads}."))
    if outcome.detection is not None and issubclass(outcome.cls, Detector):
        found = len(outcome.detection.detection_times)
        words = f"{found:,} detection{'s' if found != 1 else ''}, {count_mistakes(outcome.detection)}"
        return Text.assemble("  ", (say_pattern(words), "bold"), say_pattern(f" in {ticks}."))
    if outcome.leader is not None:
        leads = say_pattern(f"{outcome.leader} leads")
        since = outcome.world.in_office[outcome.leader].time
        told = f": it took office at tick {since:,}, and the run ended at tick {outcome.time:,}."
        return Text.assemble("  ", (f"♛ {leads}", f"bold {GOLD}"), say_pattern(told))
    several = len(outcome.world.in_office) > 1
    what = "More than one process leads" if several else "Nobody leads"
    style = "bold" if outcome.holds else f"bold {VERMILLION}"
    return Text.assemble("  ", (say_pattern(what), style), say_pattern(f" after {ticks}."))


def render_costs(outcome: Outcome, width: int) -> list[RenderableType]:
    """The messages, beside the proven bounds."""
    n, m = outcome.n, outcome.topology.m
    line = Text.assemble(f"  {say('messages'):<11}", (say_number(f"{outcome.messages:>7,}"), "bold"))
    lines: list[RenderableType] = [line]
    bound, cost = outcome.bound, float(outcome.messages)
    if outcome.lock is not None and outcome.lock.messages_per_entry is not None:
        cost = outcome.lock.messages_per_entry
        line = Text.assemble(f"  {say('an entry'):<11}", (say_number(f"{cost:>9,.1f}"), "bold"))
        lines.append(line)
    if bound is not None and (outcome.lock is None or outcome.lock.entries):
        most = bound.messages(n, m)
        value = f"{most:,.1f}".removesuffix(".0")
        named = f" = {say_pattern(bound.formula)}" if bound.formula != value else ""
        line.append(f"   {say('of at most')} {say_number(value)}{named}  ")
        gauge = render_gauge(cost / most if most else 0.0)
        if line.cell_len + gauge.cell_len <= width:
            line.append_text(gauge)
    mean = next((bound for bound in outcome.cls.bounds if bound.case == MEAN), None)
    ordinary = outcome.scenario.topology.order == "random" and not outcome.scenario.topology.ids
    if bound is not None and mean is not None and ordinary and outcome.scenario.starters in (None, "all"):
        when = say("in the long run" if outcome.lock is not None else "all starting")
        average = say_number(f"{mean.messages(n, m):>9,.1f}")
        lines.append(Text(f"  {say('on average'):<11}{average}   = {mean.formula}, {when}", "dim"))
    kinds = " · ".join(f"{say_number(f'{count:,}')} {kind}" for kind, count in outcome.messages_by_type.items())
    if kinds:
        lines.append(Padding(Text(kinds, "dim"), (0, 2, 0, 23)))
    lines += render_bottleneck(outcome)
    lines += render_counts(outcome)
    if outcome.lock is not None:
        lines += render_lock(outcome.lock, outcome.waiting_bound)
    if outcome.detection is not None:
        lines += render_detection(outcome.detection)
    return lines


def render_bottleneck(outcome: Outcome) -> list[RenderableType]:
    """Who handled most messages, and whether that is more than an equal share."""
    busiest = outcome.bottleneck
    if busiest is None:
        return []
    share, equal = (f"{part:.1%}".replace(".0%", "%") for part in (busiest.share, 1 / outcome.n))
    even = busiest.handled == min(outcome.handled)
    who = "each process" if even else f"{busiest.process}, {share}"
    words = f"messages handled by {who}" + ("" if even else f"; equal: {equal}")
    return [Text(f"  {say('busiest'):<11}{say_number(f'{busiest.handled:>7,}')}     {say_pattern(words)}")]


def render_counts(outcome: Outcome) -> list[RenderableType]:
    """What theorems bound, as far as this run went, beside the bounds."""
    lines: list[RenderableType] = []
    for series in outcome.counts:
        name = re.sub(r"\b(2?)k\b", lambda found, k=series.k: name_k(found[1], k), say(series.title))  # type: ignore[misc]
        mark, style = MARKS[series.holds]
        said = f"   {say('of at most')} {say_number(f'{series.bound:,}')} = {series.formula}"
        most = say_number(f"{series.most:>6,}")
        lines.append(Text.assemble((f"  {mark} ", style), f"{name:<22}", (most, "bold"), said))
    if outcome.cls.remark:
        lines.append(Padding(Text(say(outcome.cls.remark), "dim"), (0, 2)))
    return [Text(), *lines] if lines else []


def name_k(factor: str, k: int | None) -> str:
    """`k` and `2k` with the number put in."""
    return str((int(factor) if factor else 1) * (k or 0))


def render_lock(lock: LockFigures, bound: dict[str, Any] | None) -> list[RenderableType]:
    if not lock.entries:
        return []
    lines: list[RenderableType] = [render_figures("waiting", lock.waits, "ticks")]
    lines.append(render_figures("handover", lock.handovers, "ticks"))
    if lock.throughput is None:
        lines.append(Text(f"  {say('throughput'):<11}"))
    else:
        rate = say_number(f"{lock.throughput:>9,.1f}")
        lines.append(Text(f"  {say('throughput'):<11}{rate}   {say('entries in 1,000 ticks')}"))
    lines.append(render_figures("overtaken", lock.overtaken, "times"))
    declared = f"; {bound['entries']:,} declared" if bound is not None else ""
    told = say_pattern(f"times at most: others entered while one waited{declared}")
    lines.append(Text(f"  {say('bypassed'):<11}{say_number(f'{lock.bypassed_most:>7,}')}     {told}"))
    for use in lock.refusals[:5]:
        refused = f"the resource refused {use.process} at time {use.refused}: its token {use.token} was out of date"
        lines.append(Text(f"  ⊘ {say_pattern(refused)}", VERMILLION))
    return lines


def render_detection(detection: DetectionFigures) -> list[RenderableType]:
    lasting = summarise_values(detection.mistake_durations)
    how_long = f"of {lasting['mean']:,.1f} ticks on average, at most {lasting['max']:,.0f}" if lasting else ""
    mistakes, load = say_number(f"{detection.mistakes:>7,}"), say_number(f"{detection.load:>9,.1f}")
    return [
        render_figures("detection", detection.detection_times, "ticks after the crash"),
        Text(f"  {say('mistakes'):<11}{mistakes}     {say_pattern(how_long)}".rstrip()),
        Text(f"  {say('load'):<11}{load}   {say('messages of a member in 1,000 ticks')}"),
    ]


def count_mistakes(detection: DetectionFigures) -> str:
    return "1 mistake" if detection.mistakes == 1 else f"{detection.mistakes:,} mistakes"


def render_figures(name: str, values: Sequence[int], unit: str) -> Text:
    """Mean, 99th percentile and maximum on one line."""
    found = summarise_values(values)
    if found is None:
        return Text(f"  {say(name):<10} {'–':>9}", "dim")
    worst = f"p99 {found['p99']:,.0f}, at most {found['max']:,.0f}"
    told = say_pattern(f"{unit} on average, {worst}")
    mean = say_number(f"{found['mean']:>9,.1f}")
    return Text(f"  {say(name):<10} {mean}   {told}")


def render_gauge(share: float) -> Text:
    """The share of the bound that was used, as a bar."""
    width = 20
    filled = min(width, round(share * width))
    return Text.assemble(("━" * filled, GOLD), ("┄" * (width - filled), "bright_black"))


def render_properties(outcome: Outcome, width: int) -> list[RenderableType]:
    """Which properties hold, and why the others do not. What is not promised is greyed."""
    lines: list[RenderableType] = []
    line = Text(" ")
    for watched in outcome.properties:
        mark, style = (MARKS if watched.promised else NOT_PROMISED)[watched.holds]
        name = say(watched.name)
        if line.cell_len + len(f" {mark} {name}") > width:
            lines.append(line)
            line = Text(" ")
        line.append(f" {mark} ", style)
        line.append(name + "  ", None if watched.promised else "dim")
    lines.append(line)
    for watched in outcome.properties:
        if watched.witness is not None:
            lines.append(explain_violation(watched.name, watched.witness.text, watched.promised, 4))
    if outcome.broken_assumption:
        from habemus.cli.portuguese import say_refusal

        lines.append(Padding(Text(say_refusal(outcome.broken_assumption), style="dim"), (0, 2, 0, 4)))
    if outcome.scenario.expect is not None:
        lines.append(render_expectations(outcome))
    return lines


def explain_violation(name: str, witness: str, promised: bool, indent: int) -> RenderableType:
    """Why a property is violated; greyed if it is not promised."""
    name, witness = say(name), say_pattern(witness)
    if promised:
        text = Text.assemble((f"{name}: ", VERMILLION), witness[0].upper() + witness[1:], ".")
    else:
        text = Text(f"{name}: {say('not promised')}; {witness}.", "dim")
    return Padding(text, (0, 2, 0, indent))


def render_expectations(outcome: Outcome) -> RenderableType:
    """Whether the outcome is as the scenario expects."""
    surprises = outcome.surprises
    if surprises:
        told = say_pattern(f"Not as expected: {'; '.join(map(say_pattern, surprises))}.")
        return Padding(Text(told, style=f"bold {VERMILLION}"), (0, 2))
    expect = outcome.scenario.expect
    failing = expect.violated if expect is not None else []
    violated = (
        f": {join_names([say(name) for name in failing])} {'is' if len(failing) == 1 else 'are'} violated"
        if failing
        else ""
    )
    return Padding(Text(say_pattern(f"As this scenario expects{violated}."), "dim"), (0, 2))


def join_names(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def render_ending(outcome: Outcome) -> Text:
    """Why the run ended, and its digest."""
    text = Text(say_pattern(f"  It ended because {ENDINGS[outcome.ended]}."), "dim")
    if outcome.digest is not None:
        text.append(f"   digest {outcome.digest[:12]}", "dim")
    return text
