"""What may happen in a global state, and what comes of it: the meaning of an algorithm, in one place.

A global state is a tuple of small numbers (`moves`). Local states, events and inboxes are interned, and the outcome of
an event in a local state is worked out once by running its clause (`steps`); from then on it is looked up.

    start      a starter takes its first step: all `first`, before anything else happens; or each as a `step` before it
               receives anything; or perhaps `late`. Where anybody may be a starter, it may also `abstain`
    deliver    a message arrives; at a process that is down it is lost
    suspect    the detector speaks of a process that has crashed; trust of one that is back
    timeout    a timer runs out, as the timing assumption allows
    command    a process asks to enter (`acquire`), if it ever does, or leaves (`release`)
    crash, recover, lose, double, overtake, mistake      `faults`, while the ledger allows them
    tick       time passes, under `bounded`              pulse   all take a step at once, in a synchronous network

Timing is a named assumption:

    async      a timer may run out at any moment, a limited number of times at each process
    ordered    no timer runs out while a message is under way, and of a process's timers the one with least time left
    bounded    messages take 1 to `delay` ticks, timers just as long as they were set to, the detector its detection
               time; what is due by a deadline arrives before any timer set to it runs out
"""

from __future__ import annotations

from typing import Any

from habemus.checking.faults import Faults
from habemus.checking.inboxes import CLOSED, EMPTY
from habemus.checking.limits import BOUNDED, FIRST, ORDERED, SIMULTANEOUS
from habemus.checking.moves import Ledger, Move, State
from habemus.checking.probe import Event, Local
from habemus.checking.steps import Setting
from habemus.process import Message, Pid
from habemus.process.anatomy import field_defaults, message_fields


