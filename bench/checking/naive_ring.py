"""Chang-Roberts on FIFO links, all started, searched naively. Given: the ids, clockwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from naive import search

Process = tuple[bool, int]  # participant, leader (0: none)
Letter = tuple[str, int]
State = tuple[tuple[Process, ...], tuple[tuple[Letter, ...], ...]]  # processes; for each what is under way to it

ids = [int(id) for id in sys.argv[1:]]
n = len(ids)


def receive(me: int, process: Process, letter: Letter) -> tuple[Process, Letter | None]:
    participant, leader = process
    kind, id = letter
    if kind == "candidate":
        if id > me:
            return (True, leader if participant else 0), letter
        if id == me:
            return (False, me), ("elected", me)
        return (process, None) if participant else ((True, 0), ("candidate", me))
    if id != me:
        return (False, id), letter
    return process, None


def steps(state: State) -> Iterator[State]:
    processes, links = state
    for place, link in enumerate(links):
        if link:
            process, letter = receive(ids[place], processes[place], link[0])
            next_links = list(links)
            next_links[place] = link[1:]
            if letter:
                successor = (place + 1) % n
                next_links[successor] = (*next_links[successor], letter)
            yield (*processes[:place], process, *processes[place + 1 :]), tuple(next_links)


def has_two_leaders(state: State) -> bool:
    return sum(leader == id for (_, leader), id in zip(state[0], ids, strict=True)) > 1


def all_know_the_leader(state: State) -> bool:
    return all(leader == max(ids) for _, leader in state[0])


if __name__ == "__main__":
    under_way = tuple((("candidate", ids[place - 1]),) for place in range(n))
    initial: State = ((True, 0),) * n, under_way
    search(initial, steps, has_two_leaders, all_know_the_leader)
