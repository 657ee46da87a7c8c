"""Ricart-Agrawala on links that overtake, one entry each, searched naively. Given: n, and whether the clock ticks."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from naive import search

Process = tuple[str, int, int, frozenset[int], frozenset[int]]  # phase, number, highest, permissions, deferred
Letter = tuple[int, int, int]  # sender, receiver, number of the request (0: a reply)
State = tuple[tuple[Process, ...], frozenset[Letter]]  # no letter is ever under way twice

n, tick = int(sys.argv[1]), int(sys.argv[2])
EVERYBODY = range(n)
NOBODY: frozenset[int] = frozenset()


def receive(me: int, process: Process, sender: int, asked: int) -> tuple[Process, list[Letter]]:
    phase, number, highest, permissions, deferred = process
    if not asked:
        permissions |= {sender}
        if len(permissions) == n - 1:
            return ("inside", 0, highest, permissions, deferred), []
        return (phase, number, highest, permissions, deferred), []
    highest = max(highest, asked) + tick
    if phase == "inside" or (phase == "waiting" and (number, me) < (asked, sender)):
        return (phase, number, highest, permissions, deferred | {sender}), []
    return (phase, number, highest, permissions, deferred), [(me, sender, 0)]


def steps(state: State) -> Iterator[State]:
    processes, letters = state
    for me, process in enumerate(processes):
        phase, _, highest, permissions, deferred = process
        if phase == "idle":
            asking: Process = ("waiting", highest + 1, highest + tick, permissions, deferred)
            yield after(state, me, asking, letters | {(me, other, highest + 1) for other in EVERYBODY if other != me})
        elif phase == "inside":
            answers = letters | {(me, other, 0) for other in deferred}
            yield after(state, me, ("done", 0, highest, NOBODY, NOBODY), answers)
    for letter in letters:
        sender, me, asked = letter
        process, sent = receive(me, processes[me], sender, asked)
        yield after(state, me, process, (letters - {letter}).union(sent))


def after(state: State, me: int, process: Process, letters: frozenset[Letter]) -> State:
    processes = state[0]
    return (*processes[:me], process, *processes[me + 1 :]), letters


def two_are_inside(state: State) -> bool:
    return sum(process[0] == "inside" for process in state[0]) > 1


def all_were_inside(state: State) -> bool:
    return all(process[0] == "done" for process in state[0])


if __name__ == "__main__":
    outside: Process = ("idle", 0, 0, NOBODY, NOBODY)
    initial: State = (outside,) * n, frozenset()
    search(initial, steps, two_are_inside, all_were_inside)
