"""What observers know of a run: who is up, whom each names leader, who waits, who is inside, who suspects whom.

The driver tells the `World` whenever a process makes one of these known; the properties judge it after each change.
"""

from __future__ import annotations

from typing import Any

from habemus.process import Pid
from habemus.properties.lock import Lock
from habemus.properties.logs import Logs
from habemus.properties.suspicion import Suspicions


class LeadershipClaim:
    """A process took office."""

    def __init__(self, process: Pid, time: int, event: int) -> None:
        self.process = process
        self.time = time
        self.event = event


class World:
    """What observers know of a run."""

    def __init__(self, members: list[Pid]) -> None:
        self.members = members
        self.live = len(members)
        self.down: set[Pid] = set()
        self.beliefs: dict[Pid, Pid] = {}
        self.support: dict[Pid, int] = {}
        self.in_office: dict[Pid, LeadershipClaim] = {}
        self.incumbent: LeadershipClaim | None = None  # the last to take office, until it crashes
        self.claims = 0
        self.terms: dict[int, LeadershipClaim] = {}  # who took office in each term first, where there are terms
        self.contested: tuple[int, LeadershipClaim, LeadershipClaim] | None = (
            None  # a term in which two took office, with the first two
        )
        self.vacant_since = -1  # when the leader crashed, until all live processes name a new one; else -1
        self.downtimes: list[int] = []
        self.time = 0
        self.event = -1
        self.deposed: LeadershipClaim | None = None  # who was incumbent, and well, when the last one took office
        self.lock = Lock()
        self.logs = Logs()
        self.suspicions = Suspicions(len(members))
        self.over = False  # whether nothing was left to do when the run ended

    def names_leader(self, process: Pid, leader: Pid | None) -> bool:
        """`process` takes `leader` for the leader (None: nobody). Returns whether that changes who is in office."""
        office_changed = leader == process or process in self.in_office
        if process in self.beliefs:
            self.withdraw_belief(process)
        self.deposed = None
        if leader is not None:
            self.beliefs[process] = leader
            self.support[leader] = self.support.get(leader, 0) + 1
        if leader == process:
            self.claims += 1
            claim = LeadershipClaim(process, self.time, self.event)
            self.in_office[process] = claim
            if self.incumbent is not None and self.incumbent.process != process:
                self.deposed = self.incumbent
            self.incumbent = claim
        if self.vacant_since >= 0 and self.agreed():
            self.downtimes.append(self.time - self.vacant_since)
            self.vacant_since = -1
        return office_changed

    def leads_in(self, process: Pid, term: int) -> None:
        """`process` is about to take office in a term."""
        claim = LeadershipClaim(process, self.time, self.event)
        first = self.terms.setdefault(term, claim)
        if first.process != process and self.contested is None:
            self.contested = (term, first, claim)
        self.logs.leads(process, term, self.event)

    def sees_log(self, process: Pid, what: str, subject: Any) -> None:
        """`process` announces something about its log."""
        if what == "log":
            self.logs.stores(process, subject[0], subject[1], self.event)
        elif what == "commit":
            self.logs.commits(process, subject[0], subject[1], self.time, self.event)
        elif what == "restore":
            self.logs.restores(process, subject[0], subject[1], self.event)
        else:
            self.logs.forgives()

    def crashed(self, process: Pid) -> None:
        """`process` is down and names nobody."""
        if process in self.in_office and self.vacant_since < 0:
            self.vacant_since = self.time
        self.live -= 1
        self.down.add(process)
        self.withdraw_belief(process)
        self.deposed = None
        if self.incumbent is not None and self.incumbent.process == process:
            self.incumbent = None
        self.lock.crashed(process, self.time)
        self.logs.crashed(process)
        self.suspicions.crashed(process, self.time)

    def recovered(self, process: Pid) -> None:
        """`process` is up again and names nobody yet."""
        self.live += 1
        self.down.discard(process)
        self.suspicions.recovered(process, self.time)

    def withdraw_belief(self, process: Pid) -> None:
        named = self.beliefs.pop(process, None)
        if named is not None:
            supporters = self.support[named] - 1
            if supporters:
                self.support[named] = supporters
            else:
                del self.support[named]
            self.in_office.pop(process, None)

    def agreed(self) -> bool:
        """Whether all live processes name one leader, and it is in office."""
        return len(self.support) == 1 and len(self.beliefs) == self.live and len(self.in_office) == 1

    def leader(self) -> Pid | None:
        """The one process in office; None if there is none, or more than one."""
        return next(iter(self.in_office)) if len(self.in_office) == 1 else None
