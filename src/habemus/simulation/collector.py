"""The cyclic garbage collector, kept away from a run."""

from __future__ import annotations

import gc
from typing import Final

VERY_MANY: Final = 100_000  # processes


def pause_collector(new_processes: int) -> bool:
    """Keep the collector away: a run makes no cycles, and it would walk every process again and again."""
    if new_processes >= VERY_MANY:
        gc.collect()  # an earlier simulation of that size, held together by its cycles, may still be around
    was_on = gc.isenabled()
    gc.disable()
    return was_on


def resume_collector(was_on: bool, processes: int) -> None:
    """Let it go on. Very many processes count as old at once, for walking them would take longer than it could free."""
    if was_on:
        if processes >= VERY_MANY:
            gc.freeze()
            gc.unfreeze()
        gc.enable()
