"""Was that a run? A recorded one is retraced in the checker's hands.

What the checker has proven of all runs that its semantics allow holds for what really happened, if that was one of
them. So each process is put into the hands of the checker's own probe, the only place where it runs clauses, and
whatever came from outside is put to it in the order of the trace, if it may happen then:

    a message     was sent to this process and has not arrived yet. Links keep the order. None before it may be missing,
                  unless its layer tolerates loss, its sender or its receiver has crashed since it was sent, or the two
                  had not met since one of them came back
    a timer       is armed
    a command     makes sense: `acquire` outside, `release` inside; an election can be called at any time
    a suspicion   comes as it likes, for a detector may be mistaken; but only of one that is not suspected yet
    a pulse       is the next one, with all that was sent to this process in the one before, and nothing else
    a crash       comes as it likes; from then on the process does nothing until it recovers, by its durable fields

All that follows from it in the process, be it one clause or several in several layers, has to be what was recorded: the
same clauses, the same fields changed, the same messages sent, for some fall of the coins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import islice
from typing import Any

import msgspec

from habemus.checking.probe import MOST_BRANCHES, Local, Probe
from habemus.checking.probe import Event as Occasion
from habemus.network.errors import NetworkError
from habemus.network.stack import assumes_reliable_links
from habemus.network.wire import messages_of
from habemus.process import Clause, Election, Message, Mutex, Pid, Process
from habemus.process.anatomy import field_types, message_fields
from habemus.scenario import Scenario
from habemus.simulation.placing import place_processes
from habemus.simulation.run import build_stack
from habemus.trace import Carried, Envelope, Event, Trace

WORDS = ("suspect", "trust")


class NotARunError(NetworkError):
    """A trace is none of a run; the text names the event and what should have happened."""


class Deviation(Exception):  # noqa: N818
    """The probe does something else than was recorded, with the coins as they fell."""

    def __init__(self, event: Event, why: str) -> None:
        self.event = event
        self.why = why


class Witness(Probe):
    """The probe of one process, which knows what was recorded of it and stops at the first difference.

    So coins that would be tossed after it need not be tried.
    """

    def follow(self, lane: list[Event]) -> None:
        """These are the steps of this process."""
        self.lane = lane
        self.retraced = 0  # how many of them
        self.roles = [""] * len(self.stack)
        self.local = self.birth(0, -1, True)

    def retrace(self, happen: Callable[[], None]) -> list[Event]:
        """Let something happen in the state the process is in: the steps it led to. Deviation says which differs."""
        closest: Deviation | None = None
        for script in islice(self.scripts(), MOST_BRANCHES):
            try:
                return self.attempt(script, happen)
            except Deviation as deviation:
                if closest is None or deviation.event.event > closest.event.event:
                    closest = deviation
        assert closest is not None
        raise closest

    def attempt(self, script: list[int], happen: Callable[[], None]) -> list[Event]:
        """The same, with coins that fall in one way."""
        self.be(self.local)
        self.script, self.arities = script, []
        self.position = self.retraced
        self.shown = list(self.roles)
        happen()
        steps = self.lane[self.retraced : self.position]
        self.retraced, self.roles = self.position, self.shown
        self.local = Local(self.seat, True, True, 0, -1, self.armed(), self.layers())
        return steps

    def scripts(self) -> Iterator[list[int]]:
        """How the coins may fall: each on its first side, then those turned that have few sides.

        For those with many, such as random time-outs, hardly ever show in what a clause does.
        """
        waiting: list[tuple[int, int, list[int], int]] = [(1, 0, [], 0)]
        pushed = 0
        while waiting:
            ways, _, before, sides = heappop(waiting)
            for script in [[*before, side] for side in range(1, sides)] if sides else [before]:
                known = len(script)
                yield script
                for coin in range(known, self.tossed):
                    pushed += 1
                    more = self.arities[coin]
                    heappush(waiting, (ways * more, pushed, self.script[:coin], more))

    def crash(self) -> None:
        """All but the durable fields is lost."""
        self.roles = [""] * len(self.stack)
        self.local = Local(self.seat, False, True, 0, -1, (), self.rebirth(self.local))

    # What the probe does is compared as it does it

    def run_clause(
        self, layer: int, clause: Clause, arguments: tuple[Any, ...], subject: Any, received: list[Envelope]
    ) -> None:
        """The next clause."""
        if self.position == len(self.lane):
            raise Deviation(self.lane[-1], f"{clause.name} should follow")
        event, anatomy, process = self.lane[self.position], self.stack[layer], self.processes[layer]
        name = anatomy.cls.__name__ if len(self.stack) > 1 else ""
        if (event.clause, event.kind, event.layer, event.subject) != (clause.name, clause.kind, name, subject):
            raise Deviation(event, f"{clause.name} should run here" + (f", about {subject}" if subject else ""))
        self.expected = event
        before = anatomy.snapshot(process)
        sent = len(self.sent)
        self.first = sent
        super().run_clause(layer, clause, arguments, subject, received)
        if len(self.sent) - sent < len(event.sent):
            extra = event.sent[len(self.sent) - sent]
            raise Deviation(event, f"it would not send {extra.label} to {extra.to}")
        changed = anatomy.diff(before, anatomy.snapshot(process))
        if changed != event.changed:
            raise Deviation(event, f"its fields would change to {changed}, not to {event.changed}")
        role = process.role if process.role != self.shown[layer] else None
        if role != event.role:
            raise Deviation(event, f"its role would be {process.role or 'none'}")
        self.shown[layer] = process.role
        self.position += 1

    def send(self, to: Pid, message: Message) -> None:
        """The next message of a clause."""
        place = len(self.sent) - self.first
        super().send(to, message)
        sent = self.expected.sent[place] if place < len(self.expected.sent) else None
        would = (self.id, to, type(message).__name__, message_fields(message))
        if sent is None or (sent.sender, sent.to, sent.type, sent.fields) != would:
            raise Deviation(self.expected, f"it would send {type(message).__name__}({message_fields(message)}) to {to}")

    def indicate(self, layer: Process, what: str, subject: Any) -> None:
        """What a detector says comes to the layers above as an event of its own, as does what the links know."""
        if what not in WORDS:
            super().indicate(layer, what, subject)


class Letter:
    """A message under way."""

    def __init__(self, carried: Carried, event: Event, layer: int, lives: tuple[int, int], sure: bool) -> None:
        self.carried = carried
        self.event = event
        self.layer = layer
        self.lives = lives  # in which its sender and its receiver were when it was sent
        self.sure = sure  # to arrive, if both go on living: they had met in these lives
        self.arrived = False


class Validation:
    """A replay in the making."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.scenario = msgspec.convert(trace.header.scenario, Scenario)
        self.stack, parameters = build_stack(self.scenario)
        topology = place_processes(self.scenario, [anatomy.cls for anatomy in self.stack])
        self.witnesses: dict[Pid, Witness] = {}
        for seat, id in enumerate(topology.ids):
            witness = self.witnesses[id] = Witness(self.stack, parameters, topology, seat, False)
            witness.follow([event for event in trace.events if event.process == id and event.clause])
        self.types = [{message.__name__: message for message in messages_of(anatomy)} for anatomy in self.stack]
        self.synchronous = any("pulse" in anatomy.events for anatomy in self.stack)
        self.links: dict[tuple[Pid, Pid], list[Letter]] = {}
        self.numbers: set[int] = set()  # of all messages that were sent
        self.lives = dict.fromkeys(topology.ids, 0)  # how often it has crashed or recovered
        self.heard: dict[tuple[Pid, Pid], int] = {}  # in which life of the second the first has heard from it
        self.knows_crashes = any({"recover", *WORDS} & anatomy.events.keys() for anatomy in self.stack)
        self.latest: dict[Pid, int] = {}  # the last event of each process
        self.seen = dict.fromkeys(topology.ids, 0)  # how many of its steps have come up
        self.pulses = dict.fromkeys(topology.ids, 0)  # how many it has taken part in
        self.begun: set[tuple[Pid, int]] = set()  # the layers that have started, in this life
        self.suspected: set[tuple[Pid, int, Any]] = set()

    def run(self) -> int:
        """Retrace all; the number of steps. NotARunError names the first that is none."""
        steps = 0
        for event in self.trace.events:
            if event.kind == "lost":
                for carried in event.received:
                    self.lose(carried)
            if event.process is None:
                continue
            witness = self.witnesses.get(event.process)
            if witness is None:
                raise self.wrong(event, f"there is no process {event.process}")
            self.check_causes(event)
            if event.clause:
                self.seen[witness.id] += 1
                steps += 1
                if self.seen[witness.id] > witness.retraced:
                    self.take(event, witness)
            elif event.kind == "crash":
                self.crash(witness)
            elif event.kind == "recover":
                self.recover(event, witness)
            self.latest[witness.id] = event.event
        return steps

    # What came from outside

    def take(self, event: Event, witness: Witness) -> None:
        """Something happens to a process that is at rest: may it, and does that follow from it?"""
        if not witness.local.up:
            raise self.wrong(event, "the process has crashed and is not back yet")
        layer = self.layer_of(event)
        witness.be(witness.local)
        happen = self.occasion(event, layer, witness)
        self.follow(event, witness, happen)

    def follow(self, event: Event, witness: Witness, happen: Callable[[], None]) -> None:
        """Retrace what an event led to, and put on the links what was sent."""
        try:
            steps = witness.retrace(happen)
        except Deviation as deviation:
            raise self.wrong(deviation.event, deviation.why) from None
        for step in steps:
            for carried in step.sent:
                self.post(step, carried)

    def occasion(self, event: Event, layer: int, witness: Witness) -> Callable[[], None]:
        """How an event comes about at a process, if it may."""
        process, seat, subject = witness.processes[layer], witness.seat, event.subject
        if event.kind == "message":
            if len(event.received) != 1:
                raise self.wrong(event, f"it is for one message, not {len(event.received)}")
            message = self.arrival(event, layer, event.received[0])
            occasion = Occasion("deliver", seat, sender=event.received[0].sender, message=message)
        elif event.kind == "pulse":
            occasion = Occasion("pulse", seat, message=(subject, self.inbox(event, layer, witness.id)))
        elif event.received:
            raise self.wrong(event, "it is for no message")
        elif event.kind == "timeout":
            if (layer, subject) not in witness.timers:
                raise self.wrong(event, f"the timer {subject} is not armed")
            occasion = Occasion("timeout", seat, subject, layer)
        elif event.kind == "command":
            outside = isinstance(process, Mutex) and not process.inside
            if subject not in self.stack[layer].commands or (subject == "release" and outside):
                raise self.wrong(event, f"it cannot be told to {subject} now")
            if subject == "acquire" and isinstance(process, Mutex) and (process.waiting or process.inside):
                raise self.wrong(event, "it waits or is inside already")
            occasion = Occasion("command", seat, subject, layer)
        elif event.kind in ("start", *WORDS):
            self.check_once(event, layer, witness.id)
            return lambda: witness.run_event(layer, event.kind, subject)
        else:
            raise self.wrong(event, "nothing that went before brings it about")
        return lambda: witness.react(occasion, [])

    def check_once(self, event: Event, layer: int, process: Pid) -> None:
        """A layer starts once in a life, unless it is an election that is called; a suspicion ends before it begins."""
        if event.kind == "start":
            if (process, layer) in self.begun and not issubclass(self.stack[layer].cls, Election):
                raise self.wrong(event, "it has started already")
            self.begun.add((process, layer))
            return
        suspicion = (process, layer, event.subject)
        if not self.stack[layer].events.keys() >= set(WORDS):
            return  # it hears of beginnings only, or of ends only
        if (suspicion in self.suspected) == (event.kind == "suspect"):
            raise self.wrong(event, f"{event.subject} was {'' if event.kind == 'suspect' else 'not '}suspected before")
        self.suspected ^= {suspicion}

    def crash(self, witness: Witness) -> None:
        """A process stops."""
        witness.crash()
        self.lives[witness.id] += 1
        self.begun = {known for known in self.begun if known[0] != witness.id}
        self.suspected = {known for known in self.suspected if known[0] != witness.id}

    def recover(self, event: Event, witness: Witness) -> None:
        """It is back, if it was gone at all: one that stood still does as if it had crashed."""
        if witness.local.up:
            self.crash(witness)
        self.lives[witness.id] += 1
        self.follow(event, witness, lambda: witness.react(Occasion("recover", witness.seat), []))
        for layer, anatomy in enumerate(self.stack):
            if not issubclass(anatomy.cls, Election):
                self.begun.add((witness.id, layer))

    # Messages

    def post(self, event: Event, carried: Carried) -> None:
        """A message is under way."""
        if carried.message in self.numbers:
            raise self.wrong(event, f"message {carried.message} has been sent before")
        self.numbers.add(carried.message)
        sender, to = carried.sender, carried.to
        if self.synchronous and self.pulses[to] > event.subject + 1:
            raise self.wrong(event, f"process {to} has gone on to the next pulse without {carried.label}")
        lives = (self.lives[sender], self.lives[to])
        sure = not self.knows_crashes or self.heard.get((sender, to)) == self.lives[to]
        letter = Letter(carried, event, self.layer_of(event), lives, sure)
        self.links.setdefault((sender, to), []).append(letter)

    def arrival(self, event: Event, layer: int, carried: Carried) -> Message:
        """Take a message off its link, and those before it that got lost."""
        link = self.links.get((carried.sender, event.process or 0), [])
        place = next((place for place, letter in enumerate(link) if letter.carried == carried), None)
        if place is None:
            raise self.wrong(event, f"{carried.label} of {carried.sender} was not sent to it, or has arrived before")
        self.check_sender(event, link[place])
        self.heard[(carried.to, carried.sender)] = link[place].lives[0]
        if self.scenario.network.fifo:
            for earlier in link[:place]:
                if not self.may_be_lost(earlier):
                    raise self.wrong(event, f"{earlier.carried.label} of {carried.sender} should have come before")
            del link[:place]
            place = 0
        if self.scenario.network.duplication:
            link[place].arrived = True
        else:
            del link[place]
        return self.message(event, layer, carried)

    def may_be_lost(self, letter: Letter) -> bool:
        """Whether a message need not arrive any more."""
        lives = (self.lives[letter.carried.sender], self.lives[letter.carried.to])
        reliable = assumes_reliable_links(self.stack[letter.layer])
        return letter.arrived or not reliable or lives != letter.lives or not letter.sure

    def lose(self, carried: Carried) -> None:
        """A message has died on its way."""
        link = self.links.get((carried.sender, carried.to), [])
        link[:] = [letter for letter in link if letter.carried != carried]

    def inbox(self, event: Event, layer: int, process: Pid) -> tuple[tuple[Pid, Message], ...]:
        """What a process finds at the beginning of a pulse: all that was sent to it in the one before."""
        if event.subject != self.pulses[process]:
            raise self.wrong(event, f"pulse {self.pulses[process]} should come next")
        self.pulses[process] += 1
        due: list[Letter] = []
        for (_, to), link in self.links.items():
            if to == process:
                due += [letter for letter in link if letter.event.subject < event.subject]
                link[:] = [letter for letter in link if letter.event.subject >= event.subject]
        due.sort(key=lambda letter: (letter.carried.sender, letter.carried.message))
        if [letter.carried for letter in due] != sorted(event.received, key=lambda c: (c.sender, c.message)):
            was = ", ".join(f"{letter.carried.label} of {letter.carried.sender}" for letter in due) or "nothing"
            raise self.wrong(event, f"it should receive {was}")
        for letter in due:
            self.check_sender(event, letter)
        return tuple((letter.carried.sender, self.message(event, layer, letter.carried)) for letter in due)

    def message(self, event: Event, layer: int, carried: Carried) -> Message:
        """A message out of the trace."""
        kind = self.types[layer].get(carried.type)
        if kind is None:
            raise self.wrong(event, f"{self.stack[layer].cls.__name__} knows no message {carried.type}")
        hints = dict(field_types(kind))
        values = {name: msgspec.convert(value, hints[name]) for name, value in carried.fields.items()}
        message: Message = kind(**values)
        return message

    # Causes and words

    def check_causes(self, event: Event) -> None:
        """What a process did before is a cause of what it does."""
        before = self.latest.get(event.process or 0)
        if before is not None and before not in event.parents:
            raise self.wrong(event, f"event {before} of the same process is not among its causes")

    def check_sender(self, event: Event, letter: Letter) -> None:
        """So is what sent the message that it receives."""
        if letter.event.event not in event.parents:
            raise self.wrong(event, f"event {letter.event.event}, which sent the message, is not among its causes")

    def layer_of(self, event: Event) -> int:
        """In which layer an event happened."""
        for layer, anatomy in enumerate(self.stack):
            if event.layer == (anatomy.cls.__name__ if len(self.stack) > 1 else ""):
                return layer
        raise self.wrong(event, f"there is no layer {event.layer or 'without a name'}")

    def wrong(self, event: Event, why: str) -> NotARunError:
        """The event that no run has."""
        where = f"event {event.event} ({event.clause or event.kind} at process {event.process}, {event.time:,} ms)"
        return NotARunError(f"{where} is not a step of {self.trace.header.algorithm}: {why}")


def validate(trace: Trace) -> int:
    """Whether a trace is a run of its algorithm: the number of steps; NotARunError names the first that is none."""
    return Validation(trace).run()
