"""Chang-Roberts without the announcement on links that overtake, searched naively. Given: the ids, clockwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from naive import search

State = tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]  # what each is; for each the ids under way to it, sorted

ids = [int(id) for id in sys.argv[1:]]
n = len(ids)


def receive(me: int, now: str, id: int) -> tuple[str, bool]:
    """What a process becomes, and whether it passes the id on."""
    if now == "lost" or (now == "stands" and id > me):
        return "lost", True
    return ("won" if id == me else now), False


def steps(state: State) -> Iterator[State]:
    processes, links = state
    for place, now in enumerate(processes):
        successor = (place + 1) % n
        if now == "asleep":
            next_links = list(links)
            next_links[successor] = tuple(sorted((*links[successor], ids[place])))
            yield (*processes[:place], "stands", *processes[place + 1 :]), tuple(next_links)
            continue
        for index, id in enumerate(links[place]):
            then, passes_on = receive(ids[place], now, id)
            next_links = list(links)
            next_links[place] = links[place][:index] + links[place][index + 1 :]
            if passes_on:
                next_links[successor] = tuple(sorted((*next_links[successor], id)))
            yield (*processes[:place], then, *processes[place + 1 :]), tuple(next_links)


def somebody_won_too_early(state: State) -> bool:
    return "won" in state[0] and state[0].count("lost") < n - 1


def somebody_won(state: State) -> bool:
    return "won" in state[0]


if __name__ == "__main__":
    initial: State = ("asleep",) * n, ((),) * n
    search(initial, steps, somebody_won_too_early, somebody_won)
