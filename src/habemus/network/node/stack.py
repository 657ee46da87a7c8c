"""The layers of one process on a real node.

The step machine (`process.layers`) runs them; this is what becomes of their effects. Nothing here touches a socket or a
file. What a step sends and announces is put aside in `outbox` and `said`; the node first makes the durable fields safe
and only then lets these out, so that nobody ever hears of a promise that a crash could undo. Time is told to it, in
nanoseconds; a tick of an algorithm is a millisecond.

A process is suspected while its link is down or a detector in the stack suspects it. The layers above a source hear of
it when the first source begins to suspect and when the last one ceases to.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from random import Random
from typing import Any

from habemus.network.node.synchroniser import EndOfPulse, Pulses
from habemus.process import (
    Anatomy,
    DurableFields,
    Election,
    Layers,
    Machine,
    Message,
    Mutex,
    Pid,
    Process,
)
from habemus.process.layers import OF_A_LOG, SUSPICIONS
from habemus.scenario.topology import Topology
from habemus.trace import Envelope, Recorder

TICK = 1_000_000  # nanoseconds
LINKS = -1  # as a source of suspicions; the others are layers


class Stack(Layers):
    """The host of one process, be it a single algorithm or a stack of them."""

    def __init__(
        self,
        stack: list[Anatomy],
        parameters: list[dict[str, Any]],
        topology: Topology,
        id: Pid,
        coins: Random,
        recorder: Recorder | None = None,
    ) -> None:
        self.stack = stack
        self.coins = coins
        self.recorder = recorder
        self.now = 0
        self.epoch = 0  # what to add for the time since 1970, for the trace
        self.outbox: list[tuple[Pid, int, Message, Envelope | None]] = []  # to whom, from which layer, what
        self.hurried: set[Pid] = set()  # for whom some of that cannot wait
        self.said: list[tuple[str, Any, int | None]] = []  # what a layer announced, and in which term
        self.admits_clients = stack[-1].cls.admits_clients
        self.deadlines = [(layer, name) for layer, anatomy in enumerate(stack) for name in anatomy.cls.deadlines]
        self.promises = [(layer, name) for layer, anatomy in enumerate(stack) for name in anatomy.durable]
        electing = [layer for layer, anatomy in enumerate(stack) if issubclass(anatomy.cls, Election)]
        self.electing = electing[-1] if electing else None  # the topmost layer that elects
        self.suspected_by: dict[Pid, set[int]] = {}  # who is suspected, and by which layers, or by the LINKS
        machine = Machine(stack, parameters, topology, recorder)
        super().__init__(machine, topology.seats[id])
        self.pulses = Pulses(self.neighbours(), machine.silent_pulses) if machine.synchronous else None

    def begin_life(self, durable: DurableFields | None = None) -> None:
        self.timers: dict[tuple[int, str], tuple[int, int]] = {}  # (layer, name) -> (deadline, serial)
        self.alarms: list[tuple[int, int, int, str]] = []
        self.serial = 0
        for sources in self.suspected_by.values():
            sources &= {LINKS}  # what detectors thought is forgotten, what the links know is not
        super().begin_life(durable)
        self.keepers = [(self.layer(layer), name) for layer, name in self.promises]

    # Effects

    def send(self, to: Pid, message: Message) -> None:
        self.hurried.add(to)
        self.send_unhurried(to, message)

    def send_unhurried(self, to: Pid, message: Message) -> None:
        if not (self.admits_clients or self.machine.graph.linked(self.seat, to)):
            raise self.machine.missing_link(self.id, to)
        envelope = self.recorder.send(self.id, to, message) if self.recorder is not None else None
        self.outbox.append((to, self.machine.layer_of(type(message)), message, envelope))

    def arm(self, layer: int, name: str, delay: int) -> None:
        self.serial += 1
        deadline = self.now + delay * TICK
        self.timers[(layer, name)] = (deadline, self.serial)
        heappush(self.alarms, (deadline, self.serial, layer, name))

    def disarm(self, layer: int, name: str) -> None:
        self.timers.pop((layer, name), None)

    def choose(self, options: Sequence[Any]) -> Any:
        return options[self.coins.randrange(len(options))]

    def announce(self, process: Process, what: str, subject: Any) -> bool:
        if what in OF_A_LOG:
            return True
        between_layers = process is not self.process and isinstance(subject, Message)
        if what != "level" and not between_layers:
            self.said.append((what, subject, self.term))
        return what not in SUSPICIONS or self.note_suspicion(process._layer, what, subject)

    def time(self) -> int:
        """Ticks since 1970, so that traces of several machines can be compared."""
        return (self.now + self.epoch) // TICK

    # Events

    def recover(self) -> None:
        """Begin again with the durable fields only."""
        self.begin_life(self.durable_fields())
        if self.recorder is not None:
            self.recorder.note(self.time(), "recover", self.id, None)
        super().recover()
        for subject in self.suspected:
            self.hear(self.all_layers, "suspect", subject)

    def deliver(self, sender: Pid, message: Message, received: list[Any]) -> None:
        pulses = self.pulses
        if isinstance(message, EndOfPulse) and pulses is not None:
            pulses.end(sender, message)
            self.run_pulses()
        elif pulses is not None and self.machine.waits_for_pulse(type(message)):
            pulses.receive(sender, message, received)
        else:
            super().deliver(sender, message, received)

    def link_lost(self, peer: Pid) -> None:
        """The other end of a link is gone."""
        if self.note_suspicion(LINKS, "suspect", peer):
            self.hear(self.all_layers, "suspect", peer)

    def link_made(self, peer: Pid) -> None:
        """The other end of a link is there."""
        if self.note_suspicion(LINKS, "trust", peer):
            self.hear(self.all_layers, "trust", peer)

    def ring_alarms(self) -> None:
        """Let the timers run out that are due, in the order of their deadlines."""
        now = self.now
        while self.alarms and self.alarms[0][0] <= now:
            _, serial, layer, name = heappop(self.alarms)
            if self.is_armed(layer, name, serial):
                del self.timers[(layer, name)]
                self.time_out(layer, name)

    def ring_deadlines(self) -> None:
        """Let the timers run out that are due and must not be late: whatever else has happened comes after them."""
        for timer in self.deadlines:
            armed = self.timers.get(timer)
            if armed is not None and armed[0] <= self.now:
                del self.timers[timer]
                self.time_out(*timer)

    @property
    def next_deadline(self) -> int | None:
        """When the next timer runs out."""
        while self.alarms:
            deadline, serial, layer, name = self.alarms[0]
            if self.is_armed(layer, name, serial):
                return deadline
            heappop(self.alarms)
        return None

    def is_armed(self, layer: int, name: str, serial: int) -> bool:
        """Whether the alarm of this number still counts: not if it was cancelled or set again."""
        armed = self.timers.get((layer, name))
        return armed is not None and armed[1] == serial

    # Suspicion

    def note_suspicion(self, source: int, what: str, subject: Pid) -> bool:
        """A source begins or ceases to suspect. Says whether that changes if the process is suspected at all."""
        sources = self.suspected_by.setdefault(subject, set())
        before = bool(sources)
        if what == "suspect":
            sources.add(source)
        else:
            sources.discard(source)
        return bool(sources) != before

    @property
    def suspected(self) -> list[Pid]:
        """All who are suspected."""
        return sorted(subject for subject, sources in self.suspected_by.items() if sources)

    @property
    def all_layers(self) -> list[int]:
        """The layers that hear what the links know."""
        return list(range(len(self.stack)))

    # Pulses

    def start_pulses(self) -> None:
        """From now on take part in the pulses, if there are any."""
        if self.pulses is not None:
            self.pulses.started = True
            self.run_pulses()

    def run_pulses(self) -> None:
        """Take part in every pulse for which all is there."""
        pulses = self.pulses
        while pulses is not None and pulses.ready:
            number, inbox, received = pulses.begin()
            sent, before = len(self.outbox), self.snapshot()
            self.pulse(number, inbox, received)
            marker = EndOfPulse(len(self.outbox) == sent, self.snapshot() != before)
            pulses.end(self.id, marker)
            self.outbox += [(to, self.machine.pulsing[-1], marker, None) for to in self.neighbours()]
            self.hurried.update(self.neighbours())

    # For the node

    def promised(self) -> list[Any]:
        """The values of the durable fields."""
        return [getattr(process, name) for process, name in self.keepers]

    @property
    def knows_crashes(self) -> bool:
        """Whether some layer handles crashes, its own or those of others."""
        return any({"recover", *SUSPICIONS} & anatomy.events.keys() for anatomy in self.stack)

    @property
    def calls_when_back(self) -> bool:
        """Whether its elections begin by themselves after a crash, and need not be called."""
        return any(issubclass(anatomy.cls, Election) and "recover" in anatomy.events for anatomy in self.stack)

    @property
    def election(self) -> Election | None:
        """The topmost layer that elects."""
        process = self.layer(self.electing) if self.electing is not None else None
        return process if isinstance(process, Election) else None

    @property
    def term(self) -> int | None:
        """The term of that election, if it has terms."""
        election = self.election
        return election.current_term if election is not None else None

    @property
    def mutex(self) -> Mutex | None:
        """The topmost layer that lets in."""
        return next((process for process in reversed(self.layers) if isinstance(process, Mutex)), None)
