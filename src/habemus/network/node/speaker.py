"""What a node says: changes to its listeners and, asked by a program, what is true of it at this moment."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from habemus.network.node.agreement import Agreement
from habemus.network.node.change import Change, ChangeKind, notify
from habemus.network.node.memory import Memory
from habemus.network.node.peers import Peers
from habemus.network.node.sequencer import Sequencer
from habemus.network.node.stack import Stack
from habemus.process import Message, Pid

REMEMBERED = 1000  # changes of leader


class Speaker(Sequencer):
    """A node as its listeners and programs know it."""

    id: Pid
    stack: Stack
    memory: Memory
    agreement: Agreement
    peers: Peers

    def __init__(self, name: str, stall: int, stack: Stack) -> None:
        super().__init__(name, stall)
        self.stack = stack
        self.publishing = False  # listeners are being told
        self.announced_term: int | None = None  # of what they are being told
        self.known_leader: Pid | None = None  # as announced; `leader` looks at the clock first
        self.has_lock = False  # as announced; `inside` looks at the clock first
        self.history: deque[Change] = deque(maxlen=REMEMBERED)
        self.listeners: list[Callable[[Change], object]] = []
        self.watchers: list[Callable[[], object]] = []  # called in every turn, before listeners hear of it
        self.counts: Counter[str] = Counter()
        self.process_id = os.getpid()

    # Listeners

    def publish_all(self) -> None:
        """Tell listeners what the layers announced, unless the process has stalled since; they may give commands."""
        if not self.stack.said:
            return
        self.publishing = True
        try:
            while self.stack.said and not self.stalled:
                what, subject, self.announced_term = self.stack.said.pop(0)
                if isinstance(subject, Message):
                    self.publish(ChangeKind.INDICATION, subject)
                else:
                    self.publish(ChangeKind(what), subject)
                self.memory.save(self.stack)
        finally:
            self.publishing = False

    @property
    def term(self) -> int | None:
        """That of what listeners are being told, else of the election."""
        return self.announced_term if self.publishing else self.stack.term

    def publish(self, what: ChangeKind, subject: Any) -> None:
        """Tell listeners, then peers, what a layer announced: who leads no longer knows it before another one may."""
        change = Change(time.time(), what, subject, self.term)
        self.counts[what] += 1
        if what == ChangeKind.LEADER:
            self.known_leader = subject
            self.history.append(change)
        elif what in (ChangeKind.ENTER, ChangeKind.LEAVE):
            self.has_lock = what == ChangeKind.ENTER
        notify(self.listeners, change)
        if what == ChangeKind.LEADER:
            self.peers.announce_leader()
        self.agreement.consider()

    def withdraw(self) -> None:
        """Tell listeners and peers that this process follows no leader and has no lock any more."""
        if self.known_leader is not None:
            self.publish(ChangeKind.LEADER, None)
        if self.has_lock:
            self.publish(ChangeKind.LEAVE, None)

    # Programs

    @property
    def current(self) -> bool:
        """Whether what this process announced still counts: it runs, and has not stalled."""
        self.look()
        # While a turn is running, a listener may ask; a stall is then noticed right after the turn.
        forked = os.getpid() != self.process_id  # a child of os.fork is another process
        return not (forked or self.leaving or self.ended.done() or (self.stalled and self.stack.knows_crashes))

    @property
    def leader(self) -> Pid | None:
        """The leader that this process follows; None: it knows none, or has ended."""
        election = self.stack.election
        # A listener may ask about an announcement that the layers have overtaken.
        overtaken = election is None or election.leader != self.known_leader
        return None if overtaken or not self.current else self.known_leader

    @property
    def leads(self) -> bool:
        return self.leader == self.id

    @property
    def inside(self) -> bool:
        """Whether this process has the lock."""
        if not self.current:  # first: this look at the clock may end a lease
            return False
        mutex = self.stack.mutex
        return self.has_lock and mutex is not None and mutex.inside

    @property
    def role(self) -> str:
        """leader, candidate, inside, waiting, follower or leaving; empty: it has ended."""
        if self.ended.done():
            return ""
        if self.leaving:
            return "leaving"
        if not self.current:
            return "follower"
        roles = [process.role for process in reversed(self.stack.layers) if process.role]
        return roles[0] if roles else "follower"
