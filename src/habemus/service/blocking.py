"""Groups for threads: the same names as in group.py, blocking.

Nobody can stop a thread from outside. So a lost lease is a flag (`lease.lost`), a callback (`lease.lost.call`), and an
error of `lease.ensure()`; with `loss_signal` also a signal to the main thread. LeaseLost comes out of the `with`, too.
A role that another member is to have is a flag and a callback as well (`lease.wanted`); it is held until the body ends.
"""

from __future__ import annotations

import signal
import threading
import weakref
from collections.abc import Iterable, Mapping
from types import TracebackType

from habemus.service.engine import Attempt, Grant, Guarantee, Latch, Wish
from habemus.service.errors import EXPIRED, GroupError
from habemus.service.events import BlockingEvents
from habemus.service.http import GroupServer, open_server
from habemus.service.lease import BaseLease
from habemus.service.membership import Membership, make_membership, patience
from habemus.service.options import FilePath, JoinOptions
from habemus.service.telemetry import Tenure
from habemus.service.view import Event, View


class Lease(BaseLease):
    """A lock or a role that this process holds."""

    def check(self) -> None:
        """Ask those who decide, now; raise LeaseLost if it is not held."""
        self.ensure()
        if not self.grant.confirm().result():
            self.grant.lose(EXPIRED)
        self.ensure()


def join(
    name: str,
    where: str | None = None,
    *,
    id: str | None = None,
    priority: int = 0,
    ttl: float = 10.0,
    alive_within: float | None = None,
    metadata: Mapping[str, str] | None = None,
    key_file: FilePath | None = None,
    tls: tuple[FilePath, FilePath, FilePath] | None = None,
    data: FilePath | None = None,
    voter: bool | None = None,
    http: str | None = None,
    http_host: str = "",
    http_token_file: FilePath | None = None,
    require: Iterable[Guarantee] = (),
    loss_signal: signal.Signals | None = None,
) -> Group:
    """Join a group: `with habemus.sync.join("orders") as group`; see `habemus.join`.

    With `alive_within` the program has to call `group.show_life()` that often. `loss_signal` is sent to the main thread
    when a lease is lost.
    """
    options = JoinOptions(
        name=name,
        where=where,
        id=id,
        priority=priority,
        ttl=ttl,
        alive_within=alive_within,
        metadata={} if metadata is None else metadata,
        key_file=key_file,
        tls=tls,
        data=data,
        voter=voter,
        http=http,
        http_host=http_host,
        http_token_file=http_token_file,
    )
    return Group(make_membership(options, require), loss_signal)


class Group:
    """A group that this process has joined."""

    def __init__(self, membership: Membership, loss_signal: signal.Signals | None = None) -> None:
        self.membership = membership
        self.name = membership.name
        self.loss_signal = loss_signal
        self.server: GroupServer | None = None
        self.streams: weakref.WeakSet[BlockingEvents] = weakref.WeakSet()

    @property
    def id(self) -> str:
        """What this member is called in the group."""
        return self.membership.joined.id

    @property
    def guarantees(self) -> frozenset[Guarantee]:
        return self.membership.engine.guarantees

    @property
    def view(self) -> View:
        """The group as this process knows it: members, locks, the leader of each role."""
        return self.membership.joined.view

    def events(self) -> BlockingEvents:
        """What happens from now on: `for event in group.events()`; see `habemus.Group.events`."""
        events = BlockingEvents(self.membership.joined)
        self.streams.add(events)
        return events

    def history(self) -> list[Event]:
        """What happened lately, the oldest first."""
        return self.membership.joined.fetch_history().result()

    def transfer(self, role: str, *, to: str) -> None:
        """Let a member that waits for a role lead next, as soon as the leader gives it up: see `lease.wanted`."""
        self.membership.joined.transfer(role, to).result()

    def pause(self) -> None:
        """Nobody is replaced until `resume`, as for maintenance."""
        self.membership.joined.pause(True).result()

    def resume(self) -> None:
        self.membership.joined.pause(False).result()

    def show_life(self) -> None:
        """The program works; see `alive_within`."""
        self.membership.joined.show_life()

    def lock(
        self,
        name: str,
        *,
        shared: bool = False,
        slots: int | None = None,
        wait: float | None = None,
        priority: int = 0,
    ) -> Holding:
        """A lock: `with group.lock("sku/42", wait=5) as lease`; see `habemus.Group.lock`."""
        wish = self.membership.wish_lock(name, shared, slots, wait, priority)
        return Holding(self, wish, name, wait)

    def lead(self, role: str) -> Holding:
        """A role that one member has at a time: `with group.lead("scheduler") as lease` waits for it."""
        return Holding(self, self.membership.wish_role(role), role, None)

    def __enter__(self) -> Group:
        self.membership.open()
        self.server = open_server(self.membership)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for stream in list(self.streams):
            stream.close()
        if self.server is not None:
            self.server.close()
        self.membership.engine.close()


class Holding:
    """A lock or role, for the time of a `with`. It can be used once."""

    def __init__(self, group: Group, wish: Wish, name: str, wait: float | None) -> None:
        self.group = group
        self.wish = wish
        self.name = name
        self.wait = wait
        self.lease: Lease | None = None
        self.abandoned = False
        self.result: Grant | GroupError | None = None

    def __enter__(self) -> Lease:
        if self.result is not None:
            raise RuntimeError("this lock was used already: call group.lock(...) again for each `with`")
        self.tenure = Tenure(self.group.membership.telemetry, self.wish)
        try:
            self.lease = Lease(self.name, self.acquire())
            if self.group.loss_signal is not None:
                self.lease.lost.call(self.send_signal)
            self.tenure.hold(self.lease)
        except BaseException:  # a signal handler may raise after the grant, too: then nobody else gives it back
            self.abandoned = True
            if self.lease is not None:
                self.lease.give_back()
            elif isinstance(self.result, Grant):
                self.result.release()
            self.tenure.give_up()
            raise
        return self.lease

    def acquire(self) -> Grant:
        attempt: Attempt | None = None
        engine = self.group.membership.joined
        self.settled = Latch()
        try:
            attempt = engine.acquire(self.wish, self.settle)
            engine.wait(self.settled, patience(self.wait))
        except BaseException:  # KeyboardInterrupt, or what another signal handler raises
            self.abandoned = True
            if attempt is not None:
                attempt.cancel()
            elif isinstance(self.result, Grant):
                self.result.release()
            raise
        if self.result is None:
            attempt.cancel()
            raise self.group.membership.make_timeout(self.name, self.wait)
        if isinstance(self.result, GroupError):
            raise self.result
        return self.result

    def settle(self, result: Grant | GroupError) -> None:
        self.result = result
        self.settled.open()
        if self.abandoned and isinstance(result, Grant):  # the wait was interrupted before the attempt had a name
            result.release()

    def send_signal(self, reason: str) -> None:
        main = threading.main_thread().ident
        if main is not None and self.group.loss_signal is not None:
            signal.pthread_kill(main, self.group.loss_signal)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.lease is not None
        self.lease.give_back()
        self.tenure.end(self.lease.lost.reason)
        if self.lease.lost and kind is None:
            raise self.lease.error()
