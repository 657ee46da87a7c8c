"""One process of a group, on a real network.

It takes turns (turns.py), each of which ends in this order: the durable fields go to the disk, what was sent leaves,
what was announced is made known. So nobody hears of a vote before the vote would survive a crash.

If it finds at the beginning of a turn that it stood still for as long as others wait, it drops all that it would have
lost in a crash and recovers, which is what its algorithm is proven to survive. An algorithm that knows no crashes knows
no time either: it goes on. The look at the clock is repeated before anything leaves, so what a turn wanted to say
before a stop is not said after it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import ssl
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random, SystemRandom
from typing import NamedTuple

from habemus.network import clock
from habemus.network.addresses import Address
from habemus.network.agreement import Agreement
from habemus.network.endpoint import Acceptor, Arrival, Endpoint
from habemus.network.errors import NetworkError
from habemus.network.handshake import Identity, settings_of
from habemus.network.link import Link
from habemus.network.memory import Memory
from habemus.network.recording import Recording
from habemus.network.security import require_protection
from habemus.network.stack import TICK, Stack, assumes_reliable_links
from habemus.network.storage import Met
from habemus.network.timing import patience_of_others, settled
from habemus.network.turns import Turns
from habemus.network.wire import Codec, Hello
from habemus.process import Pid
from habemus.scenario import Scenario
from habemus.simulation.agenda import starters_of
from habemus.simulation.outcome import trace_header
from habemus.simulation.placing import place_processes
from habemus.simulation.run import build_stack
from habemus.trace import Envelope

QUIET = 1.0  # seconds in which no other process was found, until the election begins without those who are missing
PARTING_TIME = 0.5
REMEMBERED = 1000  # changes of leader

log = logging.getLogger("habemus.network")


class Change(NamedTuple):
    """Something that a process announced."""

    time: float  # seconds since 1970
    what: str
    subject: Pid | None
    term: int | None


class Node(Turns):
    """A process, its links, its port and its memory."""

    def __init__(
        self,
        scenario: Scenario,
        id: Pid,
        addresses: Mapping[Pid, Address],
        directory: str | Path,
        *,
        group: str = "habemus",
        key: bytes | None = None,
        endpoint: Endpoint | None = None,
        dialling_tls: ssl.SSLContext | None = None,
        stall: int | None = None,
        quiet: float = QUIET,
        recording: Recording | None = None,
        coins: Random | None = None,
    ) -> None:
        if id not in addresses:
            raise NetworkError(f"process {id} is not among the members {', '.join(map(str, sorted(addresses)))}")
        self.id = id
        self.addresses = dict(addresses)
        self.scenario = scenario = settled(scenario, sorted(addresses))
        stack, parameters = build_stack(scenario)
        topology = place_processes(scenario, [anatomy.cls for anatomy in stack])
        if sorted(topology.ids) != sorted(addresses):
            raise NetworkError(f"the graph joins {sorted(topology.ids)}, but the members are {sorted(addresses)}")
        self.topology = topology
        self.group = group
        self.key = key
        self.memory = Memory(directory, group, id, stack)
        self.codec = Codec(stack)
        self.reliable = [assumes_reliable_links(anatomy) for anatomy in stack]
        self.recording = recording
        recorder = recording.recorder if recording is not None else None
        self.stack = Stack(stack, parameters, topology, id, coins or SystemRandom(), recorder)
        super().__init__(stack[-1].cls.__name__, (stall or patience_of_others(self.stack.layers)) * TICK)
        self.quiet = quiet
        self.dialling_tls = dialling_tls
        self.endpoint = endpoint or Endpoint(*addresses[id])
        self.links = {
            peer: Link(self, peer, addresses[peer], dialling_tls) for peer in topology.neighbours(topology.place[id])
        }
        self.inbound: dict[Pid, Acceptor] = {}
        self.received: dict[Pid, tuple[bytes, int]] = {}  # of each instance: how many reliable parcels have arrived
        self.deaf: frozenset[Pid] = frozenset()
        self.instance = secrets.token_bytes(8)
        self.identity = self.identify()

        self.news = asyncio.Event()  # a link was made
        self.born = clock.now()
        self.leader: Pid | None = None
        self.history: deque[Change] = deque(maxlen=REMEMBERED)
        self.listeners: list[Callable[[Change], None]] = []
        self.counts: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self.heard: Counter[str] = Counter()
        self.agreement = Agreement(self)

    def identify(self) -> Identity:
        """Who this process is to others."""
        stack = tuple(self.memory.record.stack)
        members = tuple(self.topology.ids)
        life = (self.memory.record.lineage, self.incarnation, self.instance)
        return Identity(self.group, self.id, *life, stack, settings_of(self.stack), self.codec.fingerprint, members)

    # Beginning and end

    async def start(self) -> None:
        """Remember, listen, dial, and take the first step when the others are there or nobody else seems to come."""
        here = (self.endpoint.host, self.endpoint.port)
        tls = self.dialling_tls is not None and self.endpoint.tls is not None
        require_protection([here, *self.addresses.values()], self.key, tls)
        self.remember()
        if self.group in self.endpoint.nodes:
            raise NetworkError(f"there is a process of the group {self.group!r} at this port already")
        self.endpoint.nodes[self.group] = self
        await self.endpoint.open()
        for link in self.links.values():
            link.start()
        self.turn(self.wake_up)
        await self.gather()
        self.turn(self.begin)

    def remember(self) -> None:
        """Begin a life with what is known of earlier ones."""
        self.memory.begin_life(self.stack)
        self.identity = self.identify()
        if self.recording is not None:
            self.stack.epoch = time.time_ns() - clock.now()
            life = self.incarnation * self.stack.n + self.stack.seat + 1
            self.recording.begin(trace_header(self.scenario, self.topology), life)

    @property
    def incarnation(self) -> int:
        """The how-manieth life of this process it is."""
        return self.memory.record.incarnation

    def wake_up(self) -> None:
        """The first turn: all layers but the elections start, or all recover."""
        if self.incarnation > 1 and self.stack.knows_crashes:
            self.stack.recover(self.stack.durable())
        else:
            if self.incarnation > 1 and self.stack.recorder is not None:
                self.stack.recorder.note(self.stack.written_time, "recover", self.id, None)
            self.stack.start_below()

    async def gather(self) -> None:
        """Wait until all neighbours are there, or until no other has come for a while."""
        while not all(link.up for link in self.links.values()):
            self.news.clear()
            try:
                async with asyncio.timeout(self.quiet):
                    await self.news.wait()
            except TimeoutError:
                break
        missing = [peer for peer, link in self.links.items() if not link.up]
        there = len(self.links) - len(missing)
        log.info("found %s of %s neighbours%s", there, len(self.links), f"; missing: {missing}" if missing else "")

    def begin(self) -> None:
        """Elections start. Whoever has not been found is suspected."""
        self.begun = True
        for peer, link in self.links.items():
            if not link.up:
                self.stack.link_lost(peer)
        if self.incarnation == 1 or not self.stack.calls_when_back:
            self.call_election()
        self.stack.start_pulses()

    def call_election(self) -> None:
        """Begin one, if this process is among those that do."""
        if self.id in starters_of(self.scenario, self.topology):
            self.stack.command("start")

    @property
    def takes_missing_for_crashed(self) -> bool:
        """Whether one that has not been found by now counts as crashed."""
        return self.begun and self.stack.knows_crashes

    async def leave(self) -> None:
        """Leave in order: give back what we hold, lead no longer, tell the others, go."""
        if self.ended.done() and self.leaving:
            return
        if self.begun and not self.ended.done():
            self.command("release")
        self.leaving = True
        if self.leader is not None:
            self.publish("leader", None)
        self.endpoint.nodes.pop(self.group, None)
        if not self.endpoint.nodes:
            self.endpoint.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(PARTING_TIME):
                await self.parcels_taken()
        await self.stop(farewell=True)

    async def parcels_taken(self) -> None:
        """Wait until all that is still to be acknowledged has been."""
        while any(link.up and link.unacknowledged for link in self.links.values()):
            await asyncio.sleep(0.005)

    async def stop(self, farewell: bool = False) -> None:
        """End: no turn runs from here on."""
        self.leaving = True
        self.hush()
        self.agreement.rest()
        self.endpoint.nodes.pop(self.group, None)
        if not self.endpoint.nodes:
            self.endpoint.close()
        for link in self.links.values():
            await link.stop(farewell)
        for acceptor in list(self.inbound.values()):
            acceptor.end("we leave")
        self.memory.storage.close()
        if self.recording is not None:
            self.recording.flush()
        if not self.ended.done():
            self.ended.set_result(None)

    # Turns

    def tell_time(self, now: int) -> None:
        """Timers are reckoned from here."""
        self.stack.now = now

    def ring_alarms(self) -> None:
        """Let timers run out."""
        self.stack.ring_alarms()

    def come_to(self, gap: int) -> None:
        """We were gone for longer than others wait: as if we had crashed, and were back."""
        self.counts["stalls"] += 1
        log.warning("stood still for %s ms%s", gap // TICK, ": recovering" if self.stack.knows_crashes else "")
        if self.stack.knows_crashes:
            self.stack.outbox.clear()
            self.stack.said.clear()
            self.memory.save(self.stack)
            was_inside = self.stack.mutex is not None and self.stack.mutex.inside
            self.stack.recover(self.stack.durable())
            if self.leader is not None:
                self.publish("leader", None)
            if was_inside:
                self.publish("leave", None)
            if not self.stack.calls_when_back:
                self.call_election()

    def finish_turn(self) -> None:
        """Disk, then network, then onlookers."""
        self.memory.save(self.stack)
        now = clock.now()
        if now - self.awake > self.stall and self.begun:
            now = self.look_at_clock()
            self.memory.save(self.stack)
        if self.recording is not None:
            self.recording.flush()
        if self.stack.outbox:
            self.dispatch()
        if self.stack.said:
            said, self.stack.said = self.stack.said, []
            for _, what, subject in said:
                self.publish(what, subject)
        self.set_alarm(now, self.stack.next_deadline)

    def dispatch(self) -> None:
        """Let out what was sent, in the order of sending."""
        outbox, self.stack.outbox = self.stack.outbox, []
        for to, layer, message, envelope in outbox:
            link = self.links[to]
            origin = (envelope.number, envelope.origin, envelope.depth) if envelope is not None else None
            self.sent[type(message).__name__] += 1
            if self.reliable[layer]:
                link.send_reliable(self.codec.parcel(message, link.next_number(), origin))
            else:
                link.send_once(self.codec.parcel(message, 0, origin))

    def publish(self, what: str, subject: Pid | None) -> None:
        """Make known what a layer announced."""
        change = Change(time.time(), what, subject, self.term)
        self.counts[what] += 1
        if what == "leader":
            self.leader = subject
            self.history.append(change)
            for link in self.links.values():
                link.tell_leader()
        self.agreement.consider()
        for listener in list(self.listeners):
            listener(change)

    # From links and connections

    def admit(self, hello: Hello, acceptor: Acceptor) -> int:
        """A member has connected: how many of its reliable parcels are here already?"""
        peer = hello.sender
        self.memory.recognise(peer, Met(hello.lineage, hello.incarnation, hello.instance.hex()))
        earlier = self.inbound.get(peer)
        if earlier is not None:
            earlier.cut("replaced by a newer connection")
        self.inbound[peer] = acceptor
        link = self.links.get(peer)
        if link is not None:
            link.meet(hello.instance)
            link.nudge()
        instance, received = self.received.get(peer, (b"", 0))
        return received if instance == hello.instance else 0

    def receive(self, acceptor: Acceptor, batch: list[Arrival], received: int) -> bool:
        """Messages have come together; says whether they have been dealt with."""
        hello = acceptor.hello
        if hello is None or self.inbound.get(hello.sender) is not acceptor or self.leaving:
            return False
        sender = hello.sender
        self.turn(lambda: self.deliver(sender, batch))
        if self.ended.done():
            return False
        self.received[sender] = (hello.instance, received)
        return True

    def deliver(self, sender: Pid, batch: list[Arrival]) -> None:
        """Each message is a step of its own."""
        recorded = self.stack.recorder is not None
        for message, origin in batch:
            self.heard[type(message).__name__] += 1
            envelope = None
            if recorded and origin is not None:
                envelope = Envelope(message, origin[0], sender, self.id, origin[1], origin[2])
            self.stack.deliver(sender, message, envelope)

    def inbound_closed(self, acceptor: Acceptor) -> None:
        """A connection from another process has ended."""
        if self.inbound.get(acceptor.peer) is acceptor:
            del self.inbound[acceptor.peer]
            self.agreement.forget(acceptor.peer)

    def peer_leaves(self, peer: Pid) -> None:
        """Another process has said farewell."""
        log.info("process %s leaves", peer)
        if peer in self.links:
            self.links[peer].depart()

    def link_made(self, peer: Pid) -> None:
        """The other end of a link is there."""
        self.news.set()
        self.turn(lambda: self.stack.link_made(peer))
        self.agreement.consider()

    def link_lost(self, peer: Pid) -> None:
        """It is gone: whoever it was is suspected at once."""
        if not self.leaving:
            self.turn(lambda: self.stack.link_lost(peer))
            self.agreement.consider()

    def turn_deaf(self, peers: Collection[Pid]) -> None:
        """From now on hear nothing of these, and of all others: as if the way from there were cut."""
        self.deaf = frozenset(peers)
        for peer, link in self.links.items():
            for connection in (link.connection, self.inbound.get(peer)):
                if connection is not None:
                    connection.hold(peer in self.deaf)
            link.nudge()

    # For those who use it

    def command(self, name: str) -> bool:
        """Give the process a command, such as "acquire"; says whether it followed it."""
        followed: list[bool] = []
        self.turn(lambda: followed.append(self.stack.command(name)))
        return bool(followed and followed[0])

    def look(self) -> None:
        """Notice the time before answering anybody who asks."""
        self.turn(lambda: None)

    @property
    def term(self) -> int | None:
        """The term, or what the algorithm has in its place."""
        term = getattr(self.stack.election, "term", None)
        return term if isinstance(term, int) else None

    @property
    def leads(self) -> bool:
        """Whether this process is the leader."""
        return self.leader == self.id

    @property
    def role(self) -> str:
        """leader, candidate, inside, waiting, or follower."""
        if self.leaving:
            return "leaving"
        roles = [process.role for process in reversed(self.stack.layers) if process.role]
        return roles[0] if roles else "follower"
