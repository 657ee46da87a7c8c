"""One process of a group, on a real network.

Everything that happens to it is a turn: messages that came together, a timer, a command, a link that was made or lost.
Turns follow each other and never overlap. Each begins with a look at the clock and ends in this order: the durable
fields go to the disk, what was sent leaves, what was announced is made known. So nobody hears of a vote before the vote
would survive a crash.

A process that was stopped, or whose machine slept, does not know it; it would go on as if nothing had happened, while
the others may have replaced it. Therefore the look at the clock: whoever has not been awake for as long as others need
to give it up suspects itself. Before any clause runs it drops all that it would have lost in a crash and recovers,
which is what its algorithm is proven to survive. An algorithm that knows no crashes knows no time either: it goes on.
The look is repeated before anything leaves, so what a turn wanted to say before a stop is not said after it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import ssl
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, BinaryIO, NamedTuple

import msgspec

from habemus.network import clock
from habemus.network.addresses import Address
from habemus.network.endpoint import Acceptor, Arrival, Endpoint
from habemus.network.errors import NetworkError
from habemus.network.handshake import Identity
from habemus.network.link import Link
from habemus.network.stack import TICK, Stack
from habemus.network.storage import Met, Record, Storage, restored_fields, saved_fields
from habemus.network.timing import patience_of_others, settled
from habemus.network.wire import Codec, Hello
from habemus.process import Detector, Pid
from habemus.scenario import Scenario
from habemus.simulation.agenda import starters_of
from habemus.simulation.outcome import trace_header
from habemus.simulation.placing import place_processes
from habemus.simulation.run import build_stack
from habemus.trace import Envelope, Recorder

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


class Node:
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
        trace: BinaryIO | None = None,
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
        self.storage = Storage(directory)
        self.record = Record(group, id, [anatomy.cls.name for anatomy in stack])
        self.codec = Codec(stack)
        self.keeps_promises = any(anatomy.durable for anatomy in stack)
        self.reliable = ["loss" not in anatomy.cls.model and not issubclass(anatomy.cls, Detector) for anatomy in stack]
        self.trace = trace
        recorder = Recorder(0, trace) if trace is not None else None
        self.stack = Stack(stack, parameters, topology, id, coins or SystemRandom(), recorder)
        self.stall = (stall or patience_of_others(self.stack.layers)) * TICK
        self.quiet = quiet
        self.endpoint = endpoint or Endpoint(*addresses[id])
        self.links = {
            peer: Link(self, peer, addresses[peer], dialling_tls) for peer in topology.neighbours(topology.place[id])
        }
        self.inbound: dict[Pid, Acceptor] = {}
        self.received: dict[Pid, tuple[bytes, int]] = {}  # of each instance: how many reliable parcels have arrived
        self.instance = secrets.token_bytes(8)
        self.identity = self.identify()

        self.agenda: deque[Callable[[], None]] = deque()
        self.busy = False
        self.begun = False
        self.leaving = False
        self.awake = clock.now()
        self.alarm: asyncio.TimerHandle | None = None
        self.alarm_due = 0
        self.news = asyncio.Event()  # a link was made
        self.saved: tuple[Any, ...] | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.born = clock.now()
        self.leader: Pid | None = None
        self.history: deque[Change] = deque(maxlen=REMEMBERED)
        self.listeners: list[Callable[[Change], None]] = []
        self.counts: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self.heard: Counter[str] = Counter()

    def identify(self) -> Identity:
        """Who this process is to others."""
        stack = tuple(self.record.stack)
        members = tuple(self.topology.ids)
        return Identity(
            self.group, self.id, self.record.incarnation, self.instance, stack, self.codec.fingerprint, members
        )

    # Beginning and end

    async def start(self) -> None:
        """Remember, listen, dial, and take the first step when the others are there or nobody else seems to come."""
        self.remember()
        if self.group in self.endpoint.nodes:
            raise NetworkError(f"there is a process of the group {self.group!r} at this port already")
        self.endpoint.nodes[self.group] = self
        if self.endpoint.server is None:
            await self.endpoint.open()
        for link in self.links.values():
            link.start()
        self.turn(self.wake_up)
        await self.gather()
        self.turn(self.begin)

    def remember(self) -> None:
        """Take up what was promised in earlier lives, and begin a new one."""
        found = self.storage.open()
        if found is not None:
            mine = (self.group, self.id, self.record.stack)
            if (found.group, found.id, found.stack) != mine:
                raise NetworkError(
                    f"{self.storage.file} belongs to process {found.id} of the group {found.group!r}, which runs "
                    f"{' over '.join(reversed(found.stack))}: give another --data"
                )
            self.record = found
            self.stack.put_back(restored_fields(found.fields, self.stack.stack))
        self.record.incarnation += 1
        self.record.fields = saved_fields(self.stack.durable())
        self.storage.write(self.record)
        self.saved = self.stack.memory()
        self.identity = self.identify()
        recorder = self.stack.recorder
        if recorder is not None and self.trace is not None:
            # Numbers that no other process and no other life of this one uses: so traces can be merged.
            first = (self.record.incarnation * self.stack.n + self.stack.seat + 1) << 32
            recorder.count = recorder.messages = first
            self.stack.epoch = time.time_ns() - clock.now()
            if self.trace.tell() == 0:  # a later life goes on in the same file
                self.trace.write(msgspec.json.encode(trace_header(self.scenario, self.topology)) + b"\n")

    def wake_up(self) -> None:
        """The first turn: all layers but the elections start, or all recover."""
        if self.record.incarnation > 1 and self.stack.recovers:
            self.stack.recover(self.stack.durable())
        else:
            if self.record.incarnation > 1 and self.stack.recorder is not None:
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
        recovers = any("recover" in a.events for a in self.stack.stack if a.events.get("start") is not None)
        if (self.record.incarnation == 1 or not recovers) and self.id in starters_of(self.scenario, self.topology):
            self.stack.command("start")
        self.stack.start_pulses()

    @property
    def takes_missing_for_crashed(self) -> bool:
        """Whether one that has not been found by now counts as crashed."""
        crashes = {"suspect", "trust", "recover"}
        return self.begun and any(crashes & anatomy.events.keys() for anatomy in self.stack.stack)

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
        if self.alarm is not None:
            self.alarm.cancel()
        self.endpoint.nodes.pop(self.group, None)
        if not self.endpoint.nodes:
            self.endpoint.close()
        for link in self.links.values():
            await link.stop(farewell)
        for acceptor in list(self.inbound.values()):
            acceptor.end("we leave")
        self.storage.close()
        if self.trace is not None:
            self.trace.flush()
        if not self.ended.done():
            self.ended.set_result(None)

    def fail(self, error: Exception) -> None:
        """It cannot go on; whoever waits for `ended` learns why."""
        if not self.ended.done():
            self.ended.set_exception(error)

    # Turns

    def turn(self, step: Callable[[], None]) -> None:
        """Do something with the process, now or, if a turn is under way, right after it."""
        self.agenda.append(step)
        if self.busy:
            return
        self.busy = True
        try:
            while self.agenda and not self.leaving and not self.ended.done():
                self.look_at_clock()
                self.agenda.popleft()()
                self.finish_turn()
        except (NetworkError, OSError) as error:
            self.fail(error)
        except Exception as error:
            log.exception("a clause failed")
            self.fail(NetworkError(f"{self.stack.stack[-1].cls.__name__} failed: {type(error).__name__}: {error}"))
        finally:
            self.agenda.clear()
            self.busy = False

    def look_at_clock(self) -> None:
        """What time is it, and have we been here all along?"""
        now = clock.now()
        gap = now - self.awake
        self.awake = self.stack.now = now
        if gap > self.stall and self.begun:
            self.come_to(gap)

    def come_to(self, gap: int) -> None:
        """We were gone for longer than others wait: as if we had crashed, and were back."""
        self.counts["stalls"] += 1
        log.warning("stood still for %s ms%s", gap // TICK, ": recovering" if self.stack.recovers else "")
        if self.stack.recovers:
            self.stack.outbox.clear()
            self.stack.said.clear()
            self.save()
            was_inside = self.stack.mutex is not None and self.stack.mutex.inside
            self.stack.recover(self.stack.durable())
            if self.leader is not None:
                self.publish("leader", None)
            if was_inside:
                self.publish("leave", None)

    def finish_turn(self) -> None:
        """Disk, then network, then onlookers."""
        self.save()
        now = clock.now()
        if now - self.awake > self.stall and self.begun:
            gap, self.awake, self.stack.now = now - self.awake, now, now
            self.come_to(gap)
            self.save()
        if self.trace is not None:
            self.trace.flush()  # before anybody receives what was sent
        if self.stack.outbox:
            self.dispatch()
        if self.stack.said:
            said, self.stack.said = self.stack.said, []
            for _, what, subject in said:
                self.publish(what, subject)
        self.set_alarm(now)

    def save(self) -> None:
        """Put the durable fields on disk if they have changed."""
        memory = self.stack.memory()
        if memory != self.saved:
            self.record.fields = saved_fields(self.stack.durable())
            self.storage.write(self.record)
            self.saved = memory

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
        for listener in list(self.listeners):
            listener(change)

    # The alarm

    def set_alarm(self, now: int) -> None:
        """Have the loop wake us for the next timer, and often enough to notice when it did not."""
        due = min(self.stack.next_deadline or now + self.stall, now + self.stall // 2)
        if self.alarm is not None and self.alarm_due <= due:
            return  # it comes early enough, and will be set again then
        if self.alarm is not None:
            self.alarm.cancel()
        self.alarm_due = due
        milliseconds = max(0, -(-(due - now) // 1_000_000))
        self.alarm = asyncio.get_running_loop().call_later(milliseconds / 1000, self.alarm_rings)

    def alarm_rings(self) -> None:
        """Timers are due; but what has reached this machine by now comes first, so the loop looks at its sockets."""
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self.ring)

    def ring(self) -> None:
        """Let timers run out."""
        self.alarm = None
        self.turn(self.stack.ring_alarms)

    # From links and connections

    def admit(self, hello: Hello, acceptor: Acceptor) -> int:
        """A member has connected: how many of its reliable parcels are here already?"""
        peer = hello.sender
        self.check_memory(peer, hello.incarnation, hello.instance)
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

    def check_memory(self, peer: Pid, incarnation: int, instance: bytes) -> None:
        """Refuse one that has forgotten an earlier life, if the algorithm relies on what processes remember."""
        if not self.keeps_promises:
            return
        met = self.record.met.get(peer)
        if met is None or incarnation > met.incarnation:
            self.record.met[peer] = Met(incarnation, instance.hex())
            self.storage.write(self.record)
        elif incarnation < met.incarnation or instance.hex() != met.instance:
            raise NetworkError(
                f"process {peer} has lost its state: it is in its life {incarnation}, but had reached life "
                f"{met.incarnation}; start it with its old --data, or under an id that this group has not seen"
            )

    def receive(self, acceptor: Acceptor, batch: list[Arrival], received: int) -> bool:
        """Messages have come together; says whether they have been dealt with."""
        if self.inbound.get(acceptor.peer) is not acceptor or self.leaving or acceptor.hello is None:
            return False
        sender, instance = acceptor.peer, acceptor.hello.instance
        self.turn(lambda: self.deliver(sender, batch))
        if self.ended.done():
            return False
        self.received[sender] = (instance, received)
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

    def peer_leaves(self, peer: Pid) -> None:
        """Another process has said farewell."""
        log.info("process %s leaves", peer)
        if peer in self.links:
            self.links[peer].depart()

    def link_made(self, peer: Pid) -> None:
        """The other end of a link is there."""
        self.news.set()
        self.turn(lambda: self.stack.link_made(peer))

    def link_lost(self, peer: Pid) -> None:
        """It is gone: whoever it was is suspected at once."""
        if not self.leaving:
            self.turn(lambda: self.stack.link_lost(peer))

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

    def status(self) -> dict[str, Any]:
        """What `/status` shows."""
        return {
            "id": self.id,
            "group": self.group,
            "algorithm": self.scenario.algorithm,
            "leader": self.leader,
            "term": self.term,
            "role": self.role,
            "members": list(self.topology.ids),
            "suspected": self.stack.suspected,
            "connected": sorted(peer for peer, link in self.links.items() if link.up),
            "incarnation": self.record.incarnation,
            "messages": sum(self.sent.values()),
            "changes": len(self.history),
            "last_change": self.history[-1].time if self.history else None,
            "uptime": round((clock.now() - self.born) / 1e9, 3),
        }
