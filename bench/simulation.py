"""How fast is the simulator? Chang-Roberts on a ring, everyone starts, beside what else one could use.

    python bench/simulation.py             writes docs/bench-simulation.md and .svg; about ten minutes
    python bench/simulation.py --quick     small rings, a smoke test; writes nothing unless --output says where

Every rival (bench/rivals) does the same job: the same ids in the same places, FIFO links, delays of 1 to 10 ticks drawn
at random, the announcement round included; the number of messages is known beforehand and has to come out. Each runs
in a process of its own, so its peak memory is its own, and they take turns, so a busy moment of the machine hits all;
the best time counts. Needs Habemus and the extra `bench`; a rival that is not there is left out, and a line says so.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from plot_style import import_pyplot
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from habemus.scenario.topology import arrange

HERE = Path(__file__).parent
RIVALS = HERE / "rivals"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK_SIZES = (100, 1_000)
GIGABYTE = 10**9

HABEMUS, INTERPRETED, DIGEST = "Habemus", "interpreted", "with digest"
SCRIPT, SIMPY, PYDISTSIM, C = "script", "SimPy", "PyDistSim", "C"


@dataclass
class Result:
    """The best that a rival did at one size."""

    n: int
    messages: int
    build: float
    run: float
    memory: int

    @property
    def rate(self) -> float:
        """Messages a second."""
        return self.messages / self.run


@dataclass
class Rival:
    """One way to run the ring, and where it is asked to."""

    name: str
    what: str
    command: list[str]
    largest: int = SIZES[-1]
    environment: dict[str, str] = field(default_factory=dict)
    compiled: bool | None = None  # what Habemus has to report of itself
    once: bool = False  # so slow that it is run once
    results: dict[int, Result] = field(default_factory=dict)
    missing: str = ""  # why it is left out

    def takes_part(self, n: int, quick: bool) -> bool:
        """Whether it runs at this size; in a quick run everybody does, the slow ones at the smallest only."""
        return not self.missing and n <= (QUICK_SIZES[0] if quick and self.once else self.largest)


def rivals(folder: Path) -> list[Rival]:
    """Everybody, in the order of the table."""
    habemus = [sys.executable, str(RIVALS / "with_habemus.py")]
    present = {"HABEMUS_COMPILED": ""}
    source = {"HABEMUS_COMPILED": "0"}
    return [
        Rival(HABEMUS, "compiled, all properties watched", habemus, environment=present, compiled=True),
        Rival(INTERPRETED, "Habemus without a C compiler", habemus, environment=source, compiled=False),
        Rival(
            DIGEST,
            "Habemus, compiled, every event hashed",
            habemus,
            largest=100_000,
            environment=present,
            compiled=True,
        ),
        Rival(SCRIPT, "heapq and plain objects", [sys.executable, str(RIVALS / "obvious_script.py")]),
        python_rival(SIMPY, "a process a node, a cable a link", "simpy", "with_simpy.py", largest=10_000),
        python_rival(PYDISTSIM, "a NodeAlgorithm", "pydistsim", "with_pydistsim.py", largest=1_000, once=True),
        c_rival(folder),
    ]


def python_rival(name: str, what: str, module: str, file: str, largest: int, once: bool = False) -> Rival:
    """A rival that stands on a library."""
    missing = "" if importlib.util.find_spec(module) else f"{module} is not installed: pip install 'habemus[bench]'"
    return Rival(name, what, [sys.executable, str(RIVALS / file)], largest=largest, once=once, missing=missing)


def c_rival(folder: Path) -> Rival:
    """The C program, compiled into a temporary folder."""
    what = "binary heap, handler by pointer, cc -O2"
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return Rival(C, what, [], missing="there is no C compiler here")
    program = folder / "ring"
    made = subprocess.run(
        [*compiler.split(), "-O2", "-o", str(program), str(RIVALS / "ring.c")], capture_output=True, text=True
    )
    return Rival(C, what, [str(program)], missing="" if made.returncode == 0 else f"it does not compile: {made.stderr}")


# The race ----------------------------------------------------------------------------------------------------------


def messages_expected(ids: list[int]) -> int:
    """How many messages the election takes: each id travels to the next larger one, the largest all around, twice."""
    n, top = len(ids), max(ids)
    after_largest = ids.index(top) + 1
    clockwise = ids[after_largest:] + ids[:after_largest]  # ends with the largest
    total = 2 * n
    stronger: list[int] = []  # places, nearest last, of those who may stop an id that comes from further back
    for place in range(n - 1, -1, -1):
        while stronger and clockwise[stronger[-1]] < clockwise[place]:
            stronger.pop()
        if stronger:
            total += stronger[-1] - place
        stronger.append(place)
    return total


def repeats(n: int, rival: Rival, quick: bool) -> tuple[int, int]:
    """How often a rival is started at this size, and how often it runs the ring each time."""
    if quick or rival.once:
        return 1, 1
    return {1_000: (3, 20), 10_000: (3, 5), 100_000: (5, 1), 1_000_000: (2, 1)}[n]


def measure(rival: Rival, ids_file: Path, n: int, messages: int, times: int) -> None:
    """Run a rival once in a process of its own and keep the best of what it did."""
    arguments = [*rival.command, str(ids_file), str(times)]
    if rival.name == DIGEST:
        arguments.append("digest")
    environment = {**os.environ, **rival.environment}
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{rival.name} failed at n={n}:\n{done.stderr or done.stdout}")
    report = json.loads(done.stdout.splitlines()[-1])
    if rival.compiled is not None and report["compiled"] != rival.compiled:
        rival.missing = "Habemus is not compiled here" if rival.compiled else "it ran compiled all the same"
        return
    assert (report["messages"], report["leader"]) == (messages, n), f"{rival.name} does another job: {report}"
    best = rival.results.get(n)
    if best is None:
        rival.results[n] = Result(n, messages, report["build"], report["run"], report["memory"])
    else:
        best.build = min(best.build, report["build"])
        best.run = min(best.run, report["run"])
        best.memory = max(best.memory, report["memory"])


def race(everybody: list[Rival], sizes: tuple[int, ...], quick: bool, folder: Path, console: Console) -> None:
    """Let everybody run at every size, taking turns."""
    turns = [(n, rival, repeats(n, rival, quick)) for n in sizes for rival in everybody if rival.takes_part(n, quick)]
    columns = (TextColumn("{task.description:<36}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=sum(starts for _, _, (starts, _) in turns))
        for n in sizes:
            ids = arrange(list(range(1, n + 1)), "random", Random("0/ids"))  # as Habemus places them for seed 0
            ids_file = folder / f"{n}.ids"
            ids_file.write_bytes(array("q", ids).tobytes())
            messages = messages_expected(ids)
            del ids
            here = [(rival, plan) for size, rival, plan in turns if size == n]
            for turn in range(max(starts for _, (starts, _) in here)):
                for rival, (starts, times) in here:
                    if turn < starts:
                        progress.update(task, description=f"n = {n:,}  {rival.name}")
                        if not rival.missing:
                            measure(rival, ids_file, n, messages, times)
                        progress.advance(task)
            ids_file.unlink()


# What came of it ---------------------------------------------------------------------------------------------------


@dataclass
class Target:
    """What the simulator is asked to reach: a ratio of speeds, or a peak memory."""

    text: str
    met: bool | None  # None: not measured
    reached: str


def rate(everybody: list[Rival], name: str, n: int) -> float | None:
    """How fast a rival was, if it ran."""
    result = next(rival for rival in everybody if rival.name == name).results.get(n)
    return result.rate if result else None


def targets(everybody: list[Rival]) -> list[Target]:
    """The targets, with what was reached."""
    wanted: list[tuple[str, str, int, float, str]] = [
        (HABEMUS, SCRIPT, 100_000, 3, "at least {} times the script at n = 10⁵"),
        (HABEMUS, SCRIPT, 1_000_000, 3, "at least {} times the script at n = 10⁶"),
        (HABEMUS, SIMPY, 10_000, 30, "at least {} times SimPy at n = 10⁴"),
        (HABEMUS, PYDISTSIM, 1_000, 1_000, "at least {:,} times PyDistSim at n = 10³"),
        (INTERPRETED, SCRIPT, 10_000, 1, "interpreted no slower than the script at n = 10⁴"),
        (INTERPRETED, SCRIPT, 100_000, 1, "interpreted no slower than the script at n = 10⁵"),
        (INTERPRETED, SCRIPT, 1_000_000, 1, "interpreted no slower than the script at n = 10⁶"),
        (HABEMUS, SCRIPT, 100_000, 5, "aim: {} times the script at n = 10⁵"),
        (HABEMUS, SCRIPT, 1_000_000, 5, "aim: {} times the script at n = 10⁶"),
        (HABEMUS, C, 100_000, 0.3, "aim: {} of C at n = 10⁵"),
        (HABEMUS, C, 1_000_000, 0.3, "aim: {} of C at n = 10⁶"),
    ]
    found = []
    for mine, other, n, least, text in wanted:
        ours, theirs = rate(everybody, mine, n), rate(everybody, other, n)
        if ours is None or theirs is None:
            found.append(Target(text.format(least), None, "not measured"))
        else:
            ratio = ours / theirs
            found.append(Target(text.format(least), ratio >= least, f"{shown(ratio)} ×"))
    largest = next(rival for rival in everybody if rival.name == HABEMUS).results.get(1_000_000)
    if largest is not None:
        found.append(
            Target("n = 10⁶ within 2 GB", largest.memory <= 2 * GIGABYTE, f"{largest.memory / GIGABYTE:.2f} GB")
        )
    return found


def shown(number: float) -> str:
    """Three digits."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


