"""Global states, and the steps of processes in them: one alone, or several together.

A global state is a tuple of small numbers: a local state for each process, an inbox for each process, what onlookers
have seen, and the ledger of faults that are still allowed.
"""

from __future__ import annotations

from typing import NamedTuple

from habemus.checking.probe import Event
from habemus.checking.steps import Outcome, Setting
from habemus.checking.twins import Twins

State = tuple[int, ...]


class Ledger(NamedTuple):
    """What is left of each kind of fault; the number of the next pulse, and of silent ones before."""

    crashes: int = 0
    recoveries: int = 0
    losses: int = 0
    doubles: int = 0
    reorders: int = 0
    mistakes: int = 0
    pulse: int = 0
    silence: int = 0


class Move:
    """One thing that may happen in a global state, and the state it leads to."""

    def __init__(self, event: int, outcome: Outcome | None, state: State, coins: tuple[int, ...] = ()) -> None:
        self.event = event
        self.outcome = outcome  # of a step of one process
        self.state = state
        self.coins = outcome.coins if outcome is not None else coins


class Moves(Twins):
    """What becomes of a global state when processes take steps in it."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.ledgers: list[Ledger] = []
        self.ledger_numbers: dict[Ledger, int] = {}
        self.quiet_ledger = self.ledger_number(Ledger())
        self.left_out: list[int] = []  # the events that the last expansion left out because of a bound

    def ledger_number(self, ledger: Ledger) -> int:
        """The number of a ledger."""
        number = self.ledger_numbers.get(ledger)
        if number is None:
            number = self.ledger_numbers[ledger] = len(self.ledgers)
            self.ledgers.append(ledger)
        return number

    def ledger(self, state: State) -> Ledger:
        """The faults that are still allowed in a state."""
        return self.ledgers[state[2 * self.n + 1]]

    def take(self, moves: list[Move], state: State, place: int, local: int, event: int, rest: int) -> None:
        """An event happens at a process and leaves `rest` in its inbox."""
        n = self.n
        for outcome in self.results(local, event):
            if self.excess[outcome.local]:
                self.left_out.append(event)
                continue
            child = list(state)
            child[place] = outcome.local
            child[n + place] = rest
            for to, message in outcome.sends:
                child[n + to] = self.inboxes.added(child[n + to], message)
            if outcome.note:
                child[2 * n] = self.onlookers.after(state[2 * n], outcome.note)
            moves.append(Move(event, outcome, tuple(child)))

    def take_as_fault(self, moves: list[Move], state: State, event: int, rest: int, name: str, ledger: Ledger) -> None:
        """An event happens at a process where it should not: it goes by the name of the fault, and is paid for."""
        happening = self.events[event]
        place = happening.place
        fault = self.event_number(Event(name, place, "", 0, happening.sender, happening.message))
        number = self.ledger_number(ledger)
        before = len(moves)
        self.take(moves, state, place, state[place], event, rest)
        for move in moves[before:]:
            move.event = fault
            move.state = (*move.state[: 2 * self.n + 1], number)

    def taken_together(self, child: list[int], steps: list[tuple[int, int]]) -> list[tuple[list[int], tuple[int, ...]]]:
        """Several processes take a step (place, event) at one moment: what comes of it, as all their coins may fall.

        The coins of each are preceded by their number.
        """
        n = self.n
        partial: list[tuple[list[int], tuple[int, ...]]] = [(child, ())]
        for place, event in steps:
            extended = []
            for earlier, coins in partial:
                for outcome in self.results(earlier[place], event):
                    if self.excess[outcome.local]:
                        self.left_out.append(event)
                        continue
                    later = list(earlier)
                    later[place] = outcome.local
                    for to, message in outcome.sends:
                        later[n + to] = self.inboxes.added(later[n + to], message)
                    if outcome.note:
                        later[2 * n] = self.onlookers.after(later[2 * n], outcome.note)
                    extended.append((later, (*coins, len(outcome.coins), *outcome.coins)))
            partial = extended
        return partial
