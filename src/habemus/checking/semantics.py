"""What may happen in a global state, and what comes of it: the meaning of an algorithm, in one place.

A global state is a tuple of small numbers: a local state for each process, an inbox for each process, what onlookers
have seen, and the ledger of faults that are still allowed. Local states, events and inboxes are interned, and the
outcome of an event in a local state is worked out once by running its clause; from then on it is looked up.

    start      a starter takes its first step: all `first`, before anything else happens; or each as a `step` before it
               receives anything; or perhaps `late`. Where anybody may be a starter, it may also `abstain`
    deliver    a message arrives; at a process that is down it is lost
    suspect    the perfect detector speaks of a process that has crashed, after the last of its messages has arrived;
               trust of one that is back
    timeout    a timer runs out, as the timing assumption allows
    command    a process asks to enter (`acquire`), or leaves (`release`)
    crash, recover, lose, double      faults, while the ledger allows them
    tick       time passes, under `bounded`              pulse   all take a step at once, in a synchronous network

Timing is a named assumption:

    async      a timer may run out at any moment, a limited number of times at each process
    ordered    no timer runs out while a message is under way, and of a process's timers the one with least time left
    bounded    messages take 1 to `delay` ticks, timers just as long as they were set to, the detector its detection
               time; what is due by a deadline arrives before any timer set to it runs out
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from habemus.checking.inboxes import CLOSED, EMPTY
from habemus.checking.limits import BOUNDED, FIRST, ORDERED, Limits
from habemus.checking.probe import Event, Local
from habemus.checking.steps import Outcome, Steps
from habemus.process import Anatomy, Pid
from habemus.process.anatomy import message_fields
from habemus.properties import Property
from habemus.simulation.topology import Topology

State = tuple[int, ...]
Ledger = tuple[int, int, int, int, int, int]
"""Crashes, recoveries, losses and doublings that are left; the number of the next pulse, and of silent ones before."""


class Move:
    """One thing that may happen in a global state, and the state it leads to."""

    def __init__(self, event: int, outcome: Outcome | None, state: State) -> None:
        self.event = event
        self.outcome = outcome  # of a step of one process
        self.state = state
        self.coins = outcome.coins if outcome is not None else ()


class Semantics(Steps):
    """The meaning of one instance: a stack of algorithms on a topology, within limits."""

    def __init__(
        self,
        stack: list[Anatomy],
        parameters: list[dict[str, Any]],
        topology: Topology,
        starters: list[Pid],
        limits: Limits,
        properties: Callable[[], list[Property]],
        wanted: list[str],
    ) -> None:
        super().__init__(stack, parameters, topology, starters, limits, properties, wanted)
        self.listens = limits.detection >= 0
        self.ledgers: list[Ledger] = []
        self.ledger_numbers: dict[Ledger, int] = {}
        self.quiet_ledger = self.ledger_number((0, 0, 0, 0, 0, 0))
        self.cut = False  # whether the last expansion left out a move because of a bound
        self.progress = 0  # how many moves of the last expansion are no faults
        self.tick = self.event_number(Event("tick", -1))
        self.pulse = self.event_number(Event("pulse", -1))
        self.initial = self.initial_state()

    def ledger_number(self, ledger: Ledger) -> int:
        """The number of a ledger."""
        number = self.ledger_numbers.get(ledger)
        if number is None:
            number = self.ledger_numbers[ledger] = len(self.ledgers)
            self.ledgers.append(ledger)
        return number

    # The beginning

    def initial_state(self) -> State:
        """The state in which nobody has done anything."""
        limits = self.limits
        wishes = limits.entries if self.mutex_layer >= 0 else 0
        locals = [
            self.local_number(probe.birth(wishes, limits.alarms, place not in self.starting))
            for place, probe in enumerate(self.probes)
        ]
        faults = (limits.crashes, limits.recoveries, limits.losses, limits.doubles, 0, 0)
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
        self.cut = False
        n = self.n
        timing = self.limits.timing
        patient = self.timed and self.is_patient(state)
        for place in range(n):
            local = state[place]
            inbox = state[n + place]
            if not self.hears[local]:
                if self.limits.starts == FIRST:
                    moves = []  # starts commute with everything before them, so nothing is lost if they all come first
                self.take(moves, state, place, local, self.starting[place], inbox)
                if self.limits.anybody:
                    self.abstain(moves, state, place)
                if self.limits.starts == FIRST:
                    self.progress = len(moves)
                    return moves
                continue
            for event in self.own_events(local):
                if patient and self.events[event].kind == "timeout":
                    continue
                self.take(moves, state, place, local, event, inbox)
            if not self.synchronous:
                for event, rest in self.inboxes.arrivals(inbox):
                    if not self.listens or self.may_be_told(state, event):
                        self.take(moves, state, place, local, event, rest)
        if self.synchronous and not moves:
            self.take_pulse(moves, state)
        elif timing == BOUNDED:
            self.take_tick(moves, state)
        self.progress = len(moves)
        if state[2 * n + 1] != self.quiet_ledger:
            self.expand_faults(moves, state)
        return moves

    def is_patient(self, state: State) -> bool:
        """Whether timers wait for a message: for any that is under way (ordered), or that is due (bounded)."""
        inboxes = [inbox for inbox in state[self.n : 2 * self.n] if inbox > CLOSED]
        if self.limits.timing == ORDERED:
            return bool(inboxes)
        return any(self.inboxes.is_due(inbox) for inbox in inboxes)

    def may_be_told(self, state: State, event: int) -> bool:
        """Whether the perfect detector may say so: of a crash only after the last message of the dead has arrived."""
        word = self.events[event]
        if word.kind != "suspect" or self.limits.timing == BOUNDED:
            return True
        for inbox in state[self.n : 2 * self.n]:
            for number in self.inboxes.events(inbox):
                if self.events[number].kind == "deliver" and self.events[number].sender == word.sender:
                    return False
        return True

    def take(self, moves: list[Move], state: State, place: int, local: int, event: int, rest: int) -> None:
        """An event happens at a process and leaves `rest` in its inbox."""
        n = self.n
        for outcome in self.results(local, event):
            if self.excess[outcome.local]:
                self.cut = True
                continue
            child = list(state)
            child[place] = outcome.local
            child[n + place] = rest
            for to, message in outcome.sends:
                child[n + to] = self.inboxes.added(child[n + to], message)
            if outcome.note:
                child[2 * n] = self.onlookers.after(state[2 * n], outcome.note)
            moves.append(Move(event, outcome, tuple(child)))

    def abstain(self, moves: list[Move], state: State, place: int) -> None:
        """A process that might start does not, unless it is the last that could."""
        local = self.locals[state[place]]
        idle = self.local_number(Local(place, True, True, local.wishes, local.alarms, (), local.layers))
        earlier = [
            self.locals[state[other]].layers != self.locals[self.initial[other]].layers for other in range(place)
        ]
        if place < self.n - 1 or any(earlier):
            child = list(state)
            child[place] = idle
            moves.append(Move(self.event_number(Event("abstain", place)), None, tuple(child)))

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
        crashes, recoveries, losses, doubles, pulse, silence = self.ledgers[state[2 * n + 1]]
        if silence >= 2:
            return
        partial: list[tuple[list[int], tuple[int, ...]]] = [([*state[:n], *([EMPTY] * n), *state[2 * n :]], ())]
        for place in range(n):
            if not self.locals[state[place]].up:
                continue
            letters = [self.events[event] for event in self.inboxes.events(state[n + place])]
            inbox = tuple(sorted([(letter.sender, letter.message) for letter in letters], key=lambda item: item[0]))
            event = self.event_number(Event("pulse", place, message=(pulse, inbox)))
            extended = []
            for child, coins in partial:
                for outcome in self.results(state[place], event):
                    next_child = list(child)
                    next_child[place] = outcome.local
                    for to, message in outcome.sends:
                        next_child[n + to] = self.inboxes.added(next_child[n + to], message)
                    if outcome.note:
                        next_child[2 * n] = self.onlookers.after(next_child[2 * n], outcome.note)
                    extended.append((next_child, (*coins, len(outcome.coins), *outcome.coins)))
            partial = extended
        for child, coins in partial:
            silent = 0 if any(inbox > CLOSED for inbox in child[n : 2 * n]) else silence + 1
            child[2 * n + 1] = self.ledger_number((crashes, recoveries, losses, doubles, pulse + 1, silent))
            move = Move(self.pulse, None, tuple(child))
            move.coins = coins
            moves.append(move)

    # Faults

    def expand_faults(self, moves: list[Move], state: State) -> None:
        """What may go wrong, or right again, while the ledger allows it."""
        n = self.n
        crashes, recoveries, losses, doubles, pulse, silence = self.ledgers[state[2 * n + 1]]
        for place in range(n):
            local = self.locals[state[place]]
            if local.up and crashes:
                ledger = self.ledger_number((crashes - 1, recoveries, losses, doubles, pulse, 0 if pulse else silence))
                self.crash(moves, state, place, local, ledger, recoveries > 0)
            elif not local.up and recoveries:
                ledger = self.ledger_number((crashes, recoveries - 1, losses, doubles, pulse, 0 if pulse else silence))
                self.recover(moves, state, place, ledger, recoveries > 1)
            for event, rest in self.inboxes.arrivals(state[n + place]) if losses or doubles else []:
                parcel = self.events[event]
                if parcel.kind != "deliver":
                    continue
                if losses:
                    child = list(state)
                    child[n + place] = rest
                    child[2 * n + 1] = self.ledger_number((crashes, recoveries, losses - 1, doubles, pulse, silence))
                    lost = self.event_number(Event("lose", place, "", 0, parcel.sender, parcel.message))
                    moves.append(Move(lost, None, tuple(child)))
                if doubles and local.up:
                    doubled = self.event_number(Event("double", place, "", 0, parcel.sender, parcel.message))
                    before = len(moves)
                    self.take(moves, state, place, state[place], event, state[n + place])
                    ledger = self.ledger_number((crashes, recoveries, losses, doubles - 1, pulse, silence))
                    for move in moves[before:]:
                        move.event = doubled
                        move.state = (*move.state[: 2 * n + 1], ledger)

    def crash(self, moves: list[Move], state: State, place: int, local: Local, ledger: int, may_return: bool) -> None:
        """A process stops at once; what it sent is still under way."""
        n, pid = self.n, self.topology.ids[place]
        layers = self.probes[place].rebirth(local) if may_return else ()
        wishes = local.wishes if may_return else 0
        child = list(state)
        child[place] = self.local_number(
            Local(place, False, True, wishes, local.alarms if may_return else 0, (), layers)
        )
        if not may_return:
            child[n + place] = CLOSED
        self.announce(child, place, "suspect")
        note = self.onlookers.number_of(((pid, "crash", None),))
        child[2 * n] = self.onlookers.after(state[2 * n], note)
        child[2 * n + 1] = ledger
        moves.append(Move(self.event_number(Event("crash", place)), None, tuple(child)))

    def recover(self, moves: list[Move], state: State, place: int, ledger: int, more: bool) -> None:
        """A process is back with its durable fields only."""
        n = self.n
        event = self.event_number(Event("recover", place))
        before = len(moves)
        self.take(moves, state, place, state[place], event, state[n + place])
        for move in moves[before:]:
            child = list(move.state)
            child[2 * n + 1] = ledger
            for other in range(n):
                absent = self.locals[child[other]]
                if not absent.up:
                    if self.listens:
                        word = self.event_number(Event("suspect", place, "", 0, self.topology.ids[other]))
                        child[n + place] = self.inboxes.added(child[n + place], word)
                    if not more:
                        child[other] = self.local_number(Local(other, False, True, 0, 0, (), ()))
                        child[n + other] = CLOSED
            self.announce(child, place, "trust")
            move.state = tuple(child)

    def announce(self, child: list[int], place: int, word: str) -> None:
        """The perfect detector will tell all others, and takes back what is no longer true."""
        if not self.listens:
            return
        n, pid = self.n, self.topology.ids[place]
        for other in range(n):
            if other != place:
                stale = {self.event_number(Event(kind, other, "", 0, pid)) for kind in ("suspect", "trust")}
                child[n + other] = self.inboxes.without(child[n + other], stale)
                if self.locals[child[other]].up:
                    news = self.event_number(Event(word, other, "", 0, pid))
                    child[n + other] = self.inboxes.added(child[n + other], news)

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

    def label(self, move: Move) -> str:
        """A move as a schedule names it: `deliver 2>3 Candidate(5)`, `timeout 4 answer`, `crash 3`, `tick`."""
        event = self.events[move.event]
        coins = " " + ",".join(map(str, move.coins)) if any(move.coins) else ""
        if event.place < 0:
            return event.kind + coins
        pid = self.topology.ids[event.place]
        if event.kind in ("deliver", "lose", "double"):
            content = ", ".join([str(value) for value in message_fields(event.message).values()])
            letter = f"{type(event.message).__name__}({content})" if content else type(event.message).__name__
            return f"{event.kind} {event.sender}>{pid} {letter}{coins}"
        if event.kind in ("suspect", "trust"):
            return f"{event.kind} {pid} {event.sender}{coins}"
        if event.kind == "command":
            return f"{event.name} {pid}{coins}"
        return f"{event.kind} {pid}" + (f" {event.name}" if event.kind == "timeout" else "") + coins
