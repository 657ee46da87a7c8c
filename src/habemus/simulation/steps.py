"""A process takes a step: clauses, guards, indications from layer to layer, timers and commands.

All of this happens at one moment and at one process. What lies between processes, and between moments, is the business
of the simulation, which is built on it.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappush
from typing import Any, cast

from mypy_extensions import i64, mypyc_attr

from habemus.process import Anatomy, Clause, Detector, Election, MisuseError, Mutex, Pid, Process
from habemus.process.source import place
from habemus.properties import Property, World
from habemus.simulation.node import Node
from habemus.simulation.topology import Topology
from habemus.trace import Envelope, Recorder

GUARD_LIMIT = 1000


@mypyc_attr(allow_interpreted_subclasses=True)
class Customers:
    """Whoever gives the commands: told when a process enters, leaves or is back, and whom it could not ask."""

    def entered(self, id: Pid) -> None:
        """The process is inside."""

    def left(self, id: Pid) -> None:
        """The process is outside again."""

    def recovered(self, id: Pid) -> None:
        """The process is back, and neither waits nor is inside."""

    def engaged(self, id: Pid) -> None:
        """The process was asked to acquire the lock while it waited or was inside."""

    def satisfied(self) -> bool:
        """Whether nobody waits, is inside, or will ask again."""
        return True


class Steps:
    """The processes of a run, who watches them, and what they do at one moment."""

    def __init__(
        self,
        stack: list[Anatomy],
        parameters: list[dict[str, Any]],
        topology: Topology,
        properties: list[Property],
        recorder: Recorder | None,
    ) -> None:
        self.stack = stack
        self.parameters = parameters
        self.topology = topology
        self.recorder = recorder
        self.nodes: list[Node] = []
        self.pulsing = [layer for layer, anatomy in enumerate(stack) if "pulse" in anatomy.events]
        self.synchronous = bool(self.pulsing)  # what no clause is for comes with the pulses of the topmost of these
        guards = sum([len(anatomy.guarded) for anatomy in stack])
        # One layer, nothing to guard, nobody writing it down: delivery can call the clause and go on.
        self.direct = recorder is None and guards == 0 and len(stack) == 1 and not self.synchronous
        self.commands: dict[str, tuple[int, Clause]] = {}  # name -> the topmost layer that knows it, and its clause
        for layer, anatomy in enumerate(stack):
            if "start" in anatomy.events and issubclass(anatomy.cls, Election):
                self.commands["start"] = (layer, anatomy.events["start"])
            for name, clause in anatomy.commands.items():
                self.commands[name] = (layer, clause)

        self.now: i64 = 0
        self.events: i64 = 0
        self.alarms: dict[int, list[tuple[Node, int, str, int]]] = {}
        self.agenda: dict[int, list[Callable[[], None]]] = {}
        self.ticks: list[int] = []
        self.serial = 0

        self.world = World(topology.ids)
        self.properties: list[Property] = []
        self.heeding_office: list[Property] = []
        self.heeding_followers: list[Property] = []
        self.heeding_lock: list[Property] = []
        self.heeding_suspicions: list[Property] = []
        for watched in properties:
            self.watch(watched)
        self.customers = Customers()
        self.refusals: list[tuple[Pid, object]] = []  # by the resource, in the step that is under way
        detectors = [layer for layer, anatomy in enumerate(stack) if issubclass(anatomy.cls, Detector)]
        self.hearing = detectors or list(range(len(stack)))  # the layers that the perfect detector speaks to

    def watch(self, watched: Property) -> None:
        """Judge the run by one more property."""
        self.properties.append(watched)
        if watched.topic == "election":
            self.heeding_office.append(watched)
            if watched.heeds_followers:
                self.heeding_followers.append(watched)
        elif watched.topic == "mutex":
            self.heeding_lock.append(watched)
        else:
            self.heeding_suspicions.append(watched)

    # Processes -----------------------------------------------------------------------------------------------------

    def create_process(self, node: Node) -> Process:
        """Fresh processes for all layers of a node; the top one is returned."""
        layers = [anatomy.create(node, self.parameters[index]) for index, anatomy in enumerate(self.stack)]
        if len(layers) > 1:
            node.layers = layers
        if self.recorder is not None:
            for index, anatomy in enumerate(self.stack):
                self.recorder.begin_life(layers[index], index, anatomy)
        return layers[-1]

    def layer(self, node: Node, index: int, top: Process) -> Process:
        """The process in a layer of a node."""
        return top if node.layers is None else node.layers[index]

    def layer_index(self, node: Node, process: Process) -> int:
        """Which layer of the node this process is."""
        if node.layers is None:
            return 0
        for index, layer in enumerate(node.layers):
            if layer is process:
                return index
        raise ValueError(f"{process!r} is not a layer of process {node.id}")

    def node(self, id: Pid) -> Node:
        """The node of a process."""
        return self.nodes[self.topology.place[id]]

    def hold(self, node: Node, action: Callable[[], None]) -> None:
        """Keep what reaches a paused process until it resumes."""
        if node.backlog is None:
            node.backlog = []
        node.backlog.append(action)

    # Steps ---------------------------------------------------------------------------------------------------------

    def step(
        self,
        node: Node,
        layer: int,
        clause: Clause,
        arguments: tuple[Any, ...],
        subject: object,
        received: list[Envelope],
    ) -> None:
        """Run one clause, then whatever it made true."""
        self.run_clause(node, layer, clause, arguments, subject, received)
        if not self.direct:
            self.settle(node)

    def run_clause(
        self,
        node: Node,
        layer: int,
        clause: Clause,
        arguments: tuple[Any, ...],
        subject: object,
        received: list[Envelope],
    ) -> None:
        """Run one clause and write it down, if anybody does."""
        process = self.layer(node, layer, node.process)
        recorder = self.recorder
        if recorder is None:
            clause.function(process, *arguments)
        else:
            anatomy = self.stack[layer]
            name = anatomy.cls.__name__ if len(self.stack) > 1 else ""
            recorder.begin(self.now, clause.kind, node.id, clause.name, name, subject, received)
            clause.function(process, *arguments)
            recorder.end(process, layer, anatomy)
            if self.refusals:
                for id, tokens in self.refusals:
                    recorder.note(self.now, "refuse", id, tokens)
                self.refusals = []

    def settle(self, node: Node) -> None:
        """Pass indications up and run the `whenever` clauses whose guards have become true."""
        for _ in range(GUARD_LIMIT):
            if node.indications:
                layer, what, subject = node.indications.pop(0)
                for above in range(layer + 1, len(self.stack)):
                    self.run_event(node, above, what, subject)
                continue
            ready = self.ready_guard(node)
            if ready is None:
                return
            layer, clause = ready
            self.run_clause(node, layer, clause, (), None, [])
        raise MisuseError(
            f"{place(self.stack[-1].cls)} does not come to rest: {GUARD_LIMIT} steps in a row at one moment; "
            f"a `whenever` clause has to make its own guard false."
        )

    def ready_guard(self, node: Node) -> tuple[int, Clause] | None:
        """The first `whenever` clause of the node whose guard is true."""
        for layer, anatomy in enumerate(self.stack):
            for clause in anatomy.guarded:
                guard: Any = clause.key
                if guard(self.layer(node, layer, node.process)):
                    return layer, clause
        return None

    def run_event(self, node: Node, layer: int, kind: str, subject: Pid | None) -> None:
        """Run the layer's clause for an event other than a message, if it has one."""
        clause = self.stack[layer].events.get(kind)
        if clause is not None:
            named = kind in ("suspect", "trust", "leader")
            self.step(node, layer, clause, (subject,) if named else (), subject, [])

    def indicate(self, node: Node, layer: Process, what: str, subject: Pid | None) -> None:
        """A layer found something out: onlookers see it now, the layers above after the step."""
        world = self.world
        world.time = self.now
        world.event = self.recorder.count - 1 if self.recorder is not None else -1
        if what == "leader":
            if subject == node.id and isinstance(layer, Election) and layer.term_field:
                world.leads_in(node.id, getattr(layer, layer.term_field))
            office_changed = world.names_leader(node.id, subject)
            for watched in self.heeding_office if office_changed else self.heeding_followers:
                watched.observe(world)
        elif what in ("suspect", "trust"):
            if what == "suspect":
                world.suspicions.suspects(node.id, cast(Pid, subject), world.time)
            else:
                world.suspicions.trusts(node.id, cast(Pid, subject), world.time)
            for watched in self.heeding_suspicions:
                watched.observe(world)
        else:
            self.use_lock(node, what, subject)
        if node.layers is not None:
            if node.indications is None:
                node.indications = []
            node.indications.append((self.layer_index(node, layer), what, subject))

    def use_lock(self, node: Node, what: str, token: int | None) -> None:
        """A process asks for the lock, is inside ("enter") or outside again ("leave")."""
        world, lock = self.world, self.world.lock
        served = True
        if what == "ask":
            lock.asks(node.id, world.time, world.event)
        elif what == "enter":
            served = lock.enters(node.id, token, world.time, world.event)
        else:
            token = lock.inside[node.id].token
            served = lock.leaves(node.id, world.time)
        if not served and self.recorder is not None:
            self.refusals.append((node.id, [token, lock.resource.highest]))
        for watched in self.heeding_lock:
            watched.observe(world)
        if what == "enter":
            self.customers.entered(node.id)
        elif what == "leave":
            self.customers.left(node.id)
            if self.customers.satisfied():
                self.all_were_served()

    def all_were_served(self) -> None:
        """Nobody waits for the lock, is inside, or will ask again."""

    def judge(self) -> None:
        """Let every property look at the world."""
        for watched in self.properties:
            watched.observe(self.world)

    # Timers --------------------------------------------------------------------------------------------------------

    def set_timer(self, node: Node, layer: int, name: str, delay: int) -> None:
        """Arm a timer of a layer."""
        cls = self.stack[layer].cls
        if name not in self.stack[layer].timeouts:
            raise MisuseError(f'{place(cls)} sets the timer "{name}", for which it has no @upon_timeout("{name}").')
        if delay < 1:
            raise MisuseError(f'{place(cls)} sets the timer "{name}" to {delay} ticks; at least 1 is needed.')
        if node.timers is None:
            node.timers = {}
        self.arm(node, layer, name, self.now + max(1, round(delay / node.rate)))

    def arm(self, node: Node, layer: int, name: str, deadline: int) -> None:
        """Have a timer run out at a moment, in place of what it was set to before."""
        self.serial += 1
        cast(Any, node.timers)[(layer, name)] = (deadline, self.serial)
        if deadline not in self.alarms:
            self.alarms[deadline] = []
            heappush(self.ticks, deadline)
        self.alarms[deadline].append((node, layer, name, self.serial))
        if self.recorder is not None:
            self.recorder.timer(node.id, layer, name, self.now, deadline)

    def ring_alarm(self, node: Node, layer: int, name: str, serial: int) -> None:
        """A timer runs out, unless it was cancelled, set again, or lost in a crash meanwhile."""
        armed = node.timers.get((layer, name)) if node.timers is not None else None
        if armed is None or armed[1] != serial:
            return
        if not node.up:
            self.hold(node, lambda: self.ring_alarm(node, layer, name, serial))
            return
        cast(Any, node.timers).pop((layer, name))
        self.events += 1
        self.step(node, layer, self.stack[layer].timeouts[name], (), name, [])

    # Commands ------------------------------------------------------------------------------------------------------

    def at(self, time: int, action: Callable[[], None]) -> None:
        """Schedule a fault or a command."""
        if time not in self.agenda:
            self.agenda[time] = []
            heappush(self.ticks, time)
        self.agenda[time].append(action)

    def start(self, ids: list[Pid]) -> None:
        """These processes take the first step of their election by themselves."""
        for id in ids:
            self.command(id, "start")

    def start_below(self) -> None:
        """Start every layer that does not wait to be called upon: all but elections."""
        below = [layer for layer, anatomy in enumerate(self.stack) if not issubclass(anatomy.cls, Election)]
        for node in self.nodes if below else []:
            for layer in below:
                self.run_event(node, layer, "start", None)

    def command(self, id: Pid, name: str) -> None:
        """Give a command to the topmost layer that knows it; `start` makes an election start."""
        node = self.node(id)
        if node.crashed:
            return
        if not node.up:
            self.hold(node, lambda: self.command(id, name))
            return
        known = self.commands.get(name)
        if known is not None:
            layer, clause = known
            process = self.layer(node, layer, node.process)
            if isinstance(process, Mutex):
                if name == "acquire" and (process.waiting or process.inside):
                    self.customers.engaged(id)
                    return
                if name == "release" and not process.inside:
                    return
            if self.direct:
                clause.function(node.process)
                return
            self.step(node, layer, clause, (), None if clause.kind == "start" else name, [])

    def note(self, kind: str, process: Pid | None, subject: object) -> None:
        """Write down a fault."""
        if self.recorder is not None:
            self.recorder.note(self.now, kind, process, subject)
