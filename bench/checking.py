"""How fast is the checker? Time to verdict beside SPIN and a naive search, on the same instances and properties.

    python bench/checking.py             writes docs/bench-checking.md and .svg; half an hour at most
    python bench/checking.py --quick     small instances, a smoke test; writes nothing unless --output says where

What counts is the time from the command to the verdict: for Habemus the whole command, start of Python included; for
SPIN generating the verifier, compiling it and running it. The models (bench/checking) have the same steps as the
classes: a clause is one. In full all have to find the same number of states, and the same verdict anyhow. Each has the
same time and memory; who takes less than a few seconds is run three times, taking turns, and the best counts. SPIN and a
C compiler are used if they are there (Debian: apt-get install spin gcc).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from habemus.compilation import is_compiled
from habemus.simulation.topology import arranged

HERE = Path(__file__).parent
MODELS = HERE / "checking"
GIGABYTE = 10**9
MEMORY = 8 * GIGABYTE
GRACE = 20  # seconds to say how far one got, once the time is over
TURNS = 3
SHORT = 5.0  # seconds; who takes longer is run once

HABEMUS, INTERPRETED, FULL = "Habemus", "interpreted", "every interleaving"
SPIN, UNREDUCED, EXCLUSIVE, NAIVE = "SPIN", "SPIN, no reduction", "SPIN, split steps", "naive"
WHAT = {
    HABEMUS: "the whole command",
    INTERPRETED: "Habemus without a C compiler",
    FULL: "Habemus with `--full`",
    SPIN: "a clause an atomic step, with its partial-order reduction, -O2 -DSAFETY",
    UNREDUCED: "the same with -DNOREDUCE",
    EXCLUSIVE: "written for its reduction: a clause is several steps, channels are declared exclusive (xr, xs)",
    NAIVE: "breadth first in plain Python: tuples, a set, a deque",
}

# The instances -----------------------------------------------------------------------------------------------------


@dataclass
class Case:
    """An instance, its properties, and how everybody is told of it."""

    name: str
    command: list[str]  # of Habemus
    model: str
    instance: str  # what stands before the model
    naive: list[str]
    states: int = 0  # in full, if known
    before: int = 0  # states that SPIN counts and that are none of the algorithm's: the one in which init has not run
    limit: int = 120
    vector: int = 1024
    exclusive: str = ""  # the model that is written for SPIN's reduction
    infinite: bool = False  # in full nobody gets through
    results: dict[str, Result] = field(default_factory=dict)


def ring(n: int, states: int, **other: Any) -> Case:
    """Chang-Roberts as it is in the catalogue: FIFO links, all have started, ids in the worst order."""
    command = ["chang-roberts", "--n", str(n), "--order", "worst"]
    ids = arranged(list(range(1, n + 1)), "worst", Random())
    return Case(
        f"Chang-Roberts, FIFO links, n = {n}",
        [*command, *wanted("termination", "uniqueness", "agreement")],
        "chang_roberts.pml",
        f"#define N {n}\n#define RING {seats(ids)}\n",
        ["naive_ring.py", *map(str, ids)],
        states,
        before=1,
        vector=max(1024, 4 * n * n),
        exclusive="chang_roberts_exclusive.pml",
        **other,
    )


def quiet_ring(n: int, states: int) -> Case:
    """Chang-Roberts without announcement on links that overtake, each starting by a step of its own."""
    algorithm = f"{MODELS / 'quiet_ring.py'}:QuietRing"
    command = [algorithm, "--n", str(n), "--order", "worst", "--unordered", "--starts", "step"]
    ids = arranged(list(range(1, n + 1)), "worst", Random())
    return Case(
        f"Chang-Roberts, unordered links, n = {n}",
        [*command, *wanted("termination", "uniqueness")],
        "chang_roberts_unordered.pml",
        f"#define N {n}\n#define RING {seats(ids)}\n#define EACH(step) {each(range(1, n + 1))}\n",
        ["naive_quiet_ring.py", *map(str, ids)],
        states,
        before=1,
    )


def ricart_agrawala(n: int, states: int, tick: int = 0) -> Case:
    """Ricart-Agrawala, one entry each, on links that overtake: as it is in the catalogue, or with a ticking clock."""
    algorithm = f"{MODELS / 'ticking.py'}:TickingRicartAgrawala" if tick else "ricart-agrawala"
    command = [algorithm, "--n", str(n), "--unordered"]
    return Case(
        f"Ricart-Agrawala{', ticking clock' if tick else ''}, n = {n}",
        [*command, *wanted("mutual_exclusion", "deadlock_freedom")],
        "ricart_agrawala.pml",
        f"#define N {n}\n#define TICK {tick}\n#define EACH(step) {each(range(n))}\n",
        ["naive_ricart_agrawala.py", str(n), str(tick)],
        states,
    )


def wanted(*properties: str) -> list[str]:
    """The options that ask for these properties."""
    return [word for name in properties for word in ("--property", name)]


def seats(ids: list[int]) -> str:
    """Who sits where, in Promela."""
    return " ".join(f"seat({place}, {id})" for place, id in enumerate(ids))


def each(numbers: range) -> str:
    """The body of a macro that repeats a step."""
    return " ".join(f"step({number})" for number in numbers)


def cases(quick: bool) -> list[Case]:
    """The instances of the table."""
    if quick:
        small = [ring(5, 137), ring(20, 0, infinite=True), quiet_ring(5, 875), ricart_agrawala(2, 0)]
        for case in small:
            case.limit = 10
        return small
    return [
        ring(8, 4_870),
        ring(100, 0, limit=60, infinite=True),
        quiet_ring(8, 389_649),
        ricart_agrawala(3, 2_858),
        ricart_agrawala(4, 2_074_189),
        ricart_agrawala(4, 27_636_588, tick=1),
    ]


# Running them ------------------------------------------------------------------------------------------------------


@dataclass
class Result:
    """How somebody fared with an instance."""

    verdict: str  # holds, violated, or why there is none
    total: float
    building: float = 0.0  # generating and compiling, part of the total
    states: int = 0
    transitions: int = 0
    memory: int = 0
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def decided(self) -> bool:
        """Whether there is a verdict."""
        return self.verdict in ("holds", "violated")


@dataclass
class Ended:
    """A program that has ended, or was ended."""

    output: str
    seconds: float
    memory: int
    late: bool


def run(
    command: list[str], limit: float, folder: Path | None = None, environment: dict[str, str] | None = None
) -> Ended:
    """Run a program; after `limit` seconds it is interrupted, and so may still say how far it got."""
    with tempfile.TemporaryFile() as output:
        begun = perf_counter()
        program = subprocess.Popen(
            command,
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY + GIGABYTE, MEMORY + GIGABYTE)),
        )
        timers = [
            threading.Timer(limit, program.send_signal, [signal.SIGINT]),
            threading.Timer(limit + GRACE, program.kill),
        ]
        for timer in timers:
            timer.start()
        _, status, usage = os.wait4(program.pid, 0)
        seconds = perf_counter() - begun
        program.returncode = os.waitstatus_to_exitcode(status)
        for timer in timers:
            timer.cancel()
        output.seek(0)
        return Ended(output.read().decode(errors="replace"), seconds, usage.ru_maxrss * 1024, seconds >= limit)


def ask_habemus(case: Case, who: str) -> Result:
    """`habemus check`, as its users have it."""
    start = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())", "check"]
    command = [*start, *case.command, "--memory", str(MEMORY / GIGABYTE), "--json"]
    if who == FULL:
        command.append("--full")
    ended = run(command, case.limit, None, {"HABEMUS_COMPILED": "0" if who == INTERPRETED else ""})
    return told(ended)


def ask_naive(case: Case) -> Result:
    """The naive search."""
    return told(run([sys.executable, str(MODELS / case.naive[0]), *case.naive[1:]], case.limit))


def told(ended: Ended) -> Result:
    """What a program says of itself in a line of JSON."""
    lines = [line for line in ended.output.splitlines() if line.startswith("{")]
    if not lines:
        reason = "out of time" if ended.late else "out of memory" if "MemoryError" in ended.output else "failed"
        return Result(reason, ended.seconds, memory=ended.memory, details={"output": ended.output[-2000:]})
    report = json.loads(lines[-1])
    verdict = report["verdict"]
    if verdict == "incomplete":
        verdict = "out of time" if ended.late else "out of memory"
    return Result(verdict, ended.seconds, 0.0, report["states"], report["transitions"], ended.memory, report)


def ask_spin(case: Case, who: str, folder: Path) -> Result:
    """Generate, compile and run a verifier."""
    model = case.exclusive if who == EXCLUSIVE else case.model
    (folder / "instance.pml").write_text(f'{case.instance}#include "{MODELS / model}"\n', encoding="utf-8")
    switches = ["-DSAFETY", f"-DMEMLIM={MEMORY // 2**20}", f"-DVECTORSZ={case.vector}"]
    if who == UNREDUCED:
        switches.append("-DNOREDUCE")
    generated = run(["spin", "-a", "instance.pml"], case.limit, folder)
    compiled = run([compiler(), "-O2", "-w", *switches, "-o", "pan", "pan.c"], case.limit, folder)
    building = generated.seconds + compiled.seconds
    if not (folder / "pan").exists():
        output = generated.output + compiled.output
        return Result("failed", building, building, details={"output": output[-2000:]})
    verified = run(["./pan", "-q", "-m1000000"], case.limit - building, folder)
    (folder / "pan").unlink()
    text = verified.output
    states, transitions = counted("states, stored", text), counted("transitions", text)
    errors = re.search(r"errors: (\d+)", text)
    if verified.late:
        verdict = "out of time"
    elif "MEMLIM" in text or "out of memory" in text:
        verdict = "out of memory"
    elif errors is None or "max search depth too small" in text:
        verdict = "failed"
    else:
        verdict = "violated" if int(errors[1]) else "holds"
    details = {"output": text[-2000:]} if verdict == "failed" else {}
    return Result(verdict, building + verified.seconds, building, states, transitions, verified.memory, details)


def counted(what: str, text: str) -> int:
    """A figure of SPIN's report; where it was cut off, of its last word on the way."""
    found = re.findall(rf"^\s*([\d.e+]+) {what}", text, re.MULTILINE)
    on_the_way = re.findall({"transitions": r"Transitions=\s*([\d.e+]+)"}.get(what, r"States=\s*([\d.e+]+)"), text)
    return int(float((found or on_the_way or ["0"])[-1]))


