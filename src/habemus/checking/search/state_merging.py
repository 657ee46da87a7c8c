"""State merging: local states that nobody can tell apart are explored as one.

What a process remembers and will never use again can be forgotten. A clock matters until the last request has been
stamped; from then on all its readings have the same effect. So when a step leads to a new local state, each of its
fields is reset, as a trial, to its initial value. If the two states look alike as far as one can see (they offer the
same actions, and what is known to arrive makes both send and show the same, and so on for a while), the search goes on
with the reset one, its representative.

That is a guess, and it is proven at the end. By then it is known which actions happen in each local state of the search
in any run (see `reduction`: each process moves along its graph), and, if every step has led one deeper, that no run has
more steps than the search is deep. So all pairs that a state and its representative come to by these actions, within so
many steps, are compared. If all are alike then runs with and without merging are the same, step by step; if not, the
field is kept, and the search begins anew. (Local states that are equivalent in this sense are bisimilar: D. Park.
Concurrency and automata on infinite sequences. LNCS 104, 1981.)
"""

from __future__ import annotations

from habemus.checking.model.actions import ARRIVALS
from habemus.checking.model.effects import Effect
from habemus.checking.model.limits import FIRST
from habemus.checking.model.semantics import Semantics

LOOKED_AT = 32  # pairs, before two local states are taken to be alike
NONE, UNKNOWN = -1, -2
MOST_FAILED_TRIES = 50  # to reset a field, without one that succeeds, before it is always kept
INDISPENSABLE = ("leader", "waiting", "inside")  # what others than the process itself look at

Pair = tuple[int, int]


