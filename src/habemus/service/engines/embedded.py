"""The embedded engine: the members themselves keep the locks, by a majority of the voters among them.

The algorithm is leased-group over raft, the classes that are simulated and checked; this engine drives it, and safety
rests on nothing that is added here. joining.py says who is a voter and who is a client.

The protocol runs in a thread with its own loop, so code that blocks costs no lease. What a member holds ends with its
session. The deadline of the session is on the clock of this host; `ensure` compares it with the clock, and asks nobody.
So a process that was stopped, and looks before it acts, finds out.
"""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from time import clock_gettime
from typing import Any, ClassVar, TypeVar

from habemus.mutex.leased_group import LeasedGroup
from habemus.network.errors import NetworkError
from habemus.network.node.change import Change, ChangeKind
from habemus.network.node.clock import CLOCK
from habemus.network.node.node import Node
from habemus.replication.entries import FORGOTTEN, SLOTS, TAKEN
from habemus.replication.leases import Dead, Denied, Description, Expected, Give, Held, Introduced, LeaseLost
from habemus.replication.member import TIMERS
from habemus.service.engine import FAIR, FENCED, QUORUM, RECLAIMS_HUNG, Engine, Guarantee, Latch, Settle, Wish
from habemus.service.engines.deaths import DeathWatch, identify_process
from habemus.service.engines.embedded_lock import OVER, Changes, EmbeddedAttempt, EmbeddedGrant, Session, answer_with
from habemus.service.engines.embedded_view import Portrait, decode_portrait, encode_portrait
from habemus.service.engines.joining import Joiner, name_process, read_peers
from habemus.service.engines.lookout import Lookout
from habemus.service.engines.loop_thread import LoopThread
from habemus.service.errors import CLOSED, DEPOSED, EXPIRED, FORKED, LEFT, PAUSED, GroupError, LockTaken, NoQuorum
from habemus.service.options import JoinOptions
from habemus.service.view import Event, View

T = TypeVar("T")

LEAVING = 5.0  # seconds
ASK_AGAIN = 0.2
LOOK_ROUND = 1.0
LOOKS_AT_LIFE = 8  # in the time within which a sign of life is expected
NANO = 1e-9


