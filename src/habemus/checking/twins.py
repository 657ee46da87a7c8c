"""Local states that nobody can tell apart are one: what a process remembers and will never use again is forgotten.

A clock matters until the last request has been stamped; from then on all its readings are the same to everybody. So
when a step leads to a new local state, each of its fields is put back, for a try, to what it was at birth. If the two
look alike as far as one can see (they offer the same steps, and what is known to arrive makes both send and show the
same, and so on for a while), the search goes on with the blank one, its twin.

That is a guess, and it is proven at the end. By then it is known which events happen in each local state of the search
in any run (see `reduction`: each process moves along its graph), and, if every step has led one deeper, that no run has
more steps than the search is deep. So all pairs that a state and its twin come to by these events, within so many
steps, are compared. If all are alike then runs with and without forgetting are the same, step by step; if not, the
field is kept, and the search begins anew. (Local states that are equivalent in this sense are bisimilar: D. Park.
Concurrency and automata on infinite sequences. LNCS 104, 1981.)
"""

from __future__ import annotations

from typing import Any

from habemus.checking.limits import FIRST
from habemus.checking.probe import ARRIVALS, Local
from habemus.checking.steps import Outcome, Setting, Steps
from habemus.process import Pid

LOOKED_AT = 32  # pairs, before two local states are taken for twins
NOBODY, UNKNOWN = -1, -2
VAIN = 50  # tries to forget a field, without one that succeeds, before it is given up
INDISPENSABLE = ("leader", "waiting", "inside")  # what others than the process itself look at

Pair = tuple[int, int]


