"""The same clock for everybody.

A rival is a program that is given a file of ids (their order on the ring, clockwise, as 64-bit integers) and how often
to repeat. It prints one line of JSON: the messages sent, the leader, the best times in seconds, its peak memory.

    build   from the list of ids to a ring that is ready to start
    run     from the first step to the last delivered message, results in hand
"""

from __future__ import annotations

import json
import resource
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

Ring = TypeVar("Ring")


def compete(build: Callable[[list[int]], Ring], run: Callable[[Ring], tuple[int, int]], **remarks: Any) -> None:
    """Build and run the ring as often as asked; `run` says how many messages were sent and who leads."""
    ids = array("q", Path(sys.argv[1]).read_bytes()).tolist()
    fastest_build = fastest_run = float("inf")
    for _ in range(int(sys.argv[2])):
        begin = perf_counter()
        ring = build(ids)
        ready = perf_counter()
        messages, leader = run(ring)
        end = perf_counter()
        fastest_build = min(fastest_build, ready - begin)
        fastest_run = min(fastest_run, end - ready)
        del ring
    report = {"messages": messages, "leader": leader, "build": fastest_build, "run": fastest_run}
    print(json.dumps({**report, "memory": peak_memory(), **remarks}))


def peak_memory() -> int:
    """The most bytes this process has held. (Linux adds what its parent held to ru_maxrss, so ask /proc first.)"""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
