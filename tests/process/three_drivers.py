"""The same events put to one stack under the simulator, the checker and the network, step by step.

Each driver is entered where it is entered for real: the simulator where a message reaches the end of its link, the
checker where it works out a local step, the network where a frame has been decoded. After each event all that it did is
compared: the states of all layers, what was sent, what was announced, what was recorded.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from random import Random
from typing import Any

from habemus.checking.model.actions import Action
from habemus.checking.model.local_states import LocalState
from habemus.checking.model.probe import Probe
from habemus.network.node.stack import TICK, Stack
from habemus.network.node.synchroniser import EndOfPulse
from habemus.process import Anatomy, Machine, Mutex, Pid
from habemus.process.anatomy import message_fields
from habemus.process.layers import OF_A_LOG
from habemus.properties import properties_of
from habemus.scenario import Scenario
from habemus.scenario.delays import Constant
from habemus.scenario.placing import place_processes
from habemus.scenario.stack import build_stack
from habemus.scenario.topology import Topology
from habemus.simulation.faults import Faults
from habemus.simulation.observers import Observers
from habemus.simulation.simulation import Simulation
from habemus.trace import Recorder

KEPT = 100_000


class FirstOption(Random):
    """A coin that always shows its first side, for drivers that toss one."""

    def random(self) -> float:
        return 0.0

    def randrange(self, start: int, *rest: Any, **options: Any) -> int:
        return 0


def is_for_all(what, subject):
    """Whether something announced is neither between layers only, nor for those who judge logs and levels."""
    return what not in (*OF_A_LOG, "level", "term", "want") and not is_dataclass(subject)


class Done:
    """All that an event did at one process. Envelopes are the driver's own, and are handed back to it."""

    def __init__(self, state, timers, said, events, envelopes) -> None:
        self.envelopes = envelopes
        self.facts = {
            "state": state,
            "timers": sorted(timers),
            "said": [(what, subject) for what, subject in said if is_for_all(what, subject)],
            "sent": [(e.to, type(e.message).__name__, message_fields(e.message)) for e in envelopes],
            "recorded": [
                (
                    *(event.kind, event.process, event.clause, event.layer, event.subject, event.changed, event.role),
                    [(c.sender, c.type, c.fields) for c in event.received],
                    [(c.to, c.type, c.fields) for c in event.sent],
                )
                for event in events
                if event.clause
            ],
        }


class Driver:
    """One way to drive the processes of a group."""

    def __init__(self, stack: list[Anatomy], parameters: list[dict[str, Any]], topology: Topology) -> None:
        self.recorder = Recorder(KEPT)
        self.stack = stack
        self.topology = topology
        self.recorded = 0
        self.build(parameters)

    def new_events(self):
        found = self.recorder.events[self.recorded :]
        self.recorded = len(self.recorder.events)
        return found


class NotingObservers(Observers):
    """Observers of a simulation that write down what they see."""

    def __init__(self, simulation: Simulation, recorder: Recorder, said: list[Any]) -> None:
        super().__init__(simulation.topology.ids, [], recorder)
        self.world = simulation.world
        self.said = said

    def see(self, id, process, what, subject):
        self.said.append((what, subject))
        super().see(id, process, what, subject)


class UnderTheSimulator(Driver):
    def build(self, parameters):
        delay = Constant(Random(), 1)
        properties = properties_of(self.stack, None)
        self.simulation = Simulation(
            self.stack, parameters, self.topology, delay, 0, properties, recorder=self.recorder
        )
        self.simulation.coins = FirstOption()
        self.faults = Faults(self.simulation)
        self.said: list[Any] = []
        self.simulation.observers = NotingObservers(self.simulation, self.recorder, self.said)

    def done(self, seat: int) -> Done:
        node = self.simulation.nodes[seat]
        envelopes = []
        for bucket in self.simulation.all_buckets():
            envelopes += bucket[1::2]
            bucket.clear()
        envelopes.sort(key=lambda envelope: envelope.number)
        said = list(self.said)
        self.said.clear()
        timers = list(node.timers or {})
        return Done(node.snapshot(), timers, said, self.new_events(), envelopes)

    def start(self, seat):
        self.simulation.nodes[seat].start_below()
        return self.done(seat)

    def command(self, seat, name):
        self.simulation.command(self.topology.ids[seat], name)
        return self.done(seat)

    def arrive(self, seat, envelope):
        node = self.simulation.node(envelope.sender)
        self.simulation.arrive(node.port(envelope.to), envelope)

    def deliver(self, seat, envelope):
        self.arrive(seat, envelope)
        return self.done(seat)

    def time_out(self, seat, layer, name):
        node = self.simulation.nodes[seat]
        self.simulation.now = max(self.simulation.now, node.timers[(layer, name)][0])
        self.simulation.ring_alarm(node, layer, name, node.timers[(layer, name)][1])
        return self.done(seat)

    def hear(self, seat, what, subject):
        self.faults.inform(self.simulation.nodes[seat], what, subject)
        return self.done(seat)

    def recover(self, seat):
        self.faults.crash(self.topology.ids[seat])
        self.faults.recover(self.topology.ids[seat])
        return self.done(seat)

    def pulse(self, seat, number, envelopes):
        for envelope in envelopes:
            self.arrive(seat, envelope)
        self.simulation.pulse_node(self.simulation.nodes[seat], number)
        return self.done(seat)