class Twins(Steps):
    """Steps that may forget."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.forgettable: list[Pair] = []  # layer and position of the fields that may be forgotten; none: all is kept
        self.tries: dict[Pair, int] = {}
        self.twin: dict[int, int] = {}
        self.forgot = False  # whether any local state has another for a twin
        self.alike: set[Pair] = set()  # pairs that were looked at, and no difference seen
        self.kept: dict[int, tuple[Outcome, ...]] = {}  # outcomes without forgetting
        self.met: list[dict[int, None]] = [{} for _ in range(self.n)]  # what has arrived at each process so far
        self.blank = [probe.birth(0, 0, True).layers for probe in self.probes]

    def begin_to_forget(self) -> None:
        """From now on what is never used again is forgotten.

        But whoever may crash needs what is durable, and whoever may abstain looks at what others have begun.
        """
        limits = self.limits
        if any((limits.crashes, limits.losses, limits.doubles, limits.reorders, limits.mistakes)):
            return
        if limits.anybody and limits.starts != FIRST:
            return
        for layer, anatomy in enumerate(self.stack):
            for position, name in enumerate(anatomy.fields):
                if name not in INDISPENSABLE and name not in limits.bounds:
                    self.forgettable.append((layer, position))

    def forget_less(self, needed: list[Pair]) -> None:
        """Keep these fields, and begin anew."""
        self.forgettable = [field for field in self.forgettable if field not in needed]
        self.twin = {}
        self.alike = set()
        self.forgot = False
        self.outcomes = {}

    def results(self, local: int, event: int) -> tuple[Outcome, ...]:
        """What an event does in a local state, in each way the coins may fall, but for what is forgotten."""
        if not self.forgettable:
            return super().results(local, event)
        self.lookups += 1
        key = (local << 32) | event
        known = self.outcomes.get(key)
        if known is None:
            if self.events[event].kind in ARRIVALS:
                self.met[self.locals[local].place][event] = None
            whole = self.events[event].kind == "start"  # by its state one tells whether anybody has started
            known = self.outcomes[key] = tuple(
                [
                    Outcome(
                        outcome.local if whole else self.twin_of(outcome.local),
                        outcome.sends,
                        outcome.note,
                        outcome.coins,
                    )
                    for outcome in self.kept_results(local, event)
                ]
            )
        return known

    def kept_results(self, local: int, event: int) -> tuple[Outcome, ...]:
        """What an event does in a local state, without forgetting."""
        key = (local << 32) | event
        known = self.kept.get(key)
        if known is None:
            self.misses += 1
            known = self.kept[key] = self.work_out(self.locals[local], self.events[event], local)
        return known

    # Guessing

    def twin_of(self, local: int) -> int:
        """The local state that stands for this one."""
        known = self.twin.get(local)
        if known is None:
            known = local
            for field in self.forgettable:
                blank = self.blanked(known, field)
                if blank != known and self.tries.get(field, 0) < VAIN:
                    if self.seem_alike(known, blank):
                        known = blank
                        self.tries[field] = -1 << 30
                        self.forgot = True
                    else:
                        self.tries[field] = self.tries.get(field, 0) + 1
            self.twin[local] = known
        return known

    def blanked(self, number: int, field: Pair) -> int:
        """The local state with a field as it was at birth."""
        local = self.locals[number]
        layer, position = field
        snapshot = local.layers[layer]
        blank = self.blank[local.place][layer][position]
        if snapshot[position] == blank:
            return number
        changed = (*snapshot[:position], blank, *snapshot[position + 1 :])
        layers = (*local.layers[:layer], changed, *local.layers[layer + 1 :])
        return self.local_number(
            Local(local.place, local.up, local.awake, local.wishes, local.alarms, local.timers, layers)
        )

    def seem_alike(self, one: int, other: int) -> bool:
        """Whether two local states are alike as far as one can see from here."""
        met = self.met[self.locals[one].place]
        agenda = [(one, other)]
        seen = {(one, other)}
        for here, there in agenda:
            if not self.look_alike(here, there):
                return False
            for event in [*self.own_events(here), *met]:
                try:
                    pairs = self.successors_alike(here, self.kept_results(there, event), event)
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
        """Whether two local states offer the same steps, and are the same to onlookers."""
        return (
            self.own_events(one) == self.own_events(other)
            and self.resting[one] == self.resting[other]
            and self.awaited(one) == self.awaited(other)
        )

    def awaited(self, number: int) -> tuple[Pid, ...]:
        """For whom a process in this local state waits, by its own account."""
        local = self.locals[number]
        if self.mutex_layer < 0 or not local.up:
            return ()
        probe = self.probes[local.place]
        probe.be(local)
        mutex: Any = probe.processes[self.mutex_layer]
        return tuple(mutex.waits_for) if mutex.waiting else ()

    def successors_alike(self, one: int, others: tuple[Outcome, ...], event: int) -> list[Pair] | None:
        """Where an event leads from a local state and its twin, pair by pair; None if anybody can see a difference."""
        mine = self.kept_results(one, event)
        if len(mine) != len(others):
            return None
        pairs = []
        for outcome, other in zip(mine, others, strict=True):
            same = outcome.coins == other.coins and outcome.sends == other.sends and outcome.note == other.note
            if not same or self.excess[outcome.local] != self.excess[other.local]:
                return None
            if outcome.local != other.local:
                pairs.append((outcome.local, other.local))
        return pairs

    # Proving

    def missed(self, steps: int, effort: int, final: bool) -> list[Pair]:
        """The fields that should not have been forgotten: somebody can tell twins apart, in so many steps.

        If it takes more than so many comparisons to find that out: all of them in the end, none on the way.
        """
        culprit = self.told_apart(steps, effort)
        if culprit == UNKNOWN:
            return self.forgettable if final else []
        if culprit == NOBODY:
            return []
        forgotten = [field for field in self.forgettable if self.blanked(culprit, field) != culprit]
        guilty = [field for field in forgotten if not self.seem_alike(culprit, self.blanked(culprit, field))]
        return guilty or forgotten or self.forgettable

    def told_apart(self, steps: int, effort: int) -> int:
        """A local state that can be told apart from its twin, in so many steps, by what happens; or `NOBODY`."""
        happening: dict[int, list[int]] = {}
        for key, outcomes in self.outcomes.items():
            if any(outcome.explored for outcome in outcomes):
                happening.setdefault(key >> 32, []).append(key & 0xFFFFFFFF)
        agenda = [(local, twin, local) for local, twin in self.twin.items() if local != twin]
        seen = {(local, twin) for local, twin, _ in agenda}
        for _ in range(steps + 1):
            following = []
            for local, twin, origin in agenda:
                if not self.look_alike(local, twin):
                    return origin
                for event in happening.get(twin, ()):
                    try:
                        pairs = self.successors_alike(local, self.results(twin, event), event)
                    except Exception:
                        return origin
                    if pairs is None:
                        return origin
                    for one, other in pairs:
                        if (one, other) not in seen and not self.excess[one]:
                            if len(seen) >= effort:
                                return UNKNOWN
                            seen.add((one, other))
                            following.append((one, other, origin))
            agenda = following
        return NOBODY
