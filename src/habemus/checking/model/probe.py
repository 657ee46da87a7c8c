"""A probe: one process that the checker puts into a local state, lets an action happen to, and reads.

A clause is a pure function of (local state, action, coins), so this is the only place where clauses run; everything
else looks up what they did. Coins are scripted: a clause that calls `choose` is run once for each result of its coins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mypy_extensions import mypyc_attr

from habemus.checking.model.actions import REPORTS, Action
from habemus.checking.model.local_states import LocalState, Timers
from habemus.process import DurableFields, Election, Layers, Machine, Message, Pid, Process
from habemus.trace import Envelope, Recorder

MOST_BRANCHES = 4096


@mypyc_attr(allow_interpreted_subclasses=True)
class Probe(Layers):
    """The layers of one process under check."""

    def __init__(self, machine: Machine, seat: int, timed: bool) -> None:
        super().__init__(machine, seat)
        self.timed = timed  # whether it matters how long timers run
        self.recorder: Recorder | None = None
        self.now = 0
        self.timers: dict[tuple[int, str], int] = {}
        self.newly_armed: dict[tuple[int, str], None] = {}  # in the present step
        self.sent: list[tuple[Pid, Message]] = []
        self.envelopes: list[Envelope] = []
        self.said: list[tuple[Pid, str, Any]] = []  # what observers see
        self.said_in: list[int] = []  # in which recorded event
        self.script: list[int] = []
        self.arities: list[int] = []
        self.tossed = 0

    # Effects

    def send(self, to: Pid, message: Message) -> None:
        if not self.machine.graph.linked(self.seat, to):
            raise self.machine.missing_link(self.id, to)
        self.sent.append((to, message))
        if self.recorder is not None:
            self.envelopes.append(self.recorder.send(self.id, to, message))

    def arm(self, layer: int, name: str, delay: int) -> None:
        self.timers[(layer, name)] = delay if self.timed else 0
        self.newly_armed[(layer, name)] = None

    def disarm(self, layer: int, name: str) -> None:
        self.timers.pop((layer, name), None)

    def choose(self, options: Sequence[Any]) -> Any:
        if self.tossed == len(self.script):
            self.script.append(0)
        if self.tossed == len(self.arities):
            self.arities.append(len(options))
        choice = options[self.script[self.tossed]]
        self.tossed += 1
        return choice

    def announce(self, process: Process, what: str, subject: Any) -> bool:
        if what == "leader" and subject == self.id and isinstance(process, Election):
            term = process.current_term
            if term is not None:
                self.say("term", term)
        if not isinstance(subject, Message):  # observers do not see what is between layers only
            self.say(what, subject)
        return True

    def say(self, what: str, subject: Any) -> None:
        """Let observers see something."""
        self.said.append((self.id, what, subject))
        if self.recorder is not None:
            self.said_in.append(self.recorder.count - 1)

    def time(self) -> int:
        return self.now

    # Local states

    def birth(self, requests_left: int, timeouts_left: int, awake: bool) -> LocalState:
        """The local state of a process that has taken no step yet."""
        return LocalState(self.seat, True, awake, requests_left, timeouts_left, (), self.fresh_layers(None))

    def rebirth(self, local: LocalState) -> tuple[Any, ...]:
        """The layers of a process that has crashed, as it recovers: durable fields only."""
        self.be(local)
        return self.fresh_layers(self.durable_fields())

    def fresh_layers(self, durable: DurableFields | None) -> tuple[Any, ...]:
        """The state of layers that begin an incarnation."""
        fresh = self.machine.create_layers(self, durable)
        return tuple([anatomy.snapshot(p) for anatomy, p in zip(self.machine.stack, fresh, strict=True)])

    def be(self, local: LocalState) -> None:
        """Put the process into a local state."""
        for index, anatomy in enumerate(self.machine.stack):
            anatomy.restore(self.layer(index), local.layers[index])
        self.timers = {(layer, name): ticks for layer, name, ticks in local.timers}
        self.newly_armed = {}
        self.sent = []
        self.envelopes = []
        self.said = []
        self.said_in = []
        self.indications = None
        self.news = None  # left over if a clause failed
        self.tossed = 0

    def armed(self) -> Timers:
        """The timers that are armed now."""
        return tuple(sorted([(layer, name, ticks) for (layer, name), ticks in self.timers.items()]))

    # Actions

    def react(self, action: Action, received: list[Envelope]) -> None:
        """Take the step that an action causes, in the state the process is in."""
        kind = action.kind
        if kind == "deliver":
            self.deliver(action.sender, action.message, list(received))
        elif kind in REPORTS:
            self.hear(self.machine.hearing, kind, action.sender)
        elif kind == "start":
            self.start_below()
            if action.name == "election" and "start" in self.machine.commands:
                self.command("start")
        elif kind == "timeout":
            self.timers.pop((action.layer, action.name))
            self.time_out(action.layer, action.name)
        elif kind == "command":
            self.command(action.name, action.message)
            if action.name == "acquire" and not any(what in ("ask", "enter") for _, what, _ in self.said):
                self.say("want", None)  # it was told to ask, and did not
        elif kind == "recover":
            self.recover()
        else:
            pulse, inbox = action.message
            self.pulse(pulse, list(inbox), list(received))

    def next_script(self) -> bool:
        """Try the next result of the coins; False if all have been tried."""
        script = self.script[: self.tossed]
        arities = self.arities[: self.tossed]
        while script and script[-1] + 1 >= arities[len(script) - 1]:
            script.pop()
        if not script:
            return False
        script[-1] += 1
        self.script = script
        self.arities = arities[: len(script)]
        return True
