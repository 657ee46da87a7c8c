"""Who is linked to whom, and who sits where.

A topology is a graph over places 0 ... n-1 and the id that sits in each place. Rings and complete graphs are kept as
formulas, so a ring of a million processes costs nothing; all others keep their neighbour lists.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from random import Random

from habemus.process import Pid

Edge = tuple[int, int]


class Topology:
    """A connected graph with an id in each place. `links`, in sorted rows, is None for rings and complete graphs."""

    def __init__(self, kind: str, ids: list[Pid], links: list[list[int]] | None = None) -> None:
        self.kind = kind
        self.ids = ids
        self.n = len(ids)
        self.links = links
        self.ports: dict[int, tuple[Pid, ...]] = {}  # the rows of `links` as ids, made when first asked for
        self.place = {pid: place for place, pid in enumerate(ids)}

    def neighbours(self, place: int) -> tuple[Pid, ...]:
        """The ids next to a place, in the order of its ports: on a ring the predecessor, then the successor."""
        ids, n = self.ids, self.n
        if self.links is not None:
            ports = self.ports.get(place)
            if ports is None:
                ports = self.ports[place] = tuple([ids[other] for other in self.links[place]])
            return ports
        if self.kind == "ring":
            before, after = ids[place - 1], ids[(place + 1) % n]
            return (before,) if before == after else (before, after)
        return tuple(ids[:place] + ids[place + 1 :])

    def linked(self, place: int, other: Pid) -> bool:
        """Whether the process in this place may send to that id."""
        there = self.place.get(other)
        if there is None:
            return False
        if self.links is not None:
            row = self.links[place]
            found = bisect_left(row, there)
            return found < len(row) and row[found] == there
        if self.kind == "ring":
            return (there - place) % self.n in (1 % self.n, self.n - 1)
        return there != place or self.n == 1  # alone, one is one's own neighbour on the ring

    def edges(self) -> list[tuple[Pid, Pid]]:
        """Each link once, as a pair of ids."""
        ids, n = self.ids, self.n
        if self.links is not None:
            pairs = [(a, b) for a in range(n) for b in self.links[a] if a < b]
        elif self.kind == "ring":
            pairs = [(a, (a + 1) % n) for a in range(n if n > 2 else n - 1)]
        else:
            pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
        return [(ids[a], ids[b]) for a, b in pairs]

    @property
    def m(self) -> int:
        """The number of links."""
        n = self.n
        if self.links is not None:
            return sum([len(row) for row in self.links]) // 2
        if self.kind == "ring":
            return n if n > 2 else n - 1
        return n * (n - 1) // 2


def star(n: int, random: Random) -> list[Edge]:
    """All around the first place."""
    return [(0, leaf) for leaf in range(1, n)]


def line(n: int, random: Random) -> list[Edge]:
    """A ring that does not close."""
    return [(place, place + 1) for place in range(n - 1)]


def grid(n: int, random: Random) -> list[Edge]:
    """The squarest grid of n places."""
    width = widest_divisor(n)
    across = [(p, p + 1) for p in range(n) if (p + 1) % width]
    return across + [(p, p + width) for p in range(n - width)]


def torus(n: int, random: Random) -> list[Edge]:
    """The squarest grid whose rows and columns close into rings."""
    width = widest_divisor(n)
    rows = [(p, p + 1 if (p + 1) % width else p + 1 - width) for p in range(n)]
    columns = [(p, (p + width) % n) for p in range(n)]
    return rows + columns


def hypercube(n: int, random: Random) -> list[Edge]:
    """Places whose numbers differ in one bit are linked."""
    if n & (n - 1):
        raise ValueError(f"a hypercube needs a power of 2, not n={n}; the nearest is {1 << (n.bit_length() - 1)}")
    return [(p, p ^ (1 << axis)) for p in range(n) for axis in range(n.bit_length() - 1)]


def tree(n: int, random: Random) -> list[Edge]:
    """The complete binary tree."""
    return [((place - 1) // 2, place) for place in range(1, n)]


def random_connected(n: int, random: Random) -> list[Edge]:
    """A random tree with n more links thrown in."""
    edges = [(int(random.random() * place), place) for place in range(1, n)]
    edges += [(int(random.random() * n), int(random.random() * n)) for _ in range(n)]
    return edges


def widest_divisor(n: int) -> int:
    """The least divisor of n that is at least its square root."""
    return next(width for width in range(1, n + 1) if n % width == 0 and width * width >= n)


BUILDERS: dict[str, Callable[[int, Random], list[Edge]]] = {
    "star": star,
    "line": line,
    "grid": grid,
    "torus": torus,
    "hypercube": hypercube,
    "tree": tree,
    "random": random_connected,
}

KINDS = ("ring", "complete", *BUILDERS)


def neighbour_lists(n: int, edges: list[Edge]) -> list[list[int]]:
    """Edges as sorted neighbour lists, without loops and doubles; ValueError if that leaves the graph in pieces."""
    links: list[set[int]] = [set() for _ in range(n)]
    for a, b in edges:
        if a != b:
            links[a].add(b)
            links[b].add(a)
    seen = {0}
    frontier = [0]
    while frontier:
        for other in sorted(links[frontier.pop()]):
            if other not in seen:
                seen.add(other)
                frontier.append(other)
    if len(seen) < n:
        raise ValueError(f"the graph is in pieces: only {len(seen)} of its {n} processes can be reached from the first")
    return [sorted(row) for row in links]


def build_topology(kind: str, ids: list[Pid], random: Random) -> Topology:
    """One of the named topologies with the given ids in its places."""
    if kind in ("ring", "complete"):
        return Topology(kind, ids)
    return Topology(kind, ids, neighbour_lists(len(ids), BUILDERS[kind](len(ids), random)))


def arranged(ids: list[Pid], order: str, random: Random) -> list[Pid]:
    """The ids in the places of a ring, clockwise, the first starter in place 0.

    `best` rises clockwise with the largest in place 0, `worst` falls with the largest just before place 0: the extremes
    for elections that pass ids clockwise, whether one process starts or all do.
    """
    rising = sorted(ids)
    if order == "best":
        return rising[-1:] + rising[:-1]
    if order == "worst":
        return rising[-2::-1] + rising[-1:]
    if order == "random":
        return [pid for _, pid in sorted([(random.random(), pid) for pid in rising])]
    return rising
