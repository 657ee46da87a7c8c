"""The obvious breadth-first search: a set of states seen, a queue of states to expand, states as tuples.

A rival gives its initial state, its steps, what may never be, and what has to be in the end. It prints a line of JSON.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from time import perf_counter
from typing import TypeVar

State = TypeVar("State", bound=Hashable)


def search(
    initial: State,
    steps: Callable[[State], Iterator[State]],
    is_bad: Callable[[State], bool],
    is_done: Callable[[State], bool],
) -> None:
    """Visit every state; stop at the first that may not be, or that has no next one and is not done."""
    begun = perf_counter()
    seen = {initial}
    queue = deque([initial])
    transitions = 0
    verdict = "holds"
    try:
        while queue and verdict == "holds":
            state = queue.popleft()
            if is_bad(state):
                verdict = "violated"
            stuck = True
            for successor in steps(state):
                stuck = False
                transitions += 1
                if successor not in seen:
                    seen.add(successor)
                    queue.append(successor)
            if stuck and not is_done(state):
                verdict = "violated"
    except (KeyboardInterrupt, MemoryError):
        verdict = "incomplete"
    seconds = perf_counter() - begun
    print(json.dumps({"verdict": verdict, "states": len(seen), "transitions": transitions, "seconds": seconds}))
