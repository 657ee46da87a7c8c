"""A schedule played: the run that a counterexample stands for, step by step, as an ordinary trace.

A schedule names its steps as `schedule_names` does. Playing it takes the transition of that name among those that are
possible, with a recorder at hand; so what is replayed is a run by definition. A schedule with a step that is not
possible is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from habemus.checking.answer.questions import Question
from habemus.checking.model.actions import Action
from habemus.checking.model.limits import BOUNDED, Limits
from habemus.checking.model.observers import observe
from habemus.checking.model.schedule_names import expand_by_name
from habemus.checking.model.semantics import Semantics
from habemus.checking.model.transitions import Transition
from habemus.process import ClauseError, MisuseError, Pid, clause_error
from habemus.properties import ClaimProperty, NoFailure, Property, World, properties_of
from habemus.scenario import Scenario, ScenarioError, Schedule
from habemus.trace import Envelope, Outcome, Recorder
from habemus.trace.figures import LockFigures

KEPT_EVENTS = 100_000


@dataclass(kw_only=True, repr=False)
class Replay(Outcome):
    """The outcome of a schedule."""

    ends: list[int]  # how many events were recorded by the end of each step


class Player:
    """Plays transitions one after the other and records them."""

    def __init__(self, semantics: Semantics, judges: list[Property], recorder: Recorder) -> None:
        self.semantics = semantics
        self.judges = judges
        self.recorder = recorder
        self.world = World(list(semantics.instance.topology.ids))
        self.state = semantics.initial
        self.time = 0
        # Whether ticks or pulses make time pass; otherwise each step takes a tick.
        self.clocked = semantics.limits.timing == BOUNDED or semantics.machine.synchronous
        self.over = False
        self.failed = False  # whether a clause raised an exception
        self.ends: list[int] = []  # how many events were recorded by the end of each step
        self.in_transit: dict[tuple[int, int], list[Envelope]] = {}
        self.messages_by_type: dict[str, int] = {}
        self.handled = [0] * semantics.n
        for probe in semantics.probes:
            for layer, anatomy in enumerate(semantics.instance.stack):
                recorder.begin_life(probe.layer(layer), layer, anatomy)

    def step(self, transition: Transition) -> None:
        semantics, recorder = self.semantics, self.recorder
        action = semantics.actions.known[transition.action]
        if action.kind == "tick" or not self.clocked:
            self.time += 1
        if action.kind == "crash":
            pid = semantics.instance.topology.ids[action.seat]
            recorder.note(self.time, "crash", pid, None)
            self.observe([(pid, "crash", None)], [recorder.count - 1])
        elif action.kind == "lose":
            recorder.lose(self.time, self.take_message(action), "the network lost it")
        elif action.kind == "pulse":
            self.pulse(transition)
        elif action.kind == "inform":
            self.inform(transition, action)
        elif action.kind not in ("tick", "abstain"):
            self.react(transition, action)
        self.state = transition.state
        self.look_at_claims()
        self.ends.append(recorder.count)

    def look_at_claims(self) -> None:
        """Show all processes to the claims of their author."""
        claims = [judge for judge in self.judges if isinstance(judge, ClaimProperty)]
        if claims and not self.failed:
            processes: list[Any] = self.semantics.show_processes(self.state)
            self.world.event = self.recorder.count - 1
            for claim in claims:
                claim.look(self.world, processes)

    def find_messages(self, action: Action) -> list[Envelope]:
        """The messages in transit that an action is about: equal ones on one link, the oldest first."""
        number = self.semantics.actions.delivery(action.seat, action.sender, action.message)
        return self.in_transit[(action.seat, number)]

    def take_message(self, action: Action) -> Envelope:
        return self.find_messages(action).pop(0)

    def react(self, transition: Transition, action: Action) -> None:
        """A process takes a step."""
        semantics, recorder = self.semantics, self.recorder
        local = semantics.locals.known[self.state[action.seat]]
        received = []
        if action.kind in ("deliver", "double", "overtake"):
            received = [self.find_messages(action)[0] if action.kind == "double" else self.take_message(action)]
            if not local.up:
                recorder.lose(self.time, received[0], "the receiver has crashed")
                return
            action = Action("deliver", action.seat, sender=action.sender, message=action.message)
        elif action.kind == "mistake":
            action = Action("suspect", action.seat, sender=action.sender)
        probe = semantics.probes[action.seat]
        if action.kind == "recover":
            local = local.recover()
            recorder.note(self.time, "recover", probe.id, None)
            self.observe([(probe.id, "recover", None)], [recorder.count - 1])
        elif not local.up:
            return
        probe.be(local)
        if action.kind == "recover":
            for layer, anatomy in enumerate(semantics.instance.stack):
                recorder.begin_life(probe.layer(layer), layer, anatomy)
        self.play(action, list(transition.coins), received)

    def play(self, action: Action, coins: list[int], received: list[Envelope]) -> None:
        """Run the clauses of a process that has been put into its state; pass on what it shows and sends."""
        probe = self.semantics.probes[action.seat]
        probe.script, probe.arities = coins, []
        self.semantics.machine.journal = probe.recorder = self.recorder
        probe.now = self.time
        try:
            probe.react(action, received)
        except MisuseError:
            raise
        except Exception as error:
            self.fail(probe.id, clause_error(error, self.semantics.machine.classes, f"at process {probe.id}", ""))
        self.handled[action.seat] += len(received)
        self.semantics.machine.journal = probe.recorder = None
        self.observe(probe.said, probe.said_in)
        for envelope in probe.envelopes:
            seat = self.semantics.instance.topology.seats[envelope.to]
            number = self.semantics.actions.delivery(seat, envelope.sender, envelope.message)
            self.in_transit.setdefault((seat, number), []).append(envelope)
            kind = type(envelope.message).__name__
            self.messages_by_type[kind] = self.messages_by_type.get(kind, 0) + 1

    def fail(self, process: Pid, error: ClauseError) -> None:
        """A clause has failed: what was recorded of it stands, and the run ends."""
        if self.recorder.is_open:
            self.recorder.close()
        self.failed = True
        self.world.time = self.time
        self.judges.append(NoFailure(str(error), self.world, process, self.recorder.count - 1))

    def pulse(self, transition: Transition) -> None:
        """All take part in a pulse."""
        semantics = self.semantics
        n = semantics.n
        pulse = semantics.transitions.allowance(self.state).pulse
        self.time = pulse
        inboxes: list[list[Envelope]] = []
        for seat in range(n):
            deliveries = semantics.inboxes.actions(self.state[n + seat])
            arriving = [self.in_transit[(seat, delivery)].pop(0) for delivery in deliveries]
            inboxes.append(sorted(arriving, key=lambda envelope: envelope.sender))
        steps: list[tuple[Action, list[Envelope]]] = []
        for seat in range(n):
            if semantics.locals.known[self.state[seat]].up:
                inbox = tuple([(envelope.sender, envelope.message) for envelope in inboxes[seat]])
                steps.append((Action("pulse", seat, message=(pulse, inbox)), inboxes[seat]))
        self.play_together(steps, list(transition.coins))

    def inform(self, transition: Transition, news: Action) -> None:
        """All who have yet to be told of something are told at one moment."""
        semantics = self.semantics
        steps: list[tuple[Action, list[Envelope]]] = []
        for seat in range(semantics.n):
            report = semantics.actions.report(news.name, seat, news.sender)
            if report in semantics.inboxes.actions(self.state[semantics.n + seat]):
                steps.append((semantics.actions.known[report], []))
        self.play_together(steps, list(transition.coins))

    def play_together(self, steps: list[tuple[Action, list[Envelope]]], coins: list[int]) -> None:
        """Several processes take a step at one moment; the coins of each are preceded by their number."""
        semantics = self.semantics
        for action, received in steps:
            if self.failed:  # the run ends with the clause that fails, whose coins are not told
                return
            local = semantics.locals.known[self.state[action.seat]]
            tossed = coins.pop(0) if coins else 0
            script, coins = coins[:tossed], coins[tossed:]
            if local.up:
                semantics.probes[action.seat].be(local)
                self.play(action, script, received)

    def observe(self, said: list[tuple[int, str, Any]], events: list[int]) -> None:
        """Let observers see it, and judge."""
        self.world.time = self.time
        for (process, what, subject), event in zip(said, events, strict=True):
            self.world.event = event
            observe(self.world, process, what, subject)
            for judge in self.judges:
                judge.observe(self.world)

    def conclude(self, for_ever: bool) -> None:
        """The schedule is played: if nothing is left to do, or it goes on like that for ever, the properties decide."""
        if self.failed:
            return
        progress = self.semantics.expand(self.state).progress
        self.over = for_ever or (progress == 0 and self.semantics.is_final(self.state))
        if self.over:
            self.world.time = self.time
            self.world.over = True
            self.world.lock.waits_for.update(self.semantics.waits_for(self.state))
            for judge in self.judges:
                judge.conclude(self.world)

    def make_replay(self, scenario: Scenario) -> Replay:
        """The outcome of what was played so far."""
        instance = self.semantics.instance
        locks = instance.mutex_layer >= 0
        return Replay(
            scenario=scenario,
            topology=instance.topology,
            stack=instance.stack,
            layers=self.semantics.probes[0].layers,
            ended="quiescence" if self.over else "time",
            world=self.world,
            properties=self.judges,
            messages_by_type=self.messages_by_type,
            handled=self.handled,
            time=self.time,
            events=self.recorder.count,
            recorder=self.recorder,
            lock=LockFigures(self.world.lock, self.recorder.messages, self.time) if locks else None,
            ends=self.ends,
        )


def limits_of(schedule: Schedule, fifo: bool) -> Limits:
    """The limits within which a schedule is a run."""
    given = msgspec.structs.asdict(schedule)
    for own in ("steps", "loop"):
        del given[own]
    return Limits(fifo=fifo, **given)


def play(scenario: Scenario, trace: str | None = None) -> Replay:
    """Play the schedule of a scenario, and write the trace to a file if one is named.

    ScenarioError says which step is not possible.
    """
    schedule = scenario.schedule
    if schedule is None:
        raise ScenarioError("schedule: expected the steps of a run; a scenario without a schedule is simulated")
    recorder = Recorder(KEPT_EVENTS)
    semantics = Question(scenario, limits_of(schedule, scenario.network.fifo), []).build_semantics()
    player = Player(semantics, properties_of(semantics.instance.stack, scenario.waiting_limit), recorder)
    for number, step in enumerate(schedule.steps):
        transitions = expand_by_name(semantics, player.state)
        if step not in transitions:
            possible = ", ".join(sorted(transitions)[:6]) or "nothing"
            raise ScenarioError(f"schedule.steps[{number}]: {step!r} is not possible then; possible: {possible}")
        player.step(transitions[step])
    player.conclude(schedule.loop is not None)
    outcome = player.make_replay(scenario)
    if trace is not None:
        outcome.trace.write(trace)
    return outcome