class UnderTheChecker(Driver):
    def build(self, parameters):
        self.machine = Machine(self.stack, parameters, self.topology)
        self.probes = [Probe(self.machine, seat, True) for seat in range(self.topology.n)]
        self.locals = [probe.birth(1, -1, True) for probe in self.probes]
        for probe in self.probes:
            self.begin_life(probe)

    def begin_life(self, probe):
        for layer, anatomy in enumerate(self.stack):
            self.recorder.begin_life(probe.layer(layer), layer, anatomy)

    def react(self, action: Action, received) -> Done:
        probe = self.probes[action.seat]
        probe.be(self.locals[action.seat])
        if action.kind == "recover":
            self.begin_life(probe)
        probe.script, probe.arities = [], []
        self.machine.journal = probe.recorder = self.recorder
        probe.react(action, received)
        self.machine.journal = probe.recorder = None
        self.locals[action.seat] = LocalState(action.seat, True, True, 1, -1, probe.armed(), probe.snapshot())
        said = [(what, subject) for _, what, subject in probe.said]
        return Done(probe.snapshot(), list(probe.timers), said, self.new_events(), list(probe.envelopes))

    def start(self, seat):
        return self.react(Action("start", seat), [])

    def command(self, seat, name):
        if name == "start":
            probe = self.probes[seat]
            return self.react(Action("command", seat, name, probe.machine.commands[name][0]), [])
        return self.react(Action("command", seat, name), [])

    def deliver(self, seat, envelope):
        action = Action("deliver", seat, "", 0, envelope.sender, envelope.message)
        return self.react(action, [envelope])

    def time_out(self, seat, layer, name):
        return self.react(Action("timeout", seat, name, layer), [])

    def hear(self, seat, what, subject):
        return self.react(Action(what, seat, "", 0, subject), [])

    def recover(self, seat):
        probe, local = self.probes[seat], self.locals[seat]
        self.locals[seat] = local.crash(probe.rebirth(local)).recover()
        return self.react(Action("recover", seat), [])

    def pulse(self, seat, number, envelopes):
        inbox = tuple((envelope.sender, envelope.message) for envelope in envelopes)
        return self.react(Action("pulse", seat, message=(number, inbox)), list(envelopes))


class OnTheNetwork(Driver):
    host = Stack

    def build(self, parameters):
        self.stacks = [
            self.host(self.stack, parameters, self.topology, id, FirstOption(), self.recorder)
            for id in self.topology.ids
        ]

    def done(self, seat: int) -> Done:
        stack = self.stacks[seat]
        envelopes = [envelope for _, _, _, envelope in stack.outbox if envelope is not None]
        said = [(what, subject) for what, subject, _term in stack.said]
        stack.outbox.clear()
        stack.said.clear()
        return Done(stack.snapshot(), list(stack.timers), said, self.new_events(), envelopes)

    def start(self, seat):
        self.stacks[seat].start_below()
        if self.stacks[seat].pulses is not None:
            self.stacks[seat].pulses.started = True
        return self.done(seat)

    def command(self, seat, name):
        self.stacks[seat].command(name)
        return self.done(seat)

    def deliver(self, seat, envelope):
        self.stacks[seat].deliver(envelope.sender, envelope.message, [envelope])
        return self.done(seat)

    def time_out(self, seat, layer, name):
        stack = self.stacks[seat]
        deadline, serial = stack.timers[(layer, name)]
        stack.now = max(stack.now, deadline)
        others = [alarm for alarm in stack.alarms if alarm[1] != serial]
        stack.alarms = [(deadline, serial, layer, name)]
        stack.ring_alarms()
        stack.alarms = sorted([*stack.alarms, *others])
        stack.now += TICK
        return self.done(seat)

    def hear(self, seat, what, subject):
        stack = self.stacks[seat]
        stack.link_lost(subject) if what == "suspect" else stack.link_made(subject)
        return self.done(seat)

    def recover(self, seat):
        self.stacks[seat].recover()
        return self.done(seat)

    def pulse(self, seat, number, envelopes):
        stack = self.stacks[seat]
        for envelope in envelopes:
            stack.deliver(envelope.sender, envelope.message, [envelope])
        for neighbour in stack.neighbours() if number else []:
            stack.deliver(neighbour, EndOfPulse(False), [])
        if not number:
            stack.run_pulses()
        return self.done(seat)


class ClauseFailed(Exception):
    """A clause failed, in the same way under each driver."""


