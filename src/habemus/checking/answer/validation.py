"""Whether a recorded trace is a run of its algorithm: each of its steps is retraced.

What the checker has proven of all runs that its semantics allow holds for what really happened, if that was one of
them. So each process is run again by the checker's own probe, and all that came from outside happens to it in the order
of the trace, if it may happen then:

    a message     was sent to this process and has not arrived yet. Links keep the order. None before it may be missing,
                  unless its layer tolerates loss, its sender or its receiver has crashed since it was sent, or the two
                  had not heard from each other since one of them recovered. A client, which is none of the processes,
                  may send anything at any time, if the algorithm admits clients
    a timer       is armed
    a command     makes sense: `acquire` outside, `release` inside; an election can be called at any time
    a suspicion   may come at any time, for a detector may be mistaken; but only of a process that is not suspected yet
    a pulse       is the next one, with all that was sent to this process in the one before, and nothing else
    a crash       may come at any time; from then on the process does nothing until it recovers with its durable fields

All that follows from it in the process, be it one clause or several in several layers, has to be what was recorded: the
same clauses, the same fields changed, the same messages sent, for some result of the coins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from habemus.checking.answer.retracing import Deviation, RetracedProcess
from habemus.checking.model.actions import REPORTS, Action
from habemus.process import Election, Machine, Message, Mutex, Pid
from habemus.process.anatomy import assumes_reliable_links, messages_of
from habemus.scenario import Scenario
from habemus.scenario.placing import place_processes
from habemus.scenario.stack import build_stack
from habemus.trace import Event, SentMessage, Trace, TraceError
from habemus.trace.reading import PlainReader


class NotARunError(TraceError):
    """A trace is not a run; the text names the event and what should have happened."""


class TracedMessage:
    """A message of the trace that was sent, whether or not it has arrived."""

    def __init__(
        self, carried: SentMessage, event: Event, layer: int, incarnations: tuple[int, int], sure: bool
    ) -> None:
        self.carried = carried
        self.event = event
        self.layer = layer
        self.incarnations = incarnations  # of its sender and its receiver when it was sent
        self.sure = sure  # to arrive, if both stay up: they had heard from each other in these incarnations
        self.arrived = False


class Validation:
    """A trace, as far as it has been retraced."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.scenario = msgspec.convert(trace.header.scenario, Scenario)
        self.stack, parameters = build_stack(self.scenario)
        topology = place_processes(self.scenario, [anatomy.cls for anatomy in self.stack])
        machine = Machine(self.stack, parameters, topology)
        self.processes: dict[Pid, RetracedProcess] = {}
        for seat, id in enumerate(topology.ids):
            process = self.processes[id] = RetracedProcess(machine, seat, False)
            process.follow([event for event in trace.events if event.process == id and event.clause])
        self.reader = PlainReader(self.stack)
        self.types = [{message.__name__: message for message in messages_of(anatomy)} for anatomy in self.stack]
        self.synchronous = any("pulse" in anatomy.events for anatomy in self.stack)
        self.links: dict[tuple[Pid, Pid], list[TracedMessage]] = {}
        self.numbers: set[int] = set()  # of all messages that were sent
        self.incarnations = dict.fromkeys(topology.ids, 0)  # how often each has crashed or recovered
        self.heard: dict[tuple[Pid, Pid], int] = {}  # in which incarnation of the second the first has heard from it
        self.knows_crashes = any({"recover", *REPORTS} & anatomy.events.keys() for anatomy in self.stack)
        self.latest: dict[Pid, int] = {}  # the last event of each process
        self.seen = dict.fromkeys(topology.ids, 0)  # how many of its steps have come up
        self.pulses = dict.fromkeys(topology.ids, 0)  # how many it has taken part in
        self.begun: set[tuple[Pid, int]] = set()  # the layers that have started, in this incarnation
        self.suspected: set[tuple[Pid, int, Any]] = set()

    def run(self) -> int:
        """Retrace all events; returns the number of steps. NotARunError names the first event that is not a step."""
        steps = 0
        for event in self.trace.events:
            if event.kind == "lost":
                for carried in event.received:
                    self.lose(carried)
            if event.process is None:
                continue
            process = self.processes.get(event.process)
            if process is None:
                raise self.wrong(event, f"there is no process {event.process}")
            self.check_causes(event)
            if event.clause:
                self.seen[process.id] += 1
                steps += 1
                if self.seen[process.id] > process.retraced:
                    self.take(event, process)
            elif event.kind == "crash":
                self.crash(process)
            elif event.kind == "recover":
                self.recover(event, process)
            self.latest[process.id] = event.event
        return steps

    # What came from outside

    def take(self, event: Event, process: RetracedProcess) -> None:
        """Something happens to a process that is at rest: check that it may, and that the recorded steps follow."""
        if not process.local.up:
            raise self.wrong(event, "the process has crashed and not recovered yet")
        layer = self.layer_of(event)
        process.be(process.local)
        self.follow(process, self.prepare(event, layer, process))

    def follow(self, process: RetracedProcess, happen: Callable[[], None]) -> None:
        """Retrace what an event led to, and put on the links what was sent."""
        try:
            steps = process.retrace(happen)
        except Deviation as deviation:
            raise self.wrong(deviation.event, deviation.why) from None
        for step in steps:
            for carried in step.sent:
                self.post(step, carried)

    def prepare(self, event: Event, layer: int, process: RetracedProcess) -> Callable[[], None]:
        """What makes an event happen at a process, if it may."""
        algorithm, seat, subject = process.layer(layer), process.seat, event.subject
        if event.kind == "message":
            if len(event.received) != 1:
                raise self.wrong(event, f"it is for one message, not {len(event.received)}")
            message = self.take_message(event, layer, event.received[0])
            action = Action("deliver", seat, sender=event.received[0].sender, message=message)
        elif event.kind == "pulse":
            action = Action("pulse", seat, message=(subject, self.take_inbox(event, layer, process.id)))
        elif event.received:
            raise self.wrong(event, "it is for no message")
        elif event.kind == "timeout":
            if (layer, subject) not in process.timers:
                raise self.wrong(event, f"the timer {subject} is not armed")
            action = Action("timeout", seat, subject, layer)
        elif event.kind == "command":
            name, data = subject if isinstance(subject, list) else (subject, None)
            outside = isinstance(algorithm, Mutex) and not algorithm.inside
            if name not in self.stack[layer].commands or (subject == "release" and outside):
                raise self.wrong(event, f"it cannot be told to {name} now")
            if subject == "acquire" and isinstance(algorithm, Mutex) and (algorithm.waiting or algorithm.inside):
                raise self.wrong(event, "it waits or is inside already")
            given = None if data is None else self.reader.revive(data)
            action = Action("command", seat, name, layer, message=given)
        elif event.kind in ("start", *REPORTS):
            self.check_once(event, layer, process.id)
            return lambda: process.run_event(layer, event.kind, subject)
        else:
            raise self.wrong(event, "no earlier event causes it")
        return lambda: process.react(action, [])

    def check_once(self, event: Event, layer: int, process: Pid) -> None:
        """A layer starts once in an incarnation, unless it is an election; a suspicion ends before it begins again."""
        if event.kind == "start":
            if (process, layer) in self.begun and not issubclass(self.stack[layer].cls, Election):
                raise self.wrong(event, "it has started already")
            self.begun.add((process, layer))
            return
        suspicion = (process, layer, event.subject)
        if not self.stack[layer].events.keys() >= set(REPORTS):
            return  # it is told to suspect only, or to trust only
        if (suspicion in self.suspected) == (event.kind == "suspect"):
            raise self.wrong(event, f"{event.subject} was {'' if event.kind == 'suspect' else 'not '}suspected before")
        self.suspected ^= {suspicion}

    def crash(self, process: RetracedProcess) -> None:
        process.crash()
        self.incarnations[process.id] += 1
        self.begun = {known for known in self.begun if known[0] != process.id}
        self.suspected = {known for known in self.suspected if known[0] != process.id}

    def recover(self, event: Event, process: RetracedProcess) -> None:
        """A process recovers. One that stalled recovers as if it had crashed."""
        if process.local.up:
            self.crash(process)
        self.incarnations[process.id] += 1
        self.follow(process, lambda: process.react(Action("recover", process.seat), []))
        for layer, anatomy in enumerate(self.stack):
            if not issubclass(anatomy.cls, Election):
                self.begun.add((process.id, layer))

    # Messages

    def post(self, event: Event, carried: SentMessage) -> None:
        """A message is in transit from now on."""
        if carried.message in self.numbers:
            raise self.wrong(event, f"message {carried.message} has been sent before")
        self.numbers.add(carried.message)
        sender, to = carried.sender, carried.to
        if to not in self.processes:
            return
        if self.synchronous and self.pulses[to] > event.subject + 1:
            raise self.wrong(event, f"process {to} has gone on to the next pulse without {carried.label}")
        incarnations = (self.incarnations[sender], self.incarnations[to])
        sure = not self.knows_crashes or self.heard.get((sender, to)) == self.incarnations[to]
        message = TracedMessage(carried, event, self.layer_of(event), incarnations, sure)
        self.links.setdefault((sender, to), []).append(message)

    def take_message(self, event: Event, layer: int, carried: SentMessage) -> Message:
        """Take a message off its link, and those before it, which are lost."""
        if carried.sender not in self.processes and self.stack[-1].cls.admits_clients:
            return self.read_message(event, layer, carried)
        link = self.links.get((carried.sender, event.process or 0), [])
        index = next((index for index, message in enumerate(link) if message.carried == carried), None)
        if index is None:
            raise self.wrong(event, f"{carried.label} of {carried.sender} was not sent to it, or has arrived before")
        self.check_sender(event, link[index])
        self.heard[(carried.to, carried.sender)] = link[index].incarnations[0]
        if self.scenario.network.fifo:
            for earlier in link[:index]:
                if not self.may_be_lost(earlier):
                    raise self.wrong(event, f"{earlier.carried.label} of {carried.sender} should have come before")
            del link[:index]
            index = 0
        if self.scenario.network.duplication:
            link[index].arrived = True
        else:
            del link[index]
        return self.read_message(event, layer, carried)

    def may_be_lost(self, message: TracedMessage) -> bool:
        """Whether a message need not arrive any more."""
        incarnations = (self.incarnations[message.carried.sender], self.incarnations[message.carried.to])
        reliable = assumes_reliable_links(self.stack[message.layer])
        return message.arrived or not reliable or incarnations != message.incarnations or not message.sure

    def lose(self, carried: SentMessage) -> None:
        link = self.links.get((carried.sender, carried.to), [])
        link[:] = [message for message in link if message.carried != carried]

    def take_inbox(self, event: Event, layer: int, process: Pid) -> tuple[tuple[Pid, Message], ...]:
        """What a process finds at the beginning of a pulse: all that was sent to it in the one before."""
        if event.subject != self.pulses[process]:
            raise self.wrong(event, f"pulse {self.pulses[process]} should come next")
        self.pulses[process] += 1
        due: list[TracedMessage] = []
        for (_, to), link in self.links.items():
            if to == process:
                due += [message for message in link if message.event.subject < event.subject]
                link[:] = [message for message in link if message.event.subject >= event.subject]
        due.sort(key=lambda message: (message.carried.sender, message.carried.message))
        if [message.carried for message in due] != sorted(event.received, key=lambda c: (c.sender, c.message)):
            was = ", ".join(f"{message.carried.label} of {message.carried.sender}" for message in due) or "nothing"
            raise self.wrong(event, f"it should receive {was}")
        for message in due:
            self.check_sender(event, message)
        return tuple((message.carried.sender, self.read_message(event, layer, message.carried)) for message in due)

    def read_message(self, event: Event, layer: int, carried: SentMessage) -> Message:
        kind = self.types[layer].get(carried.type)
        if kind is None:
            raise self.wrong(event, f"{self.stack[layer].cls.__name__} has no message {carried.type}")
        return self.reader.read_message(kind, carried.fields)

    # Causes and errors

    def check_causes(self, event: Event) -> None:
        """The event before it at the same process is among the causes of an event."""
        before = self.latest.get(event.process or 0)
        if before is not None and before not in event.parents:
            raise self.wrong(event, f"event {before} of the same process is not among its causes")

    def check_sender(self, event: Event, message: TracedMessage) -> None:
        """So is the event that sent a message that it receives."""
        if message.event.event not in event.parents:
            raise self.wrong(event, f"event {message.event.event}, which sent the message, is not among its causes")

    def layer_of(self, event: Event) -> int:
        for layer, anatomy in enumerate(self.stack):
            if event.layer == (anatomy.cls.__name__ if len(self.stack) > 1 else ""):
                return layer
        raise self.wrong(event, f"there is no layer {event.layer or 'without a name'}")

    def wrong(self, event: Event, why: str) -> NotARunError:
        where = f"event {event.event} ({event.clause or event.kind} at process {event.process}, {event.time:,} ms)"
        return NotARunError(f"{where} is not a step of {self.trace.header.algorithm}: {why}")


def validate(trace: Trace) -> int:
    """Check that a trace is a run of its algorithm; returns the number of its steps, or raises NotARunError."""
    return Validation(trace).run()
