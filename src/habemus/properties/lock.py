"""The lock in the eyes of onlookers: who waits, who believes to be inside, and what the protected resource saw of it.

The resource is what mutual exclusion is about. It notes each use: by whom, with which token, from when to when. Where
an entry brings a fencing token, the resource also defends itself: it turns away every token smaller than the largest
it has seen, so a process that still believes to be inside, but whose grant has passed to another, does no damage.
"""

from __future__ import annotations

from habemus.process import Pid


class Request:
    """Someone wants in: since when, in which event, as which of all requests, after how many entries."""

    def __init__(self, process: Pid, time: int, event: int, number: int, entries_before: int) -> None:
        self.process = process
        self.time = time
        self.event = event
        self.number = number
        self.entries_before = entries_before


class Use:
    """One stay inside. `end` is -1 while it lasts; `refused` is when the resource turned it away, else -1."""

    def __init__(self, process: Pid, token: int | None, start: int, event: int) -> None:
        self.process = process
        self.token = token
        self.start = start
        self.event = event
        self.end = -1
        self.refused = -1


class Resource:
    """What only one process may use at a time."""

    def __init__(self) -> None:
        self.uses: list[Use] = []
        self.users: dict[Pid, Use] = {}  # those it serves now
        self.highest: int | None = None  # the largest token seen

    def begin(self, use: Use) -> bool:
        """A process begins to use it. Says whether it is served."""
        self.uses.append(use)
        token = use.token
        if token is not None:
            if self.highest is not None and token < self.highest:
                use.refused = use.start
                return False
            self.highest = token
            for other in list(self.users.values()):
                if other.token is not None and other.token < token:
                    del self.users[other.process]  # its next attempt will be refused
        self.users[use.process] = use
        return True

    def finish(self, use: Use, time: int) -> bool:
        """A process uses it for the last time and leaves. Says whether it is served."""
        use.end = time
        if self.users.pop(use.process, None) is not None:
            return True
        if use.refused < 0:
            use.refused = time
        return False

    def drop(self, use: Use, time: int) -> None:
        """Whoever used it has crashed."""
        use.end = time
        self.users.pop(use.process, None)

    @property
    def refusals(self) -> list[Use]:
        """The uses that were turned away."""
        return [use for use in self.uses if use.refused >= 0]


class Lock:
    """Who waits, who is inside, and how long all of it took."""

    def __init__(self) -> None:
        self.resource = Resource()
        self.waiting: dict[Pid, Request] = {}  # the longest waiting first
        self.inside: dict[Pid, Use] = {}  # by their own belief
        self.requests = 0
        self.order: list[int] = []  # the numbers of the requests in the order of entering
        self.waits: list[int] = []  # ticks from asking to entering, an entry each
        self.bypasses: list[int] = []  # entries of others meanwhile, an entry each
        self.handovers: list[int] = []  # ticks from one leaving to the next entering, when somebody was waiting
        self.vacated = -1  # when the last one left with others waiting, until the next enters; else -1
        self.first_request = -1  # when somebody asked for the first time; -1: nobody has
        # Filled in at the end of the run:
        self.waits_for: dict[Pid, tuple[Pid, ...]] = {}  # who waits for whom
        self.satisfied = True  # whether nobody waits, is inside or will ask again
        self.at_standstill = False  # whether nothing of the mutex is under way or running

    @property
    def entries(self) -> int:
        """How many times somebody has entered."""
        return len(self.order)

    def bypassed(self, request: Request) -> int:
        """How many times others have entered since somebody asked."""
        return self.entries - request.entries_before

    def asks(self, process: Pid, time: int, event: int) -> None:
        """`process` wants in."""
        if self.first_request < 0:
            self.first_request = time
        self.waiting[process] = Request(process, time, event, self.requests, self.entries)
        self.requests += 1

    def enters(self, process: Pid, token: int | None, time: int, event: int) -> bool:
        """`process` believes to be inside from now on. Says whether the resource serves it."""
        request = self.waiting.pop(process, None)
        if request is not None:
            self.waits.append(time - request.time)
            self.bypasses.append(self.bypassed(request))
            self.order.append(request.number)
        if self.vacated >= 0:
            self.handovers.append(time - self.vacated)
            self.vacated = -1
        use = Use(process, token, time, event)
        self.inside[process] = use
        return self.resource.begin(use)

    def leaves(self, process: Pid, time: int) -> bool:
        """`process` is outside again. Says whether the resource served it to the end."""
        use = self.inside.pop(process)
        if self.waiting and not self.inside:
            self.vacated = time
        return self.resource.finish(use, time)

    def crashed(self, process: Pid, time: int) -> None:
        """`process` neither waits nor is inside any more."""
        self.waiting.pop(process, None)
        if not self.waiting:
            self.vacated = -1  # nobody is left for whom a handover would matter
        use = self.inside.pop(process, None)
        if use is not None:
            self.resource.drop(use, time)
