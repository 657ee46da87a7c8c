"""What every mutex is judged by: mutual exclusion, freedom from deadlock and starvation, bounded waiting."""

from __future__ import annotations

from habemus.process import Pid
from habemus.properties.lock import Request
from habemus.properties.property import Property, Witness, enumerated
from habemus.properties.world import World

HOPELESS = 1000  # ticks


class MutualExclusion(Property):
    """The resource never serves two at once."""

    name = "mutual_exclusion"
    topic = "mutex"

    def violation(self, world: World) -> Witness | None:
        users = world.lock.resource.users
        if len(users) < 2:
            return None
        first, second = sorted(users.values(), key=lambda use: (use.start, use.event))[-2:]
        return Witness(
            f"{second.process} entered at time {second.start} while {first.process}, inside since {first.start}, "
            f"had not left",
            second.start,
            [first.process, second.process],
            [first.event, second.event],
        )


class DeadlockFreedom(Property):
    """If some want in, some get in: at the end nobody waits for an empty room."""

    name = "deadlock_freedom"
    topic = "mutex"

    def shortfall(self, world: World) -> Witness | None:
        stuck = overdue(world)
        if not stuck or len(stuck) < len(world.lock.waiting) or world.lock.inside:
            return None
        processes = [request.process for request in stuck]
        who = f"{enumerated(processes)} {'waits' if len(processes) == 1 else 'wait'}"
        dead = sorted(needed(world.lock.waits_for, processes) & world.down)
        circle = waiting_circle(world.lock.waits_for, processes) if not dead else []
        if circle:
            chain = " for ".join(map(str, circle))
            return Witness(f"{who} and nobody is inside: {chain} wait in a circle", world.time, circle[:-1], [])
        why = f"; {enumerated(dead)}, for whom they wait, {'has' if len(dead) == 1 else 'have'} crashed" if dead else ""
        return Witness(f"{who} and nobody is inside, nor will be{why}", world.time, processes[:8], [])

    def undecided(self, world: World) -> bool:
        return not world.over and not world.lock.satisfied


class StarvationFreedom(Property):
    """Whoever wants in gets in."""

    name = "starvation_freedom"
    topic = "mutex"

    def shortfall(self, world: World) -> Witness | None:
        stuck = overdue(world)
        if not stuck:
            return None
        first = stuck[0]
        more = f", nor had {len(stuck) - 1} more" if len(stuck) > 1 else ""
        return Witness(
            f"{first.process} asked at time {first.time} and had not entered by the end of the run{more}; "
            f"{others_entered(world.lock.bypassed(first))} meanwhile",
            world.time,
            [request.process for request in stuck][:8],
            [first.event],
        )

    def undecided(self, world: World) -> bool:
        return not world.over and not world.lock.satisfied


class BoundedWaiting(Property):
    """While one waits, others enter at most `limit` times; without a limit, finitely often will do."""

    name = "bounded_waiting"
    topic = "mutex"

    def __init__(self, limit: int | None = None) -> None:
        super().__init__()
        self.limit = limit

    def violation(self, world: World) -> Witness | None:
        if self.limit is None or not world.lock.waiting:
            return None
        longest = next(iter(world.lock.waiting.values()))
        if world.lock.bypassed(longest) <= self.limit:
            return None
        return Witness(
            f"{longest.process} has waited since {longest.time} while {others_entered(world.lock.bypassed(longest))}; "
            f"the limit is {self.limit}",
            world.time,
            [longest.process],
            [longest.event],
        )

    def shortfall(self, world: World) -> Witness | None:
        stuck = overdue(world)
        if not stuck:
            return None
        return Witness(f"{stuck[0].process} waits without end", world.time, [stuck[0].process], [stuck[0].event])

    def undecided(self, world: World) -> bool:
        return not world.over and not world.lock.satisfied


def others_entered(count: int) -> str:
    """`nobody entered`, `others entered 7 times`."""
    return {0: "nobody entered", 1: "somebody entered once"}.get(count, f"others entered {count} times")


def overdue(world: World) -> list[Request]:
    """Those who will never enter, as far as one can tell at the end of a run.

    Where nothing is left to do that is everybody who waits. Where time was up while nobody was inside, it is those who
    have waited for more than half of the run and for longer than anybody who got in, if the mutex has come to a
    standstill, with no message or timer of its own; else for ten times as long, and for 1,000 ticks.
    """
    lock = world.lock
    waiting = list(lock.waiting.values())
    if world.over:
        return waiting
    if lock.inside:
        return []
    longest = max(lock.waits, default=0)
    patience = max(world.time // 2, longest if lock.at_standstill else max(HOPELESS, 10 * longest))
    return [request for request in waiting if world.time - request.time > patience]


def needed(waits_for: dict[Pid, tuple[Pid, ...]], processes: list[Pid]) -> set[Pid]:
    """All for whom these processes wait, and for whom those wait in turn."""
    found: set[Pid] = set()
    ahead = list(processes)
    while ahead:
        for pid in waits_for.get(ahead.pop(), ()):
            if pid not in found:
                found.add(pid)
                ahead.append(pid)
    return found


def waiting_circle(waits_for: dict[Pid, tuple[Pid, ...]], processes: list[Pid]) -> list[Pid]:
    """A circle of processes each of which waits for the next, the first named again at the end; empty if none."""
    finished: set[Pid] = set()
    for start in processes:
        path: list[Pid] = []
        branches = [[start]]
        while branches:
            if not branches[-1]:
                branches.pop()
                if path:
                    finished.add(path.pop())
                continue
            pid = branches[-1].pop()
            if pid in path:
                return [*path[path.index(pid) :], pid]
            if pid not in finished:
                path.append(pid)
                branches.append(sorted(waits_for.get(pid, ()), reverse=True))
    return []


def mutex_properties(waiting_limit: int | None = None) -> list[Property]:
    """What every mutex is judged by."""
    return [MutualExclusion(), DeadlockFreedom(), StarvationFreedom(), BoundedWaiting(waiting_limit)]
