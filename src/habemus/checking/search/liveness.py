"""Liveness: what never comes about, in runs without end. They are found as cycles, and shown as a lasso.

A fair run without end (see `fairness`) goes round a strongly connected set of states. For each thing that has to come
about, such sets are looked for among the states in which it has not; one that a fair run can stay in is a violation.
Where something has to cease for good (the mistakes of a detector, and its trust in the crashed), a set with one such
state in it is enough. The lasso goes to it, and then round it.
"""

from __future__ import annotations

from collections.abc import Callable

from habemus.checking.model.transitions import Transition
from habemus.checking.search.components import Components
from habemus.checking.search.fairness import Fairness
from habemus.checking.search.search import Search
from habemus.properties import World


class Lasso:
    """A run without end: the state where its cycle begins, the steps round it, and the property that it violates."""

    def __init__(self, property: str, entrance: int, cycle: list[Transition]) -> None:
        self.property = property
        self.entrance = entrance
        self.cycle = cycle


class Pending:
    """What may never come about, with the worlds in which it has not, and the properties that ask for it."""

    def __init__(
        self, properties: list[str], is_bad: Callable[[World], bool], ceases: bool = False, is_claim: bool = False
    ) -> None:
        self.properties = properties
        self.is_bad = is_bad
        self.ceases = ceases  # whether it is enough that it happens again and again
        self.is_claim = is_claim  # judged by the states of the processes, not by the world


def find_lasso(search: Search, known: int = -1) -> Lasso | None:
    """A fair run without end that violates a property; None if there is none.

    While the search goes on only the first so many states are known with all that they lead to. A fair cycle among
    these counts; where there is none, nothing follows from that.
    """
    done = known < 0
    nodes = list(range(len(search.states) if done else known))
    fairness = Fairness(search, nodes)
    observers = search.semantics.observers
    worlds = [observers.rebuild(world) for world in range(len(observers.histories))]
    everywhere: list[list[int]] | None = None
    for pending in find_pending(search):
        bad = find_bad(search, pending, worlds, nodes)
        if pending.ceases:
            if everywhere is None:
                everywhere = fairness.components.find(nodes)
            candidates = everywhere
        else:
            candidates = fairness.components.find([number for number in nodes if bad[number]])
        for component in sorted(candidates):
            marked = [number for number in component if bad[number]]
            if not marked:
                continue
            fair, held = fairness.find_fair(component)
            for part in sorted(fair):
                marked = [number for number in part if bad[number]]
                if marked:
                    return Lasso(pending.properties[0], marked[0], fairness.find_cycle(part, marked[0]))
            for event in held if done else ():
                for name in pending.properties:
                    search.leave_open(name, search.semantics.describe_limit(event))
    return None


def find_bad(search: Search, pending: Pending, worlds: list[World], nodes: list[int]) -> list[bool]:
    """Of each of these states, whether what is pending has not come about in it."""
    semantics, states = search.semantics, search.states
    if pending.is_claim:
        return [pending.properties[0] in semantics.break_claims(states[number]) for number in nodes]
    bad = [pending.is_bad(world) for world in worlds]
    return [bad[states[number][2 * semantics.n]] for number in nodes]


def has_endless_run(search: Search) -> bool:
    """Whether any run goes on without end."""
    if search.packed is not None:
        return bool(search.packed.has_cycle(search.list_successors))
    nodes = list(range(len(search.states)))
    return bool(Components(search, nodes).find(nodes))


def find_pending(search: Search) -> list[Pending]:
    """What should come about, or cease, in runs without end."""
    wanted, ids = search.semantics.observers.wanted, search.semantics.instance.topology.ids
    found: list[Pending] = []
    if "termination" in wanted:
        found.append(Pending(["termination"], lambda world: not world.in_office))
    if "agreement" in wanted:
        found.append(Pending(["agreement"], lambda world: not world.agreed()))
    if "deadlock_freedom" in wanted:
        found.append(Pending(["deadlock_freedom"], lambda world: world.lock.is_wanted and not world.lock.inside))
    of_waiting: list[str] = [name for name in ("starvation_freedom", "bounded_waiting") if name in wanted]
    if of_waiting:
        found += [Pending(of_waiting, wait_of(pid)) for pid in ids]
    if "completeness" in wanted:
        found.append(Pending(["completeness"], is_blind, ceases=True))
    for claim in search.semantics.claims:
        if claim.comes_about:
            found.append(Pending([claim.name], lambda world: False, is_claim=True))
    if "accuracy" in wanted:
        found.append(Pending(["accuracy"], lambda world: bool(world.suspicions.mistaken), ceases=True))
    return found


def wait_of(pid: int) -> Callable[[World], bool]:
    return lambda world: pid in world.lock.waiting or pid in world.lock.unheard


def is_blind(world: World) -> bool:
    """Whether anybody does not suspect one that is down."""
    up = [observer for observer in world.members if observer not in world.down]
    return any((observer, subject) not in world.suspicions.held for subject in world.down for observer in up)