class StateMerging:
    """Replaces local states by representatives, in all effects of a semantics."""

    def __init__(self, semantics: Semantics) -> None:
        self.locals = semantics.locals
        self.actions = semantics.actions
        self.own_actions = semantics.own_actions
        self.effects = semantics.effects
        self.resettable = find_resettable(semantics)  # layer and position of the fields that may be reset
        self.tries: dict[Pair, int] = {}
        self.representatives: dict[int, int] = {}
        self.merged = False  # whether any local state has another for its representative
        self.alike: set[Pair] = set()  # pairs that were compared without a difference
        self.met: list[dict[int, None]] = [{} for _ in range(semantics.n)]  # what has arrived at each process so far
        self.initial = [probe.birth(0, 0, True).layers for probe in semantics.probes]
        self.begin()

    def begin(self) -> None:
        self.effects.merge_by(self.merge if self.resettable else None)

    def keep(self, needed: list[Pair]) -> None:
        """Keep these fields, and begin anew."""
        self.resettable = [field for field in self.resettable if field not in needed]
        self.representatives = {}
        self.alike = set()
        self.merged = False
        self.begin()

    def merge(self, local: int, action: int, effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
        """The effects of an action in a local state, with representatives for the states that they lead to."""
        kind = self.actions.known[action].kind
        if kind in ARRIVALS:
            self.met[self.locals.known[local].seat][action] = None
        exempt = kind == "start"  # by its state one tells whether a process has started
        return tuple(
            [
                Effect(
                    effect.local if exempt else self.representative(effect.local),
                    effect.sends,
                    effect.note,
                    effect.coins,
                    effect.armed,
                )
                for effect in effects
            ]
        )

    # Guessing

    def representative(self, local: int) -> int:
        known = self.representatives.get(local)
        if known is None:
            known = local
            for field in self.resettable:
                reset = self.reset(known, field)
                if reset != known and self.tries.get(field, 0) < MOST_FAILED_TRIES:
                    if self.seem_alike(known, reset):
                        known = reset
                        self.tries[field] = -1 << 30
                        self.merged = True
                    else:
                        self.tries[field] = self.tries.get(field, 0) + 1
            self.representatives[local] = known
        return known

    def reset(self, number: int, field: Pair) -> int:
        """The local state with a field at its initial value."""
        local = self.locals.known[number]
        layer, position = field
        snapshot = local.layers[layer]
        initial = self.initial[local.seat][layer][position]
        if snapshot[position] == initial:
            return number
        changed = (*snapshot[:position], initial, *snapshot[position + 1 :])
        layers = (*local.layers[:layer], changed, *local.layers[layer + 1 :])
        return self.locals.number_of(local.with_layers(layers))

    def seem_alike(self, one: int, other: int) -> bool:
        """Whether two local states are alike as far as one can see from here."""
        met = self.met[self.locals.known[one].seat]
        agenda = [(one, other)]
        seen = {(one, other)}
        for here, there in agenda:
            if not self.look_alike(here, there):
                return False
            for action in [*self.own_actions.of(here), *met]:
                try:
                    pairs = self.successors_alike(here, self.effects.exact(there, action), action)
                except Exception:  # a state that no run reaches may be one that the clause cannot deal with
                    continue
                if pairs is None:
                    return False
                for pair in pairs:
                    if pair not in seen and pair not in self.alike and len(seen) < LOOKED_AT:
                        seen.add(pair)
                        agenda.append(pair)
        self.alike |= seen
        return True

    def look_alike(self, one: int, other: int) -> bool:
        """Whether two local states offer the same actions, and are the same to observers."""
        return (
            self.own_actions.of(one) == self.own_actions.of(other)
            and self.locals.at_rest[one] == self.locals.at_rest[other]
            and self.effects.awaited(one) == self.effects.awaited(other)
        )

    def successors_alike(self, one: int, others: tuple[Effect, ...], action: int) -> list[Pair] | None:
        """Where an action leads from two local states, pair by pair; None if anybody can see a difference."""
        mine = self.effects.exact(one, action)
        if len(mine) != len(others):
            return None
        out_of_bounds = self.locals.out_of_bounds
        pairs = []
        for effect, other in zip(mine, others, strict=True):
            same = effect.coins == other.coins and effect.sends == other.sends and effect.note == other.note
            if not same or out_of_bounds[effect.local] != out_of_bounds[other.local]:
                return None
            if effect.local != other.local:
                pairs.append((effect.local, other.local))
        return pairs

    # Proving

    def find_needed(self, steps: int, effort: int, final: bool) -> list[Pair]:
        """The fields that should not have been reset: some states can be told apart from their representatives.

        In so many steps. If it takes more than `effort` comparisons to find that out: all fields in the end, none on
        the way.
        """
        culprit = self.find_told_apart(steps, effort)
        if culprit == UNKNOWN:
            return self.resettable if final else []
        if culprit == NONE:
            return []
        fields = [field for field in self.resettable if self.reset(culprit, field) != culprit]
        guilty = [field for field in fields if not self.seem_alike(culprit, self.reset(culprit, field))]
        return guilty or fields or self.resettable

    def find_told_apart(self, steps: int, effort: int) -> int:
        """A local state that can be told apart from its representative, in so many steps; or `NONE`."""
        happening: dict[int, list[int]] = {}
        for key, effects in self.effects.known.items():
            if any(effect.explored for effect in effects):
                happening.setdefault(key >> 32, []).append(key & 0xFFFFFFFF)
        agenda = [(local, other, local) for local, other in self.representatives.items() if local != other]
        seen = {(local, other) for local, other, _ in agenda}
        for _ in range(steps + 1):
            following = []
            for local, other, origin in agenda:
                if not self.look_alike(local, other):
                    return origin
                for action in happening.get(other, ()):
                    try:
                        pairs = self.successors_alike(local, self.effects.of(other, action), action)
                    except Exception:
                        return origin
                    if pairs is None:
                        return origin
                    for pair in pairs:
                        if pair not in seen and not self.locals.out_of_bounds[pair[0]]:
                            if len(seen) >= effort:
                                return UNKNOWN
                            seen.add(pair)
                            following.append((*pair, origin))
            agenda = following
        return NONE


def find_resettable(semantics: Semantics) -> list[Pair]:
    """The fields that may be reset, if any.

    A process that may crash needs what is durable; and where processes may abstain one looks at who has started.
    """
    limits = semantics.limits
    if any((limits.crashes, limits.losses, limits.doubles, limits.reorders, limits.mistakes)):
        return []
    if limits.anybody and limits.starts != FIRST:
        return []
    return [
        (layer, position)
        for layer, anatomy in enumerate(semantics.instance.stack)
        for position, name in enumerate(anatomy.fields)
        if name not in INDISPENSABLE and name not in limits.bounds
    ]
