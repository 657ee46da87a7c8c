"""What does recording cost? Chang-Roberts on a ring, everyone starts: not recorded, hashed, written to a file.

    python bench/recording.py             writes docs/bench-recording.md; about two minutes
    python bench/recording.py --quick     a small ring, a smoke test; writes nothing

Each way runs in a process of its own, and they take turns, so that a busy moment of the machine hits all; the best time
counts. What is compared is the ratio to the run that is not recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path
from random import Random

from habemus.scenario.topology import arrange

HERE = Path(__file__).parent
WAYS = {"nothing": "not recorded", "digest": "digest only", "file": "written to a file"}
TARGETS = {"digest": 1_000_000, "file": 500_000}  # events a second


def measure(way: str, ids: Path) -> tuple[float, int]:
    """Seconds and events of one run."""
    command = [sys.executable, str(HERE / "rivals" / "with_habemus.py"), str(ids), "1", way]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HABEMUS_COMPILED": ""})
    if done.returncode != 0:
        raise SystemExit(done.stderr or done.stdout)
    report = json.loads(done.stdout.splitlines()[-1])
    if not report["compiled"]:
        print("Habemus is not compiled here: the targets are for the compiled kernel.", file=sys.stderr)
    return report["run"], report["messages"]


def compare(n: int, times: int) -> dict[str, float]:
    """Events a second, the best of several turns."""
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        ids = Path(folder) / "ids"
        ids.write_bytes(array("q", arrange(list(range(1, n + 1)), "random", Random("0/ids"))).tobytes())
        for _ in range(times):
            for way in WAYS:
                seconds, messages = measure(way, ids)
                best[way] = max(best.get(way, 0.0), (messages + n) / seconds)  # every start is an event, too
    return best


def table(n: int, best: dict[str, float]) -> list[str]:
    lines = ["| | events/s | of the run | target |", "|:--|--:|--:|:--|"]
    for way, name in WAYS.items():
        target = TARGETS.get(way)
        verdict = "" if target is None else f"{target:,}: {'met' if best[way] >= target else '**not met**'}"
        lines.append(f"| {name} | {best[way]:,.0f} | {best['nothing'] / best[way]:.2f} × | {verdict} |")
    return [f"Chang-Roberts on a ring of {n:,}, compiled. *Of the run*: how many times as long it takes.", "", *lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small ring, once: a smoke test")
    quick = parser.parse_args().quick
    n, times = (1_000, 1) if quick else (100_000, 5)
    lines = table(n, compare(n, times))
    print("\n".join(lines))
    if not quick:
        page = HERE.parent / "docs" / "bench-recording.md"
        page.write_text("\n".join(["# What does recording cost?", "", *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