HEADINGS = ("n", "who", "messages/s", "Habemus is", "run", "build", "memory")


def rows(everybody: list[Rival], sizes: tuple[int, ...]) -> Iterator[tuple[str, ...]]:
    """The table, line by line."""
    for n in sizes:
        ours = rate(everybody, HABEMUS, n)
        first = f"{n:,}"
        for rival in everybody:
            result = rival.results.get(n)
            if result is None:
                continue
            ratio = f"{shown(ours / result.rate)} ×" if ours and rival.name != HABEMUS else ""
            speed = f"{result.rate:,.0f}"
            memory = f"{result.memory / 1e6:,.0f} MB"
            yield first, rival.name, speed, ratio, duration(result.run), duration(result.build), memory
            first = ""


def duration(seconds: float) -> str:
    """Seconds, with a unit."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"


def show(everybody: list[Rival], sizes: tuple[int, ...], console: Console) -> None:
    """The table and the targets on the terminal."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "who" else "right", no_wrap=True)
    for row in rows(everybody, sizes):
        if row[0] and table.row_count:
            table.add_section()
            table.add_row()
        table.add_row(*row, style="bold" if row[1] == HABEMUS else "")
    console.print(table)
    console.print()
    for rival in everybody:
        if rival.missing:
            console.print(f"{rival.name} is left out: {rival.missing}.", style="yellow")
    for target in targets(everybody) if sizes == SIZES else []:
        mark, style = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}[target.met]
        console.print(f"{mark} {target.text}: {target.reached}", style=style, highlight=False)


