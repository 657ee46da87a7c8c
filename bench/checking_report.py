"""What came of `bench/checking.py`: tables on the terminal and on a page, targets, and a picture."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checking_cases import EXCLUSIVE, FULL, HABEMUS, INTERPRETED, NAIVE, SPIN, TLC, UNREDUCED, WHAT, Case
from plot_style import import_pyplot
from rich.console import Console
from rich.table import Table

GIGABYTE = 10**9


def disagreements(case: Case) -> Iterator[str]:
    """What may not be: other verdicts, or other states in full."""
    verdicts = {result.verdict for result in case.results.values() if result.decided}
    if len(verdicts) > 1:
        yield f"{case.name}: the verdicts differ: {', '.join(sorted(verdicts))}"
    for who, result in case.results.items():
        if result.verdict == "failed":
            yield f"{case.name}: {who} failed: {result.details.get('output', '')}"
        found = result.states - (case.before if who == UNREDUCED else 0)
        if who in (FULL, UNREDUCED, TLC, NAIVE) and result.decided and case.states and found != case.states:
            yield f"{case.name}: {who} finds {found:,} states in full, not {case.states:,}"


@dataclass
class Target:
    """What the checker is asked to reach."""

    text: str
    met: bool | None  # None: not measured
    reached: str


def targets(everything: list[Case]) -> Iterator[Target]:
    """The targets, with what was reached."""
    if len(everything) < 7:
        return  # a smoke test has none
    fifo, hundred, unordered, _, mutex, ticking, raft = everything
    spins = [SPIN, UNREDUCED]
    yield beside_spin("every instance that both decide: as fast as SPIN with building", everything, HABEMUS, spins)
    yield beside_spin("the same in full, beside SPIN without reduction", everything, FULL, [UNREDUCED])
    yield compared("FIFO ring of 8: faster than SPIN", fifo, [*spins, EXCLUSIVE])
    yield compared("FIFO ring of 8: faster than the naive search", fifo, [NAIVE])
    yield within("FIFO ring of 100: decided in seconds", hundred, 10)
    yield compared("FIFO ring of 100: faster than SPIN at its best", hundred, [*spins, EXCLUSIVE])
    yield compared("unordered ring of 8: not slower than SPIN", unordered, spins)
    yield within("Ricart-Agrawala, n = 4: decided within 120 s and 8 GB", mutex, 120)
    yield within("the same with a ticking clock (27.6 million states in full)", ticking, 120)
    yield within("Raft's election, n = 3, two terms and a recovery: decided", raft, 120)
    counted = [case for case in everything if finished_in_full(case) > 1]
    same = [case for case in counted if not list(disagreements(case))]
    text = "as many states in full as the rivals find, and the same verdicts"
    yield Target(text, len(same) == len(counted) if counted else None, f"{len(same)} of {len(counted)} instances")


def finished_in_full(case: Case) -> int:
    """How many have visited all states; none if Habemus has not."""
    finished = [who for who in (FULL, UNREDUCED, NAIVE) if who in case.results and case.results[who].decided]
    return len(finished) if FULL in finished else 0


def compared(text: str, case: Case, rivals: list[str]) -> Target:
    """Habemus beside the best of some rivals."""
    ours = case.results.get(HABEMUS)
    theirs = [case.results[who] for who in rivals if who in case.results]
    if ours is None or not theirs:
        return Target(text, None, "not measured")
    decided = [result for result in theirs if result.decided]
    best = min(decided or theirs, key=lambda result: result.total)
    reached = ratio(best.total, ours.total, best.decided)
    if ours.searching:  # not where processor time is measured
        reached += f"; searching alone {ratio(best.searching, ours.searching)}"
    faster = ours.decided and (not decided or ours.total <= best.total)
    return Target(text, faster, reached if ours.decided else ours.verdict)


def beside_spin(text: str, everything: list[Case], who: str, spins: list[str]) -> Target:
    """One of ours beside SPIN, where both decide; told is the instance with the least lead."""
    leads = {
        case.name: min(case.results[spin].total for spin in spins) / case.results[who].total
        for case in everything
        if all(one in case.results and case.results[one].decided for one in [who, *spins])
    }
    if not leads:
        return Target(text, None, "not measured")
    least = min(leads, key=lambda name: leads[name])
    return Target(text, leads[least] >= 1, f"at least {leads[least]:.3g} × ({least})")


def within(text: str, case: Case, seconds: float) -> Target:
    """Habemus within a time; the memory is bounded anyhow."""
    ours = case.results.get(HABEMUS)
    if ours is None:
        return Target(text, None, "not measured")
    reached = f"{duration(ours.total)}, {ours.memory / GIGABYTE:.2f} GB"
    return Target(text, ours.decided and ours.total <= seconds, reached if ours.decided else ours.verdict)


def ratio(theirs: float, ours: float, decided: bool = True) -> str:
    """How many times as fast Habemus is; at least, where a rival was stopped."""
    times = theirs / ours
    return ("" if decided else "> ") + (f"{times:,.0f} ×" if times >= 100 else f"{times:.3g} ×")


HEADINGS = (
    "instance",
    "who",
    "verdict",
    "in all",
    "Habemus is",
    "building",
    "search",
    "states",
    "transitions",
    "memory",
)


def rows(everything: list[Case]) -> Iterator[tuple[str, ...]]:
    """The table, line by line."""
    for case in everything:
        first = case.name
        ours = case.results[HABEMUS]  # always asked first
        for who, result in case.results.items():
            yield (
                first,
                who,
                result.verdict,
                duration(result.total) if result.decided else f"> {duration(result.total)}",
                ratio(result.total, ours.total, result.decided) if who != HABEMUS and ours.decided else "",
                duration(result.building) if result.building else "",
                duration(result.searching) if result.searching else "",
                f"{result.states:,}" if result.states else "",
                f"{result.transitions:,}" if result.transitions else "",
                f"{result.memory / 1e6:,.0f} MB",
            )
            first = ""


INSIGHTS = ("instance", "search, and which it was", "clauses run", "looked up", "states/s", "bytes a state")


def insights(everything: list[Case]) -> Iterator[tuple[str, ...]]:
    """How Habemus spent its time."""
    for case in everything:
        for who, name in ((HABEMUS, "the first to decide"), (FULL, "every interleaving")):
            details = case.results[who].details if who in case.results else {}
            if "clauses" in details:
                yield (
                    case.name,
                    f"{name}: {'reduced' if details['reduced'] else 'in full'}",
                    f"{details['clauses']:,}",
                    f"{details['memo_hit_rate']:.1%}",
                    f"{details['states_per_second'] or 0:,.0f}",
                    f"{details['bytes_per_state']:,.0f}",
                )


def duration(seconds: float) -> str:
    """Seconds, with a unit."""
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.0f} ms"


def show(everything: list[Case], absent: dict[str, str], quick: bool, console: Console) -> None:
    """The tables and the targets on the terminal."""
    for headings, lines in ((HEADINGS, list(rows(everything))), (INSIGHTS, list(insights(everything)))):
        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in headings:
            words = heading in (*HEADINGS[:3], *INSIGHTS[:2])
            table.add_column(heading, justify="left" if words else "right", no_wrap=True)
        for line in lines:
            if line[0] and table.row_count and headings is HEADINGS:
                table.add_row()
            table.add_row(*line, style="bold" if line[1] == HABEMUS else "")
        console.print(table)
        console.print()
    for who, why in absent.items():
        console.print(f"{who} is left out: {why}.", style="yellow")
    for case in everything:
        for trouble in disagreements(case):
            console.print(trouble, style="red", markup=False)
    for target in [] if quick else targets(everything):
        mark, style = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}[target.met]
        console.print(f"{mark} {target.text}: {target.reached}", style=style, highlight=False)


BUSY = (
    "Others used the machine: every time is **processor time**, of all processes that a command starts, and so counts",
    "both searches where two run beside each other (`python bench/checking.py --processor`).",
)


def write_page(everything: list[Case], absent: dict[str, str], path: Path, picture: str, by_processor: bool) -> None:
    """The tables and the targets as a page of the documentation."""
    marks = {True: "met", False: "**not met**", None: "not measured"}
    built = "Habemus compiled" if INTERPRETED not in absent else "Habemus interpreted"
    lines = [
        "# How fast is the checker?",
        "",
        "*In all* is the time from the command to the verdict: the start of Python included, and for SPIN *building*:",
        "generating and compiling. Every rival has the same instance, the same steps (a clause is one) and the same",
        "properties. On the rings: never two leaders, and in the end one that everybody knows (one that has won, where",
        "it is not announced); ids are in the worst order. With the mutex: never two inside, and all get in. Each",
        f"may take {everything[0].limit} s ({everything[1].limit} s on the second ring) and 8 GB. In full all find the",
        "same number of states, which is asserted; SPIN counts one more on the rings, before its `init` has run.",
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, {built}.",
        "Written by `make bench`.",
        *(BUSY if by_processor else ()),
        "",
        f"![Time to verdict for each instance]({picture})",
        "",
        "| " + " | ".join(HEADINGS) + " |",
        "|:--|:--|:--|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += ["| " + " | ".join(row) + " |" for row in rows(everything)]
    lines += ["", "| target | reached | |", "|:--|--:|:--|"]
    lines += [f"| {target.text} | {target.reached} | {marks[target.met]} |" for target in targets(everything)]
    lines += ["", "| " + " | ".join(INSIGHTS) + " |", "|:--|:--|--:|--:|--:|--:|"]
    lines += ["| " + " | ".join(row) + " |" for row in insights(everything)]
    lines += [""]
    taking_part = {who for case in everything for who in case.results}
    lines += [f"- {who}: {what}." for who, what in WHAT.items() if who in taking_part]
    lines += [f"- {who} is left out: {why}." for who, why in absent.items()]
    lines += [
        "- On a FIFO ring all schedules are equivalent. SPIN's reduction finds that out if the model is written for",
        "  it, and then decides the large ring, too; where a clause is one atomic step it finds nothing to reduce.",
        "- Unordered, the ring is run without announcement: the news would overtake old candidates, which then call",
        "  for further elections. `bench/checking/quiet_ring.py` has the steps of the TLA+ specification of",
        "  Chang-Roberts in tlaplus/Examples, and its number of states.",
        "- Ricart and Agrawala take the highest number seen plus one. With Lamport's clock instead, which ticks with",
        "  every request (`bench/checking/ticking.py`), there are thirteen times as many states.",
        "",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")


def draw(everything: list[Case], path: Path) -> None:
    """A panel an instance, a bar a contestant: rivals in grey, Habemus in colour, pale where there was no verdict."""
    pyplot = import_pyplot(**{"axes.spines.left": False})

    heights = [len(case.results) + 1.6 for case in everything]
    figure, panels = pyplot.subplots(
        len(everything),
        figsize=(9, 0.235 * sum(heights) + 0.4),
        height_ratios=heights,
        sharex=True,
        layout="constrained",
    )
    for panel, case in zip(panels, everything, strict=True):
        draw_case(panel, case)
    panels[-1].set_xlabel("seconds to the verdict", color="#888888")
    figure.savefig(path, metadata={"Date": None}, transparent=True)


def draw_case(panel: Any, case: Case) -> None:
    """One instance."""
    least = 0.01
    for height, (who, result) in enumerate(case.results.items()):
        colour = "#0072B2" if who in (HABEMUS, INTERPRETED, FULL) else "#888888"
        strength = 0.15 if not result.decided else 1.0 if who == HABEMUS else 0.45
        panel.barh(height, result.total - least, height=0.62, left=least, color=colour, alpha=strength)
        text = duration(result.total) if result.decided else result.verdict
        end = (result.total, height)
        panel.annotate(text, end, (4, 0), textcoords="offset points", va="center", color=colour, fontsize=8)
    panel.set_xscale("log")
    panel.set_xlim(least, 600)
    panel.set_xticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
    panel.minorticks_off()
    panel.set_yticks(range(len(case.results)), list(case.results), fontsize=8)
    panel.tick_params(axis="y", length=0)
    panel.invert_yaxis()
    panel.set_title(case.name, loc="left", fontsize=9, color="#888888")
    panel.grid(axis="x", color="#888888", alpha=0.2, linewidth=0.5)
    panel.set_axisbelow(True)
