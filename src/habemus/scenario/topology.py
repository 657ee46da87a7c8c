"""Who is linked to whom, and who sits where.

A topology is a graph over seats 0 ... n-1 and the id that sits in each seat. Rings and complete graphs are kept as
formulas, so a ring of a million processes costs nothing; all others keep their neighbour lists.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from random import Random

from habemus.process import Graph, Pid

Edge = tuple[int, int]


class Topology(Graph):
    """A connected graph with an id in each seat. `links`, in sorted rows, is None for rings and complete graphs."""

    def __init__(self, kind: str, ids: list[Pid], links: list[list[int]] | None = None) -> None:
        self.kind = kind
        self.ids = ids
        self.n = len(ids)
        self.links = links
        self.ports: dict[int, tuple[Pid, ...]] = {}  # the rows of `links` as ids, made when first asked for
        self.seats = {pid: seat for seat, pid in enumerate(ids)}

    def neighbours(self, seat: int) -> tuple[Pid, ...]:
        """The ids next to a seat, in the order of its ports: on a ring the predecessor, then the successor."""
        ids, n = self.ids, self.n
        if self.links is not None:
            ports = self.ports.get(seat)
            if ports is None:
                ports = self.ports[seat] = tuple([ids[other] for other in self.links[seat]])
            return ports
        if self.kind == "ring":
            before, after = ids[seat - 1], ids[(seat + 1) % n]
            return (before,) if before == after else (before, after)
        return tuple(ids[:seat] + ids[seat + 1 :])

    def linked(self, seat: int, other: Pid) -> bool:
        """Whether the process in this seat may send to that id."""
        there = self.seats.get(other)
        if there is None:
            return False
        if self.links is not None:
            row = self.links[seat]
            found = bisect_left(row, there)
            return found < len(row) and row[found] == there
        if self.kind == "ring":
            return (there - seat) % self.n in (1 % self.n, self.n - 1)
        return there != seat or self.n == 1  # alone, one is one's own neighbour on the ring

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
    """All around the first seat."""
    return [(0, leaf) for leaf in range(1, n)]


def line(n: int, random: Random) -> list[Edge]:
    """A ring that does not close."""
    return [(seat, seat + 1) for seat in range(n - 1)]


def grid(n: int, random: Random) -> list[Edge]:
    """The squarest grid of n seats."""
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
    return [((seat - 1) // 2, seat) for seat in range(1, n)]


def random_connected(n: int, random: Random) -> list[Edge]:
    """A random tree with n more links thrown in."""
    edges = [(int(random.random() * seat), seat) for seat in range(1, n)]
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
    """One of the named topologies with the given ids in its seats."""
    if kind in ("ring", "complete"):
        return Topology(kind, ids)
    return Topology(kind, ids, neighbour_lists(len(ids), BUILDERS[kind](len(ids), random)))


def arrange(ids: list[Pid], order: str, random: Random) -> list[Pid]:
    """The ids in the seats of a ring, clockwise, the first starter in seat 0.

    `best` rises clockwise with the largest in seat 0, `worst` falls with the largest just before seat 0: the extremes
    for elections that pass ids clockwise, whether one process starts or all do.
    """
    ascending = sorted(ids)
    if order == "best":
        return ascending[-1:] + ascending[:-1]
    if order == "worst":
        return ascending[-2::-1] + ascending[-1:]
    if order == "random":
        return [pid for _, pid in sorted([(random.random(), pid) for pid in ascending])]
    return ascending
