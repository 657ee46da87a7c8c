"""Groups for asyncio: join, lock, lead; what happens in a group, and who is there."""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, TypeVar

from habemus.service.engine import Guarantee
from habemus.service.errors import LeaseLost
from habemus.service.events import Events
from habemus.service.holding import Holding
from habemus.service.http import GroupServer, open_server
from habemus.service.lease import Lease
from habemus.service.membership import Membership, make_membership
from habemus.service.options import FilePath, JoinOptions, check_name
from habemus.service.view import Event, View

T = TypeVar("T")
log = logging.getLogger("habemus")
SIGNS = 4  # of life in the time within which one is expected


def join(
    name: str,
    where: str | None = None,
    *,
    id: str | None = None,
    priority: int = 0,
    ttl: float = 10.0,
    grace: float | None = None,
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
) -> Group:
    """Join a group: `async with habemus.join("orders") as group`.

    where         nothing: all processes of this user on this host that join the same name; `file:///DIRECTORY`: those
                  that use the same directory; `HOST:PORT,HOST:PORT,HOST:PORT`: a group of its own voters, on any hosts
    id            the name of this member; otherwise host and process id
    priority      of this member, for roles, if the engine is fair
    ttl           so many seconds after its last renewal a lease ends, if leases expire
    grace         so many seconds before the deadline of a lease its body is cancelled, at most half of the ttl;
                  otherwise 1, or a quarter of the ttl if that is less
    alive_within  what is held is lost if the event loop stands still for so many seconds; otherwise it does not matter
    metadata      what the other members see of this one in `group.view`
    key_file, tls, data    for groups on several hosts: the file of their key; certificate, key and authority; a
                  directory for what has to survive a restart
    voter         True: one of the listed addresses is of this host and free; False: this process is a client; None:
                  a voter if it can be one, else a client
    http          HOST:PORT to answer at, for load balancers and Prometheus
    http_host     names under which it is asked there, besides its addresses, separated by commas
    http_token_file   the file of the token that a request to act (POST) has to know; without it nobody may
    require       guarantees without which it raises GroupError
    """
    options = JoinOptions(
        name=name,
        where=where,
        id=id,
        priority=priority,
        ttl=ttl,
        grace=grace,
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
    return Group(make_membership(options, require))


class Group:
    """A group that this process has joined."""

    def __init__(self, membership: Membership) -> None:
        self.membership = membership
        self.name = membership.name
        self.singletons: list[asyncio.Task[Any]] = []
        self.server: GroupServer | None = None
        self.streams: weakref.WeakSet[Events] = weakref.WeakSet()
        self.life: asyncio.TimerHandle | None = None

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

    def events(self) -> Events:
        """What happens from now on: `async for event in group.events()`.

        Nobody waits for a reader: one that is slow gets a Lagged in place of what it missed. It ends with the group.
        """
        events = Events(self.membership.joined)
        self.streams.add(events)
        return events

    async def history(self) -> list[Event]:
        """What happened lately, the oldest first."""
        return await asyncio.wrap_future(self.membership.joined.fetch_history())

    async def transfer(self, role: str, *, to: str) -> None:
        """Let a member that waits for a role lead next. The leader's body is cancelled, and the role passes on then."""
        await asyncio.wrap_future(self.membership.joined.transfer(role, to))

    async def pause(self) -> None:
        """Nobody is replaced until `resume`, as for maintenance."""
        await asyncio.wrap_future(self.membership.joined.pause(True))

    async def resume(self) -> None:
        await asyncio.wrap_future(self.membership.joined.pause(False))

    def lock(
        self,
        name: str,
        *,
        shared: bool = False,
        slots: int | None = None,
        wait: float | None = None,
        priority: int = 0,
    ) -> Holding:
        """A lock: `async with group.lock("sku/42", wait=5) as lease`.

        Exclusive; or shared, as for reading; or a semaphore with so many slots. TimeoutError after `wait` seconds;
        with wait=0 LockTaken at once.
        """
        wish = self.membership.wish_lock(name, shared, slots, wait, priority)
        return Holding(self.membership, wish, name, wait)

    def lead(self, role: str) -> Holding:
        """A role that one member has at a time: `async with group.lead("scheduler") as lease` waits for it."""
        return Holding(self.membership, self.membership.wish_role(role), role, None)

    def singleton(self, role: str) -> Callable[[Callable[[Lease], Awaitable[T]]], asyncio.Task[T]]:
        """Run a function on one member at a time: `@group.singleton("cleanup")`.

        It begins when this member leads the role. When the role is lost, it is cancelled, and begins anew when the role
        is ours again. When it returns, the next member begins. What is left of it is the task that runs it: await it.
        If it fails, that is logged, and the next member begins; the error comes out of the task, and of the group.
        """
        check_name("role", role)

        def start(function: Callable[[Lease], Awaitable[T]]) -> asyncio.Task[T]:
            task = asyncio.ensure_future(self.run_singleton(role, function))
            self.singletons.append(task)
            task.add_done_callback(lambda done: log_failure(role, done))
            return task

        return start

    async def run_singleton(self, role: str, function: Callable[[Lease], Awaitable[T]]) -> T:
        while True:
            try:
                async with self.lead(role) as lease:
                    return await function(lease)
            except LeaseLost as lost:
                if lost.name != role:
                    raise

    async def __aenter__(self) -> Group:
        self.membership.open()
        self.server = open_server(self.membership)
        self.show_life()
        return self

    def show_life(self) -> None:
        """Again and again, as long as the loop turns, if that is of interest."""
        if self.membership.options.alive_within is not None:
            self.membership.engine.show_life()
            delay = self.membership.options.alive_within / SIGNS
            self.life = asyncio.get_running_loop().call_later(delay, self.show_life)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self.singletons:
            task.cancel()
        results = await asyncio.gather(*self.singletons, return_exceptions=True)
        if self.life is not None:
            self.life.cancel()
        for stream in list(self.streams):
            stream.close()
        if self.server is not None:
            self.server.close()
        self.membership.engine.close()
        failures = [result for result in results if isinstance(result, Exception)]
        if failures and error is None:
            raise failures[0]


def log_failure(role: str, task: asyncio.Task[Any]) -> None:
    """Nobody may be waiting for the task: a job that no longer runs here has to be noticed."""
    if not task.cancelled() and task.exception() is not None:
        log.error("singleton %r failed: the next member begins", role, exc_info=task.exception())
