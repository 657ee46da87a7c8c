"""What every mutex is judged by: mutual exclusion, freedom from deadlock and starvation, bounded waiting."""

from __future__ import annotations

from typing import Final, cast

from habemus.process import Pid, WaitingBound
from habemus.properties.lock import LockRequest
from habemus.properties.property import Property, Witness, join_ids
from habemus.properties.world import World

HOPELESS = 1000  # ticks
DECLARED: Final = "declared"


class MutualExclusion(Property):
    """The resource never serves two processes at once."""

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
    """If processes wait, one of them enters: at the end nobody waits while nobody is inside."""

    name = "deadlock_freedom"
    topic = "mutex"

    def shortfall(self, world: World) -> Witness | None:
        stuck = find_overdue(world)
        if not stuck or len(stuck) < len(world.lock.waiting) + len(world.lock.unheard) or world.lock.inside:
            return None
        processes = [request.process for request in stuck]
        who = f"{join_ids(processes)} {'waits' if len(processes) == 1 else 'wait'}"
        dead = sorted(find_needed(world.lock.waits_for, processes) & world.down)
        circle = find_waiting_circle(world.lock.waits_for, processes) if not dead else []
        if circle:
            chain = " for ".join(map(str, circle))
            return Witness(f"{who} and nobody is inside: {chain} wait in a circle", world.time, circle[:-1], [])
        why = f"; {join_ids(dead)}, for whom they wait, {'has' if len(dead) == 1 else 'have'} crashed" if dead else ""
        return Witness(f"{who} and nobody is inside, nor will be{why}", world.time, processes[:8], [])

    def undecided(self, world: World) -> bool:
        return not world.over and not world.lock.satisfied


class StarvationFreedom(Property):
    """Every process that asks enters."""

    name = "starvation_freedom"
    topic = "mutex"

    def shortfall(self, world: World) -> Witness | None:
        stuck = find_overdue(world)
        if not stuck:
            return None
        first = stuck[0]
        if first.process in world.lock.unheard:
            text = f"{first.process} was told to acquire the lock at time {first.time}, and never asked"
            return Witness(text, world.time, [first.process], [first.event])
        more = f", nor had {len(stuck) - 1} more" if len(stuck) > 1 else ""
        return Witness(
            f"{first.process} asked at time {first.time} and had not entered by the end of the run{more}; "
            f"{count_entries(world.lock.bypassed(first))} meanwhile",
            world.time,
            [request.process for request in stuck][:8],
            [first.event],
        )

    def undecided(self, world: World) -> bool:
        return not world.over and not world.lock.satisfied


class BoundedWaiting(Property):
    """While a process waits, others enter at most `limit` times, and it waits at most `time` ticks.

    A limit of DECLARED is the one that the algorithm declares. Without any limit: others enter finitely often.
    """

    name = "bounded_waiting"
    topic = "mutex"

    def __init__(
        self, limit: int | str | None = None, time: int | None = None, declared: WaitingBound | None = None
    ) -> None:
        super().__init__()
        self.limit = limit
        self.time = time
        self.declared = declared

    def most_entries(self, world: World) -> int | None:
        """How often others may enter while one waits; None if there is no limit."""
        if self.limit == DECLARED:
            return self.declared.entries(len(world.members)) if self.declared is not None else None
        return cast(int | None, self.limit)

    def violation(self, world: World) -> Witness | None:
        lock, most = world.lock, self.most_entries(world)
        if lock.waiting:
            longest = next(iter(lock.waiting.values()))
            if most is not None and lock.bypassed(longest) > most:
                told = count_entries(lock.bypassed(longest))
                limit = f"the limit is {most}"
                return blame(longest, f"has waited since {longest.time} while {told}; {limit}", world.time)
            if self.time is not None and world.time - longest.time > self.time:
                return blame(longest, f"has waited since {longest.time}; the limit is {self.time} ticks", world.time)
        served = lock.served
        if served is not None and self.time is not None and lock.waits[-1] > self.time:
            told = f"asked at time {served.time} and entered {lock.waits[-1]} ticks later"
            return blame(served, f"{told}; the limit is {self.time}", world.time)
        return None

    def shortfall(self, world: World) -> Witness | None:
        stuck = find_overdue(world)
        if not stuck:
            return None
        return Witness(f"{stuck[0].process} waits without end", world.time, [stuck[0].process], [stuck[0].event])

    def undecided(self, world: World) -> bool:
        return not world.over and not world.lock.satisfied


def blame(request: LockRequest, text: str, time: int) -> Witness:
    """The witness of a wait that was too long."""
    return Witness(f"{request.process} {text}", time, [request.process], [request.event])


def count_entries(count: int) -> str:
    """`nobody entered`, `others entered 7 times`."""
    return {0: "nobody entered", 1: "somebody entered once"}.get(count, f"others entered {count} times")


def find_overdue(world: World) -> list[LockRequest]:
    """The requests that will never be served, as far as the end of a run shows.

    Where nothing is left to do that is everybody who waits, or was told to ask and did not. Where time was up while
    nobody was inside, it is those who have waited for more than half of the run and for longer than anybody who got in,
    if the mutex has come to a standstill, with no message or timer of its own; else for ten times as long, and for
    1,000 ticks.
    """
    lock = world.lock
    waiting = [*lock.waiting.values(), *lock.unheard.values()]
    if world.over:
        return waiting
    if lock.inside:
        return []
    longest = max(lock.waits, default=0)
    patience = max(world.time // 2, longest if lock.at_standstill else max(HOPELESS, 10 * longest))
    return [request for request in waiting if world.time - request.time > patience]


def find_needed(waits_for: dict[Pid, tuple[Pid, ...]], processes: list[Pid]) -> set[Pid]:
    """All processes that these processes wait for, directly or indirectly."""
    found: set[Pid] = set()
    ahead = list(processes)
    while ahead:
        for pid in waits_for.get(ahead.pop(), ()):
            if pid not in found:
                found.add(pid)
                ahead.append(pid)
    return found


def find_waiting_circle(waits_for: dict[Pid, tuple[Pid, ...]], processes: list[Pid]) -> list[Pid]:
    """A cycle of processes, each waiting for the next, the first repeated at the end; empty if there is none."""
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


def mutex_properties(
    waiting_limit: int | str | None = None, waiting_time: int | None = None, declared: WaitingBound | None = None
) -> list[Property]:
    bounded = BoundedWaiting(waiting_limit, waiting_time, declared)
    return [MutualExclusion(), DeadlockFreedom(), StarvationFreedom(), bounded]
