"""The peers of a node: its links to them, their connections to it, and what goes over both."""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import ClassVar, Protocol

from habemus.network.errors import NamesakeError, NetworkError, StorageError, WireError
from habemus.network.node.agreement import Agreement
from habemus.network.node.founding import Founding
from habemus.network.node.memory import Memory
from habemus.network.node.promises import Promises
from habemus.network.node.stack import Stack
from habemus.network.node.storage import PeerIncarnation
from habemus.network.node.synchroniser import EndOfPulse
from habemus.network.wire.addresses import Address
from habemus.network.wire.codec import Codec
from habemus.network.wire.connection import Connection
from habemus.network.wire.frames import Follows, Hello
from habemus.network.wire.handshake import Identity
from habemus.network.wire.link import Link
from habemus.network.wire.listener import share_descriptors
from habemus.network.wire.local import Arrival
from habemus.process import Pid
from habemus.process.anatomy import assumes_reliable_links, carried_by, messages_of, to_plain
from habemus.trace import Envelope

MOST_CLIENTS, PART = 10_000, 2  # and at most half of the file descriptors

log = logging.getLogger("habemus.network")

TRY_DISK = 1.0  # seconds
LINGER = 0.001  # seconds that a message waits for others to travel with, if nobody waits for it


class Owner(Protocol):
    """What is needed of the node."""

    id: Pid
    group: str
    stack: Stack
    memory: Memory
    agreement: Agreement
    founding: Founding
    client: ClassVar[bool]
    known_leader: Pid | None
    begun: bool
    leaving: bool
    ended: asyncio.Future[None]

    def warn_of_restart(self, what: str) -> None: ...

    def turn(self, step: Callable[[], None]) -> None: ...

    def fail(self, error: Exception) -> None: ...

    def roll(self) -> tuple[Pid, ...]: ...


