"""How much memory a search takes."""

from __future__ import annotations

from resource import RUSAGE_SELF, getpagesize, getrusage

PAGE = getpagesize()  # bytes


def memory_in_use() -> int:
    """The memory that this program holds now, in bytes; where that is not told, the most it has held so far."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE
    except OSError:
        return getrusage(RUSAGE_SELF).ru_maxrss * 1024
