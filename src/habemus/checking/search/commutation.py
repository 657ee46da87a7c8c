"""Whether two actions at one process commute in a local state, as far as anybody can see (see `reduction`).

It takes four look-ups: e then f and f then e lead to the same local state, send the same, and show observers the same;
or the same a step earlier, if what they see is that a process enters or becomes leader. It is inside for longer then,
and any process that met it there still does (but an entry with a token excludes others, see `only_opens`).
"""

from __future__ import annotations

from habemus.checking.model.effects import Effect
from habemus.checking.model.semantics import Semantics
from habemus.process import Pid


class Commutation:
    def __init__(self, semantics: Semantics) -> None:
        self.stack = semantics.instance.stack
        self.fifo = semantics.limits.fifo
        self.locals = semantics.locals
        self.own_actions = semantics.own_actions
        self.effects = semantics.effects
        self.observers = semantics.observers
        self.known: dict[int, bool] = {}

    def holds(self, local: int, action: int, other: int, own: bool) -> bool:
        """Whether the order of two actions in a local state makes no difference to anybody."""
        key = (local << 48) | (action << 24) | other
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = self.compare_orders(local, action, other, own)
        return known

    def compare_orders(self, local: int, action: int, other: int, own: bool) -> bool:
        effects, out_of_bounds = self.effects, self.locals.out_of_bounds
        first = effects.of(local, action)[0]
        if own and other not in self.own_actions.of(first.local):
            return False  # the action prevents the other one
        try:
            others = effects.of(local, other)
            after = effects.of(first.local, other)
        except Exception:  # a state that no run reaches may be one that the clause cannot deal with
            return False
        if len(others) != len(after):
            return False
        for direct, late in zip(others, after, strict=True):
            if direct.coins != late.coins or not self.has_one_effect(direct.local, action):
                return False
            last = effects.of(direct.local, action)[0]
            if last.local != late.local or out_of_bounds[direct.local] != out_of_bounds[late.local]:
                return False
            if not self.looks_same(local, first, late, direct, last):
                return False
            if not self.sends_same(first.sends + late.sends, direct.sends + last.sends):
                return False
        return True

    def has_one_effect(self, local: int, action: int) -> bool:
        """Whether there is just one thing that the action can do here, within bounds."""
        try:
            effects = self.effects.of(local, action)
        except Exception:  # a state that no run reaches may be one that the clause cannot deal with
            return False
        return len(effects) == 1 and not self.locals.out_of_bounds[effects[0].local]

    def looks_same(self, local: int, first: Effect, late: Effect, direct: Effect, last: Effect) -> bool:
        """Whether observers see the same when e goes first as when it goes last, or see an entry earlier."""
        if not (first.note or late.note or direct.note or last.note):
            return True
        if first.note == last.note and direct.note == late.note:
            if not first.note or not direct.note:
                return not first.note or self.is_unseen(local, first) or self.only_opens(first)
            return False
        return not first.note and not direct.note and last.note == late.note and self.only_opens(last)

    def sends_same(self, one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]) -> bool:
        """Whether two orders put the same messages into every inbox, in the same order where links keep it."""
        if one == other:
            return True
        if self.fifo:
            return sorted(one, key=lambda send: send[0]) == sorted(other, key=lambda send: send[0])
        return sorted(one) == sorted(other)

    def is_unseen(self, local: int, effect: Effect) -> bool:
        """Whether observers see at most that a follower changes its mind, or that a process asks to enter."""
        for process, what, subject in self.observers.notes[effect.note]:
            if what == "ask" and not self.observers.counts_entries:
                continue
            if what != "leader" or subject == process or self.leads(local, process):
                return False
        return True

    def leads(self, local: int, process: Pid) -> bool:
        """Whether the process in this local state takes itself for the leader."""
        for anatomy, snapshot in zip(self.stack, self.locals.known[local].layers, strict=True):
            if "leader" in anatomy.fields and snapshot[anatomy.fields.index("leader")] == process:
                return True
        return False

    def only_opens(self, effect: Effect) -> bool:
        """Whether all that observers see is that a process becomes leader, or enters, and hides nothing by it.

        An entry with a token may exclude others that would have met each other inside; and where entries are counted
        it matters who asked before.
        """
        for process, what, subject in self.observers.notes[effect.note]:
            if what == "enter":
                if subject is not None or self.observers.counts_entries:
                    return False
            elif what != "term" and (what != "leader" or subject != process):
                return False
        return True
