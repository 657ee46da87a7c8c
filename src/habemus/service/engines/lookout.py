"""Looks at an embedded group, and acts on it for operators: through the table of its leader.

The leader's lookout tells those who follow events as soon as something is noted. They ask again and again what they
have missed: there may be another leader, which does not know of them yet.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sized
from contextlib import suppress

import msgspec

from habemus.mutex.leased_group import LeasedGroup
from habemus.network.node.node import Node
from habemus.network.wire.addresses import Members, format_address
from habemus.replication.entries import Reserved, TableImage
from habemus.replication.leases import Asked, Halt, Noted, Recall, Recalled, Report, Reserve, Seen
from habemus.replication.raft import Raft
from habemus.replication.requests import Transfer
from habemus.service.engine import check_transfer
from habemus.service.engines.chronicle import Chronicle, decode_events, encode_events
from habemus.service.engines.embedded_view import find_session, make_view, name_sessions
from habemus.service.errors import NoQuorum
from habemus.service.options import JoinOptions
from habemus.service.view import ROLE, Event, EventKind, View

ASK_AGAIN = 0.2  # seconds
ASK_FIRST = 0.05  # until somebody knows from when on it follows events
STAY = 0.5  # between two questions of somebody who follows events
HANDING_OVER = 1.0  # the longest that a leader that leaves waits for its successor
BETWEEN = 0.001
LONGEST_STAY = 3.0  # after its last question somebody is told no more
NOW = -1  # the note since which nothing has happened yet

log = logging.getLogger("habemus")


class Lookout:
    """Belongs to one member, and runs in the thread of its protocol."""

    def __init__(
        self,
        options: JoinOptions,
        members: Members,
        node: Node,
        member: LeasedGroup,
        on_other_leader: Callable[[], object],
    ) -> None:
        self.options = options
        self.on_other_leader = on_other_leader  # what was said to the last one may have to be repeated
        self.members = members
        self.node = node
        self.member = member
        self.questions: list[asyncio.Future[TableImage]] = []
        self.recalls: list[tuple[int, asyncio.Future[list[Event]]]] = []
        self.followers: list[Callable[[Event], None]] = []
        self.told = NOW  # the last event of which they know
        self.heard = 0.0  # when the leader said something about events
        self.reachable = True
        self.asked: tuple[int | None, int | None] = (None, None)  # the leader, and whom we take for it
        self.elsewhere = asyncio.Event()  # it is another one than before
        self.task: asyncio.Task[None] | None = None
        self.chronicle = Chronicle(None if node.client else node.memory.storage.directory / "history")
        self.readers: dict[int, tuple[int, float]] = {}  # of a leader: what each was told, and until when it is told
        self.catching_up: asyncio.Task[None] | None = None
        self.reserved = asyncio.Event()
        self.seen: TableImage | None = None  # the last that a client has seen
        self.refreshing: asyncio.Task[TableImage] | None = None

    def begin(self) -> None:
        """The group has been met. What was followed before is followed from here on."""
        if self.followers:
            self.ask_for_events()
        if not self.node.client:
            self.catching_up = asyncio.ensure_future(self.catch_up(self.chronicle.newest))

    def hear(self, news: object) -> None:
        match news:
            case Seen(table):
                self.see(table)
            case Noted() as noted:
                self.chronicle.note(noted)
                self.tell_readers()
            case Asked(member, since):
                self.answer_reader(member, since)
            case Recalled() as recalled:
                self.remember(recalled)
            case Reserved():
                self.reserved.set()

    def see(self, table: TableImage) -> None:
        """The leader shows its table."""
        self.seen = table
        for question in self.questions:
            if not question.done():
                question.set_result(table)

    @property
    def has_quorum(self) -> bool:
        return self.member.leader is not None or self.member.guided

    @property
    def coordinator(self) -> str:
        """The address of the voter that decides, as far as it is known here."""
        leader = self.member.leader if self.member.leader is not None else self.member.guide
        return format_address(self.members[leader]) if leader in self.members else ""

    def describe_quorum(self) -> str:
        reasons = [link.logged_reason for link in self.node.peers.links.values() if not link.up and link.logged_reason]
        why = f" ({reasons[0]})" if reasons else ""
        if self.hears_majority:
            why = ", and none of them leads yet"
        return f"{self.reached} of {len(self.members)} voters of {self.options.name!r} can be reached{why}"

    @property
    def reached(self) -> int:
        """How many voters can be reached, this process included."""
        return len(self.node.peers.connected) + (not self.node.client)

    @property
    def hears_majority(self) -> bool:
        return 2 * self.reached > len(self.members)

    async def describe_trouble(self) -> str:
        return "" if self.has_quorum else self.describe_quorum()

    async def warn_in_vain(self, waiting: Sized) -> None:
        """Who waits in vain is told why, once: its key or its addresses may be wrong, and it would wait for ever."""
        warned = False
        while True:
            await asyncio.sleep(self.options.ttl)
            if self.has_quorum or self.hears_majority:
                warned = False
            elif waiting and not warned:
                warned = True
                log.warning("nobody can be granted anything: %s", self.describe_quorum())

    async def fetch_table(self) -> TableImage:
        question: asyncio.Future[TableImage] = asyncio.get_running_loop().create_future()
        self.questions.append(question)
        try:
            async with asyncio.timeout(self.options.ttl):
                while not question.done():
                    self.node.command("look")
                    await asyncio.wait([question], timeout=ASK_AGAIN)
        except TimeoutError:
            raise NoQuorum(f"the state of the group cannot be read: {self.describe_quorum()}") from None
        finally:
            self.questions.remove(question)
        return question.result()

    async def fetch_view(self) -> View:
        """As the leader has it: that it answers shows that there is a quorum, also to one who has no session."""
        return make_view(self.options.name, await self.fetch_table(), True, self.coordinator)

    async def recall_view(self) -> View:
        """What is known here: a voter has a table; a client has what it saw last, and looks again for next time."""
        if not self.node.client:
            return self.make_view(self.member.table.freeze())
        if self.refreshing is None or self.refreshing.done():
            self.refreshing = asyncio.ensure_future(self.fetch_table())
            self.refreshing.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self.make_view(self.seen or TableImage(0, False, (), ()))

    def make_view(self, table: TableImage) -> View:
        return make_view(self.options.name, table, self.has_quorum, self.coordinator)

    # The leader: telling those who follow events

    def report(self, member: int, since: int) -> None:
        events = self.chronicle.since(since) if since != NOW else []
        self.node.command("report", Report(member, Recalled(since, self.chronicle.newest, encode_events(events))))

    def answer_reader(self, member: int, since: int) -> None:
        """And tell it of all that happens, unless it stays away."""
        self.readers[member] = (self.chronicle.newest, time.monotonic() + LONGEST_STAY)
        self.report(member, since)

    def tell_readers(self) -> None:
        now = time.monotonic()
        for member, (told, until) in list(self.readers.items()):
            if until < now or not self.member.leads:
                del self.readers[member]
            else:
                self.readers[member] = (self.chronicle.newest, until)
                self.report(member, told)

    # History

    async def recall(self, since: int) -> list[Event]:
        """What has happened after an event, as the leader knows it."""
        answer: asyncio.Future[list[Event]] = asyncio.get_running_loop().create_future()
        self.recalls.append((since, answer))
        try:
            async with asyncio.timeout(self.options.ttl):
                while not answer.done():
                    self.node.command("recall", Recall(since))
                    await asyncio.wait([answer], timeout=ASK_AGAIN)
        except TimeoutError:
            raise NoQuorum(f"the history of the group cannot be read: {self.describe_quorum()}") from None
        finally:
            self.recalls.remove((since, answer))
        return answer.result()

    async def fetch_history(self) -> list[Event]:
        try:
            return await self.recall(0)
        except NoQuorum:
            if self.node.client:
                raise
            return self.chronicle.since(0)

    async def catch_up(self, since: int) -> None:
        """A voter that was away asks what it missed."""
        while True:
            with suppress(NoQuorum):
                self.chronicle.add(await self.recall(since))
                return

    def remember(self, recalled: Recalled) -> None:
        try:
            events = decode_events(recalled.text)
        except msgspec.MsgspecError:
            return
        for since, answer in self.recalls:
            if since == recalled.since and not answer.done():
                answer.set_result(events)
        self.heard = time.monotonic()
        if self.told == NOW and recalled.since == NOW:
            self.told = recalled.newest
        if not self.reachable:
            self.reachable = True
            self.tell(Event(self.told, time.time(), EventKind.QUORUM_REGAINED))
        for event in events if self.told != NOW else []:
            if event.number > self.told:
                self.told = event.number
                self.tell(event)

    # Events

    def follow(self, tell: Callable[[Event], None]) -> None:
        """Tell of what happens from now on."""
        self.followers.append(tell)
        if self.task is None:
            self.told, self.heard, self.reachable = NOW, time.monotonic(), True
            self.ask_for_events()
            self.task = asyncio.ensure_future(self.watch())

    def unfollow(self, tell: Callable[[Event], None]) -> None:
        if tell in self.followers:
            self.followers.remove(tell)
        if not self.followers and self.task is not None:
            self.task.cancel()
            self.task = None

    def close(self) -> None:
        for task in (self.task, self.refreshing, self.catching_up):
            if task is not None:
                task.cancel()

    def tell(self, event: Event) -> None:
        for tell in list(self.followers):
            tell(event)

    def ask_for_events(self) -> None:
        self.node.command("recall", Recall(self.told))

    def look_for_leader(self) -> None:
        """After every turn: somebody else may have to be asked."""
        found = (self.member.leader, self.member.guide)
        if found != self.asked:
            self.asked = found
            self.elsewhere.set()
            asyncio.get_running_loop().call_soon(self.on_other_leader)

    async def watch(self) -> None:
        while True:
            self.elsewhere.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(ASK_FIRST if self.told == NOW else STAY):
                    await self.elsewhere.wait()
            self.ask_for_events()
            if self.reachable and time.monotonic() - self.heard > self.options.ttl:
                self.reachable = False
                self.tell(Event(self.told, time.time(), EventKind.QUORUM_LOST))

    async def hand_over(self) -> None:
        """Before a leader leaves, it has another voter stand: nobody has to miss it first.

        That one has stored all, so that what was given back has passed on.
        """
        (raft,) = [layer for layer in self.node.stack.layers if isinstance(layer, Raft)]
        heirs = [voter for voter in self.node.peers.connected if voter in raft.match]
        if self.member.leads and heirs:
            heir = max(heirs, key=raft.match.__getitem__)
            self.node.command("transfer", Transfer(heir))
            with suppress(TimeoutError):
                async with asyncio.timeout(HANDING_OVER):
                    while self.member.leads and raft.match[heir] < raft.entries.last:
                        await asyncio.sleep(BETWEEN)

    # For operators

    async def pause(self, paused: bool) -> None:
        """Stop expiry, or let it go on; done when the table says so."""
        while (table := await self.fetch_table()).paused != paused:
            self.node.command("pause" if paused else "resume", Halt(table.pause))
            await asyncio.sleep(ASK_AGAIN / 4)

    async def transfer(self, role: str, to: str) -> None:
        """Reserve a role for a member that waits for it; its leader is asked to give it up."""
        table = await self.fetch_table()
        check_transfer(self.make_view(table), role, to)
        self.reserved.clear()
        try:
            async with asyncio.timeout(self.options.ttl):
                while not self.reserved.is_set():
                    session = find_session(table, role, to)
                    if session is None:  # it has given up meanwhile, or leads by now: an earlier try has been heard
                        return
                    self.node.command("reserve", Reserve(f"{ROLE}/{role}", session))
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self.reserved.wait(), ASK_AGAIN)
                    table = await self.fetch_table()
        except TimeoutError:
            raise NoQuorum(f"the transfer was not confirmed: {self.describe_quorum()}") from None

    async def name_session(self, session: int) -> str:
        """What the member of a session is called."""
        return name_sessions(await self.fetch_table()).get(session, str(session))
