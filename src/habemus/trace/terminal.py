"""A small space-time diagram for the terminal: one column for each process, one row for each thing that happens.

    tick   2     3     1
       0   ⚑     ⚑     ⚑    call_election
       1   ├────▶●     │    Candidate(2)  weigh_candidate

An arrow stands in the row in which its message is received. What one step sends to several processes, and what several
processes do alike in the same tick, share a row.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from textwrap import fill

from rich.style import Style
from rich.text import Text

from habemus.trace.format import Carried, Event, Trace
from habemus.trace.palette import MESSAGE_INKS, ROLE_COLOUR
from habemus.trace.story import fault_text, read_story, where

TIME_WIDTH = 6
WORDS_WIDTH, FEWEST_WORDS = 40, 24
NO_BREAK = "\u00a0"
NARROWEST, WIDEST = 3, 8

ICONS = {"leader": "♛", "candidate": "⚑", "inside": "▣", "waiting": "◷"}
FAULTS = {"crash": "○", "recover": "◉", "pause": "‖", "resume": "▸", "skew": "◔", "drift": "◔", "refuse": "⊘"}
MEANING = {
    "⚑": "candidate",
    "♛": "leader",
    "▣": "inside",
    "◷": "waiting",
    "◔": "clock fault",
    "◇": "timer or detector",
    "○": "crash",
    "◉": "recovery",
    "‖": "pause",
    "▸": "end of pause",
    "✗": "lost",
    "⊘": "refused by the resource",
}
SAID = {"crash": "crashes", "recover": "is back", "pause": "pauses", "resume": "goes on", "refuse": "is refused"}
LANES = {"leader": "┃", "inside": "┃", "crash": " ", "pause": "┊"}
ROLES_SAID = {  # for one process and for several
    "leader": ("leads", "lead"),
    "inside": ("is inside", "are inside"),
    "candidate": ("stands", "stand"),
}


@dataclass
class Row:
    """Events that share a row."""

    events: list[Event] = field(default_factory=list)

    def joins(self, event: Event) -> bool:
        """Whether an event is of the same sort and moment as those in the row, at another process."""
        first = self.events[0]
        if (event.time, event.kind, event.clause) != (first.time, first.kind, first.clause) or where(event) is None:
            return False
        if where(event) in {where(other) for other in self.events}:
            return False
        return [gist(carried) for carried in event.received] == [gist(carried) for carried in first.received]


def gist(carried: Carried) -> tuple[int, str]:
    """What two messages have in common that can share an arrow."""
    return carried.sender, carried.label


def terminal_diagram(trace: Trace, width: int = 80, rows: int = 40, total: int | None = None) -> Text:
    """The diagram of a trace for a terminal of that many columns, in at most so many rows."""
    story = read_story(trace)
    lanes = Lanes(*fitting(story.ids, width))
    kinds = {name: number for number, name in enumerate(story.message_types)}
    text = lanes.heading()
    shown = rows_of(story.events)[:rows]
    signs: set[str] = set()
    time = None
    for row in shown:
        now = row.events[0].time
        text.append(f"{now if now != time else '':>{TIME_WIDTH - 2}}  ", Style(dim=True))
        time = now
        text.append_text(lanes.draw(row, kinds))
        text.append_text(words(row, kinds, len(trace.ids), width - TIME_WIDTH - lanes.width))
        text.append("\n")
        signs |= {sign_of(event) for event in row.events}
    left = (story.total if total is None else total) - sum(len(row.events) for row in shown)
    if left:
        text.append(f"{'':{TIME_WIDTH}}... and {left:,} more events\n", Style(dim=True))
    explained = [
        f"{sign}{NO_BREAK}{meaning.replace(' ', NO_BREAK)}" for sign, meaning in MEANING.items() if sign in signs
    ]
    indent = " " * TIME_WIDTH
    legend = fill("   ".join(explained), width, initial_indent=indent, subsequent_indent=indent)
    return text.append(legend.replace(NO_BREAK, " "), Style(dim=True))


def fitting(ids: list[int], width: int) -> tuple[list[int], int]:
    """The lanes and how far apart they stand; no lanes at all if they would leave too little room for words."""
    least = max([NARROWEST] + [len(str(pid)) + 1 for pid in ids])
    room = width - TIME_WIDTH
    pitch = min(WIDEST, max(least, (room - WORDS_WIDTH) // max(1, len(ids))))
    return (ids, pitch) if pitch * len(ids) + FEWEST_WORDS <= room else ([], 0)


def rows_of(events: list[Event]) -> list[Row]:
    """The events, those that go together in one row."""
    rows: list[Row] = []
    for event in events:
        if rows and rows[-1].joins(event):
            rows[-1].events.append(event)
        else:
            rows.append(Row([event]))
    return rows


class Lanes:
    """The columns of the processes, and what state each is in as the rows go by."""

    def __init__(self, ids: list[int], pitch: int) -> None:
        self.ids = ids
        self.pitch = pitch
        self.column = {pid: number * pitch for number, pid in enumerate(ids)}
        self.roles: defaultdict[int, dict[str, str]] = defaultdict(dict)  # process -> layer -> role
        self.out: dict[int, str] = {}
        self.width = len(ids) * pitch

    def heading(self) -> Text:
        """The ids above their columns."""
        text = Text().append(f"{'tick':>{TIME_WIDTH - 2}}  ", Style(dim=True))
        for pid in self.ids:
            text.append(f"{pid:<{self.pitch}}", Style(bold=True))
        return text.append("\n")

    def draw(self, row: Row, kinds: dict[str, int]) -> Text:
        """The lanes with what happens in this row; afterwards they are in the state that it leaves behind."""
        cells = [(" ", Style())] * self.width
        for pid, column in self.column.items():
            cells[column] = self.lane(pid)
        for event in row.events:
            for carried in event.received:
                if self.ids:
                    self.draw_arrow(cells, carried, event.kind == "lost", Style(color=tone(kinds, carried)))
        for event in row.events:
            if event.process is None:
                if event.kind != "lost":
                    cells = [("╌" if sign == " " else sign, style) for sign, style in cells]
                continue
            self.enter(event, event.process)
            if self.ids:
                cells[self.column[event.process]] = self.icon(event, event.process)
        text = Text()
        for sign, style in cells:
            text.append(sign, style)
        return text

    def enter(self, event: Event, pid: int) -> None:
        """Remember the state in which an event leaves its process."""
        if event.kind in ("crash", "pause") and not event.clause:
            self.out[pid] = event.kind
        elif event.kind in ("recover", "resume") and not event.clause:
            self.out.pop(pid, None)
        if event.kind == "crash":
            self.roles[pid] = {}
        elif event.role is not None:
            self.roles[pid][event.layer] = event.role

    def state(self, pid: int) -> str:
        """The role of a process that shows: the one that comes first among those of its layers."""
        held = self.roles[pid].values()
        return next((role for role in ("inside", "leader", "candidate", "waiting") if role in held), "")

    def lane(self, pid: int) -> tuple[str, Style]:
        """The piece of lane of a process to which nothing happens."""
        state = self.state(pid)
        sign = LANES.get(self.out.get(pid, state), "│")
        return sign, Style(color=ROLE_COLOUR.get(state), dim=state not in ROLE_COLOUR)

    def icon(self, event: Event, pid: int) -> tuple[str, Style]:
        """The sign of an event at its process."""
        loud = event.kind in FAULTS or bool(event.role)
        return sign_of(event), Style(color=ROLE_COLOUR.get(self.state(pid)), bold=loud)

    def draw_arrow(self, cells: list[tuple[str, Style]], carried: Carried, lost: bool, style: Style) -> None:
        """An arrow from lane to lane; a lost message ends in a cross before it gets there."""
        start, end = self.column[carried.sender], self.column[carried.to]
        step = 1 if end > start else -1
        cells[start] = (("├" if step > 0 else "┤") if cells[start][0] not in ("┤" if step > 0 else "├") else "┼", style)
        for column in range(start + step, end, step):
            if cells[column][0] in " ─":
                cells[column] = ("─", style)
            elif cells[column][0] in "│┃┊":
                cells[column] = ("┼", style)
        cells[end - step] = ("✗" if lost else "▶" if step > 0 else "◀", style)


def sign_of(event: Event) -> str:
    """The sign for an event: the fault, the role it brings, or what set it off."""
    if event.kind == "lost":
        return "✗"
    if event.kind in FAULTS and not event.clause:
        return FAULTS[event.kind]
    return ICONS.get(event.role or "", "●" if event.kind in ("message", "pulse") else "◇")


def words(row: Row, kinds: dict[str, int], n: int, width: int) -> Text:
    """What happens in a row, in words."""
    event = row.events[0]
    dim = Style(dim=True)
    text = Text()
    if event.process is None and event.kind != "lost":
        return text.append(fault_text(event), Style(bold=True))
    for carried in event.received:
        text.append(f"{carried.label}  ", Style(color=tone(kinds, carried)))
    if event.kind == "lost":
        text.append(f"lost: {event.subject}", dim)
    elif event.kind in FAULTS and not event.clause:
        text.append(f"{listed(row.events)} {SAID.get(event.kind, event.kind)}", Style(bold=True))
    else:
        text.append(event.clause, dim)
    for role, (one, several) in ROLES_SAID.items():
        having = [other for other in row.events if other.role == role]
        if having:
            who = "all" if len(having) == n > 2 else listed(having)
            text.append(f"  {who} {one if len(having) == 1 else several}", Style(color=ROLE_COLOUR[role], bold=True))
    text.truncate(width, overflow="ellipsis")
    return text


def listed(events: list[Event]) -> str:
    """The processes of some events."""
    return ", ".join(str(event.process) for event in events)


def tone(kinds: dict[str, int], carried: Carried) -> str:
    """The colour of a message, readable on light and dark terminals alike."""
    return MESSAGE_INKS[kinds[carried.type] % len(MESSAGE_INKS)].line
