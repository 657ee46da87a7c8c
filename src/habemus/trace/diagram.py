"""The space-time diagram as SVG.

One drawing for screen and paper: the colours are variables that follow the reader's light or dark setting, message
types also differ by dash, every mark and arrow says in a tooltip what it is. Nothing is loaded from elsewhere, and
nothing is referred to by id, so that several diagrams can share a page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from habemus.properties import Witness
from habemus.trace.format import Event, RecordedRun
from habemus.trace.labels import Point, measure_text
from habemus.trace.layout import HEADING, Arrow, Layout, Mark, lay_out
from habemus.trace.palette import MESSAGE_INKS, ROLE_COLOUR, VIOLATION
from habemus.trace.story import LOST, RECEIVED, UNDER_WAY, Story, Transmission, describe_network_fault, read_story

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'Segoe UI', sans-serif"

LIGHT = {"ground": "#ffffff", "ink": "#1f2328", "soft": "#6b7280", "lane": "#8b929c", "faint": "#e3e6ea"}
DARK = {"ground": "#14171c", "ink": "#e8eaed", "soft": "#9aa3af", "lane": "#6f7885", "faint": "#2a3038"}

RULES = f"""
.hb {{ font-family: {FONT}; background: var(--ground); }}
.hb text {{ fill: var(--ink); text-anchor: middle; dominant-baseline: central; }}
.hb .halo {{ paint-order: stroke; stroke: var(--ground); stroke-width: 3px; stroke-linejoin: round; }}
.hb .title {{ font-size: 15px; font-weight: 600; text-anchor: start; }}
.hb .caption, .hb .key {{ font-size: 12px; fill: var(--soft); text-anchor: start; }}
.hb .key {{ font-size: 11px; }}
.hb .id {{ font-size: 13px; font-weight: 600; }}
.hb .time {{ font-size: 10px; fill: var(--soft); text-anchor: end; }}
.hb .time.level {{ text-anchor: middle; }}
.hb .message {{ font-size: 11px; }}
.hb .clause {{ font-size: 10px; font-style: italic; fill: var(--soft); }}
.hb .fault {{ font-size: 11px; font-weight: 600; }}
.hb .lane {{ stroke: var(--lane); stroke-width: 1.4; }}
.hb .paused {{ stroke-dasharray: 1.5 4; stroke-linecap: round; }}
.hb .axis {{ stroke: var(--soft); stroke-width: 1; fill: none; }}
.hb .axis.tick {{ stroke-width: 3; }}
.hb .rule {{ stroke: var(--faint); stroke-width: 1; }}
.hb .cut {{ stroke: var(--ink); stroke-width: 1; stroke-dasharray: 6 4; }}
.hb .tint {{ stroke-linecap: butt; opacity: 0.38; }}
.hb .arrow {{ stroke-width: 1.5; fill: none; }}
.hb .head {{ stroke: none; }}
.hb .cross {{ stroke-width: 2; stroke-linecap: round; }}
.hb .dot {{ fill: var(--ink); }}
.hb .hollow {{ fill: var(--ground); stroke: var(--ink); stroke-width: 1.6; }}
.hb .icon {{ stroke: var(--ink); stroke-width: 1; stroke-linejoin: round; }}
.hb .stroke {{ stroke: var(--ink); stroke-width: 1.8; fill: none; stroke-linecap: round; }}
.hb .witness {{ fill: none; stroke: {VIOLATION}; stroke-width: 2.4; }}
.hb .accused {{ fill: {VIOLATION}; }}
"""

ICON_PATH = {
    "leader": "M-6.5 5 L-7.5 -4 L-3.4 -0.6 L0 -6.5 L3.4 -0.6 L7.5 -4 L6.5 5 Z",
    "candidate": "M-3.5 7.5 V-7 L6.5 -3.6 L-3.5 -0.2",
    "inside": "M-5.5 -0.5 H5.5 V7 H-5.5 Z M-3.4 -0.5 V-3 A3.4 3.6 0 0 1 3.4 -3 V-0.5",
    "waiting": "M-4.5 -6 H4.5 L-4.5 6 H4.5 Z",
}
MEANING = {
    "leader": "leader",
    "candidate": "candidate",
    "inside": "inside the critical section",
    "waiting": "waiting to enter",
    "step": "a clause runs",
    "timeout": "a timer or the detector speaks",
    "crash": "crash",
    "recover": "recovery",
    "pause": "pause",
    "resume": "end of pause",
    "skew": "clock jumps",
    "drift": "clock drifts",
    "refuse": "the resource refuses a stale token",
}


def draw_space_time(
    trace: RecordedRun,
    *,
    direction: str = "auto",
    theme: str = "auto",
    title: str | None = None,
    unit: str = "ticks",
    limit: int = 500,
    processes: int = 48,
    witnesses: Sequence[Witness] = (),
) -> str:
    """The space-time diagram of a trace.

    Time runs "down" or to the "right" (`direction`; "auto" takes the better shape). `theme` is "light", "dark" or
    "auto", which follows the reader. At most `limit` events of at most `processes` processes are drawn, and the caption
    says so. `witnesses` of violated properties are outlined. `title=""` leaves title and caption out.
    """
    story = read_story(trace, limit, processes)
    heading = trace.header.scenario.get("title") or trace.header.algorithm if title is None else title
    left, top = (100.0 if story.ring else 64.0), (104.0 if heading else 48.0)
    layout = lay_out(story, direction, left, top)
    frame = layout.frame
    width = max(frame.right + (frame.margin if frame.down else 28), 460.0)
    legend, below = draw_legend(layout, frame.bottom + (44 if frame.down else 44 + frame.margin), width)
    height = below + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hb" role="img" width="{px(width)}" height="{px(height)}" '
        f'viewBox="0 0 {px(width)} {px(height)}" aria-label={quoteattr("Space-time diagram: " + heading)}>',
        f"<style>{write_style_sheet(theme)}</style>",
        f'<rect width="{px(width)}" height="{px(height)}" style="fill: var(--ground)"/>',
    ]
    if heading:
        parts.append(f'<text class="title" x="20" y="26">{escape(heading)}</text>')
        parts.append(f'<text class="caption" x="20" y="47">{escape(write_caption(story, trace, unit))}</text>')
    parts += draw_axis(layout, unit)
    parts += draw_lanes(layout, {pid for witness in witnesses for pid in witness.processes})
    kinds = story.kinds
    icons = {mark.event.event: mark.icon for mark in layout.marks}
    parts += [draw_arrow(arrow, kinds[arrow.transmission.message.type], icons) for arrow in layout.arrows]
    parts += [draw_mark(mark) for mark in layout.marks]
    parts += draw_witnesses(layout, witnesses)
    for label in layout.labels:
        turned = f' transform="rotate({px(label.angle)} {px(label.x)} {px(label.y)})"' if label.angle else ""
        tone = f" t{label.kind % len(MESSAGE_INKS)}" if label.kind is not None else ""
        parts.append(
            f'<text class="{label.style.name}{tone} halo" x="{px(label.x)}" y="{px(label.y)}"{turned}>'
            f"{escape(label.text)}</text>"
        )
    return "\n".join([*parts, *legend, "</svg>"]) + "\n"


def write_caption(story: Story, trace: RecordedRun, unit: str) -> str:
    """One line on what the diagram shows."""
    messages = len({transmission.message.message for transmission in story.transmissions})
    n = len(trace.ids)
    said = ["1 process" if n == 1 else f"{n} processes", "1 message" if messages == 1 else f"{messages} messages"]
    if story.events:
        said.append(f"{story.events[-1].time} {unit}")
    if story.leaders:
        names = " and ".join(map(str, story.leaders))
        said.append(f"{names} leads at the end" if len(story.leaders) == 1 else f"{names} lead at the end")
    if len(story.events) < story.total:
        said.append(f"first {len(story.events)} of {story.total} events")
    if len(story.ids) < len(trace.ids):
        said.append(f"first {len(story.ids)} of {len(trace.ids)} processes")
    return " · ".join(said)


def write_style_sheet(theme: str) -> str:
    """The colours as variables, light and dark, and the rules that use them."""
    light = LIGHT | {f"t{k}": ink.light for k, ink in enumerate(MESSAGE_INKS)}
    dark = DARK | {f"t{k}": ink.dark for k, ink in enumerate(MESSAGE_INKS)}
    light |= {f"l{k}": ink.line for k, ink in enumerate(MESSAGE_INKS)}
    dark |= {f"l{k}": ink.dark for k, ink in enumerate(MESSAGE_INKS)}
    kinds = "".join(
        f".hb .t{k} {{ fill: var(--t{k}); }}\n"
        f".hb .l{k} {{ stroke: var(--l{k}); stroke-dasharray: {ink.dash or 'none'}; }}\n"
        f".hb .h{k} {{ fill: var(--l{k}); }}\n.hb .x{k} {{ stroke: var(--l{k}); }}\n"
        for k, ink in enumerate(MESSAGE_INKS)
    )
    sheet = write_variables(dark if theme == "dark" else light)
    if theme == "auto":
        sheet += f"@media (prefers-color-scheme: dark) {{ {write_variables(dark)} }}\n"
    return "\n" + sheet + RULES + kinds


def write_variables(colours: dict[str, str]) -> str:
    """A rule that sets the colour variables."""
    return ".hb { " + " ".join(f"--{name}: {colour};" for name, colour in colours.items()) + " }\n"


def draw_axis(layout: Layout, unit: str) -> list[str]:
    """The time axis with its moments, and a mark where it leaves out idle time."""
    frame, axis = layout.frame, layout.axis
    at = frame.axis_at
    parts: list[str] = []
    breaks = sorted(axis.breaks, key=lambda broken: broken.at)
    begin = 0.0
    for broken in breaks:
        parts.append(draw_line("axis", at(begin), at(broken.at - 4)))
        for shift in (-4, 4):
            (x, y), lean = at(broken.at + shift), (5, 2.5)
            along, across = (lean[1], lean[0]) if not frame.down else lean
            parts.append(draw_line("axis", (x - along, y + across), (x + along, y - across)))
        begin = broken.at + 4
    parts.append(draw_line("axis", at(begin), at(axis.length)))
    labelled = -math.inf
    for moment in axis.moments:
        parts.append(draw_line("axis", at(moment.start), at(moment.start, 4)))
        parts.append(draw_line("axis tick", at(moment.start), at(moment.end)))
        far = frame.point(frame.lanes - 1, moment.start)
        parts.insert(0, draw_line("rule", at(moment.start), far if frame.down else (far[0], frame.top)))
        room = 12 if frame.down else measure_text(str(moment.time), 10) + 6
        if moment.start - labelled >= room:
            x, y = at(moment.start, -7 if frame.down else -11)
            parts.append(draw_text("time" if frame.down else "time level", x, y, str(moment.time)))
            labelled = moment.start
    x, y = at(0, 0)
    if frame.down:
        parts.append(draw_text("time", x + 4, y - 34, unit))
    else:
        parts.append(draw_text("time", x - 16, y + 11, unit))
    return parts


def draw_lanes(layout: Layout, accused: set[int]) -> list[str]:
    """The lane of every process: tinted while it holds a role, dotted while it is paused, missing while it is down."""
    frame, story = layout.frame, layout.story
    parts = []
    for stretch in sorted(story.roles, key=lambda stretch: -choose_tint_width(stretch.what)):
        start = layout.point_of(stretch.process, stretch.start, 0)
        end = layout.point_of(stretch.process, stretch.end, frame.length)
        colour = ROLE_COLOUR.get(stretch.what)
        if colour is not None:
            width = choose_tint_width(stretch.what)
            parts.append(draw_line("tint", start, end, f' stroke="{colour}" stroke-width="{width}"'))
    for pid in story.ids:
        outages = [stretch for stretch in story.outages if stretch.process == pid]
        begin = layout.point_of(pid, None, -14)
        for stretch in outages:
            down = layout.point_of(pid, stretch.start, 0)
            up = layout.point_of(pid, stretch.end, frame.length)
            parts.append(draw_line("lane", begin, down))
            if stretch.what == "pause":
                parts.append(draw_line("lane paused", down, up))
            begin = up
        if not outages or outages[-1].end is not None:
            parts.append(draw_line("lane", begin, layout.point_of(pid, None, frame.length)))
        x, y = layout.point_of(pid, None, HEADING)
        blame = " accused" if pid in accused else ""
        parts.append(draw_text(f"id{blame}", x, y, str(pid)))
    for event, start, end in layout.network_faults:
        parts.append(add_tooltip(draw_line("cut", start, end), f"{describe_network_fault(event)} at {event.time}"))
    return parts


def choose_tint_width(role: str) -> int:
    """How broad the tint of a role is: who leads or is inside stands out from those who would like to."""
    return {"leader": 14, "inside": 10}.get(role, 6)


def draw_arrow(arrow: Arrow, kind: int, icons: dict[int, str]) -> str:
    """The line of a message with its head, or with a cross where it died."""
    transmission = arrow.transmission
    tone = kind % len(MESSAGE_INKS)
    faint = ' opacity="0.55"' if transmission.fate == UNDER_WAY or transmission.copy else ""
    parts = []
    for number, (start, end) in enumerate(arrow.pieces):
        final = number == len(arrow.pieces) - 1
        if final and transmission.fate == RECEIVED and transmission.end is not None:
            end = shorten(start, end, 4.0 if icons.get(transmission.end.event) in ("step", "timeout") else 9.0)
            parts.append(draw_line(f"arrow l{tone}", start, shorten(start, end, 5)))
            parts.append(draw_head(start, end, tone))
        else:
            parts.append(draw_line(f"arrow l{tone}", start, end))
        if final and transmission.fate == LOST:
            x, y = end
            parts.append(draw_line(f"cross x{tone}", (x - 4, y - 4), (x + 4, y + 4)))
            parts.append(draw_line(f"cross x{tone}", (x - 4, y + 4), (x + 4, y - 4)))
    return add_tooltip(f"<g{faint}>{''.join(parts)}</g>", describe_transmission(transmission))


def describe_transmission(transmission: Transmission) -> str:
    """What the tooltip of an arrow says."""
    message = transmission.message
    text = f"{message.label} from {message.sender} to {message.to}, sent at {transmission.sent.time}"
    if transmission.fate == LOST and transmission.end is not None:
        return f"{text}, lost at {transmission.end.time}: {transmission.end.subject}"
    if transmission.end is None:
        return f"{text}, still under way"
    return f"{text}, received at {transmission.end.time}" + (" (a copy)" if transmission.copy else "")


def draw_mark(mark: Mark) -> str:
    """An event on its lane."""
    return add_tooltip(
        f'<g transform="translate({px(mark.at[0])} {px(mark.at[1])})">{draw_icon(mark.icon)}</g>',
        describe_event(mark.event),
    )


def describe_event(event: Event) -> str:
    """What the tooltip of an event says."""
    about = f" {event.subject}" if event.subject is not None else ""
    text = f"{event.time}: {event.clause or event.kind} at {event.process} ({event.kind}{about})"
    changes = ", ".join(f"{name} = {value}" for name, value in event.changed.items())
    return f"{text}; {changes}" if changes else text


def draw_icon(name: str) -> str:
    """The sign for a kind of event, around the origin."""
    if name in ICON_PATH:
        return f'<path class="icon" d="{ICON_PATH[name]}" fill="{ROLE_COLOUR[name]}"/>'
    if name == "step":
        return '<circle class="dot" r="3.2"/>'
    if name == "timeout":
        return '<path class="hollow" d="M0 -5 L5 0 L0 5 L-5 0 Z"/>'
    if name == "pause":
        return '<circle class="hollow" r="6"/><path class="stroke" d="M-2 -2.5 V2.5 M2 -2.5 V2.5"/>'
    if name == "resume":
        return '<circle class="hollow" r="6"/><path class="dot" d="M-2 -3.4 L4 0 L-2 3.4 Z"/>'
    if name == "refuse":
        return '<circle class="witness" r="6"/><path class="witness" d="M-4.2 4.2 L4.2 -4.2"/>'
    if name == "recover":
        return '<circle class="hollow" r="5.5"/><circle class="dot" r="2.4"/>'
    return '<circle class="hollow" r="5.5"/>'


def draw_witnesses(layout: Layout, witnesses: Sequence[Witness]) -> list[str]:
    """An outline around each event that proves a violation."""
    parts = []
    for witness in witnesses:
        for mark in layout.marks:
            if mark.event.event in witness.events:
                ring = f'<circle class="witness" cx="{px(mark.at[0])}" cy="{px(mark.at[1])}" r="12"/>'
                parts.append(add_tooltip(ring, f"violation: {witness.text}"))
    return parts


def draw_legend(layout: Layout, top: float, width: float) -> tuple[list[str], float]:
    """What the signs mean that occur in this diagram; and where the legend ends."""
    story = layout.story
    items: list[tuple[str, str]] = []
    for name, number in story.kinds.items():
        items.append((draw_sample_arrow(number % len(MESSAGE_INKS)), name))
    fates = {transmission.fate for transmission in story.transmissions}
    if LOST in fates:
        items.append(('<path class="stroke" d="M-4 -4 L4 4 M-4 4 L4 -4"/>', "lost"))
    if UNDER_WAY in fates:
        items.append(('<path class="stroke" opacity="0.55" d="M-10 0 H10"/>', "still under way"))
    if any(transmission.copy for transmission in story.transmissions):
        items.append((f'<g opacity="0.55">{draw_sample_arrow(0)}</g>', "copy"))
    present = {mark.icon for mark in layout.marks}
    items += [(draw_icon(name), meaning) for name, meaning in MEANING.items() if name in present]
    if any(story.closes_ring(transmission) for transmission in story.transmissions):
        sign = '<path class="stroke" d="M-11 0 H-4 M4 0 H11 M-7 -3 L-4 0 L-7 3 M8 -3 L11 0 L8 3"/>'
        items.append((sign, "out on one side, in on the other: the ring closes"))
    if layout.axis.breaks:
        items.append(('<path class="axis" d="M-9 0 H-3 M3 0 H9 M-5 5 L-1 -5 M1 5 L5 -5"/>', "idle time left out"))
    if not layout.axis.even:
        sign = '<path class="axis" d="M-10 0 H10 M-10 -4 V4 M-6 -4 V4 M3 -4 V4 M10 -4 V4"/>'
        items.append((sign, "time is not to scale"))
    x, y = 32.0, top
    parts = []
    for sign, meaning in items:
        room = 22 + measure_text(meaning, 11) + 24
        if x + room > width and x > 32.0:
            x, y = 32.0, y + 22
        words = f'<text class="key" x="17" y="0">{escape(meaning)}</text>'
        parts.append(f'<g transform="translate({px(x)} {px(y)})">{sign}{words}</g>')
        x += room
    return parts, y + 10


def draw_sample_arrow(tone: int) -> str:
    """An arrow for the legend, around the origin."""
    return draw_line(f"arrow l{tone}", (-10, 0), (6, 0)) + draw_head((-10, 0), (11, 0), tone)


def draw_head(start: Point, tip: Point, tone: int) -> str:
    """The head of an arrow."""
    (x1, y1), (x2, y2) = start, tip
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    bx, by = x2 - 8.5 * ux, y2 - 8.5 * uy
    corners = [(x2, y2), (bx - 3.4 * uy, by + 3.4 * ux), (bx + 3.4 * uy, by - 3.4 * ux)]
    return f'<polygon class="head h{tone}" points="{" ".join(f"{px(x)},{px(y)}" for x, y in corners)}"/>'


def shorten(start: Point, end: Point, by: float) -> Point:
    """The point a little before the end of a line."""
    (x1, y1), (x2, y2) = start, end
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    return x2 - by * (x2 - x1) / length, y2 - by * (y2 - y1) / length


def draw_line(classes: str, start: Point, end: Point, more: str = "") -> str:
    """A straight line."""
    (x1, y1), (x2, y2) = start, end
    return f'<line class="{classes}" x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}"{more}/>'


def draw_text(classes: str, x: float, y: float, words: str) -> str:
    """A text."""
    return f'<text class="{classes}" x="{px(x)}" y="{px(y)}">{escape(words)}</text>'


def add_tooltip(drawing: str, words: str) -> str:
    """A drawing with a tooltip."""
    return f"<g><title>{escape(words)}</title>{drawing}</g>"


def px(value: float) -> str:
    """A number as short as a tenth of a pixel allows."""
    return f"{value:.1f}".removesuffix(".0")
