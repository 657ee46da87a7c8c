"""A small space-time diagram for the terminal: one column for each process, one row for each thing that happens.

    tick   2     3     1
       0   ⚑     ⚑     ⚑    call_election
       1   ├────▶●     │    Candidate(2)  weigh_candidate

An arrow stands in the row in which its message is received. What one step sends to several processes, and what several
processes do alike in the same tick, share a row (rows.py, which also chooses what is shown of a long run). A double
line is one message to several: it starts at ╬, and all ● on it receive it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from textwrap import fill
from types import MappingProxyType

from rich.style import Style
from rich.text import Text

from habemus.trace.format import Event, RecordedRun, SentMessage
from habemus.trace.palette import MESSAGE_INKS, ROLE_COLOUR, VIOLATION
from habemus.trace.rows import Row, choose_rows, gather_rows
from habemus.trace.story import describe_network_fault, read_story

TIME_WIDTH = 6
WORDS_WIDTH, FEWEST_WORDS = 40, 24
NO_BREAK = "\u00a0"
NARROWEST, WIDEST = 3, 8
NOTHING: Mapping[int, str] = MappingProxyType({})
STEP, TO_SEVERAL = "◇", "╬═▶"

ICONS = {"leader": "♛", "candidate": "⚑", "inside": "▣", "waiting": "◷"}
FAULTS = {"crash": "○", "recover": "◉", "pause": "‖", "resume": "▸", "skew": "◔", "drift": "◔", "refuse": "⊘"}
MEANING = {
    "⚑": "candidate",
    "♛": "leader",
    "▣": "inside",
    "◷": "waiting",
    "◔": "clock fault",
    STEP: "",  # what set these steps off differs
    "○": "crash",
    "◉": "recovery",
    "‖": "pause",
    "▸": "end of pause",
    "✗": "lost",
    "⊘": "refused by the resource",
    TO_SEVERAL: "one message to several",
}
CAUSES = {  # of a step that no message set off, by its kind
    "start": "start",
    "timeout": "timer",
    "suspect": "detector",
    "trust": "detector",
    "level": "detector",
    "leader": "election below",
    "recover": "recovery",
    "command": "command",
    "indication": "layer below",
    "request": "layer above",
    "whenever": "condition",
}
CAUSES_IN_ORDER = list(dict.fromkeys(CAUSES.values()))
SAID = {"crash": "crashes", "recover": "is back", "pause": "pauses", "resume": "goes on", "refuse": "is refused"}
LANES = {"leader": "┃", "inside": "┃", "crash": " ", "pause": "┊"}
ROLES_SAID = {  # for one process and for several
    "leader": ("leads", "lead"),
    "inside": ("is inside", "are inside"),
    "candidate": ("stands", "stand"),
}


def draw_for_terminal(
    trace: RecordedRun,
    width: int = 80,
    rows: int = 40,
    total: int | None = None,
    evidence: Mapping[int, str] = NOTHING,
    hint: str = "",
    say: Callable[[str], str] = str,
) -> Text:
    """The diagram of a trace for a terminal of that many columns, in at most so many rows.

    `total`: the events of the run, if not all were kept. `evidence`: the numbers of the events that show a violation,
    each with a note. `hint`: how the user can see all events. `say`: translates.
    """
    story = read_story(trace)
    lanes = Lanes(*fit_lanes(story.ids, width))
    kinds = story.kinds
    text = lanes.heading(say("tick"))
    gathered = gather_rows(story.events)
    shown = set(choose_rows(gathered, evidence, rows))
    legend = Legend(say)
    time = None
    hidden = 0
    for place, row in enumerate(gathered):
        if place not in shown:
            lanes.pass_over(row)
            hidden += len(row.events)
            continue
        if hidden:
            text.append_text(tell_hidden(hidden, hint, say))
            hidden, time = 0, None
        now = row.events[0].time
        text.append(f"{now if now != time else '':>{TIME_WIDTH - 2}}  ", Style(dim=True))
        time = now
        text.append_text(lanes.draw(row, kinds))
        notes = [evidence[event.event] for event in row.events if evidence.get(event.event)]
        text.append_text(describe_row(row, kinds, len(trace.ids), width - TIME_WIDTH - lanes.width, notes, say))
        text.append("\n")
        legend.note(row, bool(lanes.ids))
    hidden += (story.total if total is None else total) - len(story.events)
    if hidden:
        text.append_text(tell_hidden(hidden, hint, say))
    return text.append(legend.write(width), Style(dim=True))


def tell_hidden(events: int, hint: str, say: Callable[[str], str]) -> Text:
    """The line that stands for events that are not shown."""
    said = f"… {events:,} event{'s' if events != 1 else ''}" + (f", {hint}" if hint else "")
    return Text(f"{'':{TIME_WIDTH}}{say(said)}\n", Style(dim=True))


class Legend:
    """What the signs mean that were used."""

    def __init__(self, say: Callable[[str], str]) -> None:
        self.say = say
        self.signs: set[str] = set()
        self.causes: set[str] = set()  # of steps that no message set off

    def note(self, row: Row, drawn: bool) -> None:
        self.signs |= {choose_sign(event) for event in row.events}
        self.causes |= {CAUSES.get(event.kind, event.kind) for event in row.events if choose_sign(event) == STEP}
        if row.is_broadcast and drawn:
            self.signs.add(TO_SEVERAL)

    def write(self, width: int) -> str:
        meanings = {**MEANING, STEP: ", ".join(self.say(cause) for cause in CAUSES_IN_ORDER if cause in self.causes)}
        used = [(sign, self.say(meaning)) for sign, meaning in meanings.items() if sign in self.signs]
        explained = [f"{sign}{NO_BREAK}{meaning.replace(' ', NO_BREAK)}" for sign, meaning in used]
        indent = " " * TIME_WIDTH
        lines = fill("   ".join(explained), width, initial_indent=indent, subsequent_indent=indent)
        return lines.replace(NO_BREAK, " ")


def fit_lanes(ids: list[int], width: int) -> tuple[list[int], int]:
    """The lanes and how far apart they stand; no lanes at all if they would leave too little room for words."""
    least = max([NARROWEST] + [len(str(pid)) + 1 for pid in ids])
    room = width - TIME_WIDTH
    pitch = min(WIDEST, max(least, (room - WORDS_WIDTH) // max(1, len(ids))))
    return (ids, pitch) if pitch * len(ids) + FEWEST_WORDS <= room else ([], 0)


class Lanes:
    """The columns of the processes, and what state each is in as the rows go by."""

    def __init__(self, ids: list[int], pitch: int) -> None:
        self.ids = ids
        self.pitch = pitch
        self.column = {pid: number * pitch for number, pid in enumerate(ids)}
        self.roles: defaultdict[int, dict[str, str]] = defaultdict(dict)  # process -> layer -> role
        self.out: dict[int, str] = {}
        self.width = len(ids) * pitch

    def heading(self, unit: str) -> Text:
        """The ids above their columns, and the unit of time."""
        text = Text().append(f"{unit:>{TIME_WIDTH - 2}}  "[:TIME_WIDTH], Style(dim=True))
        for pid in self.ids:
            text.append(f"{pid:<{self.pitch}}", Style(bold=True))
        return text.append("\n")

    def draw(self, row: Row, kinds: dict[str, int]) -> Text:
        """The lanes with what happens in this row; afterwards they are in the state that it leaves behind."""
        cells = [(" ", Style())] * self.width
        for pid, column in self.column.items():
            cells[column] = self.lane(pid)
        if row.is_broadcast and self.ids:
            self.draw_broadcast(cells, row, kinds)
        elif self.ids:
            for event in row.events:
                for message in event.received:
                    self.draw_arrow(cells, message, event.kind == "lost", Style(color=choose_tone(kinds, message)))
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

    def pass_over(self, row: Row) -> None:
        """Take on the state that a row leaves behind which is not shown."""
        for event in row.events:
            if event.process is not None:
                self.enter(event, event.process)

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
        return choose_sign(event), Style(color=ROLE_COLOUR.get(self.state(pid)), bold=loud)

    def draw_arrow(self, cells: list[tuple[str, Style]], message: SentMessage, lost: bool, style: Style) -> None:
        """An arrow from lane to lane; a lost message ends in a cross before it gets there."""
        start, end = self.column[message.sender], self.column[message.to]
        step = 1 if end > start else -1
        cells[start] = (("├" if step > 0 else "┤") if cells[start][0] not in ("┤" if step > 0 else "├") else "┼", style)
        for column in range(start + step, end, step):
            if cells[column][0] in " ─":
                cells[column] = ("─", style)
            elif cells[column][0] in "│┃┊":
                cells[column] = ("┼", style)
        cells[end - step] = ("✗" if lost else "▶" if step > 0 else "◀", style)

    def draw_broadcast(self, cells: list[tuple[str, Style]], row: Row, kinds: dict[str, int]) -> None:
        """One line from the sender through all receivers to the last one on either side."""
        message = row.events[0].received[0]
        style = Style(color=choose_tone(kinds, message))
        start = self.column[message.sender]
        ends = [self.column[event.received[0].to] for event in row.events]
        for end in {min(ends), max(ends)} - {start}:
            step = 1 if end > start else -1
            if any((other - start) * step > (end - start) * step for other in ends):
                continue
            for column in range(start + step, end, step):
                cells[column] = ("╪" if cells[column][0] in "│┃┊" else "═", style)
            cells[end - step] = ("▶" if step > 0 else "◀", style)
        cells[start] = ("╬", style)


def choose_sign(event: Event) -> str:
    """The sign for an event: the fault, the role it brings, or what set it off."""
    if event.kind == "lost":
        return "✗"
    if event.kind in FAULTS and not event.clause:
        return FAULTS[event.kind]
    return ICONS.get(event.role or "", "●" if event.kind in ("message", "pulse") else STEP)


def describe_row(
    row: Row, kinds: dict[str, int], n: int, width: int, notes: list[str], say: Callable[[str], str]
) -> Text:
    """What happens in a row, in words, after what it is evidence of."""
    event = row.events[0]
    dim = Style(dim=True)
    text = Text("".join(f"✗ {note}  " for note in notes), Style(color=VIOLATION, bold=True))
    if event.process is None and event.kind != "lost":
        return text.append(describe_network_fault(event), Style(bold=True))
    for message in event.received:
        text.append(f"{message.label}  ", Style(color=choose_tone(kinds, message)))
    if event.kind == "lost":
        text.append(f"{say('lost')}: {say(str(event.subject))}", dim)
    elif event.kind in FAULTS and not event.clause:
        text.append(say(f"{list_processes(row.events)} {SAID.get(event.kind, event.kind)}"), Style(bold=True))
    else:
        text.append(event.clause, dim)
    for role, (one, several) in ROLES_SAID.items():
        having = [other for other in row.events if other.role == role]
        if having:
            who = "all" if len(having) == n > 2 else list_processes(having)
            said = say(f"{who} {one if len(having) == 1 else several}")
            text.append(f"  {said}", Style(color=ROLE_COLOUR[role], bold=True))
    text.truncate(width, overflow="ellipsis")
    return text


def list_processes(events: list[Event]) -> str:
    """The processes of some events."""
    return ", ".join(str(event.process) for event in events)


def choose_tone(kinds: dict[str, int], message: SentMessage) -> str:
    """The colour of a message, readable on light and dark terminals alike."""
    return MESSAGE_INKS[kinds[message.type] % len(MESSAGE_INKS)].line