def compiler() -> str:
    """The C compiler, or nothing."""
    return os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc") or ""


def missing() -> dict[str, str]:
    """Who is left out, and why."""
    absent = {}
    if not is_compiled():
        absent[INTERPRETED] = "Habemus is not compiled here, so that the first line is interpreted already"
    if shutil.which("spin") is None:
        absent[SPIN] = "it is not installed: apt-get install spin"
    elif not compiler():
        absent[SPIN] = "there is no C compiler here: apt-get install gcc"
    for other in (UNREDUCED, EXCLUSIVE):
        if SPIN in absent:
            absent[other] = absent[SPIN]
    return absent


def contestants(case: Case, absent: dict[str, str]) -> list[str]:
    """Who has a go at an instance."""
    everybody = [HABEMUS, INTERPRETED, FULL, SPIN, UNREDUCED, EXCLUSIVE, NAIVE]
    if not case.exclusive:
        everybody.remove(EXCLUSIVE)
    if case.infinite:
        everybody.remove(FULL)
    return [who for who in everybody if who not in absent]


def ask(case: Case, who: str, folder: Path) -> Result:
    """One run of somebody."""
    if who == NAIVE:
        return ask_naive(case)
    return ask_habemus(case, who) if who in (HABEMUS, INTERPRETED, FULL) else ask_spin(case, who, folder)


