"""How long does it take to start? Small commands beside a Python that does nothing.

    python bench/startup.py [REPEATS]

They take turns; the least processor time of each counts, so that a busy machine matters little.
"""

from __future__ import annotations

import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage

MAIN = "import sys; from habemus.cli import main; sys.exit(main())"
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "habemus --version": ["-c", MAIN, "--version"],
    "habemus --help": ["-c", MAIN, "--help"],
    "habemus simulate bully --json": ["-c", MAIN, "simulate", "bully", "--json"],
    "habemus simulate bully": ["-c", MAIN, "simulate", "bully"],
}


def processor_time(arguments: list[str]) -> float:
    """Seconds that a command takes of a processor."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    least = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
        for name, arguments in COMMANDS.items():
            least[name] = min(least[name], processor_time(arguments))
    for name, seconds in least.items():
        print(f"{name:<32} {1000 * seconds:6.0f} ms {seconds / least['python -c pass']:6.1f} ×")


if __name__ == "__main__":
    main()
