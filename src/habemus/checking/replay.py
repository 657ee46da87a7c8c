"""A schedule played: the run that a counterexample stands for, step by step, as an ordinary trace.

A schedule names its steps as `Semantics.label` does. Playing it takes the step of that name among those that are
possible, with a recorder at hand; so what is replayed is a run by definition, and a schedule that is none is refused.
"""

from __future__ import annotations

from typing import Any

import msgspec

from habemus.checking.instances import Question
from habemus.checking.limits import BOUNDED, Limits
from habemus.checking.moves import Move
from habemus.checking.onlookers import tell
from habemus.checking.probe import Event, Local
from habemus.checking.semantics import Semantics
from habemus.process import Mutex
from habemus.properties import Property, World
from habemus.scenario import Scenario, ScenarioError, Schedule
from habemus.simulation import Outcome
from habemus.simulation.figures import LockFigures
from habemus.simulation.run import properties_of
from habemus.trace import Envelope, Recorder

KEPT_EVENTS = 100_000


class Replay(Outcome):
    """What came of playing a schedule, told as any simulation is."""

    def __init__(self, scenario: Scenario, player: Player) -> None:
        topology, recorder = player.semantics.topology, player.recorder
        self.scenario = scenario
        self.algorithm = scenario.algorithm
        self.topology = topology
        self.n = topology.n
        self.ids = topology.ids
        self.seed = scenario.seed
        self.leader = player.world.leader()
        self.messages_by_type = player.messages_by_type
        self.messages = recorder.messages
        self.time = player.time
        self.rounds = recorder.rounds
        self.events = recorder.count
        self.properties = player.judges
        self.claims = player.world.claims
        self.downtimes = player.world.downtimes
        self.values_carried = recorder.values_carried
        stack = player.semantics.stack
        self.lock = None
        if any(issubclass(anatomy.cls, Mutex) for anatomy in stack):
            self.lock = LockFigures(player.world.lock, self.messages, self.time)
        self.detection = None
        self.ended = "quiescence" if player.over else "time"
        self.cls = stack[-1].cls
        some = player.semantics.probes[0].processes[-1]
        self.parameters = {name: getattr(some, name) for name in stack[-1].parameters}
        self.digest = recorder.digest
        self.recorder = recorder
        self.ends = player.ends