class Group:
    """A group under all three drivers at once, taken from event to event; a difference fails with the event's name."""

    def __init__(
        self, scenario: Scenario, network: type[Driver] = OnTheNetwork, checker: type[Driver] = UnderTheChecker
    ) -> None:
        self.stack, parameters = build_stack(scenario)
        self.topology = place_processes(scenario, [anatomy.cls for anatomy in self.stack])
        drivers = (UnderTheSimulator, checker, network)
        self.drivers = [driver(self.stack, parameters, self.topology) for driver in drivers]
        self.machine = Machine(self.stack, parameters, self.topology)
        self.under_way: dict[tuple[Pid, Pid], list[list[Any]]] = {}  # link -> each message, as each driver knows it
        self.timers: list[list[tuple[int, str]]] = [[] for _ in self.topology.ids]
        self.suspected: set[tuple[int, Pid]] = set()
        self.pulses = 0

    def happen(self, what: str, seat: int, *arguments: Any) -> None:
        """Let something happen at a process under each driver, and compare."""
        done, failed = [], []
        for number, driver in enumerate(self.drivers):
            own = [self.of_driver(argument, number) for argument in arguments]
            try:
                done.append(getattr(driver, what)(seat, *own))
            except Exception as error:  # of a clause whose assumptions do not hold here
                failed.append(f"{type(error).__name__}: {error}")
        if failed:
            assert failed == failed[:1] * len(self.drivers), f"{what} at {self.topology.ids[seat]}: {failed}"
            raise ClauseFailed(failed[0])
        first, *others = done
        for driver, other in zip(self.drivers[1:], others, strict=True):
            for fact, value in first.facts.items():
                theirs = other.facts[fact]
                label = f"{what} at {self.topology.ids[seat]}: {fact} {type(driver).__name__}"
                assert theirs == value, label
        self.timers[seat] = first.facts["timers"]
        for envelopes in zip(*[each.envelopes for each in done], strict=True):
            self.under_way.setdefault((envelopes[0].sender, envelopes[0].to), []).append(list(envelopes))

    @staticmethod
    def of_driver(argument: Any, number: int) -> Any:
        """A message as a driver knows it; anything else is the same for all."""
        if isinstance(argument, Message):
            return argument.envelopes[number]
        if isinstance(argument, list):
            return [message.envelopes[number] for message in argument]
        return argument

    # What may happen

    def options(self) -> list[tuple[Any, ...]]:
        """All that may happen now, in an order that depends on nothing but the run."""
        found: list[tuple[Any, ...]] = []
        for seat, id in enumerate(self.topology.ids):
            if "start" in self.machine.commands:
                found.append(("command", seat, "start"))
            found += [("time_out", seat, layer, name) for layer, name in self.timers[seat]]
            found += self.commands_of(seat)
            found.append(("recover", seat))
            if self.hears_from_outside:
                found += [("hear", seat, subject) for subject in self.topology.ids if subject != id]
        if not self.machine.synchronous:
            found += [("deliver", link) for link, waiting in self.under_way.items() if waiting]
        else:
            found.append(("pulse",))
        return found

    @property
    def hears_from_outside(self) -> bool:
        """With a detector in the stack, links tell all layers on a real network, and nobody in a simulation."""
        detectors = [anatomy for anatomy in self.stack if anatomy.cls.kind == "detector"]
        return not detectors and any({"suspect", "trust"} & anatomy.events.keys() for anatomy in self.stack)

    def commands_of(self, seat: int) -> list[tuple[Any, ...]]:
        """`acquire` and `release`, where they make sense."""
        mutex = self.drivers[0].simulation.nodes[seat].process
        if not isinstance(mutex, Mutex):
            return []
        if mutex.inside:
            return [("command", seat, "release")]
        return [] if mutex.waiting else [("command", seat, "acquire")]

    def take(self, option: tuple[Any, ...]) -> None:
        """Let one of the options happen."""
        kind = option[0]
        if kind == "deliver":
            message = Message(self.under_way[option[1]].pop(0))
            self.happen("deliver", self.topology.seats[option[1][1]], message)
        elif kind == "hear":
            _, seat, subject = option
            what = "trust" if (seat, subject) in self.suspected else "suspect"
            self.suspected ^= {(seat, subject)}
            self.happen("hear", seat, what, subject)
        elif kind == "recover":
            if not any(seat == option[1] for seat, _ in self.suspected):  # links remember, a simulation tells anew
                self.happen("recover", option[1])
        elif kind == "pulse":
            self.pulse()
        else:
            self.happen(*option)

    def pulse(self) -> None:
        """All take part in the next pulse, with all that was sent to them before."""
        number = self.pulses
        self.pulses += 1
        arrived = {link: waiting for link, waiting in self.under_way.items() if waiting}
        self.under_way = {}
        for seat, id in enumerate(self.topology.ids):
            inbox = [Message(each) for sender, to in sorted(arrived) if to == id for each in arrived[(sender, to)]]
            self.happen("pulse", seat, number, inbox)


class Message:
    """One message under way, as each driver knows it."""

    def __init__(self, envelopes: list[Any]) -> None:
        self.envelopes = envelopes
