"""The tables of the packed search (`packed.c`): what it asks of the model, once for each entry.

An entry is a row of numbers. A search can be packed if every step is one process's own, or an arrival: there is no
detector and no clock. A fault of a process then depends on its own local state and inbox alone. States with other steps
(first steps) are handed back, and `Search` expands them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from habemus.checking.model.limits import BOUNDED, ORDERED
from habemus.checking.model.semantics import Semantics
from habemus.checking.model.transitions import Expansion, State
from habemus.checking.search.states import CompactStore, StateStore
from habemus.process import ClauseError

PAUSED, FINISHED, VIOLATED, AT_END, IN_PYTHON = range(5)
TIMEOUT, REQUEST = 1, 2
MOST_DEPTH = (1 << 32) - 1  # no limit


class Tables:
    """The model as rows of numbers."""

    def __init__(self, semantics: Semantics) -> None:
        self.semantics = semantics

    def own(self, local: int, _: int) -> list[int]:
        """Whether messages reach the process, and it is down; then what it may do by itself: action and kind."""
        actions, locals = self.semantics.actions, self.semantics.locals
        row = [int(locals.receives[local]), int(not locals.known[local].up)]
        for number in self.semantics.own_actions.of(local):
            timeout = actions.known[number].kind == "timeout"
            row += [number, TIMEOUT if timeout else REQUEST if actions.is_request(number) else 0]
        return row

    def arriving(self, inbox: int, _: int) -> list[int]:
        """What may arrive: the action, and the inbox that it leaves."""
        return [number for arrival in self.semantics.inboxes.arrivals(inbox) for number in arrival]

    def effects(self, local: int, action: int) -> list[int]:
        """Of each effect: the local state, whether it is out of bounds, the note, and the messages."""
        out_of_bounds = self.semantics.locals.out_of_bounds
        row: list[int] = []
        try:
            effects = self.semantics.effects.of(local, action)
        except ClauseError as error:
            seat = self.semantics.locals.known[local].seat
            return [local, 0, self.semantics.transitions.note_failure(seat, error), 0]
        for effect in effects:
            row += [effect.local, int(out_of_bounds[effect.local]), effect.note, len(effect.sends)]
            row += [number for send in effect.sends for number in send]
        return row

    def faults(self, state: State, seat: int) -> list[int]:
        """How many faults of a process a bound excludes; then of each that it allows: the local state, the inbox, the
        allowance, the note, whether all who are down are so for good, and the messages.
        """
        semantics, expansion = self.semantics, Expansion()
        n = semantics.n
        semantics.faults.expand_seat(expansion, state, seat)
        row = [len(expansion.left_out)]
        for transition in expansion.transitions:
            kind, child, effect = semantics.actions.known[transition.action].kind, transition.state, transition.effect
            for_good = kind == "recover" and not semantics.transitions.allowance(child).recoveries
            sends = effect.sends if effect is not None else ()
            row += [child[seat], child[n + seat], child[2 * n + 1], transition.note, int(for_good), len(sends)]
            row += [part for send in sends for part in send]
        return row

    def gone(self, seat: int, _: int) -> int:
        return self.semantics.faults.gone(seat)

    def add(self, inbox: int, action: int) -> int:
        return self.semantics.inboxes.add(inbox, action)

    def after(self, world: int, note: int) -> int:
        return self.semantics.observers.after(world, note)

    def violates(self, world: int) -> bool:
        return bool(self.semantics.observers.violated[world])


def make_store(semantics: Semantics, packable: bool, compact: bool, most_depth: int) -> tuple[Any, Any]:
    """An empty store of states; and the same once more if it explores by machine code, else None."""
    timing = semantics.limits.timing
    if semantics.claims or semantics.synchronous or semantics.instance.has_detector or timing == BOUNDED:
        packable = False
    if not packable and not compact:
        return StateStore(), None
    try:
        packed = import_module("habemus.checking.search.packed")
    except ImportError:  # the kernel is interpreted
        return CompactStore() if compact else StateStore(), None
    tables, no_faults = Tables(semantics), semantics.transitions.no_faults
    states = packed.States(tables, semantics.n, no_faults, min(most_depth, MOST_DEPTH), timing == ORDERED, compact)
    return states, states if packable else None