class Peers:
    """The neighbours of a process. It is the local process of all its links and connections (wire/local.py)."""

    def __init__(
        self, owner: Owner, addresses: Mapping[Pid, Address], key: bytes | None, tls: ssl.SSLContext | None
    ) -> None:
        self.owner = owner
        self.key = key
        self.hosts: Collection[str] = {host for host, _ in addresses.values()}
        self.instance = owner.memory.instance
        anatomies = owner.stack.stack
        received = [*(message for anatomy in anatomies for message in messages_of(anatomy)), EndOfPulse]
        self.codec = Codec(received, carried_by(anatomies))
        self.reliable = [assumes_reliable_links(anatomy) for anatomy in anatomies]
        self.introduce()
        self.links = {peer: Link(self, peer, addresses[peer], tls) for peer in owner.stack.neighbours()}
        self.promises = Promises(owner.memory, self.links)
        self.link_made_event = asyncio.Event()
        self.inbound: dict[Pid, Connection] = {}  # from neighbours and from clients
        self.present: dict[Pid, Hello] = {}  # of whom these connections are
        self.received: dict[Pid, tuple[bytes, int]] = {}  # peer -> its instance, and its reliable messages so far
        self.blocked: Collection[Pid] = frozenset()
        self.lingering: set[Connection] = set()  # what was sent on them waits to be written
        self.linger_timer: asyncio.TimerHandle | None = None
        self.disk_timer: asyncio.TimerHandle | None = None
        self.messages_sent: Counter[str] = Counter()
        self.messages_received: Counter[str] = Counter()

    def introduce(self) -> None:
        """From now on tell peers what is now true of this process."""
        self.identity = self.identify()

    def identify(self) -> Identity:
        owner = self.owner
        record = owner.memory.record
        return Identity(
            group=owner.group,
            id=owner.id,
            lineage=record.lineage,
            incarnation=record.incarnation,
            instance=self.instance,
            stack=tuple(record.stack),
            parameters=parameter_settings(owner.stack),
            fingerprint=self.codec.fingerprint,
            members=owner.roll(),
            founded=owner.founding.founded,
            ancestors=tuple(record.ancestors),
            client=owner.client,
            admits_clients=owner.stack.admits_clients,
            promises=record.promises,
        )

    # Start and end

    def start(self) -> None:
        for link in self.links.values():
            link.start()

    def close(self, farewell: bool) -> None:
        """Close all connections; with a farewell the peers know that this process leaves on purpose."""
        for timer in (self.linger_timer, self.disk_timer):
            if timer is not None:
                timer.cancel()
        self.promises.tell_all()
        for link in self.links.values():
            link.close(farewell)
        for connection in list(self.inbound.values()):
            connection.end("this process leaves")

    async def wait_closed(self) -> None:
        for link in self.links.values():
            await link.wait_closed()

    @property
    def missing(self) -> list[Pid]:
        return [peer for peer, link in self.links.items() if not link.up]

    @property
    def connected(self) -> list[Pid]:
        return [peer for peer, link in self.links.items() if link.up]

    async def wait_for_all(self, wait: float) -> None:
        """Wait until all neighbours are connected, or until no other has come for so many seconds."""
        await self.wait_for(len(self.links), wait)

    async def wait_for_most(self, wait: float) -> None:
        """The same, but more than half of them are enough."""
        await self.wait_for(len(self.links) // 2 + 1, wait)

    async def wait_for(self, enough: int, wait: float) -> None:
        while len(self.connected) < enough:
            self.link_made_event.clear()
            try:
                async with asyncio.timeout(wait):
                    await self.link_made_event.wait()
            except TimeoutError:
                break
        missing = f"; missing: {self.missing}" if self.missing else ""
        log.info("connected to %s of %s neighbours%s", len(self.connected), len(self.links), missing)

    async def wait_for_acknowledgements(self) -> None:
        while any(link.up and link.unacknowledged for link in self.links.values()):
            await asyncio.sleep(0.005)

    # Sending

    def send_all(self) -> None:
        """Send the messages of a turn, in their order. What goes to one peer is written in one go, now or soon."""
        stack = self.owner.stack
        outbox, stack.outbox = stack.outbox, []
        hurried, stack.hurried = stack.hurried, set()
        self.promises.tell(dict.fromkeys([to for to, _, _, _ in outbox]))
        connections: dict[Connection, bool] = {}  # that were written to; whether somebody waits for what was
        for to, layer, message, envelope in outbox:
            link = self.links.get(to)
            origin = (envelope.number, envelope.origin, envelope.depth) if envelope is not None else None
            self.messages_sent[type(message).__name__] += 1
            if link is None:
                self.send_to_client(to, self.codec.encode(message, 0, origin))
            elif self.reliable[layer]:
                link.send_reliable(self.codec.encode(message, link.next_number(), origin))
            else:
                link.send_once(self.codec.encode(message, 0, origin))
            connection = link.connection if link is not None else self.inbound.get(to)
            if connection is not None:
                connections[connection] = to in hurried
        for connection, is_hurried in connections.items():
            self.let_go(connection, is_hurried)

    def let_go(self, connection: Connection, hurried: bool) -> None:
        """Have the frames that wait on a connection written, now or soon."""
        if hurried:
            connection.flush()
        else:
            self.lingering.add(connection)
            if self.linger_timer is None:
                self.linger_timer = asyncio.get_running_loop().call_later(LINGER, self.flush_lingering)

    def flush_lingering(self) -> None:
        self.linger_timer = None
        lingering, self.lingering = self.lingering, set()
        for connection in lingering:
            connection.flush()

    def send_to_client(self, client: Pid, message: bytes) -> None:
        """Send a message on the connection that the client dialled, if it can leave at once."""
        connection = self.inbound.get(client)
        if connection is not None and not connection.congested:
            connection.put(message)

    def announce_leader(self) -> None:
        """Tell all neighbours which leader this process follows, if they compare."""
        for link in self.links.values():
            self.announce_leader_on(link)

    def announce_leader_on(self, link: Link) -> None:
        if self.owner.agreement.needed:
            link.send_control(Follows(self.owner.known_leader))

    # Receiving

    def admit(self, hello: Hello, connection: Connection) -> int:
        peer = hello.sender
        self.owner.founding.admit(hello.founded)
        earlier = self.inbound.get(peer)
        if earlier is not None and not succeeds(hello, self.present[peer]):
            where = earlier.peer_address
            raise NamesakeError(f"process {peer} is running already, at {where}; every process needs its own id")
        if hello.client:  # its id is used once, so it has no past that it could have lost
            self.check_room(peer)
        else:
            self.recognise(hello)
        if self.received.get(peer, (hello.instance, 0))[0] != hello.instance:
            self.owner.warn_of_restart(f"process {peer} has restarted")
        if earlier is not None:
            earlier.abort("replaced by a newer connection")
        self.inbound[peer] = connection
        self.present[peer] = hello
        link = self.links.get(peer)
        if link is not None:
            link.meet(hello.instance)
            link.nudge()
        instance, received = self.received.get(peer, (b"", 0))
        return received if instance == hello.instance else 0

    def check_room(self, client: Pid) -> None:
        """Refuse a client for now, if it would take a descriptor that members need."""
        others = sum(hello.client for id, hello in self.present.items() if id != client)
        if others >= share_descriptors(MOST_CLIENTS, PART):
            raise WireError(f"not now: {others} clients are connected, half of what `ulimit -n` allows")

    def recognise(self, hello: Hello) -> None:
        """Refuse a peer that has lost its memory; if this process cannot write, that is no fault of the peer."""
        seen = PeerIncarnation(hello.lineage, hello.incarnation, hello.instance.hex(), hello.promises)
        try:
            self.owner.memory.recognise(hello.sender, seen, hello.ancestors)
            if hello.founded:
                self.owner.founding.confirm()
        except StorageError:
            self.try_disk_soon()
            raise WireError(f"not now: {self.owner.memory.storage.trouble}") from None

    def try_disk_soon(self) -> None:
        """Become ready when the disk is, whether or not a peer comes again."""
        if self.disk_timer is None:
            self.disk_timer = asyncio.get_running_loop().call_later(TRY_DISK, self.try_disk)

    def try_disk(self) -> None:
        self.disk_timer = None
        if not self.owner.memory.try_disk():
            self.try_disk_soon()

    def meet_other_roll(self, peer: Pid, members: tuple[Pid, ...], founded: bool) -> None:
        self.owner.founding.meet(peer, members, founded)

    def meet_namesake(self, reason: str) -> None:
        self.owner.founding.meet_namesake(reason)

    def be_refused(self, reason: str) -> None:
        self.owner.memory.be_refused(reason)
        self.owner.fail(NetworkError(reason))

    def receive(self, hello: Hello, connection: Connection, batch: list[Arrival], received: int) -> bool:
        sender = hello.sender
        if self.inbound.get(sender) is not connection or self.owner.leaving:
            return False
        self.owner.turn(lambda: self.deliver(sender, batch))
        if self.owner.ended.done():
            return False
        if not hello.client:
            self.received[sender] = (hello.instance, received)
        return True

    def hear(self, peer: Pid, batch: list[Arrival]) -> None:
        if not self.owner.leaving:
            self.owner.turn(lambda: self.deliver(peer, batch))

    def deliver(self, sender: Pid, batch: list[Arrival]) -> None:
        """Each message is a step of its own."""
        stack = self.owner.stack
        for message, origin in batch:
            self.messages_received[type(message).__name__] += 1
            received = []
            if stack.recorder is not None and origin is not None:
                received.append(Envelope(message, origin[0], sender, self.owner.id, origin[1], origin[2]))
            elif stack.recorder is not None:
                received.append(stack.recorder.admit(sender, self.owner.id, message))
            stack.deliver(sender, message, received)

    def inbound_closed(self, peer: Pid, connection: Connection) -> None:
        if self.inbound.get(peer) is connection:
            del self.inbound[peer]
            del self.present[peer]
            self.owner.agreement.forget(peer)

    def peer_leaves(self, peer: Pid) -> None:
        if peer in self.links:  # else it is a client: they come and go
            log.info("process %s leaves", peer)
            self.links[peer].disconnect()

    def peer_follows(self, peer: Pid, leader: Pid | None) -> None:
        self.owner.agreement.hear(peer, leader)

    def peer_promised(self, peer: Pid, promises: int) -> None:
        self.owner.memory.hear_promises(peer, promises)

    # Links

    @property
    def counts_missing_as_crashed(self) -> bool:
        return self.owner.begun and self.owner.stack.knows_crashes

    def link_made(self, peer: Pid) -> None:
        self.announce_leader_on(self.links[peer])
        self.promises.begin_with(peer)
        self.link_made_event.set()
        self.owner.turn(lambda: self.note_link(peer))
        self.owner.agreement.consider()

    def note_link(self, peer: Pid) -> None:
        self.owner.founding.consider()
        self.owner.stack.link_made(peer)

    def link_lost(self, peer: Pid) -> None:
        """The peer is suspected at once."""
        if not self.owner.leaving:
            self.owner.turn(lambda: self.owner.stack.link_lost(peer))
            self.owner.agreement.consider()

    def block(self, peers: Collection[Pid]) -> None:
        """From now on read nothing from these peers, and read from all others: as if these links were cut."""
        self.blocked = frozenset(peers)
        for peer, connection in self.inbound.items():
            connection.block(peer in self.blocked)
        for peer, link in self.links.items():
            if link.connection is not None:
                link.connection.block(peer in self.blocked)
            link.nudge()


def succeeds(hello: Hello, present: Hello) -> bool:
    """Whether a hello shows that the process whose connection is open is this one, or has ended."""
    # Two processes cannot have the same directory: it is locked.
    later = hello.lineage == present.lineage and hello.incarnation > present.incarnation
    return hello.instance == present.instance or later


def parameter_settings(stack: Stack) -> tuple[str, ...]:
    """The parameters of all layers, as `--set` takes them."""
    settings = []
    for layer, anatomy in zip(stack.layers, stack.stack, strict=True):
        prefix = "" if layer is stack.layers[-1] else f"{anatomy.cls.name}."
        settings += [f"{prefix}{name}={json.dumps(to_plain(getattr(layer, name)))}" for name in anatomy.parameters]
    return tuple(settings)
