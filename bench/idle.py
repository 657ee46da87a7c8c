"""What does an idle group cost? The processor time of five real nodes that have elected and have nothing else to do.

    python bench/idle.py                    bully and raft-election-steady, 30 seconds each, at their default timing
    python bench/idle.py --seconds 10 --n 3 --algorithm bully

Processor time is what the kernel has counted for the processes (/proc/PID/stat), between two moments when the group is
at rest; the share is that of one core, for the whole group.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from habemus.network.operate.cluster import free_ports

NODE = [sys.executable, "-c", "import sys; from habemus.cli import main; sys.exit(main())", "node"]
SETTLED = 4.0  # seconds until they have elected


def processor_time(pid: int) -> float:
    """Seconds, of the process itself and of the kernel on its behalf."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def precise_time(pid: int) -> float:
    """The same in nanoseconds' resolution, where the kernel tells it."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    except (OSError, ValueError):
        return processor_time(pid)


def memory(pid: int) -> float:
    """Megabytes that are in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(algorithm: str, n: int, seconds: float, options: list[str]) -> list[str]:
    """One group: its share of a core, and its memory."""
    ports = free_ports(n)
    peers = ",".join(f"{id}=127.0.0.1:{port}" for id, port in enumerate(ports, start=1))
    with tempfile.TemporaryDirectory() as folder:
        log = open(Path(folder) / "log", "wb")  # noqa: SIM115 - all nodes write to it until the end
        common = [*NODE, "--algorithm", algorithm, "--peers", peers, *options]
        nodes = [
            subprocess.Popen([*common, "--id", str(id), "--data", f"{folder}/{id}"], stdout=log, stderr=log)
            for id in range(1, n + 1)
        ]
        try:
            time.sleep(SETTLED)
            before, begun = [precise_time(node.pid) for node in nodes], time.monotonic()
            time.sleep(seconds)
            spent = sum(precise_time(node.pid) for node in nodes) - sum(before)
            share = spent / (time.monotonic() - begun)
            megabytes = sum(memory(node.pid) for node in nodes)
        finally:
            for node in nodes:
                node.kill()
                node.wait()
            log.close()
    return [algorithm, str(n), f"{100 * share:.2f} %", f"{100 * share / n:.3f} %", f"{megabytes / n:.0f} MB"]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--algorithm", action="append")
    options.add_argument("--n", type=int, default=5)
    options.add_argument("--seconds", type=float, default=30)
    chosen, rest = options.parse_known_args()
    table = Table(box=None, header_style="dim", padding=(0, 3, 0, 0))
    for heading in ("", "nodes", "of a core, all", "each", "memory each"):
        table.add_column(heading, justify="right" if heading else "left")
    for algorithm in chosen.algorithm or ["bully", "raft-election-steady"]:
        table.add_row(*measure(algorithm, chosen.n, chosen.seconds, rest))
    Console().print(table)


if __name__ == "__main__":
    main()
