"""A trace read as a story: who sent what to whom, what became of it, and how each process fared meanwhile.

Every picture needs the same three things that the event list only implies: the transmission of each message from the
event that sent it to the one that received or lost it; the stretches in which a process held a role; and those in which
it was down or paused. Causality is taken from message numbers and from the order of events at each process.
"""

from __future__ import annotations

from dataclasses import dataclass

from habemus.trace.format import Event, RecordedRun, SentMessage

RECEIVED, LOST, UNDER_WAY = "received", "lost", "under way"


@dataclass(frozen=True)
class Transmission:
    """A message on its way; a duplicate is a transmission of its own."""

    message: SentMessage
    sent: Event
    fate: str
    end: Event | None
    copy: bool = False

    @property
    def died_at_once(self) -> bool:
        """Whether the network lost it in the tick in which it was sent."""
        return self.fate == LOST and self.end is not None and self.end.time == self.sent.time


@dataclass(frozen=True)
class Stretch:
    """From one event at a process to another (None: to the end), something was so."""

    process: int
    what: str
    start: Event
    end: Event | None


@dataclass(frozen=True)
class Story:
    """The first events of a trace, understood."""

    ids: list[int]
    events: list[Event]
    total: int
    transmissions: list[Transmission]
    roles: list[Stretch]
    outages: list[Stretch]
    ring: bool = False
    declared: tuple[str, ...] = ()  # types of messages

    def closes_ring(self, transmission: Transmission) -> bool:
        """Whether a message goes between the last seat of a ring and the first."""
        return self.ring and {transmission.message.sender, transmission.message.to} == {self.ids[0], self.ids[-1]}

    @property
    def kinds(self) -> dict[str, int]:
        """The number of each type of messages that appears: its place in the declaration, or after all of these."""
        seen = dict.fromkeys(transmission.message.type for transmission in self.transmissions)
        order = dict.fromkeys([*self.declared, *seen])
        return {name: number for number, name in enumerate(order) if name in seen}

    @property
    def leaders(self) -> list[int]:
        """Who leads at the end, in the order in which they took office."""
        return [stretch.process for stretch in self.roles if stretch.what == "leader" and stretch.end is None]


def read_story(trace: RecordedRun, limit: int | None = None, processes: int | None = None) -> Story:
    """The story of the first `limit` events, as far as the first `processes` processes take part in it."""
    ids = trace.ids if processes is None else trace.ids[:processes]
    shown = set(ids)
    ordered = sorted(trace.events, key=lambda event: event.event)
    concerning = [event for event in ordered if find_lane(event) is None or find_lane(event) in shown]
    events = concerning[:limit]
    transmissions = find_transmissions(events, shown)
    return Story(
        ids,
        events,
        len(concerning),
        transmissions,
        find_roles(events),
        find_outages(events),
        is_ring(trace, len(ids)),
        tuple(trace.header.types),
    )


def is_ring(trace: RecordedRun, shown: int) -> bool:
    """Whether the links are just those between neighbouring places, and enough of them to see a circle."""
    ids = trace.ids
    circle = {frozenset(pair) for pair in zip(ids, ids[1:] + ids[:1], strict=True)}
    return shown == len(ids) > 3 and circle == {frozenset(edge) for edge in trace.header.edges}


def find_lane(event: Event) -> int | None:
    """At whose lane an event happens: a lost message dies on its way to the receiver."""
    return event.received[0].to if event.kind == "lost" else event.process


def find_transmissions(events: list[Event], shown: set[int]) -> list[Transmission]:
    """Every message between processes that are shown, in the order of sending."""
    arrivals: dict[int, list[tuple[str, Event]]] = {}
    for event in events:
        for message in event.received:
            arrivals.setdefault(message.message, []).append((LOST if event.kind == "lost" else RECEIVED, event))
    transmissions = []
    for event in events:
        for message in event.sent:
            if message.to in shown:
                ends = arrivals.get(message.message)
                if ends is None:
                    transmissions.append(Transmission(message, event, UNDER_WAY, None))
                    continue
                for number, (fate, end) in enumerate(ends):
                    transmissions.append(Transmission(message, event, fate, end, copy=number > 0))
    return transmissions


def find_roles(events: list[Event]) -> list[Stretch]:
    """Who held which role from when to when; the layers of a process may each have one."""
    held: dict[tuple[int, str], tuple[str, Event]] = {}
    stretches = []
    for event in events:
        if event.process is None or (event.role is None and event.kind != "crash"):
            continue
        ended = [key for key in held if (key[0] == event.process and event.kind == "crash") or key == find_layer(event)]
        for key in ended:
            role, start = held.pop(key)
            stretches.append(Stretch(key[0], role, start, event))
        if event.role:
            held[find_layer(event)] = (event.role, event)
    stretches += [Stretch(key[0], role, start, None) for key, (role, start) in held.items()]
    return sorted(stretches, key=lambda stretch: stretch.start.event)


def find_layer(event: Event) -> tuple[int, str]:
    """The layer at which an event happens."""
    assert event.process is not None
    return event.process, event.layer


def find_outages(events: list[Event]) -> list[Stretch]:
    """Who was down or paused from when to when."""
    ends = {"recover": "crash", "resume": "pause"}
    out: dict[int, Event] = {}
    stretches = []
    for event in events:
        pid = event.process
        if pid is None:
            continue
        begun = out.get(pid)
        if event.kind in ("crash", "pause"):
            if begun is not None:  # a paused process crashes: the pause is over
                stretches.append(Stretch(pid, begun.kind, begun, event))
            out[pid] = event
        elif begun is not None and ends.get(event.kind) == begun.kind:
            stretches.append(Stretch(pid, begun.kind, begun, event))
            del out[pid]
    stretches += [Stretch(pid, start.kind, start, None) for pid, start in out.items()]
    return sorted(stretches, key=lambda stretch: stretch.start.event)


def describe_network_fault(event: Event) -> str:
    """A fault of the network in words: `cut 1-4`, `partition 1 2 | 3 4`, `heal`, `delay message 3, ...`."""
    if isinstance(event.subject, str):
        return f"{event.kind} {event.subject}"
    groups = event.subject if isinstance(event.subject, list) else []
    if event.kind == "partition" or any(len(group) != 2 for group in groups):
        return "partition " + " | ".join(" ".join(map(str, group)) for group in groups)
    return f"{event.kind} {', '.join(f'{a}-{b}' for a, b in groups)}".rstrip()
