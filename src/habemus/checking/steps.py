"""The steps of single processes: local states and events are small numbers, and what one does in the other a look-up.

The outcome of an event in a local state is worked out once, by running the clause (`probe`); in practice a few dozen
times while millions of global steps are explored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from habemus.checking.inboxes import Inboxes
from habemus.checking.limits import ASYNC, BOUNDED, EVENTUAL, LATE, ORDERED, Limits
from habemus.checking.onlookers import Note, Onlookers
from habemus.checking.probe import ARRIVALS, MOST_BRANCHES, WORDS, Event, Local, NonDeterminismError, Probe
from habemus.process import Anatomy, Election, MisuseError, Mutex, Pid
from habemus.process.source import place as where
from habemus.properties import Property
from habemus.simulation.run import failed_clause
from habemus.simulation.topology import Topology

CHECKED_TWICE = 2000  # clauses run, before only one in sixteen is run again to see whether it is deterministic


class Outcome:
    """What an event does in a local state: the next one, what is sent (place, event), what onlookers see."""

    def __init__(self, local: int, sends: tuple[tuple[int, int], ...], note: int, coins: tuple[int, ...]) -> None:
        self.local = local
        self.sends = sends
        self.note = note
        self.coins = coins
        self.explored = False  # whether the search has met it


def size(value: Any) -> int | None:
    """What a bound is compared with: a number, or how many there are; nothing else has a size."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return len(value) if isinstance(value, tuple | frozenset) else None


def has_circle(successors: dict[int, set[int]]) -> bool:
    """Whether a graph has a circle: what nothing leads to is taken away until nothing, or a circle, is left."""
    entries: dict[int, int] = dict.fromkeys(successors, 0)
    for found in successors.values():
        for number in found:
            entries[number] = entries.get(number, 0) + 1
    free = [number for number, count in entries.items() if count == 0]
    left = len(entries) - len(free)
    while free:
        for number in successors.get(free.pop(), ()):
            entries[number] -= 1
            if entries[number] == 0:
                free.append(number)
                left -= 1
    return left > 0


class Setting(NamedTuple):
    """What is explored: a stack of algorithms on a topology, within limits, and the properties it should have."""

    stack: list[Anatomy]
    parameters: list[dict[str, Any]]
    topology: Topology
    starters: list[Pid]
    limits: Limits
    properties: Callable[[], list[Property]]
    wanted: list[str]


