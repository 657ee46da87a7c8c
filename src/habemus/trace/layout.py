"""The geometry of a space-time diagram: where lanes, arrows, marks and labels go, before anything is drawn.

Lanes stand side by side in the order of places, and time runs down; or lanes lie on each other, and time runs to the
right. All is computed in (lane, time) and turned into (x, y) at one place, `Frame.point`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from habemus.trace.axis import Axis, Scale, lay_axis
from habemus.trace.format import Event
from habemus.trace.labels import (
    Canvas,
    Label,
    Point,
    Spot,
    Style,
    find_spots_along,
    find_spots_beside,
    make_box,
    measure_text,
)
from habemus.trace.story import LOST, UNDER_WAY, Story, Transmission, describe_network_fault

MESSAGE = Style("message", 11)
CLAUSE = Style("clause", 10)
FAULT = Style("fault", 11)

DOWN = Scale(slot=20, step=38, per_flight=15)
RIGHT = Scale(slot=30, step=124, per_flight=22)
FAULTS = ("crash", "recover", "pause", "resume", "skew", "drift", "refuse")
ICON_ROLES = ("leader", "candidate", "inside", "waiting")

LANE_PRICE, ARROW_PRICE = 1.0, 2.0
MESSAGE_BUDGET, CLAUSE_BUDGET, FAULT_BUDGET = 1.0, 0.5, 4.0
HEADING = -26.0  # where along the axis the ids stand
# Where a ring closes, an arrow leaves the picture on one side and comes back on the other: how far from the lane, in
# lanes. Beyond the last lane there is room for its label, before the first there is the axis.
FIRST_SIDE, LAST_SIDE = 0.4, 0.85


@dataclass(frozen=True)
class Frame:
    """Where the lanes are and which way time runs."""

    down: bool
    left: float
    top: float
    spacing: float
    length: float
    lanes: int

    def point(self, lane: float, time: float) -> Point:
        """The point of the picture at a position across the lanes and a position along the axis."""
        across, ahead = lane * self.spacing, time
        return (self.left + across, self.top + ahead) if self.down else (self.left + ahead, self.top + across)

    @property
    def margin(self) -> float:
        """The room beside the last lane."""
        return self.spacing * 0.9

    def axis_at(self, time: float, out: float = 0.0) -> Point:
        """The point of the time axis at a position, or a little out of it towards the lanes."""
        if self.down:
            return 28 + out, self.top + time
        return self.left + time, self.top + self.spacing * (self.lanes - 1) + self.margin - out

    @property
    def right(self) -> float:
        """Where the lanes end on the right."""
        return self.point(self.lanes - 1, self.length)[0]

    @property
    def bottom(self) -> float:
        """Where the lanes end below."""
        return self.point(self.lanes - 1, self.length)[1]


@dataclass(frozen=True)
class Arrow:
    """The line of a message; two pieces where it leaves on one side and comes back on the other."""

    transmission: Transmission
    pieces: list[tuple[Point, Point]]


@dataclass(frozen=True)
class Mark:
    """An event in its place on a lane; `icon` says what is drawn there."""

    event: Event
    icon: str
    at: Point


@dataclass
class Layout:
    """A diagram that is ready to be drawn."""

    story: Story
    frame: Frame
    axis: Axis
    arrows: list[Arrow] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)

    @property
    def network_faults(self) -> list[tuple[Event, Point, Point]]:
        """Cuts and heals, each with the line that it draws across all lanes."""
        lines = []
        for event in self.story.events:
            if event.process is None and event.kind != "lost":
                at = self.axis.position[event.event]
                lines.append((event, self.frame.point(-0.3, at), self.frame.point(self.frame.lanes - 0.7, at)))
        return lines

    def point_of(self, process: int, event: Event | None, otherwise: float) -> Point:
        """Where an event is on a lane; without an event, at the given position along the axis."""
        time = self.axis.position[event.event] if event is not None else otherwise
        return self.frame.point(self.story.ids.index(process), time)


def lay_out(story: Story, direction: str, left: float, top: float) -> Layout:
    """Lay a story out; `direction` is "down", "right" or "auto", the margins are room for ids and axis."""
    down, right = lay_frame(story, True, left, top), lay_frame(story, False, left, top)
    layout = {"down": down, "right": right}.get(direction) or min((down, right), key=rate_awkwardness)
    place_of = {pid: number for number, pid in enumerate(story.ids)}
    layout.arrows = [lay_arrow(layout, transmission, place_of) for transmission in story.transmissions]
    for event in story.events:
        if event.process is not None:
            layout.marks.append(Mark(event, choose_icon(event), layout.point_of(event.process, event, 0)))
    layout.labels = place_labels(layout)
    return layout


def lay_frame(story: Story, down: bool, left: float, top: float) -> Layout:
    """The empty diagram of a story for one direction of time."""
    axis = lay_axis(story, DOWN if down else RIGHT)
    widest = max(
        [measure_text(transmission.message.label, MESSAGE.size) for transmission in story.transmissions], default=0.0
    )
    spacing = min(150.0, max(84.0, widest + 24)) if down else 78.0
    return Layout(story, Frame(down, left, top, spacing, axis.length + (30 if down else 40), len(story.ids)), axis)


def rate_awkwardness(layout: Layout) -> float:
    """How far the diagram is from the shape of a page or a screen; labels read better where time runs down."""
    ratio = layout.frame.right / layout.frame.bottom
    return max(1.0, ratio / 1.5, 0.75 / ratio) * (1.0 if layout.frame.down else 1.5)


def choose_icon(event: Event) -> str:
    """What to draw for an event: the fault, the role it brings, or what set it off."""
    if event.kind in FAULTS and not event.clause:
        return event.kind
    if event.role in ICON_ROLES:
        return str(event.role)
    return "timeout" if event.kind in ("timeout", "suspect", "trust") else "step"


def lay_arrow(layout: Layout, transmission: Transmission, place_of: dict[int, int]) -> Arrow:
    """The line from where a message was sent to where it was received, or where it died."""
    frame, position = layout.frame, layout.axis.position
    a, b = place_of[transmission.message.sender], place_of[transmission.message.to]
    begin = position[transmission.sent.event]
    end = position[transmission.end.event] if transmission.end is not None else frame.length
    side = 1 if b > a else -1
    closing = layout.story.closes_ring(transmission)
    target: float = a - side if closing else b  # beyond the edge, one lane further on
    if transmission.died_at_once:
        target = a - side * 0.5 if closing else b - side * 0.5
        end = begin + (12 + 6 * abs(target - a)) * (1 if frame.down else 3)
    elif transmission.fate == LOST:
        target -= (-1 if closing else 1) * side * 0.16
    elif transmission.fate == UNDER_WAY:
        reach = min(1.0, (frame.length - begin) / (layout.axis.length or 1) + 0.15)
        target = a + (target - a) * min(reach, 0.8)
        end = min(end, begin + (60 if frame.down else 140))
    if not closing or transmission.died_at_once or transmission.fate == UNDER_WAY:
        return Arrow(transmission, [(frame.point(a, begin), frame.point(target, end))])
    out, back = (LAST_SIDE, FIRST_SIDE) if a > b else (FIRST_SIDE, LAST_SIDE)
    turn = begin + (end - begin) * out / (out + back)
    last = b + side * 0.16 if transmission.fate == LOST else b
    return Arrow(
        transmission,
        [
            (frame.point(a, begin), frame.point(a - side * out, turn)),
            (frame.point(b + side * back, turn), frame.point(last, end)),
        ],
    )


def place_labels(layout: Layout) -> list[Label]:
    """Every label that finds room: faults first, then messages, shortest way first, then the names of clauses.

    A clause is named where it changes something, where no message set it off, and once in any case.
    """
    frame, story = layout.frame, layout.story
    beyond = (frame.margin, 4) if frame.down else (20, frame.margin)
    canvas = Canvas(frame.right + beyond[0], frame.bottom + beyond[1])
    for lane in range(frame.lanes):
        canvas.add_line(frame.point(lane, 0), frame.point(lane, frame.length), LANE_PRICE)
    x, y = frame.axis_at(0)
    canvas.add_solid(
        make_box(x - 16, y + 500_000, 44, 1_000_100) if frame.down else make_box(x + 500_000, y + 12, 1_000_100, 32)
    )
    for pid in story.ids:
        canvas.add_solid(make_box(*layout.point_of(pid, None, HEADING), measure_text(str(pid), 14), 16))
    for mark in layout.marks:
        size = 9 if mark.icon in ("step", "timeout") else 15
        canvas.add_solid(make_box(*mark.at, size, size))
    for arrow in layout.arrows:
        for start, end in arrow.pieces:
            canvas.add_line(start, end, ARROW_PRICE)
        if arrow.transmission.fate == LOST:
            canvas.add_solid(make_box(*arrow.pieces[-1][1], 9, 9))
    for event, start, _ in layout.network_faults:
        wide = measure_text(describe_network_fault(event), FAULT.size)
        x, y = (start[0] + wide / 2, start[1] - 8) if frame.down else (start[0] + wide / 2 + 5, start[1] + 6)
        slide = (1, 0) if frame.down else (0, 1)
        spots = [Spot(x + slide[0] * by, y + slide[1] * by, 0, by / 100) for by in range(0, 200, 10)]
        canvas.place(describe_network_fault(event), FAULT, spots, FAULT_BUDGET)
    for mark in layout.marks:
        if mark.icon in FAULTS:
            wide = measure_text(mark.icon, FAULT.size)
            canvas.place(mark.icon, FAULT, find_spots_beside(*mark.at, wide, FAULT.size, 10, frame.down), FAULT_BUDGET)
    kinds = story.kinds
    spacious = sorted(layout.arrows, key=lambda arrow: abs(arrow.pieces[0][0][0] - arrow.pieces[0][1][0]))
    for arrow in spacious:
        message = arrow.transmission.message
        wide = measure_text(message.label, MESSAGE.size)
        spots = [spot for start, end in arrow.pieces for spot in find_spots_along(start, end, wide, MESSAGE.size)]
        canvas.place(message.label, MESSAGE, spots, MESSAGE_BUDGET, kinds[message.type])
    seen: set[str] = set()
    for mark in sorted(layout.marks, key=lambda mark: (mark.icon == "step", mark.event.event)):
        event = mark.event
        if event.clause and (event.kind != "message" or event.changed or event.clause not in seen):
            wide = measure_text(event.clause, CLAUSE.size)
            gap = 8 if mark.icon in ("step", "timeout") else 14
            spots = find_spots_beside(*mark.at, wide, CLAUSE.size, gap, frame.down)
            if canvas.place(event.clause, CLAUSE, spots, CLAUSE_BUDGET):
                seen.add(event.clause)
    return canvas.labels
