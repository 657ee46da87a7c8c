"""Labels that never overlap: each is tried in many places and dropped if it fits in none.

A label is a box that may be turned. What it must not touch (other labels, marks, icons) is *solid*; what it may cross
at a price (lines) is not. Whether two convex shapes touch is decided by looking for a line that separates them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

Point = tuple[float, float]

CELL = 48.0
CLEARANCE = 1.5
STEEPEST = 58.0  # degrees to which a label may be turned
TRIES = [0.5 + sign * step / 50 for step in range(21) for sign in (1, -1)]
NARROW = frozenset("ijl.,:;|'!()[] tfrI-/")
WIDE = frozenset("mwMWABCDGHNOQRUVXKEP%@")


@dataclass(frozen=True)
class Style:
    """A kind of text: its class in the style sheet and its size."""

    name: str
    size: float


@dataclass(frozen=True)
class Label:
    """A text in its place: centred on (x, y) and turned by `angle` degrees."""

    text: str
    style: Style
    x: float
    y: float
    angle: float = 0.0
    kind: int | None = None  # the index of the message type that colours it

    @property
    def corners(self) -> tuple[Point, ...]:
        """The corners of its box."""
        return make_box(self.x, self.y, measure_text(self.text, self.style.size), self.style.size * 1.1, self.angle)


@dataclass(frozen=True)
class Spot:
    """A place where a label might go, and how much worse it is than the best."""

    x: float
    y: float
    angle: float
    penalty: float


def measure_text(text: str, size: float) -> float:
    """The width of a text, at least as wide as any usual sans-serif font sets it."""
    return size * sum(0.38 if c in NARROW else 0.76 if c in WIDE else 0.6 for c in text)


def make_box(x: float, y: float, width: float, height: float, angle: float = 0.0) -> tuple[Point, ...]:
    """The corners of a box centred on (x, y)."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    halves = ((-width / 2, -height / 2), (width / 2, -height / 2), (width / 2, height / 2), (-width / 2, height / 2))
    return tuple((x + u * cos - v * sin, y + u * sin + v * cos) for u, v in halves)


def touch(one: tuple[Point, ...], other: tuple[Point, ...], clearance: float = 0.0) -> bool:
    """Whether two convex shapes come closer than the clearance; a segment is a shape, too."""
    for shape in (one, other):
        for (x1, y1), (x2, y2) in zip(shape, shape[1:] + shape[:1], strict=True):
            length = math.hypot(x2 - x1, y2 - y1)
            if length == 0:
                continue
            nx, ny = (y1 - y2) / length, (x2 - x1) / length
            mine = [x * nx + y * ny for x, y in one]
            yours = [x * nx + y * ny for x, y in other]
            if max(mine) + clearance <= min(yours) or max(yours) + clearance <= min(mine):
                return False
    return True


class Canvas:
    """What has been drawn so far, for labels to keep clear of."""

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self.labels: list[Label] = []
        self.shapes: list[tuple[tuple[Point, ...], float]] = []
        self.cells: dict[tuple[int, int], list[int]] = {}

    def add_solid(self, corners: tuple[Point, ...]) -> None:
        """Something no label may touch."""
        self.add(corners, math.inf)

    def add_line(self, start: Point, end: Point, price: float) -> None:
        """A line that a label may cross at a price."""
        self.add((start, end), price)

    def add(self, corners: tuple[Point, ...], price: float) -> None:
        """A shape that it costs something to touch."""
        self.shapes.append((corners, price))
        for cell in find_cells_under(corners):
            self.cells.setdefault(cell, []).append(len(self.shapes) - 1)

    def price(self, corners: tuple[Point, ...], budget: float) -> float:
        """What it costs to put a shape here; infinite if that exceeds the budget or the shape leaves the canvas."""
        if any(not (0 <= x <= self.width and 0 <= y <= self.height) for x, y in corners):
            return math.inf
        total = 0.0
        tested: set[int] = set()
        for cell in find_cells_under(corners):
            for index in self.cells.get(cell, ()):
                if index not in tested:
                    tested.add(index)
                    shape, price = self.shapes[index]
                    if touch(corners, shape, CLEARANCE):
                        total += price
                        if total >= budget:
                            return math.inf
        return total

    def place(self, text: str, style: Style, spots: Iterable[Spot], budget: float, kind: int | None = None) -> bool:
        """Put a label on the cheapest spot, if one is within the budget."""
        best: Label | None = None
        cheapest = budget
        for spot in spots:
            if spot.penalty >= cheapest:
                continue
            label = Label(text, style, spot.x, spot.y, spot.angle, kind)
            price = spot.penalty + self.price(label.corners, cheapest - spot.penalty)
            if price < cheapest:
                best, cheapest = label, price
        if best is None:
            return False
        self.labels.append(best)
        self.add_solid(best.corners)
        return True