class Steps:
    """Local states, events and the outcomes of one in the other, all by number."""

    def __init__(self, setting: Setting) -> None:
        stack, topology, limits = setting.stack, setting.topology, setting.limits
        self.stack = stack
        self.topology = topology
        self.limits = limits
        self.n = topology.n
        self.timed = limits.timing != ASYNC
        self.synchronous = any("pulse" in anatomy.events for anatomy in stack)
        self.probes = [Probe(stack, setting.parameters, topology, seat, self.timed) for seat in range(self.n)]
        self.onlookers = Onlookers(list(topology.ids), setting.properties, setting.wanted)
        self.inboxes = Inboxes(limits.fifo and not self.synchronous, limits.timing == BOUNDED)

        self.locals: list[Local] = []
        self.local_numbers: dict[Any, int] = {}
        self.own: list[list[int] | None] = []  # events that a local state brings with it: timers, commands, the start
        self.hears: list[bool] = []  # whether messages reach a process in this local state
        self.excess: list[bool] = []  # whether a local state is beyond the bounds that were set
        self.resting: list[bool] = []  # whether no timer is armed that the limits keep from running out

        self.events: list[Event] = []
        self.event_numbers: dict[Any, int] = {}
        self.outcomes: dict[int, tuple[Outcome, ...]] = {}
        self.lookups = 0
        self.misses = 0
        self.mutex_layer = next((i for i, a in enumerate(stack) if issubclass(a.cls, Mutex)), -1)
        self.starting = self.starting_places(setting.starters)

    # Interning

    def local_number(self, local: Local) -> int:
        """The number of a local state."""
        key = local.key
        try:
            number = self.local_numbers.get(key)
        except TypeError:
            raise self.unhashable(local) from None
        if number is None:
            number = self.local_numbers[key] = len(self.locals)
            self.locals.append(local)
            self.own.append(None)
            self.hears.append(local.awake or self.limits.starts == LATE)
            self.excess.append(self.is_beyond(local))
            self.resting.append(not (local.timers and local.alarms == 0))
        return number

    def unhashable(self, local: Local) -> MisuseError:
        """What to say of a class whose state cannot be hashed."""
        for anatomy, snapshot in zip(self.stack, local.layers, strict=True):
            for name, value in zip(anatomy.fields, snapshot, strict=True):
                try:
                    hash(value)
                except TypeError:
                    return MisuseError(
                        f"{where(anatomy.cls, name)} has the field {name}, which holds what cannot be hashed "
                        f"({type(value).__name__}): use numbers, strings, tuples, sets, lists or dicts of these."
                    )
        return MisuseError(f"{where(self.stack[-1].cls)} has a state that cannot be hashed.")

    def is_beyond(self, local: Local) -> bool:
        """Whether a field exceeds the bound that was set for it."""
        if not self.limits.bounds or not local.layers:
            return False
        for anatomy, snapshot in zip(self.stack, local.layers, strict=True):
            for name, value in zip(anatomy.fields, snapshot, strict=True):
                bound = self.limits.bounds.get(name)
                if bound is not None and (size(value) or 0) > bound:
                    return True
        return False

    def event_number(self, event: Event) -> int:
        """The number of an event."""
        key = event.key
        number = self.event_numbers.get(key)
        if number is None:
            number = self.event_numbers[key] = len(self.events)
            self.events.append(event)
            if event.kind == "deliver":
                self.inboxes.register(number, event.sender, 1, self.limits.delay)
            elif event.kind in WORDS:
                eventual = self.limits.detector == EVENTUAL
                alone = self.limits.timing == BOUNDED or eventual
                latest = max(1, self.limits.detection)
                channel = -1 - event.sender if alone else event.sender
                self.inboxes.register(number, channel, 1 if eventual else latest, latest)
        return number

    def starting_places(self, starters: list[Pid]) -> dict[int, int]:
        """Who takes a first step by itself, and the event that this is."""
        starting = {}
        for place, pid in enumerate(self.topology.ids):
            called = pid in starters
            for anatomy in self.stack:
                if "start" in anatomy.events and (called or not issubclass(anatomy.cls, Election)):
                    starting[place] = self.event_number(Event("start", place, "election" if called else ""))
        return starting

    # Local steps

    def own_events(self, local: int) -> list[int]:
        """The events that a process in this local state may bring about by itself."""
        known = self.own[local]
        if known is None:
            known = self.own[local] = self.find_own_events(self.locals[local])
        return known

    def find_own_events(self, local: Local) -> list[int]:
        """Its first step if it has not taken it, timers that may run out, commands that make sense."""
        if not local.up:
            return []
        if not local.awake and self.limits.starts != LATE:
            return [self.starting[local.place]]
        found = [] if local.awake else [self.starting[local.place]]
        if local.alarms != 0:
            soonest = min([ticks for _, _, ticks in local.timers], default=0)
            for layer, name, ticks in local.timers:
                if self.limits.timing == BOUNDED and ticks > 0:
                    continue
                if ticks == soonest or not self.timed:
                    found.append(self.event_number(Event("timeout", local.place, name, layer)))
        if self.mutex_layer >= 0:
            anatomy = self.stack[self.mutex_layer]
            fields = dict(zip(anatomy.fields, local.layers[self.mutex_layer], strict=True))
            if fields["inside"]:
                found.append(self.command(local.place, "release"))
            elif local.wishes and not fields["waiting"]:
                found.append(self.command(local.place, "acquire"))
        return found

    def command(self, place: int, name: str) -> int:
        """A command to the topmost layer that knows it."""
        for layer in range(len(self.stack) - 1, -1, -1):
            if name in self.stack[layer].commands:
                return self.event_number(Event("command", place, name, layer))
        raise MisuseError(f'{where(self.stack[-1].cls)} is a mutex without @upon_command("{name}").')

    def results(self, local: int, event: int) -> tuple[Outcome, ...]:
        """What an event does in a local state, in each way the coins may fall."""
        self.lookups += 1
        key = (local << 32) | event
        known = self.outcomes.get(key)
        if known is None:
            self.misses += 1
            known = self.outcomes[key] = self.work_out(self.locals[local], self.events[event], local)
        return known

    def may_recur(self) -> bool:
        """Whether a run could come back to where it was, as far as the steps of single processes tell.

        Not if no process comes back to a local state that it has left, and no message brings itself about again by way
        of steps that leave the local state as it is: then each step makes what is under way a smaller multiset.
        """
        if self.limits.timing == BOUNDED:  # time passes between steps, too
            return True
        ways: dict[int, set[int]] = {}
        causes: dict[int, set[int]] = {}
        for key, outcomes in self.outcomes.items():
            local, event = key >> 32, key & 0xFFFFFFFF
            for outcome in outcomes:
                if outcome.local != local:
                    ways.setdefault(local, set()).add(outcome.local)
                elif self.events[event].kind in ARRIVALS:
                    causes.setdefault(event, set()).update([message for _, message in outcome.sends])
                elif self.locals[local].up:
                    return True
        return has_circle(ways) or has_circle(causes)

    def work_out(self, local: Local, event: Event, number: int) -> tuple[Outcome, ...]:
        """Run the clause, once for each way the coins may fall."""
        if not local.up and event.kind != "recover":
            return (Outcome(number, (), 0, ()),)  # whatever reaches a process that is down is lost
        probe = self.probes[local.place]
        probe.script = []
        probe.arities = []
        found: dict[Any, Outcome] = {}
        for _ in range(MOST_BRANCHES):
            outcome = self.run_once(probe, local, event)
            if self.misses <= CHECKED_TWICE or self.misses % 16 == 0:
                self.compare(outcome, self.run_once(probe, local, event), event)
            found.setdefault((outcome.local, outcome.sends, outcome.note), outcome)
            if not probe.next_script():
                return tuple(found.values())
        raise MisuseError(
            f"{where(self.stack[-1].cls)} has a clause whose coins fall in more than {MOST_BRANCHES:,} ways; set its "
            f"parameters so that it has fewer to choose from."
        )

    def run_once(self, probe: Probe, local: Local, event: Event) -> Outcome:
        """Run the clause and see what it did."""
        wishes, alarms = local.wishes, local.alarms
        if event.kind == "recover":
            local = Local(local.place, True, True, wishes, alarms, (), local.layers)
        probe.be(local)
        if event.kind == "timeout":
            alarms = max(alarms - 1, -1)
            if self.limits.timing == ORDERED:
                passed = probe.timers[(event.layer, event.name)]
                probe.timers = {timer: ticks - passed for timer, ticks in probe.timers.items()}
        elif event.kind == "command" and event.name == "acquire":
            wishes -= 1
        try:
            probe.react(event, [])
        except MisuseError:
            raise
        except Exception as error:
            at = f"in {self.clause_name(event)}"
            raise failed_clause(error, self.stack, f"at process {probe.id}", at) from error
        awake = local.awake or event.kind == "start"
        after = Local(local.place, True, awake, wishes, alarms, probe.armed(), probe.layers())
        note: Note = tuple(probe.said)
        if event.kind == "recover":
            note = ((probe.id, "recover", None), *note)
        sends = tuple(
            [
                (seat, self.event_number(Event("deliver", seat, "", 0, probe.id, message)))
                for seat, message in [(self.topology.place[to], message) for to, message in probe.sent]
            ]
        )
        return Outcome(
            self.local_number(after), sends, self.onlookers.number_of(note), tuple(probe.script[: probe.tossed])
        )

    def compare(self, first: Outcome, second: Outcome, event: Event) -> None:
        """Refuse a clause that does two things in the same state."""
        if (first.local, first.sends, first.note) != (second.local, second.sends, second.note):
            raise NonDeterminismError(
                f"{where(self.stack[-1].cls)} is not deterministic: {self.clause_name(event)} did two things for "
                f"one state and event. It may not look at a clock, a random number, or anything but its fields."
            )

    def clause_name(self, event: Event) -> str:
        """The clause that an event sets off."""
        for anatomy in reversed(self.stack):
            clause = (
                anatomy.messages.get(type(event.message))
                or (anatomy.timeouts.get(event.name) if event.kind == "timeout" else None)
                or (anatomy.commands.get(event.name) if event.kind == "command" else None)
                or anatomy.events.get(event.kind)
            )
            if clause is not None:
                return clause.name
        return event.kind