def write_page(everybody: list[Rival], sizes: tuple[int, ...], path: Path, picture: str) -> None:
    """The table and the targets as a page of the documentation."""
    marks = {True: "met", False: "**not met**", None: "not measured"}
    lines = [
        "# How fast is the simulator?",
        "",
        "Chang-Roberts on a ring of *n*, all start, random ids, delays of 1 to 10 ticks drawn at random, FIFO links.",
        "Every rival does the same job, in a process of its own; the number of messages is asserted. *Run* is from the",
        "first step to the last delivery, *build* from the list of ids to a ring ready to start, *memory* the peak of",
        f"the whole process. {platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores.",
        "Written by `make bench`.",
        "",
        f"![Messages a second and peak memory against n]({picture})",
        "",
        "| " + " | ".join(HEADINGS) + " |",
        "|--:|:--|--:|--:|--:|--:|--:|",
    ]
    lines += ["| " + " | ".join(row) + " |" for row in rows(everybody, sizes)]
    lines += ["", "| target | reached | |", "|:--|--:|:--|"]
    lines += [f"| {target.text} | {target.reached} | {marks[target.met]} |" for target in targets(everybody)]
    lines += [""]
    lines += [f"- {rival.name}: {rival.what}." for rival in everybody]
    lines += [f"- {rival.name} is left out: {rival.missing}." for rival in everybody if rival.missing]
    lines += ["- PyDistSim visits every node and link at every tick, so the longer the delays, the slower it is.", ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def draw(everybody: list[Rival], path: Path) -> None:
    """Speed and memory against n: rivals in grey, Habemus in colour."""
    pyplot = import_pyplot()

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    draw_panel(left, "messages a second", lambda result: result.rate, everybody)
    unrecorded = [rival for rival in everybody if rival.name != DIGEST]
    draw_panel(right, "peak memory in MB", lambda result: result.memory / 1e6, unrecorded)
    figure.savefig(path, metadata={"Date": None}, transparent=True)


def draw_panel(panel: Any, title: str, value: Callable[[Result], float], everybody: list[Rival]) -> None:
    """One quantity against n, each line named at its end."""
    ends: list[list[Any]] = []
    for rival in everybody:
        points = [rival.results[n] for n in sorted(rival.results)]
        if not points:
            continue
        ours = rival.compiled is not None
        colour = "#0072B2" if ours else "#888888"
        sizes, values = [p.n for p in points], [value(p) for p in points]
        style = {INTERPRETED: "--", DIGEST: ":"}.get(rival.name, "-")
        width = 2 if rival.name == HABEMUS else 1
        front = 3 if ours else 2
        panel.plot(sizes, values, style, color=colour, linewidth=width, marker="o", markersize=3, zorder=front)
        ends.append([sizes[-1], values[-1], rival.name, colour])
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_title(title, loc="left", fontsize=9, color="#666666")
    panel.set_xlabel("n", color="#666666")
    panel.margins(x=0.05, y=0.12)
    panel.minorticks_off()
    panel.grid(axis="y", color="#888888", alpha=0.2, linewidth=0.5)
    low, high = panel.get_ylim()
    apart = (high / low) ** 0.055  # the height of a label
    for size in sorted({end[0] for end in ends}):  # labels at the end of the same column never overlap
        column = sorted((end for end in ends if end[0] == size), key=lambda end: end[1])
        for below, above in pairwise(column):
            overlap = max(1.0, below[1] * apart / above[1])
            below[1] /= overlap**0.5
            above[1] *= overlap**0.5
    for size, height, name, colour in ends:
        panel.annotate(
            name, (size, height), xytext=(7, 0), textcoords="offset points", va="center", color=colour, fontsize=8
        )


def main() -> None:
    """Race, show, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small rings, once each: a smoke test")
    parser.add_argument("--output", type=Path, help="folder for bench-simulation.md and .svg (docs, unless --quick)")
    arguments = parser.parse_args()
    console = Console(soft_wrap=True)
    output = arguments.output or (None if arguments.quick else HERE.parent / "docs")
    sizes = QUICK_SIZES if arguments.quick else SIZES
    with tempfile.TemporaryDirectory() as folder:
        everybody = rivals(Path(folder))
        race(everybody, sizes, arguments.quick, Path(folder), console)
    show(everybody, sizes, console)
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        draw(everybody, output / "bench-simulation.svg")
        write_page(everybody, sizes, output / "bench-simulation.md", "bench-simulation.svg")
        console.print(f"\nWritten: {output / 'bench-simulation.md'} and .svg", style="dim")


if __name__ == "__main__":
    main()
