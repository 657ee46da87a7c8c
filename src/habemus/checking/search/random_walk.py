"""Random runs, one after the other, in place of a search."""

from __future__ import annotations

from random import Random

from habemus.checking.search.search import Search

LOOK = 256  # steps of a run between two looks at how many messages are in transit


def walk_at_random(search: Search, seed: int, steps: int) -> None:
    """Follow random runs, so many steps in all; ends as a search does."""
    search.sampled = True
    random = Random(f"{seed}/walk")
    try:
        while steps > 0 and not search.violated and not search.flooded:
            number = taken = 0
            while steps > 0 and not search.violated and not search.flooded and taken < search.most_depth:
                steps -= 1
                taken += 1
                state = search.states[number]
                expansion = search.semantics.expand(state)
                if expansion.progress == 0:
                    search.judge_end(number, state, expansion)
                if not expansion.transitions:
                    break
                search.transitions += 1
                child = expansion.transitions[int(random.random() * len(expansion.transitions))].state
                known = search.states.find(child)
                if known < 0:
                    known = search.add(child, number)
                    if search.semantics.violated(child):
                        search.violated, search.culprit = search.semantics.violated(child), known
                number = known
                if taken % LOOK == 0:
                    search.stopped = search.semantics.find_flood(child)
                    search.flooded = bool(search.stopped)
        if not search.flooded:
            search.stopped = "" if search.violated else "random runs are a sample"
    except KeyboardInterrupt:
        search.interrupt()
