"""The lock as observers see it: who waits, who believes to be inside, and what the protected resource saw.

Mutual exclusion is judged at the resource. It records each use: by which process, with which token, from when to when.
If an entry has a fencing token, the resource refuses every token smaller than the largest it has seen. So a process
that still believes to be inside, but whose grant has passed to another process, does no damage.
"""

from __future__ import annotations

from habemus.process import Pid


class LockRequest:
    """A process asked: when, in which event, as which of all requests, after how many entries."""

    def __init__(self, process: Pid, time: int, event: int, number: int, entries_before: int) -> None:
        self.process = process
        self.time = time
        self.event = event
        self.number = number
        self.entries_before = entries_before


class Use:
    """One stay inside. `end` is -1 while it lasts; `refused` is when the resource refused it, else -1."""

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
        """A process begins to use the resource. Returns whether it is served."""
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
        """A process uses the resource for the last time. Returns whether it is served."""
        use.end = time
        if self.users.pop(use.process, None) is not None:
            return True
        if use.refused < 0:
            use.refused = time
        return False

    def drop(self, use: Use, time: int) -> None:
        """A user of the resource has crashed."""
        use.end = time
        self.users.pop(use.process, None)

    @property
    def refusals(self) -> list[Use]:
        return [use for use in self.uses if use.refused >= 0]


class Lock:
    """Who waits, who is inside, and how long it took."""

    def __init__(self) -> None:
        self.resource = Resource()
        self.waiting: dict[Pid, LockRequest] = {}  # the longest waiting first
        self.unheard: dict[Pid, LockRequest] = {}  # who was told to ask for the lock, and did not
        self.inside: dict[Pid, Use] = {}  # by their own belief
        self.served: LockRequest | None = None  # the request that was served last
        self.requests = 0
        self.order: list[int] = []  # the numbers of the requests in the order of entering
        self.waits: list[int] = []  # ticks from asking to entering, an entry each
        self.bypasses: list[int] = []  # entries of others meanwhile, an entry each
        self.handovers: list[int] = []  # ticks from one leaving to the next entering, when somebody was waiting
        self.vacated = -1  # when the last one left with others waiting, until the next enters; else -1
        self.first_request = -1  # when somebody asked for the first time; -1: nobody has
        self.newest: Use | None = None  # the entry with the largest token
        self.stale: tuple[Use, Use] | None = None  # the first entry whose token was not larger, after that one
        # Filled in at the end of the run:
        self.waits_for: dict[Pid, tuple[Pid, ...]] = {}  # who waits for whom
        self.satisfied = True  # whether nobody waits, is inside or will ask again
        self.at_standstill = False  # whether nothing of the mutex is under way or running

    @property
    def entries(self) -> int:
        return len(self.order)

    @property
    def is_wanted(self) -> bool:
        """Whether anybody wants to enter, and is not inside."""
        return bool(self.waiting or self.unheard)

    def bypassed(self, request: LockRequest) -> int:
        """How many times others have entered since the request."""
        return self.entries - request.entries_before

    def wants(self, process: Pid, time: int, event: int) -> None:
        """`process` was told to ask, and has not asked."""
        self.unheard.setdefault(process, LockRequest(process, time, event, -1, self.entries))

    def asks(self, process: Pid, time: int, event: int) -> None:
        """`process` asks to enter."""
        self.unheard.pop(process, None)
        if self.first_request < 0:
            self.first_request = time
        self.waiting[process] = LockRequest(process, time, event, self.requests, self.entries)
        self.requests += 1

    def enters(self, process: Pid, token: int | None, time: int, event: int) -> bool:
        """`process` believes to be inside from now on. Returns whether the resource serves it."""
        request = self.waiting.pop(process, None)
        self.unheard.pop(process, None)
        if request is not None:
            self.served = request
            self.waits.append(time - request.time)
            self.bypasses.append(self.bypassed(request))
            self.order.append(request.number)
        if self.vacated >= 0:
            self.handovers.append(time - self.vacated)
            self.vacated = -1
        use = Use(process, token, time, event)
        self.inside[process] = use
        if token is not None:
            self.compare(use, token)
        return self.resource.begin(use)

    def compare(self, use: Use, token: int) -> None:
        """Note an entry whose token is not larger than all before it."""
        newest = self.newest
        if newest is None or newest.token is None or token > newest.token:
            self.newest = use
        elif self.stale is None:
            self.stale = (newest, use)

    def leaves(self, process: Pid, time: int) -> bool:
        """`process` is outside again. Returns whether the resource served it to the end."""
        use = self.inside.pop(process)
        if self.waiting and not self.inside:
            self.vacated = time
        return self.resource.finish(use, time)

    def crashed(self, process: Pid, time: int) -> None:
        """`process` neither waits nor is inside any more."""
        self.waiting.pop(process, None)
        self.unheard.pop(process, None)
        if not self.waiting:
            self.vacated = -1  # nobody is left for whom a handover would matter
        use = self.inside.pop(process, None)
        if use is not None:
            self.resource.drop(use, time)