class Player:
    """Plays moves one after the other and writes them down."""

    def __init__(self, semantics: Semantics, judges: list[Property], recorder: Recorder) -> None:
        self.semantics = semantics
        self.judges = judges
        self.recorder = recorder
        self.world = World(list(semantics.topology.ids))
        self.state = semantics.initial
        self.time = 0
        self.over = False
        self.ends: list[int] = []  # how many events were recorded by the end of each step
        self.under_way: dict[tuple[int, int], list[Envelope]] = {}
        self.messages_by_type: dict[str, int] = {}
        for probe in semantics.probes:
            for layer, anatomy in enumerate(semantics.stack):
                recorder.begin_life(probe.processes[layer], layer, anatomy)

    def step(self, move: Move) -> None:
        """One thing happens."""
        semantics, recorder = self.semantics, self.recorder
        event = semantics.events[move.event]
        timed = semantics.limits.timing == BOUNDED
        if event.kind == "tick" or not timed:
            self.time += 1
        if event.kind == "crash":
            recorder.note(self.time, "crash", semantics.topology.ids[event.place], None)
            self.see([(semantics.topology.ids[event.place], "crash", None)], [recorder.count - 1])
        elif event.kind == "lose":
            recorder.lose(self.time, self.taken(event, True), "the network lost it")
        elif event.kind == "pulse":
            self.pulse(move)
        elif event.kind == "inform":
            self.inform(move, event)
        elif event.kind not in ("tick", "abstain"):
            self.react(move, event)
        self.state = move.state
        self.ends.append(recorder.count)

    def taken(self, event: Event, away: bool) -> Envelope:
        """The letter that an event is about, taken off its link if it goes `away`."""
        number = self.semantics.event_number(Event("deliver", event.place, "", 0, event.sender, event.message))
        letters = self.under_way[(event.place, number)]
        return letters.pop(0) if away else letters[0]

    def react(self, move: Move, event: Event) -> None:
        """A process takes a step."""
        semantics, recorder = self.semantics, self.recorder
        local = semantics.locals[self.state[event.place]]
        received = []
        if event.kind in ("deliver", "double", "overtake"):
            received = [self.taken(event, event.kind != "double")]
            if not local.up:
                recorder.lose(self.time, received[0], "the receiver has crashed")
                return
            event = Event("deliver", event.place, "", 0, event.sender, event.message)
        elif event.kind == "mistake":
            event = Event("suspect", event.place, "", 0, event.sender)
        probe = semantics.probes[event.place]
        if event.kind == "recover":
            local = Local(local.place, True, True, local.wishes, local.alarms, (), local.layers)
            recorder.note(self.time, "recover", probe.id, None)
            self.see([(probe.id, "recover", None)], [recorder.count - 1])
        elif not local.up:
            return
        probe.be(local)
        if event.kind == "recover":
            for layer, anatomy in enumerate(semantics.stack):
                recorder.begin_life(probe.processes[layer], layer, anatomy)
        self.play(event, list(move.coins), received)

    def play(self, event: Event, coins: list[int], received: list[Envelope]) -> None:
        """Run the clauses of a process that is in its state, and hand on what it says and sends."""
        probe = self.semantics.probes[event.place]
        probe.script, probe.arities = coins, []
        probe.recorder, probe.time = self.recorder, self.time
        probe.react(event, received)
        probe.recorder = None
        self.see(probe.said, probe.said_in)
        for envelope in probe.envelopes:
            place = self.semantics.topology.place[envelope.to]
            letter = self.semantics.event_number(Event("deliver", place, "", 0, envelope.sender, envelope.message))
            self.under_way.setdefault((place, letter), []).append(envelope)
            kind = type(envelope.message).__name__
            self.messages_by_type[kind] = self.messages_by_type.get(kind, 0) + 1

    def pulse(self, move: Move) -> None:
        """All take part in a pulse."""
        semantics = self.semantics
        n = semantics.n
        pulse = semantics.ledger(self.state).pulse
        self.time = pulse
        inboxes: list[list[Envelope]] = []
        for place in range(n):
            letters = semantics.inboxes.events(self.state[n + place])
            mail = [self.under_way[(place, letter)].pop(0) for letter in letters]
            inboxes.append(sorted(mail, key=lambda envelope: envelope.sender))
        steps: list[tuple[Event, list[Envelope]]] = []
        for place in range(n):
            if semantics.locals[self.state[place]].up:
                inbox = tuple([(envelope.sender, envelope.message) for envelope in inboxes[place]])
                steps.append((Event("pulse", place, message=(pulse, inbox)), inboxes[place]))
        self.play_together(steps, list(move.coins))

    def inform(self, move: Move, news: Event) -> None:
        """All who have yet to hear something are told at one moment."""
        semantics = self.semantics
        steps: list[tuple[Event, list[Envelope]]] = []
        for place in range(semantics.n):
            word = Event(news.name, place, "", 0, news.sender)
            if semantics.event_number(word) in semantics.inboxes.events(self.state[semantics.n + place]):
                steps.append((word, []))
        self.play_together(steps, list(move.coins))

    def play_together(self, steps: list[tuple[Event, list[Envelope]]], coins: list[int]) -> None:
        """Several processes take a step at one moment; the coins of each are preceded by their number."""
        semantics = self.semantics
        for event, received in steps:
            local = semantics.locals[self.state[event.place]]
            tossed = coins.pop(0)
            script, coins = coins[:tossed], coins[tossed:]
            if local.up:
                semantics.probes[event.place].be(local)
                self.play(event, script, received)

    def see(self, said: list[tuple[int, str, Any]], events: list[int]) -> None:
        """Let onlookers know, and judge."""
        self.world.time = self.time
        for (process, what, subject), event in zip(said, events, strict=True):
            self.world.event = event
            tell(self.world, process, what, subject)
            for judge in self.judges:
                judge.observe(self.world)

    def conclude(self, for_ever: bool) -> None:
        """The schedule is played: if nothing is left to do, or it goes on like that for ever, the properties decide."""
        self.semantics.expand(self.state)
        self.over = for_ever or (self.semantics.progress == 0 and self.semantics.is_final(self.state))
        if self.over:
            self.world.time = self.time
            self.world.over = True
            self.world.lock.waits_for.update(self.semantics.waits_for(self.state))
            for judge in self.judges:
                judge.conclude(self.world)


def limits_of(schedule: Schedule, fifo: bool) -> Limits:
    """The limits within which a schedule is a run."""
    given = msgspec.structs.asdict(schedule)
    for own in ("steps", "loop"):
        del given[own]
    return Limits(fifo=fifo, **given)


def replay(scenario: Scenario, recorder: Recorder) -> Replay:
    """Play the schedule of a scenario; ScenarioError says which step is not possible."""
    schedule = scenario.schedule
    assert schedule is not None
    question = Question(scenario, limits_of(schedule, scenario.network.fifo), [])
    semantics = question.semantics()
    player = Player(semantics, properties_of(scenario, semantics.stack), recorder)
    for number, step in enumerate(schedule.steps):
        moves = semantics.named(player.state)
        if step not in moves:
            possible = ", ".join(sorted(moves)[:6]) or "nothing"
            raise ScenarioError(f"schedule.steps[{number}]: {step!r} is not possible then; possible: {possible}")
        player.step(moves[step])
    player.conclude(schedule.loop is not None)
    return Replay(scenario, player)


def play(scenario: Scenario, trace: str | None = None) -> Replay:
    """Play the schedule of a scenario and keep the run, in a file, too, if one is named."""
    outcome = replay(scenario, Recorder(KEPT_EVENTS))
    if trace is not None:
        outcome.trace.write(trace)
    return outcome