class EmbeddedEngine(Engine):
    """A member of a group. All methods below "In the thread of the protocol" run there."""

    guarantees: ClassVar[frozenset[Guarantee]] = frozenset({FENCED, QUORUM, FAIR, RECLAIMS_HUNG})

    node: Node
    member: LeasedGroup
    lookout: Lookout
    thread: LoopThread

    def __init__(self, options: JoinOptions, peers: str) -> None:
        self.options = options
        self.members = read_peers(peers)
        self.tickets = count(1)
        self.attempts: dict[int, EmbeddedAttempt] = {}
        self.grants: dict[int, EmbeddedGrant] = {}
        self.changes = Changes()
        self.confirming: list[tuple[Session, float, Future[bool]]] = []  # until when the session has to be renewed
        self.tasks: list[asyncio.Task[None]] = []
        self.errands: set[asyncio.Future[None]] = set()  # under way
        self.deaths = DeathWatch(self.declare_dead)
        self.dead: set[int] = set()  # sessions whose processes have ended
        self.session = OVER
        self.opening = 0
        self.stalls = 0
        self.stalled = False  # in this turn
        self.begun = False
        self.met = asyncio.Event()
        self.closed = False
        self.forked = False
        self.failure = ""

    def open(self) -> None:
        try:
            joiner = Joiner(self.options, self.members)
            self.id = self.options.id or name_process({each.id for each in ENGINES})
            self.thread = LoopThread(f"habemus {self.options.name}", self.exchange)
            try:
                self.thread.run_coroutine(self.begin(joiner)).result()
            except BaseException:
                self.thread.stop()
                raise
        except NetworkError as error:
            raise GroupError(str(error)) from None
        ENGINES.add(self)

    def acquire(self, wish: Wish, settle: Settle) -> EmbeddedAttempt:
        self.check_usable()
        attempt = EmbeddedAttempt(self, next(self.tickets), wish, settle)
        self.thread.call_soon(self.start, attempt)
        return attempt

    def wait(self, latch: Latch, timeout: float | None) -> None:
        self.thread.wait(latch, timeout)

    def check_usable(self) -> None:
        super().check_usable()
        if self.failure:
            raise GroupError(self.failure)

    def close(self) -> None:
        if self.forked or self.closed:
            return
        self.closed = True
        ENGINES.discard(self)
        with suppress(TimeoutError):
            self.thread.run_coroutine(self.leave()).result(LEAVING)
        self.thread.stop()

    @property
    def view(self) -> View:
        self.check_usable()
        return self.thread.run_coroutine(self.lookout.recall_view()).result()

    def describe_trouble(self) -> str:
        return self.failure or self.thread.run_coroutine(self.lookout.describe_trouble()).result()

    def fetch_view(self) -> Future[View]:
        return self.ask(lambda: self.lookout.fetch_view())

    def follow(self, tell: Callable[[Event], None]) -> Callable[[], None]:
        self.check_usable()
        self.thread.call_soon(self.lookout.follow, tell)
        return lambda: self.thread.call_soon(self.lookout.unfollow, tell)

    def fetch_history(self) -> Future[list[Event]]:
        return self.ask(lambda: self.lookout.fetch_history())

    def transfer(self, role: str, to: str) -> Future[None]:
        return self.ask(lambda: self.lookout.transfer(role, to))

    def pause(self, paused: bool) -> Future[None]:
        return self.ask(lambda: self.lookout.pause(paused))

    def ask(self, question: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Have the lookout answer, once the group has been met."""
        self.check_usable()

        async def answer() -> T:
            await self.met.wait()
            return await question()

        return self.thread.run_coroutine(answer())

    def abandon(self) -> None:
        """In a child after os.fork: the thread is not here, and the leases are the parent's."""
        self.forked = True
        for grant in list(self.grants.values()):
            grant.lost = FORKED  # nobody is called: the callbacks are the parent's

    # In the thread of the protocol: beginning and end

    async def begin(self, joiner: Joiner) -> None:
        self.node = await joiner.join()
        process = self.node.stack.process
        assert isinstance(process, LeasedGroup)
        self.member = process
        self.lookout = Lookout(self.options, self.members, self.node, process, self.declare_all_dead)
        self.node.watchers += [self.follow_session, self.lookout.look_for_leader]
        self.node.listeners.append(self.hear)
        self.node.ended.add_done_callback(self.on_end)
        self.tasks += map(asyncio.ensure_future, (self.meet(), self.lookout.warn_in_vain(self.attempts)))

    async def meet(self) -> None:
        await self.node.meet()
        self.begun = True
        self.met.set()
        portrait = Portrait(
            self.id, not self.node.client, dict(self.options.metadata), identify_process(self.options.guardian)
        )
        if not self.options.observer:
            self.node.command("describe", Description(encode_portrait(portrait)))
        self.lookout.begin()
        for attempt in list(self.attempts.values()):
            self.want(attempt)
        self.exchange()
        if self.options.alive_within is not None:
            self.tasks.append(asyncio.ensure_future(self.watch_life(self.options.alive_within)))
        while not self.node.client:  # who restarted got to know the sessions by a snapshot
            self.deaths.forget_all_but(self.member.table.sessions)
            for session in list(self.member.table.sessions.values()):
                if session.number not in self.deaths.watched:
                    self.watch(session.number, session.metadata)
            await asyncio.sleep(LOOK_ROUND)

    @property
    def life_ends(self) -> float:
        """Until when the application counts as alive, if it gives no other sign of life."""
        return self.last_sign_of_life + (self.options.alive_within or 0.0)

    async def watch_life(self, within: float) -> None:
        """Whoever gives no sign of life in time loses what it holds."""
        while True:
            if clock_gettime(CLOCK) >= self.life_ends:
                for ticket, grant in list(self.grants.items()):
                    grant.lose(EXPIRED)
                    self.give(ticket)
                self.exchange()
            self.follow_session()
            await asyncio.sleep(within / LOOKS_AT_LIFE)

    def on_end(self, ended: asyncio.Future[None]) -> None:
        """The node has ended: because the group was left, or because it failed."""
        error = ended.exception() if not ended.cancelled() else None
        self.failure = str(error) if error is not None else "this group was left: join it again"
        for attempt in self.take_all(self.attempts):
            attempt.finish(GroupError(self.failure))
        for grant in self.take_all(self.grants):
            grant.lose(CLOSED if error is None else EXPIRED)
        for _, _, answer in self.confirming:
            answer_with(answer, False)

    def take_all(self, several: dict[int, Any]) -> list[Any]:
        taken = list(several.values())
        several.clear()
        return taken

    async def leave(self) -> None:
        for task in self.tasks:
            task.cancel()
        for grant in self.take_all(self.grants):
            grant.lose(CLOSED)
        for attempt in self.take_all(self.attempts):
            attempt.finish(GroupError(LEFT))
        if self.begun:
            self.node.command("close")
            await self.lookout.hand_over()
        self.deaths.forget_all_but(())
        self.lookout.close()
        await self.node.leave()

    # Locks

    def start(self, attempt: EmbeddedAttempt) -> None:
        if self.failure:
            attempt.finish(GroupError(self.failure))
            return
        self.attempts[attempt.ticket] = attempt
        if not attempt.wish.wait:
            loop = asyncio.get_running_loop()
            attempt.patience = loop.call_later(self.options.ttl, self.give_up, attempt)
        if self.begun:
            self.want(attempt)

    def want(self, attempt: EmbeddedAttempt) -> None:
        self.changes.want(attempt)

    def give_up(self, attempt: EmbeddedAttempt) -> None:
        """No quorum answered within the ttl."""
        if self.attempts.get(attempt.ticket) is attempt:
            self.give(attempt.ticket)
            self.exchange()
            attempt.finish(
                NoQuorum(f'nobody can say whether "{attempt.wish.name}" is free: {self.lookout.describe_quorum()}')
            )

    def give(self, ticket: int) -> None:
        """A lock is given back, or no longer wanted."""
        attempt = self.attempts.pop(ticket, None)
        grant = self.grants.pop(ticket, None)
        if attempt is not None:
            attempt.stop_waiting()
        if (attempt is not None or grant is not None) and self.begun:
            self.changes.give(ticket)

    def exchange(self) -> None:
        """Have the node ask for what is wanted, and give back what is not, in one turn."""
        if self.changes:
            self.node.command("exchange", self.changes.take_all())

    def confirm(self, session: Session, answer: Future[bool]) -> None:
        """Have a session renewed now; the deadline tells that this very renewal was answered."""
        if session is not self.session or self.failure:
            answer_with(answer, False)
            return
        renewed = clock_gettime(CLOCK) + self.member.lease * 1e-3
        self.confirming.append((session, renewed, answer))
        self.node.command("check")

    def follow_session(self) -> None:
        """In every turn: when does the session end?"""
        member = self.member
        self.stalled, self.stalls = self.node.counts["stalls"] > self.stalls, self.node.counts["stalls"]
        if member.opening != self.opening:
            self.session, self.opening = Session(), member.opening
        armed = self.node.stack.timers.get((member._layer, TIMERS[member.counting])) if member.counting >= 0 else None
        if armed is not None:
            self.session.deadline = min(armed[0] * NANO, self.life_ends)
        if self.confirming:
            self.answer_confirmations()

    def answer_confirmations(self) -> None:
        waiting = []
        for session, renewed, answer in self.confirming:
            if session.deadline >= renewed:
                answer_with(answer, True)
            elif session is not self.session or not self.member.active:
                answer_with(answer, False)
            else:
                waiting.append((session, renewed, answer))
        self.confirming = waiting

    # What the table says

    def hear(self, change: Change) -> None:
        if change.what == ChangeKind.INDICATION:
            match change.subject:
                case Held() as held:
                    self.hold(held)
                case Denied() as denied:
                    self.refuse(denied)
                case LeaseLost(ticket):
                    grant = self.grants.pop(ticket, None)
                    if grant is not None:
                        grant.lose(self.explain_loss(grant))
                case Introduced(session, metadata):
                    self.watch(session, metadata)
                case Expected(ticket, session) if ticket in self.grants:
                    errand = asyncio.ensure_future(self.tell_wanted(self.grants[ticket], session))
                    self.errands.add(errand)
                    errand.add_done_callback(self.errands.discard)
                case news:
                    self.lookout.hear(news)

    def hold(self, held: Held) -> None:
        attempt = self.attempts.pop(held.ticket, None)
        if attempt is None:
            self.node.command("release", Give(held.ticket))
            return
        grant = self.grants[held.ticket] = EmbeddedGrant(self, held, self.session)
        attempt.finish(grant)

    def refuse(self, denied: Denied) -> None:
        attempt = self.attempts.get(denied.ticket)
        if attempt is None:
            return
        name = attempt.wish.name
        if denied.reason == FORGOTTEN:
            self.want(attempt)
            self.exchange()
            return
        del self.attempts[denied.ticket]
        if denied.reason == TAKEN:
            attempt.finish(LockTaken(f'"{name}" is taken'))
        elif denied.reason == SLOTS:
            attempt.finish(
                GroupError(f'"{name}" is not in use with {attempt.wish.slots} slots: all have to ask for the same')
            )
        else:
            attempt.finish(GroupError(f'"{name}" cannot be locked like this: {denied.reason}'))

    def explain_loss(self, grant: EmbeddedGrant) -> str:
        if clock_gettime(CLOCK) < grant.session.deadline:
            return DEPOSED
        return PAUSED if self.stalled else EXPIRED

    # The dead

    def watch(self, session: int, metadata: str) -> None:
        """Be told by the kernel when the process of a session ends."""
        portrait = decode_portrait(metadata)
        if portrait is not None:
            self.deaths.watch(session, portrait.process)

    def declare_dead(self, session: int) -> None:
        """Ask for the end of a session, again and again, until it has ended."""
        self.dead.add(session)
        self.declare_all_dead()

    def declare_all_dead(self) -> None:
        self.dead &= self.member.table.sessions.keys()
        if self.dead and not self.closed and not self.failure:
            for session in sorted(self.dead):
                self.node.command("declare dead", Dead(session))
            asyncio.get_running_loop().call_later(ASK_AGAIN, self.declare_all_dead)

    async def tell_wanted(self, grant: EmbeddedGrant, session: int) -> None:
        with suppress(NoQuorum):
            grant.want(await self.lookout.name_session(session))


ENGINES: weakref.WeakSet[EmbeddedEngine] = weakref.WeakSet()


def abandon_all() -> None:
    for engine in list(ENGINES):
        engine.abandon()


os.register_at_fork(after_in_child=abandon_all)
