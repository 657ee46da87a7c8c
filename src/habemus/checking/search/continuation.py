"""What comes after an end that only the limit on timeouts made one.

Under async timing a timer may run out at any moment, but only so often at each process. The limit is there for those
that run out too early. Where nothing else is left to do time passes, and the timer runs out all the same; so a run that
stopped there is followed further, with no limit. If all that can follow is few states, it is judged as any other run;
if not, what has still to come about stays open. Runs in which nothing has are followed after those in which something
has: what they violate in their first states counts.
"""

from __future__ import annotations

from habemus.checking.model.transitions import Transition
from habemus.checking.search.liveness import Lasso, find_lasso
from habemus.checking.search.search import BREADTH, Search

MOST_STATES = 20_000
OF_ENDS = (
    *("termination", "agreement", "deadlock_freedom", "starvation_freedom", "bounded_waiting"),
    *("completeness", "accuracy"),
)


class Continuation:
    """A search that begins where another one stopped for want of timeouts."""

    def __init__(self, before: Search, search: Search, origins: dict[int, int]) -> None:
        self.before = before
        self.search = search
        self.origins = origins  # root -> the state of the earlier search that it continues
        self.lasso: Lasso | None = None

    @property
    def culprit(self) -> int:
        """The state in which a property is violated, or where the cycle begins that violates it; -1: there is none."""
        if self.lasso is not None:
            return self.lasso.entrance
        return self.search.culprit if self.search.violated else -1

    def parts(self) -> tuple[list[Transition], list[Transition]]:
        """The run that violates a property: what the earlier search found, and what follows."""
        origin = self.origins[self.search.root_of(self.culprit)]
        return self.before.path_to(origin), self.search.path_to(self.culprit)


def follow(before: Search, ends: list[int]) -> Continuation:
    """Go on with the runs that stopped at these ends."""
    roots: dict[tuple[int, ...], int] = {}
    for number in ends[:MOST_STATES]:
        roots.setdefault(before.semantics.lift_timeouts(before.states[number]), number)
    search = Search(before.semantics, False, BREADTH, MOST_STATES, before.most_bytes, roots=list(roots))
    search.run()
    found = Continuation(before, search, dict(enumerate(roots.values())))
    if not search.violated and not search.stopped:
        found.lasso = find_lasso(search)
    return found


def follow_waiting_ends(before: Search) -> Continuation:
    """Follow the runs that stopped at the limit on timeouts with nothing still to come about."""
    return follow(before, before.waiting)


def follow_stuck_ends(before: Search) -> Continuation:
    """Follow those with something still to come about; what is left open is noted in the earlier search."""
    found = follow(before, before.stuck)
    search = found.search
    for name, limits in search.open.items():
        for limit in limits:
            before.leave_open(name, limit)
    if search.stopped:
        leave_stuck_ends_open(before)
    else:
        before.open_ends -= len(before.stuck)  # these were judged after all
    return found


def leave_stuck_ends_open(search: Search) -> None:
    """What had not come about where a run stopped at the limit on timeouts is not judged."""
    for number in search.stuck:
        search.leave_stuck_open(search.semantics.violated_at_end(search.states[number]))


def leave_vacuous_open(search: Search) -> None:
    """Where nobody may crash nothing is known of a detector that should suspect who has."""
    semantics = search.semantics
    if "completeness" in semantics.observers.wanted and not semantics.limits.crashes:
        search.leave_open("completeness", "--crashes 0")


def leave_all_ends_open(search: Search) -> None:
    """No run came to an end within the limits: nothing is known of what holds at the end of one."""
    semantics = search.semantics
    limit = semantics.describe_bounds() or f"--timeouts {semantics.limits.alarms}"
    if search.is_cut:
        limit = f"--depth {semantics.limits.depth}"
    claims = [claim.name for claim in semantics.claims if claim.comes_about]
    for name in (*OF_ENDS, *claims):
        if name in semantics.observers.wanted:
            search.leave_open(name, limit)