def find_cells_under(corners: tuple[Point, ...]) -> list[tuple[int, int]]:
    """The cells of the grid that a shape may reach: all under a box, those along a segment."""
    if len(corners) == 2:
        (x1, y1), (x2, y2) = corners
        steps = int(max(abs(x2 - x1), abs(y2 - y1)) / CELL * 2) + 1
        points = [(x1 + (x2 - x1) * i / steps, y1 + (y2 - y1) * i / steps) for i in range(steps + 1)]
        return sorted({cell for x, y in points for cell in find_cells_around(x, y, x, y)})
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return find_cells_around(min(xs), min(ys), max(xs), max(ys))


def find_cells_around(left: float, top: float, right: float, bottom: float) -> list[tuple[int, int]]:
    """The cells of the grid within reach of a rectangle."""
    reach = CELL / 4
    columns = range(int((left - reach) // CELL), int((right + reach) // CELL) + 1)
    rows = range(int((top - reach) // CELL), int((bottom + reach) // CELL) + 1)
    return [(column, row) for column in columns for row in rows]


def find_spots_along(start: Point, end: Point, width: float, size: float) -> list[Spot]:
    """Spots beside a line: turned with it if it is flat enough to read, upright next to it if it is steep."""
    (x1, y1), (x2, y2) = start, end
    dx, dy = x2 - x1, y2 - y1
    length = math.hypot(dx, dy)
    if length < 1:
        return []
    angle = math.degrees(math.atan2(dy, dx))
    if angle > 90:
        angle -= 180
    elif angle < -90:
        angle += 180
    steep = abs(angle) > STEEPEST
    away = size * 0.55 + 2.5
    nx, ny = math.sin(math.radians(angle)), -math.cos(math.radians(angle))  # towards the upper side of the line
    spots = []
    for t in TRIES:
        x, y = x1 + t * dx, y1 + t * dy
        if steep:
            aside = width / 2 + 4 + size * 0.55 * abs(dx / dy)
            spots += [Spot(x + aside, y, 0, abs(t - 0.5)), Spot(x - aside, y, 0, abs(t - 0.5) + 0.1)]
        elif abs(t - 0.5) * length + width / 2 < length / 2 + 4:
            spots += [Spot(x + nx * away, y + ny * away, angle, abs(t - 0.5))]
            spots += [Spot(x - nx * away, y - ny * away, angle, abs(t - 0.5) + 0.3)]
    return spots


def find_spots_beside(x: float, y: float, width: float, size: float, gap: float, down: bool) -> list[Spot]:
    """Spots around a mark on a lane: at its sides where time flows down, else above and below it."""
    aside, lift = width / 2 + gap, size * 0.55 + 4
    right, left = [(aside, v) for v in (0.0, lift, -lift)], [(-aside, v) for v in (0.0, lift, -lift)]
    over, under = (0.0, 4 - lift - gap), (0.0, lift - 4 + gap)
    shifts = [*right, *left] if down else [over, under, *right[1:], *left[1:]]
    return [Spot(x + u, y + v, 0, 0.05 * rank) for rank, (u, v) in enumerate(shifts)]
