"""Coordinator, broken: what lock services and those who use them get wrong."""

from __future__ import annotations

from habemus.museum.exhibit import Instance, exhibit
from habemus.mutex.coordinator import Coordinator, Grant, Release, Released, Request
from habemus.mutex.coordinator_lease import CoordinatorLease
from habemus.mutex.coordinator_retry import CoordinatorRetry
from habemus.process import Pid

LEASE = {"lease": 1, "processing": 0}
FENCED = {"lease": 1, "fencing": True}


@exhibit("coordinator-grants-without-looking", violates="mutual_exclusion", instance=Instance(n=2, fifo=False))
class GrantsWithoutLooking(Coordinator):
    """The next one is let in without a look whether somebody is inside."""

    @property
    def may_grant(self) -> bool:
        return bool(self.queue) and not self.closed and self.chief == self.id


@exhibit(
    "coordinator-lock-without-token",
    violates="mutual_exclusion",
    instance=Instance(n=2, parameters=FENCED),
    happened="M. Kleppmann on Redlock, 2016. Jepsen found the same of etcd's locks in 2019.",
    source="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html, "
    "https://github.com/etcd-io/etcd/issues/11457",
)
class LockWithoutToken(CoordinatorLease):
    """A holder was paused and did not see its lease end. Its grant has a token, but it does not show it."""

    def go_inside(self, grant: Grant) -> None:
        self.cancel_timer("answer")
        self.token = max(self.token, grant.token)
        self.set_timer("lease", self.lease)
        self.enter()


@exhibit(
    "coordinator-tokens-stand-still",
    violates="mutual_exclusion",
    instance=Instance(n=2, parameters=FENCED),
    happened="Redlock's random values are unique, but they do not grow, so the resource cannot compare them.",
    source="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html",
)
class TokensStandStill(CoordinatorLease):
    """Every grant has the same token, so the resource cannot tell an old one from a new one."""

    def next_token(self) -> int:
        """Larger than any seen, and than our own before a crash."""
        return self.token


@exhibit(
    "coordinator-overstays-its-lease",
    violates="mutual_exclusion",
    instance=Instance(n=2, parameters=LEASE, timing="bounded"),
    happened="A Kubernetes leader whose renewal hangs for a minute leads on, though its lease lasts 15 seconds.",
    source="https://github.com/kubernetes/kubernetes/issues/44887",
)
class OverstaysItsLease(CoordinatorLease):
    """A holder whose lease has ended stays inside."""

    def leave_in_time(self) -> None:
        pass


@exhibit(
    "coordinator-off-by-one",
    violates="mutual_exclusion",
    instance=Instance(n=2, parameters=LEASE, timing="bounded"),
)
class OffByOne(CoordinatorLease):
    """Counts the lease and the way of the grant, but not the tick in which the holder leaves."""

    @property
    def validity(self) -> int:
        """How long after it was sent a grant may be in use; one tick more, for in its last tick the holder leaves."""
        return self.lease + self.transmission


@exhibit(
    "coordinator-back-at-once",
    violates="mutual_exclusion",
    instance=Instance(
        n=2,
        parameters={**LEASE, "retry": 3},
        timing="bounded",
        limits={"crashes": 1, "recoveries": 1},
    ),
    happened="In SOFAJRaft a new leader did not wait until the lease of the old one had run out.",
    source="https://github.com/sofastack/sofa-jraft/issues/25",
)
class BackAtOnce(CoordinatorLease):
    """A coordinator that restarts lets somebody in at once, while a grant from before the crash may be in use."""

    def come_back(self) -> None:
        pass


@exhibit(
    "coordinator-old-grant-on-reconnect",
    violates="mutual_exclusion",
    instance=Instance(
        n=2, parameters={"lease": 2, "processing": 0, "retry": 2}, timing="bounded", limits={"losses": 1}
    ),
    happened="A Curator client reconnected, found its old node and led; then that node ended with its session, and "
    "another led, too: CURATOR-696.",
    source="https://github.com/apache/curator/issues/1211",
)
class OldGrantOnReconnect(CoordinatorLease):
    """Who asks again is shown the grant that was lost, and takes it for new; but it is about to end."""

    def line_up(self, sender: Pid, message: Request) -> None:
        self.token = max(self.token, message.token)
        if (sender, message.ticket) == self.holder:
            self.send(sender, self.permit(message.ticket))
        else:
            super().line_up(sender, message)


@exhibit(
    "coordinator-grants-once",
    violates="deadlock_freedom",
    instance=Instance(n=2, parameters={"retry": 2}, timing="bounded", limits={"losses": 1}),
    happened="In the first Curator a lock could be made, the answer lost, and its owner not know that it had it.",
    source="https://github.com/Netflix/curator/issues/3",
)
class GrantsOnce(CoordinatorRetry):
    """Who asks again because the grant was lost is taken to be inside, and gets no answer."""

    def line_up(self, sender: Pid, message: Request) -> None:
        if (sender, message.ticket) == self.holder:
            pass
        else:
            super().line_up(sender, message)


@exhibit(
    "coordinator-any-grant",
    violates="mutual_exclusion",
    instance=Instance(
        n=2,
        parameters={"lease": 1},
        timing="bounded",
        fifo=False,
        limits={"crashes": 1, "recoveries": 1, "entries": 2},
    ),
    happened="etcd's lock, and likewise Election.Campaign, told a client that had waited that it had won, and did not "
    "look whether its own key was still there.",
    source="https://github.com/etcd-io/etcd/issues/11456, https://github.com/cagriekin/charts/pull/327",
)
class AnyGrant(CoordinatorLease):
    """Who waits enters with any grant that arrives, and does not look whether it is for its present request."""

    def accept_grant(self, sender: Pid, message: Grant) -> None:
        if self.waiting:
            self.grantor = sender
            self.go_inside(message)
        elif message.ticket != self.ticket or not self.inside:  # not the one in use: nobody is to wait for its release
            self.send(sender, Release(message.ticket))


@exhibit(
    "coordinator-anybodys-release",
    violates="mutual_exclusion",
    instance=Instance(n=2, fifo=False, limits={"doubles": 1, "entries": 2}),
    happened="Laravel's cache locks were released without a look whose they were by then.",
    source="https://github.com/laravel/framework/issues/26213",
)
class AnybodysRelease(Coordinator):
    """A late release frees the lock, although it has passed to another since."""

    def take_back(self, sender: Pid, message: Release) -> None:
        self.finish(sender, message.ticket)
        self.be_free()
        if self.acknowledged and sender != self.id:
            self.send(sender, Released(message.ticket))
