"""Whether a run could come back to a state, as far as the steps of single processes tell.

It could not if no process comes back to a local state that it has left, and no message brings itself about again by
way of steps that leave the local state as it is: then each step makes what is in transit a smaller multiset.
"""

from __future__ import annotations

from habemus.checking.model.actions import ARRIVALS
from habemus.checking.model.limits import BOUNDED
from habemus.checking.model.semantics import Semantics


def may_recur(semantics: Semantics) -> bool:
    if semantics.limits.timing == BOUNDED:  # time passes between steps, too
        return True
    paths: dict[int, set[int]] = {}
    causes: dict[int, set[int]] = {}
    for key, effects in semantics.effects.known.items():
        local, action = key >> 32, key & 0xFFFFFFFF
        for effect in effects:
            if effect.local != local:
                paths.setdefault(local, set()).add(effect.local)
            elif semantics.actions.known[action].kind in ARRIVALS:
                causes.setdefault(action, set()).update([message for _, message in effect.sends])
            elif semantics.locals.known[local].up:
                return True
    return has_cycle(paths) or has_cycle(causes)


def has_cycle(successors: dict[int, set[int]]) -> bool:
    """Whether a graph has a cycle: what nothing leads to is removed until nothing, or a cycle, is left."""
    entries: dict[int, int] = dict.fromkeys(successors, 0)
    for found in successors.values():
        for number in found:
            entries[number] = entries.get(number, 0) + 1
    free = [number for number, count in entries.items() if count == 0]
    left = len(entries) - len(free)
    while free:
        for number in successors.get(free.pop(), ()):
            entries[number] -= 1
            if entries[number] == 0:
                free.append(number)
                left -= 1
    return left > 0
