"""One process of a group, on a real network.

    async with Node(Scenario("raft-election"), 1, addresses, "state") as node:
        node.listeners.append(print)        # every Change
        if node.leads: ...                  # after a look at the clock

It takes turns (sequencer.py). Each turn ends in this order: durable fields go to disk, listeners are told, messages are
sent. So nobody hears of a vote before the vote would survive a crash, and no peer gets the lock, or leads, before it is
known here that this process does not any more.

If the process finds at the beginning of a turn that it has stalled for as long as its peers wait, it drops all that it
would have lost in a crash, and recovers, which its algorithm is proven to survive. An algorithm without crashes has no
time-outs either: it goes on. So does one that declares its `deadlines`: those that have passed run out before anything
else. The clock is read again before anything is sent, so what a turn wanted to say before a stall is not said after it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from types import TracebackType
from typing import ClassVar

from habemus.network.errors import NetworkError
from habemus.network.node import clock
from habemus.network.node.agreement import Agreement
from habemus.network.node.change import notify
from habemus.network.node.commands import START, check_command
from habemus.network.node.founding import Founding
from habemus.network.node.memory import Memory
from habemus.network.node.peers import Peers
from habemus.network.node.recording import Recording
from habemus.network.node.speaker import Speaker
from habemus.network.node.stack import TICK, Stack
from habemus.network.node.timing import check_patience, complete_scenario, longest_pause
from habemus.network.wire.addresses import Address
from habemus.network.wire.dialling import ask_in_thread
from habemus.network.wire.endpoint import Endpoint
from habemus.network.wire.security import require_protection
from habemus.process import Message, Pid
from habemus.scenario import Scenario
from habemus.scenario.placing import place_processes
from habemus.scenario.stack import build_stack
from habemus.scenario.starters import starters_of
from habemus.trace import trace_header

DEFAULT_WAIT = 1.0  # seconds without a new peer, after which the election begins without the missing ones
LEAVING_TIME = 0.5  # seconds for the last messages to be acknowledged

log = logging.getLogger("habemus.network")


class Node(Speaker):
    """A process with its links, its port and its memory."""

    client: ClassVar[bool] = False  # it is none of the members; see client.py

    def __init__(
        self,
        scenario: Scenario,
        id: Pid,
        addresses: Mapping[Pid, Address],
        directory: str | Path | None,
        *,
        group: str = "habemus",
        key: bytes | None = None,
        endpoint: Endpoint | None = None,
        dialling_tls: ssl.SSLContext | None = None,
        stall: int | None = None,
        wait: float = DEFAULT_WAIT,
        discovered: bool = False,
        recording: Recording | None = None,
        coins: Random | None = None,
    ) -> None:
        """`addresses`: of all members. `directory`: where its durable fields are. `stall`: in milliseconds.
        `discovered`: nobody listed the members, so the group does not begin before all of them have met.
        """
        if (id in addresses) == self.client:
            which = "one" if self.client else "not one"
            raise NetworkError(f"process {id} is {which} of the members {', '.join(map(str, sorted(addresses)))}")
        self.id = id
        self.addresses = dict(addresses)
        ids = sorted({*addresses, id})
        self.scenario = scenario = complete_scenario(scenario, ids)
        stack, parameters = build_stack(scenario)
        topology = place_processes(scenario, [anatomy.cls for anatomy in stack])
        if sorted(topology.ids) != ids:
            raise NetworkError(f"the graph connects {sorted(topology.ids)}, but the members are {ids}")
        self.topology = topology
        self.group = group
        self.key = key
        self.memory = Memory(directory, group, id, stack)
        self.recording = recording
        recorder = recording.recorder if recording is not None else None
        layers = Stack(stack, parameters, topology, id, coins or Random(), recorder)
        check_patience(layers.layers)
        super().__init__(stack[-1].cls.__name__, (stall or longest_pause(layers.layers)) * TICK, layers)
        self.wait = wait
        self.dialling_tls = dialling_tls
        self.endpoint = endpoint or Endpoint(*addresses.get(id, ("", 0)))
        self.created = clock.now()
        self.agreement = Agreement(self)
        self.founding = Founding(self, self.roll(), discovered)
        self.peers = Peers(self, addresses, key, dialling_tls)

    def roll(self) -> tuple[Pid, ...]:
        """The members of the group."""
        return tuple([id for id in self.stack.members() if id in self.addresses])

    @property
    def trouble(self) -> str:
        """Why this process is not ready to admit peers: its disk cannot be written; empty: it is."""
        return self.memory.storage.trouble

    @property
    def incarnation(self) -> int:
        """How often this process has started, this time included."""
        return self.memory.record.incarnation

    # Start and end

    async def __aenter__(self) -> Node:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Leave the group. If the node has failed and the body does not raise, raise the failure."""
        failed = self.failure
        await self.leave()
        if failed is not None and error is None:
            raise failed

    async def start(self) -> None:
        """Restore the memory, listen, dial, and begin when all peers are connected or no more seem to come.

        If that fails, nothing is left behind.
        """
        try:
            await self.open()
            await self.meet()
        except BaseException:
            await self.stop()
            raise

    async def open(self) -> None:
        """Restore the memory, listen and dial."""
        here = (self.endpoint.host, self.endpoint.port)
        tls = self.dialling_tls is not None and self.endpoint.tls is not None
        await ask_in_thread(require_protection, [here, *self.addresses.values()], self.key, tls)
        self.begin_incarnation()
        if self.group in self.endpoint.nodes:
            raise NetworkError(f"another process of the group {self.group!r} uses this port already")
        self.endpoint.nodes[self.group] = self.peers
        await self.endpoint.open()
        self.founding.start()
        self.peers.start()
        self.turn(self.start_layers)

    async def meet(self) -> None:
        """Begin when all peers are connected or no more seem to come."""
        await self.peers.wait_for_all(self.wait)
        await self.founding.wait()
        self.turn(self.begin)

    def begin_incarnation(self) -> None:
        self.memory.begin_incarnation(self.stack)
        self.peers.introduce()
        if self.recording is not None:
            self.stack.epoch = time.time_ns() - clock.now()
            number = self.incarnation * self.stack.n + self.stack.seat + 1
            self.recording.begin(trace_header(self.scenario, self.topology), number)

    def start_layers(self) -> None:
        """The first turn: all layers but the elections start, or all recover."""
        if self.incarnation > 1:
            self.warn_of_restart(f"this process has restarted, in incarnation {self.incarnation}")
        if self.incarnation > 1 and self.stack.knows_crashes:
            self.stack.recover()
        else:
            if self.incarnation > 1 and self.stack.recorder is not None:
                self.stack.recorder.note(self.stack.time(), "recover", self.id, None)
            self.stack.start_below()

    def warn_of_restart(self, what: str) -> None:
        """Say that the algorithm assumes that nobody crashes, if it does."""
        forgetful = [a.cls.name for a in self.stack.stack if a.cls.kind != "detector" and "recover" not in a.events]
        if forgetful:
            log.warning(
                "%s, which %s does not survive: processes may wait for ever; restart all members", what, forgetful[-1]
            )

    def begin(self) -> None:
        """Elections start. A neighbour that is not connected is suspected."""
        self.begun = True
        for peer in self.peers.missing:
            self.stack.link_lost(peer)
        if self.incarnation == 1 or not self.stack.calls_when_back:
            self.call_election()
        self.stack.start_pulses()

    def call_election(self) -> None:
        """Call an election if this process is one of the starters."""
        if START in self.stack.machine.commands and self.id in starters_of(self.scenario, self.topology):
            self.stack.command(START)

    async def leave(self) -> None:
        """Leave the group: give the lock back, stop leading, tell the peers, and end."""
        if self.ended.done() and self.leaving:
            return
        if self.begun and not self.ended.done() and "release" in self.stack.machine.commands:
            self.command("release")
        self.leaving = True
        self.withdraw()
        self.close_endpoint()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVING_TIME):
                    await self.peers.wait_for_acknowledgements()
        finally:  # who is cancelled here must not keep the directory and its connections
            await self.stop(farewell=True)

    def close_endpoint(self) -> None:
        if self.endpoint.nodes.get(self.group) is self.peers:
            del self.endpoint.nodes[self.group]
        if not self.endpoint.nodes:
            self.endpoint.close()

    async def stop(self, farewell: bool = False) -> None:
        """End at once: no turn runs from here on."""
        self.leaving = True
        self.withdraw()
        self.disconnect(farewell)
        try:
            await self.peers.wait_closed()
            if self.recording is not None:
                self.recording.flush()
        finally:
            self.memory.storage.close()
            if not self.ended.done():
                self.ended.set_result(None)

    def fail(self, error: Exception) -> None:
        """End with an error: lead no longer, have no lock, and disconnect, so that the peers replace this process."""
        super().fail(error)
        self.withdraw()
        self.disconnect(farewell=False)

    def disconnect(self, farewell: bool) -> None:
        """Take no more turns and close all connections."""
        self.cancel_wakeup()
        self.agreement.stop()
        self.close_endpoint()
        self.peers.close(farewell)

    @property
    def failure(self) -> BaseException | None:
        """The error that ended this node, if one did."""
        return self.ended.exception() if self.ended.done() and not self.ended.cancelled() else None

    async def wait_ended(self) -> None:
        """Wait until the node has ended; raises its failure. May be cancelled, which does not end the node."""
        await asyncio.shield(self.ended)

    # Turns

    def set_time(self, now: int) -> None:
        self.stack.now = now
        self.stack.ring_deadlines()

    def run_timers(self) -> None:
        self.stack.ring_alarms()

    def on_stall(self, gap: int) -> None:
        """Peers may have replaced this process: recover, as after a crash."""
        self.counts["stalls"] += 1
        recovers = self.stack.knows_crashes and not self.stack.deadlines
        level = logging.WARNING if recovers or not self.stack.deadlines else logging.INFO
        log.log(level, "stalled for %s ms%s", gap // TICK, ": recovering" if recovers else "")
        if recovers:
            mutex = self.stack.mutex
            waited = mutex is not None and mutex.waiting
            self.stack.outbox.clear()
            self.stack.said.clear()
            self.memory.save(self.stack)
            self.stack.recover()
            self.withdraw()
            if waited:  # whoever waits for the lock has no reason to ask again
                self.stack.command("acquire")
            if not self.stack.calls_when_back:
                self.call_election()

    def finish_turn(self) -> None:
        """Disk, then listeners, then network."""
        if self.founding.disputed_until:
            self.refuse_disputed_lead()
        self.memory.save(self.stack)
        if self.watchers:
            notify(self.watchers)
        self.publish_all()
        now = clock.now()
        if now - self.last_look > self.stall and self.begun:
            self.turn(lambda: None)  # which notices the stall first
            return
        if self.recording is not None:
            self.recording.flush()
        if self.stack.outbox:
            self.peers.send_all()
        self.schedule_wakeup(now, self.stack.next_deadline)

    def refuse_disputed_lead(self) -> None:
        election = self.stack.election
        if election is not None and election.leader == self.id and self.founding.disputed:
            raise NetworkError(self.founding.dispute)  # peers of the same roll have elected it before it began

    # For programs

    def command(self, name: str, data: Message | None = None) -> bool:
        """Give the process a command, such as "acquire"; False: it cannot follow it now. Unknown ones raise.

        Some commands carry data, a message; what they carry by default need not be given.
        """
        check_command(name, self.stack.machine.commands, self.scenario.algorithm)
        if not self.begun or self.leaving or self.ended.done() or os.getpid() != self.process_id:
            return False
        clause = self.stack.machine.commands[name][1]
        if type(data) is not clause.data and (data is not None or clause.data is not None):
            self.stack.machine.check_data(name, clause, data)  # a mistake of the program must not end the node
        if self.publishing:  # a listener gives it; the layers are at rest, and nothing of this turn has been sent yet
            return self.stack.command(name, data)
        followed: list[bool] = []
        self.turn(lambda: followed.append(self.stack.command(name, data)))
        return bool(followed and followed[0])