def compete(everything: list[Case], absent: dict[str, str], folder: Path, console: Console) -> None:
    """Everybody has a go at every instance."""
    columns = (TextColumn("{task.description:<64}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=sum(TURNS * len(contestants(case, absent)) for case in everything))
        for case in everything:
            for turn in range(TURNS):
                for who in contestants(case, absent):
                    progress.update(task, description=f"{case.name}  {who}")
                    best = case.results.get(who)
                    if best is None or (turn and best.decided and best.total < SHORT):
                        result = ask(case, who, folder)
                        if best is None or (result.decided and result.total < best.total):
                            case.results[who] = result
                    progress.advance(task)


# What came of it ---------------------------------------------------------------------------------------------------


def disagreements(case: Case) -> Iterator[str]:
    """What may not be: other verdicts, or other states in full."""
    verdicts = {result.verdict for result in case.results.values() if result.decided}
    if len(verdicts) > 1:
        yield f"{case.name}: the verdicts differ: {', '.join(sorted(verdicts))}"
    for who, result in case.results.items():
        if result.verdict == "failed":
            yield f"{case.name}: {who} failed: {result.details.get('output', '')}"
        found = result.states - (case.before if who == UNREDUCED else 0)
        if who in (FULL, UNREDUCED, NAIVE) and result.decided and case.states and found != case.states:
            yield f"{case.name}: {who} finds {found:,} states in full, not {case.states:,}"


@dataclass
class Target:
    """What the checker is asked to reach."""

    text: str
    met: bool | None  # None: not measured
    reached: str


def targets(everything: list[Case]) -> Iterator[Target]:
    """The targets, with what was reached."""
    fifo, hundred, unordered, _, mutex, ticking = everything
    spins = [SPIN, UNREDUCED]
    yield compared("FIFO ring of 8: faster than SPIN", fifo, [*spins, EXCLUSIVE])
    yield compared("FIFO ring of 8: faster than the naive search", fifo, [NAIVE])
    yield within("FIFO ring of 100: decided in seconds", hundred, 10)
    yield compared("FIFO ring of 100: faster than SPIN at its best", hundred, [*spins, EXCLUSIVE])
    yield compared("unordered ring of 8: not slower than SPIN", unordered, spins)
    yield within("Ricart-Agrawala, n = 4: decided within 120 s and 8 GB", mutex, 120)
    yield within("the same with a ticking clock (27.6 million states in full)", ticking, 120)
    counted = [case for case in everything if case.states and FULL in case.results]
    same = [case for case in counted if not list(disagreements(case))]
    yield Target("the same states in full, and the same verdicts", len(same) == len(counted), f"{len(same)} instances")


def compared(text: str, case: Case, rivals: list[str]) -> Target:
    """Habemus beside the best of some rivals."""
    ours = case.results.get(HABEMUS)
    theirs = [case.results[who] for who in rivals if who in case.results]
    if ours is None or not theirs:
        return Target(text, None, "not measured")
    decided = [result for result in theirs if result.decided]
    best = min(result.total for result in decided or theirs)
    return Target(text, ours.decided and (not decided or ours.total <= best), ratio(best, ours, bool(decided)))


def within(text: str, case: Case, seconds: float) -> Target:
    """Habemus within a time; the memory is bounded anyhow."""
    ours = case.results.get(HABEMUS)
    if ours is None:
        return Target(text, None, "not measured")
    reached = f"{duration(ours.total)}, {ours.memory / GIGABYTE:.2f} GB"
    return Target(text, ours.decided and ours.total <= seconds, reached if ours.decided else ours.verdict)


def ratio(theirs: float, ours: Result, decided: bool) -> str:
    """How many times as fast Habemus is; at least, where a rival was stopped."""
    if not ours.decided:
        return ""
    times = theirs / ours.total
    return f"{'' if decided else '> '}{times:,.0f} ×" if times >= 100 else f"{'' if decided else '> '}{times:.3g} ×"


HEADINGS = (
    "instance",
    "who",
    "verdict",
    "time to verdict",
    "Habemus is",
    "building",
    "states",
    "transitions",
    "memory",
)


def rows(everything: list[Case]) -> Iterator[tuple[str, ...]]:
    """The table, line by line."""
    for case in everything:
        first = case.name
        ours = case.results[HABEMUS]
        for who, result in case.results.items():
            yield (
                first,
                who,
                result.verdict,
                duration(result.total) if result.decided else f"> {duration(result.total)}",
                "" if who == HABEMUS else ratio(result.total, ours, result.decided),
                duration(result.building) if result.building else "",
                f"{result.states:,}" if result.states else "",
                f"{result.transitions:,}" if result.transitions else "",
                f"{result.memory / 1e6:,.0f} MB",
            )
            first = ""


INSIGHTS = ("instance", "search", "clauses run", "looked up", "states/s", "bytes a state")


def insights(everything: list[Case]) -> Iterator[tuple[str, ...]]:
    """How Habemus spent its time."""
    for case in everything:
        for who, name in ((HABEMUS, "reduced"), (FULL, "in full")):
            details = case.results[who].details if who in case.results else {}
            if "clauses" in details:
                yield (
                    case.name,
                    name,
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
            words = heading in ("instance", "who", "verdict", "search")
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


def write_page(everything: list[Case], absent: dict[str, str], path: Path, picture: str) -> None:
    """The tables and the targets as a page of the documentation."""
    marks = {True: "met", False: "**not met**", None: "not measured"}
    lines = [
        "# How fast is the checker?",
        "",
        "From the command to the verdict. Every rival has the same instance, the same steps (a clause is one) and the",
        "same properties. On the rings: never two leaders, and in the end one that everybody knows (one that has won,",
        "where it is not announced); ids are in the worst order. With the mutex: never two inside, and all get in. Each",
        f"may take {everything[0].limit} s ({everything[1].limit} s on the ring of 100) and 8 GB. In full all find the same",
        "number of states, which is asserted; SPIN counts one more on the rings, before its `init` has run.",
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores. Written by `make bench`.",
        "",
        f"![Time to verdict for each instance]({picture})",
        "",
        "| " + " | ".join(HEADINGS) + " |",
        "|:--|:--|:--|--:|--:|--:|--:|--:|--:|",
    ]
    lines += ["| " + " | ".join(row) + " |" for row in rows(everything)]
    lines += ["", "| target | reached | |", "|:--|--:|:--|"]
    lines += [f"| {target.text} | {target.reached} | {marks[target.met]} |" for target in targets(everything)]
    lines += ["", "| " + " | ".join(INSIGHTS) + " |", "|:--|:--|--:|--:|--:|--:|"]
    lines += ["| " + " | ".join(row) + " |" for row in insights(everything)]
    lines += [""]
    lines += [f"- {who}: {what}." for who, what in WHAT.items() if who not in absent]
    lines += [f"- {who} is left out: {why}." for who, why in absent.items()]
    lines += [
        "- On a FIFO ring all schedules are equivalent. SPIN's reduction finds that out if the model is written for it,",
        "  and then decides the ring of 100, too; where a clause is one atomic step it finds nothing to reduce.",
        "- Unordered, the ring is run without announcement: the news would overtake old candidates, which then call",
        "  for further elections. `bench/checking/quiet_ring.py` has the steps of the TLA+ specification of Chang-Roberts",
        "  in tlaplus/Examples, and its number of states.",
        "- Ricart and Agrawala take the highest number seen plus one. With Lamport's clock instead, which ticks with",
        "  every request (`bench/checking/ticking.py`), there are thirteen times as many states.",
        "",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")


def draw(everything: list[Case], path: Path) -> None:
    """A panel an instance, a bar a contestant: rivals in grey, Habemus in colour, pale where there was no verdict."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "habemus",
            "svg.fonttype": "none",
            "font.family": "sans-serif",
            "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial"],
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.spines.left": False,
            "axes.edgecolor": "#888888",
            "xtick.color": "#888888",
            "ytick.color": "#888888",
        }
    )
    from matplotlib import pyplot

    heights = [len(case.results) + 1.6 for case in everything]
    figure, panels = pyplot.subplots(
        len(everything),
        1,
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
    for height, (who, result) in enumerate(case.results.items()):
        ours = who in (HABEMUS, INTERPRETED, FULL)
        colour = "#0072B2" if ours else "#888888"
        strength = 1.0 if who == HABEMUS else 0.45
        panel.barh(
            height, result.total, height=0.62, left=0.01, color=colour, alpha=strength if result.decided else 0.15
        )
        text = duration(result.total) if result.decided else result.verdict
        panel.annotate(
            text,
            (result.total + 0.01, height),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontsize=8,
        )
    panel.set_xscale("log")
    panel.set_xlim(0.01, 600)
    panel.set_xticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
    panel.minorticks_off()
    panel.set_yticks(range(len(case.results)), list(case.results), fontsize=8)
    panel.tick_params(axis="y", length=0)
    panel.invert_yaxis()
    panel.set_title(case.name, loc="left", fontsize=9, color="#888888")
    panel.grid(axis="x", color="#888888", alpha=0.2, linewidth=0.5)
    panel.set_axisbelow(True)


def main() -> None:
    """Compete, show, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small instances: a smoke test")
    parser.add_argument("--output", type=Path, help="folder for bench-checking.md and .svg (docs, unless --quick)")
    arguments = parser.parse_args()
    console = Console(soft_wrap=True, width=max(Console().width, 140))
    output = arguments.output or (None if arguments.quick else HERE.parent / "docs")
    everything = cases(arguments.quick)
    absent = missing()
    with tempfile.TemporaryDirectory() as folder:
        compete(everything, absent, Path(folder), console)
    show(everything, absent, arguments.quick, console)
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        draw(everything, output / "bench-checking.svg")
        write_page(everything, absent, output / "bench-checking.md", "bench-checking.svg")
        console.print(f"\nWritten: {output / 'bench-checking.md'} and .svg", style="dim")


if __name__ == "__main__":
    main()