class Semantics(Faults):
    """The meaning of one instance: a stack of algorithms on a topology, within limits."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.progress = 0  # how many moves of the last expansion are neither faults nor wishes
        self.held_back = 0  # how many of the events that it left out are no faults
        self.tick = self.event_number(Event("tick", -1))
        self.pulse = self.event_number(Event("pulse", -1))
        self.initial = self.initial_state()

    # The beginning

    def initial_state(self) -> State:
        """The state in which nobody has done anything."""
        limits = self.limits
        wishes = limits.entries if self.mutex_layer >= 0 else 0
        locals = [
            self.local_number(probe.birth(wishes, limits.alarms, place not in self.starting))
            for place, probe in enumerate(self.probes)
        ]
        faults = Ledger(
            limits.crashes, limits.recoveries, limits.losses, limits.doubles, limits.reorders, limits.mistakes
        )
        return (*locals, *([EMPTY] * self.n), 0, self.ledger_number(faults))

    def beginning(self) -> list[Move]:
        """The first steps of all starters, as far as they are determined: every run begins with them."""
        moves: list[Move] = []
        state = self.initial
        while self.limits.starts == FIRST and not all(self.hears[state[place]] for place in range(self.n)):
            options = self.expand(state)
            if len(options) != 1:
                break
            moves.append(options[0])
            state = options[0].state
        return moves

    # Global steps

    def expand(self, state: State) -> list[Move]:
        """All that may happen in a state: first what processes and the network do by themselves, then faults."""
        moves: list[Move] = []
        self.left_out = []
        n = self.n
        waiting = self.waiting_to_start(state)
        for place, event, rest in self.single_steps(state):
            self.take(moves, state, place, state[place], event, rest)
        if waiting >= 0:
            for place in range(waiting, n if self.limits.anybody else 0):
                if not self.hears[state[place]]:
                    self.abstain(moves, state, place)
                    if self.limits.starts == FIRST:
                        break
            if self.limits.starts == FIRST:
                self.progress, self.held_back = len(moves), len(self.left_out)
                return moves
        if self.listens and self.limits.detector == SIMULTANEOUS:
            self.tell_all(moves, state)
        if self.synchronous and not moves:
            self.take_pulse(moves, state)
        elif self.limits.timing == BOUNDED:
            self.take_tick(moves, state)
        wishes = [move for move in moves if self.is_wish(move.event)] if self.mutex_layer >= 0 else []
        self.progress, self.held_back = len(moves) - len(wishes), len(self.left_out)
        if state[2 * n + 1] != self.quiet_ledger:
            self.expand_faults(moves, state)
        return moves

    def is_wish(self, event: int) -> bool:
        """Whether a process asks to enter, which nobody has to: those who do may not depend on it."""
        return self.events[event].kind == "command" and self.events[event].name == "acquire"

    def waiting_to_start(self, state: State) -> int:
        """The first process that hears nothing before it has taken its first step; -1 if there is none."""
        hears = self.hears
        for place in range(self.n):
            if not hears[state[place]]:
                return place
        return -1

    def single_steps(self, state: State) -> list[tuple[int, int, int]]:
        """What may happen at one process: where, the event, and what is in the inbox after it."""
        n = self.n
        waiting = self.waiting_to_start(state)
        if waiting >= 0 and self.limits.starts == FIRST:
            # Starts commute with everything before them, so nothing is lost if they all come first.
            return [(waiting, self.starting[waiting], state[n + waiting])]
        found: list[tuple[int, int, int]] = []
        patient = self.timed and self.is_patient(state)
        for place in range(n):
            local, inbox = state[place], state[n + place]
            for event in self.own_events(local):
                if not patient or self.events[event].kind != "timeout":
                    found.append((place, event, inbox))
            if inbox > CLOSED and self.hears[local] and not self.synchronous:
                for event, rest in self.inboxes.arrivals(inbox):
                    if not self.listens or self.may_be_told(state, event):
                        found.append((place, event, rest))
        return found

    def is_patient(self, state: State) -> bool:
        """Whether timers wait for a message: for any that is under way (ordered), or that is due (bounded)."""
        inboxes = [inbox for inbox in state[self.n : 2 * self.n] if inbox > CLOSED]
        if self.limits.timing == ORDERED:
            return bool(inboxes)
        return any(self.inboxes.is_due(inbox) for inbox in inboxes)

    def abstain(self, moves: list[Move], state: State, place: int) -> None:
        """A process that might start does not, unless it is the last that could."""
        earlier = any(self.may_have_started(state, other) for other in range(place))
        if place < self.n - 1 or earlier or any(inbox != EMPTY for inbox in state[self.n : 2 * self.n]):
            child = list(state)
            child[place] = self.idle(place)
            moves.append(Move(self.event_number(Event("abstain", place)), None, tuple(child)))

    def idle(self, place: int) -> int:
        """The local state of a process that might have started, and did not."""
        born = self.locals[self.initial[place]]
        return self.local_number(Local(place, True, True, born.wishes, born.alarms, (), born.layers))

    def may_have_started(self, state: State, place: int) -> bool:
        """Whether it shows that a process has started, or would not show if it had."""
        untouched, idle = self.initial[place], self.idle(place)
        if state[place] != idle:
            return state[place] != untouched
        return any(step.local == idle and not step.sends for step in self.results(untouched, self.starting[place]))

    def take_tick(self, moves: list[Move], state: State) -> None:
        """Time passes, unless something is due."""
        n = self.n
        waiting = False
        child = list(state)
        for place in range(n):
            local, inbox = self.locals[state[place]], state[n + place]
            if inbox > CLOSED and self.inboxes.is_due(inbox):
                return
            if inbox > CLOSED:
                waiting = True
                child[n + place] = self.inboxes.older(inbox)
            if local.timers:
                if min([ticks for _, _, ticks in local.timers]) == 0:
                    return
                waiting = True
                timers = tuple([(layer, name, ticks - 1) for layer, name, ticks in local.timers])
                child[place] = self.local_number(
                    Local(local.place, local.up, local.awake, local.wishes, local.alarms, timers, local.layers)
                )
        if waiting:
            moves.append(Move(self.tick, None, tuple(child)))

    def take_pulse(self, moves: list[Move], state: State) -> None:
        """All live processes take part in a pulse, each in every way its coins may fall."""
        n = self.n
        ledger = self.ledger(state)
        if ledger.silence >= 2:
            return
        steps = []
        for place in range(n):
            if self.locals[state[place]].up:
                letters = [self.events[event] for event in self.inboxes.events(state[n + place])]
                inbox = tuple(sorted([(letter.sender, letter.message) for letter in letters], key=lambda item: item[0]))
                steps.append((place, self.event_number(Event("pulse", place, message=(ledger.pulse, inbox)))))
        for child, coins in self.taken_together([*state[:n], *([EMPTY] * n), *state[2 * n :]], steps):
            silent = 0 if any(inbox > CLOSED for inbox in child[n : 2 * n]) else ledger.silence + 1
            child[2 * n + 1] = self.ledger_number(ledger._replace(pulse=ledger.pulse + 1, silence=silent))
            moves.append(Move(self.pulse, None, tuple(child), coins))

    # Judging

    def broken(self, state: State) -> str:
        """The property that is violated in a state; empty if none is."""
        return self.onlookers.broken[state[2 * self.n]]

    def is_final(self, state: State) -> bool:
        """Whether the run is over where nothing is left to do: not if only a limit keeps a timer from running out."""
        resting = self.resting
        return all(resting[state[place]] for place in range(self.n))

    def shortfall(self, state: State) -> str:
        """The property that fails if the run ends in this state; empty if none does."""
        return self.onlookers.shortfall(state[2 * self.n], self.waits_for(state))

    def waits_for(self, state: State) -> dict[Pid, tuple[Pid, ...]]:
        """Who waits for whom, by their own account."""
        found = {}
        for place in range(self.n if self.mutex_layer >= 0 else 0):
            local = self.locals[state[place]]
            if local.up:
                probe = self.probes[place]
                probe.be(local)
                mutex: Any = probe.processes[self.mutex_layer]
                if mutex.waiting:
                    found[probe.id] = mutex.waits_for
        return found

    # Words

    def named(self, state: State) -> dict[str, Move]:
        """All that may happen in a state, by its label; of several with one label the later are numbered.

        Such are two equal messages on one link, if one is older or overtakes more than the other.
        """
        found: dict[str, Move] = {}
        for move in self.expand(state):
            name = label = self.label(move)
            count = 1
            while name in found and (found[name].event, found[name].state) != (move.event, move.state):
                count += 1
                name = f"{label} #{count}"
            found.setdefault(name, move)
        return found

    def names(self, moves: list[Move]) -> list[str]:
        """The steps of a run from the beginning, each by the name that it has there."""
        found = []
        state = self.initial
        for move in moves:
            options = self.named(state).items()
            found.append(next(name for name, at in options if (at.event, at.state) == (move.event, move.state)))
            state = move.state
        return found

    def label(self, move: Move) -> str:
        """A move as a schedule names it: `deliver 2>3 Candidate(5)`, `timeout 4 answer`, `crash 3`, `tick`."""
        event = self.events[move.event]
        coins = " " + ",".join(map(str, move.coins)) if any(move.coins) else ""
        if event.kind == "inform":
            return f"{event.name} all {event.sender}{coins}"
        if event.place < 0:
            return event.kind + coins
        pid = self.topology.ids[event.place]
        if event.kind in ("deliver", "lose", "double", "overtake"):
            return f"{event.kind} {event.sender}>{pid} {letter(event.message)}{coins}"
        if event.kind in ("suspect", "trust", "mistake"):
            return f"{event.kind} {pid} {event.sender}{coins}"
        if event.kind == "command":
            return f"{event.name} {pid}{coins}"
        return f"{event.kind} {pid}" + (f" {event.name}" if event.kind == "timeout" else "") + coins


def letter(message: Message) -> str:
    """A message as a schedule names it: `Vote(5, weight=2)`. Fields at their default are left out, later ones named."""
    contents = message_fields(message)
    words: list[str] = []
    for position, (name, _) in enumerate(field_defaults(type(message))):
        if name in contents:
            words.append(f"{contents[name]}" if len(words) == position else f"{name}={contents[name]}")
    return f"{type(message).__name__}({', '.join(words)})" if words else type(message).__name__
