"""The simulator: integer time, one queue, every fault; deterministic to the last bit.

Within a tick faults and commands come first, then messages in the order of sending, then timers: what is due by a
deadline arrives before the timer set to that deadline runs out.
"""

from __future__ import annotations

from heapq import heappush
from random import Random
from typing import Any, Final, cast

from mypy_extensions import i64

from habemus.process import Anatomy, Machine, Message, Mutex, Pid, Process
from habemus.properties import Property
from habemus.scenario.delays import Delay
from habemus.scenario.topology import Topology
from habemus.simulation.collector import pause_collector, resume_collector
from habemus.simulation.customers import Customers
from habemus.simulation.network import Network
from habemus.simulation.node import Node
from habemus.simulation.observers import Observers
from habemus.simulation.timeline import NEAR
from habemus.trace import Envelope, Recorder

NEVER: Final = 1 << 62


class Simulation(Network):
    """A run in the making: build it, plan faults and commands with `at`, then `run`."""

    def __init__(
        self,
        stack: list[Anatomy],
        parameters: list[dict[str, Any]],
        topology: Topology,
        delay: Delay,
        seed: int,
        properties: list[Property],
        fifo: bool = True,
        loss: float = 0.0,
        duplication: float = 0.0,
        detection: int = -1,
        recorder: Recorder | None = None,
    ) -> None:
        machine = Machine(stack, parameters, topology, recorder)
        super().__init__(machine, topology, delay, seed, fifo, loss, duplication, recorder)
        self.stack = stack
        self.synchronous = machine.synchronous
        self.events: i64 = 0
        self.detection = detection  # ticks from a crash until all know of it; negative: nobody is told
        self.coins = Random(f"{seed}/coins")
        self.pulses = 0
        self.silent = 0  # pulses in a row in which nobody sent anything, nor changed a field after the first of them
        self.at_silence: list[Any] = []  # the states of all after the last one

        self.observers = Observers(topology.ids, properties, recorder)
        self.world = self.observers.world
        self.properties = self.observers.properties
        self.customers = Customers()
        self.messages_when_served = -1  # what the mutex had sent when all who wanted in had been in; -1: not yet
        self.goal: Property | None = None
        collecting = pause_collector(topology.n)
        try:
            self.nodes = [Node(machine, seat, self) for seat in range(topology.n)]
        finally:
            resume_collector(collecting, topology.n)

    # Commands and news -----------------------------------------------------------------------------------------------

    def start(self, ids: list[Pid]) -> None:
        """These processes take the first step of their election by themselves."""
        for id in ids if "start" in self.machine.commands else []:
            self.command(id, "start")

    def start_below(self) -> None:
        """Start every layer that does not wait to be called: all but elections."""
        for node in self.nodes if self.machine.self_starting else []:
            node.start_below()

    def command(self, id: Pid, name: str, data: Message | None = None) -> None:
        """Give a command to the topmost layer that knows it; `start` makes an election start."""
        node = self.node(id)
        if node.crashed:
            return
        if not node.up:
            node.hold(lambda: self.command(id, name, data))
        elif name == "acquire":
            lock = self.world.lock
            requests = lock.requests
            if not node.command(name, data):
                self.customers.engaged(id)
            elif lock.requests == requests:
                lock.wants(id, self.now, self.world.event)  # it was told to ask, and did not
        else:
            node.command(name, data)

    def ring_alarm(self, node: Node, layer: int, name: str, serial: int) -> None:
        """A timer runs out, unless it was cancelled, set again, or lost in a crash meanwhile."""
        if not node.is_armed(layer, name, serial):
            return
        if not node.up:
            node.hold(lambda: self.ring_alarm(node, layer, name, serial))
            return
        self.events += 1
        node.ring_alarm(layer, name)

    def observe(self, node: Node, process: Process, what: str, subject: Any) -> None:
        self.world.time = self.now
        self.world.event = self.recorder.count - 1 if self.recorder is not None else -1
        self.observers.see(node.id, process, what, subject)
        if what == "enter":
            self.customers.entered(node.id)
        elif what == "leave":
            self.customers.left(node.id)
            if self.customers.satisfied():
                self.messages_when_served = self.tally.of(Mutex)

    def record_refusals(self) -> None:
        self.observers.record_refusals()
        if self.observers.claims:
            self.judge_claims()

    def judge_claims(self) -> None:
        """Show all processes that are up to the claims of their author, after a step."""
        world = self.world
        world.time = self.now
        world.event = self.recorder.count - 1 if self.recorder is not None else -1
        processes = [node.process for node in self.nodes if not node.crashed]
        for claim in self.observers.claims:
            claim.look(world, processes)

    def note(self, kind: str, process: Pid | None, subject: object) -> None:
        """Record a fault."""
        if self.recorder is not None:
            self.recorder.note(self.now, kind, process, subject)

    # The run -------------------------------------------------------------------------------------------------------

    def run(self, until: int, budget: int) -> str:
        """Go on until nothing is left to do, the goal is reached, time is up or so many events have happened.

        Says which: "quiescence", "property", "time" or "budget". With more time or budget it can go on from there.
        """
        collecting = pause_collector(0)
        try:
            return self.run_pulses(until, budget) if self.synchronous else self.run_ticks(until, budget)
        finally:
            resume_collector(collecting, self.topology.n)

    def run_ticks(self, until: int, budget: int) -> str:
        """The loop over ticks."""
        wheel, ticks = self.wheel, self.ticks
        last: i64 = until if 0 <= until < NEVER else NEVER
        tick = busy = self.now  # `busy`: the last tick in which anything happened; cancelled timers are nothing
        while True:
            scheduled: i64 = ticks[0] if ticks else NEVER  # until then, all there is to do is on the wheel
            end = tick + NEAR + 1 if tick + NEAR < scheduled else scheduled
            while tick < end and not wheel[tick & NEAR]:
                tick += 1
            if tick >= end:
                tick = scheduled
            if tick == NEVER:
                self.now = busy
                return "quiescence"
            if self.events >= budget:
                return "budget"
            if tick > last:
                self.now = last
                return "time"
            self.now = tick
            before = self.events
            if tick == scheduled:
                self.pop_ticks(tick)
                self.run_agenda(tick)
            bucket = self.take_bucket(tick)
            count = len(bucket) // 2
            if self.events + count > budget:
                count = max(0, budget - self.events)
                wheel[tick & NEAR] = bucket[2 * count :]
                heappush(ticks, tick)
                self.events += count
                self.deliver(bucket[: 2 * count])
                return "budget"
            self.events += count
            self.deliver(bucket)
            if tick == scheduled:
                self.ring_alarms(tick)
            if self.goal is not None and self.goal.holds is not None:
                return "property"
            if self.events != before:
                busy = tick

    def ring_alarms(self, tick: int) -> None:
        """Let the timers run out that are set to a tick."""
        for node, layer, name, serial in self.alarms.pop(tick, []):
            self.ring_alarm(cast(Node, node), layer, name, serial)

    def run_agenda(self, tick: int) -> None:
        """Carry out the faults and commands of a tick, including those they bring about at once."""
        agenda = self.agenda.pop(tick, None)
        if agenda is not None:
            for action in agenda:
                self.events += 1
                action()

    def run_pulses(self, until: int, budget: int) -> str:
        """The lock-step loop: each tick is a pulse, and every live process takes part in every pulse.

        It ends after enough silent pulses with no timer running (see `Machine.silent_pulses`).
        """
        while self.silent < self.machine.silent_pulses or self.ticks or any(self.wheel):
            pulse = self.pulses
            if until >= 0 and pulse > until:
                return "time"
            if self.events >= budget:
                return "budget"
            self.now = pulse
            self.pop_ticks(pulse)
            self.run_agenda(pulse)
            bucket = self.take_bucket(pulse)
            self.events += len(bucket) // 2
            self.deliver(bucket)
            for node in self.nodes:
                if node.up:
                    self.pulse_node(node, pulse)
            self.ring_alarms(pulse)
            sent = self.wheel[(pulse + 1) & NEAR] or pulse + 1 in self.buckets
            self.silent = 0 if sent else self.count_silence()
            self.pulses += 1
            if self.goal is not None and self.goal.holds is not None:
                return "property"
        return "quiescence"

    def count_silence(self) -> int:
        """How many pulses in a row were silent, now that another one was; a field that changes begins them anew."""
        states = [node.snapshot() for node in self.nodes]
        unchanged = self.silent > 0 and states == self.at_silence
        self.at_silence = states
        return self.silent + 1 if unchanged else 1

    def pulse_node(self, node: Node, pulse: int) -> None:
        """One process takes part in a pulse."""
        inbox = sorted(self.inboxes.pop(node.seat, []), key=lambda item: item[0])
        if self.recorder is None:
            node.pulse(pulse, inbox, [])
        else:
            envelopes = [cast(Envelope, contents) for _, contents in inbox]
            node.pulse(pulse, [(envelope.sender, envelope.message) for envelope in envelopes], envelopes)
