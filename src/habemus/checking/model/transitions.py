"""Global states and transitions: one process takes a step, or several do together.

A global state is a tuple of small numbers: a local state for each process, an inbox for each process, the world as
observers see it, and the faults that are still allowed.
"""

from __future__ import annotations

from typing import NamedTuple

from habemus.checking.model.actions import Action, Actions
from habemus.checking.model.effects import Effect, Effects
from habemus.checking.model.inboxes import Inboxes
from habemus.checking.model.instance import Instance
from habemus.checking.model.local_states import LocalStates
from habemus.checking.model.observers import Observers
from habemus.process import ClauseError

State = tuple[int, ...]


class Allowance(NamedTuple):
    """How many faults of each kind may still happen; the number of the next pulse, and of silent ones before it."""

    crashes: int = 0
    recoveries: int = 0
    losses: int = 0
    doubles: int = 0
    reorders: int = 0
    mistakes: int = 0
    pulse: int = 0
    silence: int = 0


class Transition:
    """An action in a global state, and the state that it leads to."""

    def __init__(
        self, action: int, effect: Effect | None, state: State, coins: tuple[int, ...] = (), note: int = 0
    ) -> None:
        self.action = action
        self.effect = effect  # if one process takes a step
        self.state = state
        self.note = effect.note if effect is not None else note  # what observers see
        self.coins = effect.coins if effect is not None else coins


class Expansion:
    """All transitions from a state: first what processes and the network do by themselves, then faults."""

    def __init__(self) -> None:
        self.transitions: list[Transition] = []
        self.left_out: list[int] = []  # actions that a bound excludes
        self.progress = 0  # how many of the transitions are neither faults nor requests to enter
        self.held_back = 0  # how many of the actions that were left out are no faults

    def count_progress(self, requests: int) -> None:
        """All transitions but the faults have been found."""
        self.progress = len(self.transitions) - requests
        self.held_back = len(self.left_out)


class Transitions:
    """Finds the states that the steps of processes lead to."""

    def __init__(
        self,
        instance: Instance,
        locals: LocalStates,
        actions: Actions,
        effects: Effects,
        inboxes: Inboxes,
        observers: Observers,
    ) -> None:
        self.n = instance.n
        self.ids = instance.topology.ids
        self.locals = locals
        self.actions = actions
        self.effects = effects
        self.inboxes = inboxes
        self.observers = observers
        self.allowances: list[Allowance] = []
        self.allowance_numbers: dict[Allowance, int] = {}
        self.no_faults = self.allowance_number(Allowance())

    def allowance_number(self, allowance: Allowance) -> int:
        number = self.allowance_numbers.get(allowance)
        if number is None:
            number = self.allowance_numbers[allowance] = len(self.allowances)
            self.allowances.append(allowance)
        return number

    def allowance(self, state: State) -> Allowance:
        return self.allowances[state[2 * self.n + 1]]

    def take(self, expansion: Expansion, state: State, seat: int, action: int, rest: int) -> None:
        """An action happens at a process and leaves `rest` in its inbox."""
        n = self.n
        try:
            effects = self.effects.of(state[seat], action)
        except ClauseError as error:
            child = list(state)
            child[n + seat] = rest
            note = self.note_failure(seat, error)
            child[2 * n] = self.observers.after(state[2 * n], note)
            expansion.transitions.append(Transition(action, None, tuple(child), note=note))
            return
        for effect in effects:
            if self.locals.out_of_bounds[effect.local]:
                expansion.left_out.append(action)
                continue
            child = list(state)
            child[seat] = effect.local
            child[n + seat] = rest
            for to, message in effect.sends:
                child[n + to] = self.inboxes.add(child[n + to], message)
            if effect.note:
                child[2 * n] = self.observers.after(state[2 * n], effect.note)
            expansion.transitions.append(Transition(action, effect, tuple(child)))

    def note_failure(self, seat: int, error: ClauseError) -> int:
        """What observers see when a clause of a process fails: the run ends there."""
        return self.observers.number_of(((self.ids[seat], "fail", str(error)),))

    def take_as_fault(
        self, expansion: Expansion, state: State, action: int, rest: int, name: str, left: Allowance
    ) -> None:
        """The same, where it should not happen: the action gets the name of the fault, and fewer faults are left."""
        cause = self.actions.known[action]
        fault = self.actions.number_of(Action(name, cause.seat, sender=cause.sender, message=cause.message))
        number = self.allowance_number(left)
        before = len(expansion.transitions)
        self.take(expansion, state, cause.seat, action, rest)
        for transition in expansion.transitions[before:]:
            transition.action = fault
            transition.state = (*transition.state[: 2 * self.n + 1], number)

    def take_together(
        self, expansion: Expansion, child: list[int], steps: list[tuple[int, int]]
    ) -> list[tuple[list[int], tuple[int, ...]]]:
        """Several processes take a step (seat, action) at one moment: the states after it, with the coins of each.

        The coins of each process are preceded by their number.
        """
        n = self.n
        partial: list[tuple[list[int], tuple[int, ...]]] = [(child, ())]
        for seat, action in steps:
            extended = []
            for earlier, coins in partial:
                try:
                    effects = self.effects.of(earlier[seat], action)
                except ClauseError as error:
                    failed = list(earlier)
                    failed[2 * n] = self.observers.after(earlier[2 * n], self.note_failure(seat, error))
                    return [(failed, coins)]
                for effect in effects:
                    if self.locals.out_of_bounds[effect.local]:
                        expansion.left_out.append(action)
                        continue
                    later = list(earlier)
                    later[seat] = effect.local
                    for to, message in effect.sends:
                        later[n + to] = self.inboxes.add(later[n + to], message)
                    if effect.note:
                        later[2 * n] = self.observers.after(later[2 * n], effect.note)
                    extended.append((later, (*coins, len(effect.coins), *effect.coins)))
            partial = extended
        return partial
