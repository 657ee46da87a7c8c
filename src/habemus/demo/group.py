"""The processes of a group, as the parent knows them that has started them.

    async with DemoGroup("orders", voters=3, workers=4) as group:
        group.describe()                      # who holds which lock, with which token, until when; who waits
        group.pause(5); group.resume(5)       # and everything else that a Cluster can do

Members 1, 2, ... are voters, the others workers. What is known of locks comes from the table of the voter that leads;
until when a lease lasts, its holder says: a holder that is stopped says nothing new, and its time runs out. All
processes are on one machine, so that their clocks are one clock.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from habemus.demo.child import MemberOptions, make_demo_scenario
from habemus.demo.store import Access, Store, shorten_token
from habemus.demo.worker import NEEDS, SCHEDULER
from habemus.network.node.clock import CLOCK
from habemus.network.operate.child import Order
from habemus.network.operate.cluster import Cluster, Member, MemberState
from habemus.network.operate.options import NodeOptions
from habemus.process import Pid
from habemus.service.options import check_name
from habemus.service.view import LOCK, ROLE
from habemus.trace import Event
from habemus.trace.format import SentMessage

TTL = 5.0
WORKERS = 4
LIVES = 1_000_000  # above all ids: what a client's id is counted in, once for each of its lives
SHOWN = ((ROLE, SCHEDULER, 1), *((LOCK, need.name, need.slots or 1) for need in NEEDS))
ROUTINE = ("KeepAlive", "Alive", "Append", "Stored")  # messages that go on while nobody wants anything


class GroupMember(Member):
    """A voter or a worker."""

    def __init__(self, group: DemoGroup, options: NodeOptions) -> None:
        super().__init__(group, options)
        self.group = group
        self.votes = self.id <= group.voters
        self.lives = 0
        self.inside = False  # as its steps have said

    @property
    def place(self) -> Pid:
        """The id of its node."""
        return self.id if self.votes else self.lives * LIVES + self.id

    async def start(self) -> None:
        await super().start()
        for id in self.group.members:
            self.group.send_cuts(id)  # of a client that has another id now

    def command_line(self) -> list[str]:
        self.lives += 1
        self.inside = False
        given = self.options
        assert given.peers is not None and given.key_file is not None and given.data is not None and given.http
        options = MemberOptions(
            parent=os.getpid(),
            id=self.id,
            place=self.place,
            voter=self.votes,
            group=self.group.name,
            where=",".join(given.peers.split(",")[: self.group.voters]),
            ttl=TTL,
            key_file=given.key_file,
            data=given.data,
            http=given.http,
            traced=self.group.traced,
        )
        module = "habemus.demo.child" if self.votes else "habemus.demo.worker"
        return [sys.executable, "-m", module, msgspec.json.encode(options).decode()]

    def update_status(self, status: dict[str, Any]) -> None:
        if "access" in status:
            refusal = self.group.store.take(self.id, msgspec.convert(status["access"], Access))
            self.group.tell(self, "access" if refusal is None else "refused")
        else:
            super().update_status(status)


class DemoGroup(Cluster):
    """Voters and workers on free ports of this machine."""

    members: dict[Pid, GroupMember]  # type: ignore[assignment]  # all are made by `make_member`

    def __init__(
        self,
        name: str,
        voters: int = 3,
        workers: int = WORKERS,
        directory: str | Path | None = None,
        *,
        traced: bool = False,
    ) -> None:
        check_name("--group", name)
        self.name = name
        self.voters = voters
        self.store = Store()
        self.before_boot = time.time() - time.clock_gettime(CLOCK)
        scenario = make_demo_scenario(list(range(1, voters + 1)), TTL)
        super().__init__(scenario, voters + workers, directory, traced=traced, group=name)
        self.header.edges = [(a, b) for a, b in self.header.edges if min(a, b) <= voters]  # workers talk to voters only

    def make_member(self, options: NodeOptions) -> Member:
        return GroupMember(self, options)

    def send_cuts(self, id: Pid) -> None:
        blocked = [self.members[sender].place for sender, receiver in self.cuts if receiver == id]
        self.members[id].send_order(Order(block=sorted(blocked)))

    # Steps

    def add_step(self, id: Pid, event: Event) -> None:
        """Clients appear under the ids of their members; who holds a lock is inside."""
        member = self.members[id]
        role = event.role
        if not member.votes and "grants" in event.changed:
            inside = bool(event.changed["grants"])
            if inside != member.inside:
                member.inside = inside
                role = "inside" if inside else ""
        renamed = msgspec.structs.replace(
            event,
            process=event.process if event.process is None else event.process % LIVES,
            received=[rename(message) for message in event.received],
            sent=[rename(message) for message in event.sent],
            role=role,
        )
        super().add_step(id, renamed)

    # What is known

    @property
    def coordinator(self) -> GroupMember | None:
        """The voter that leads, if there is one: of two that say so, the one of the later term."""
        leading = [
            member
            for member in self.members.values()
            if member.votes and member.state == MemberState.RUNNING and member.status.get("view") is not None
        ]
        return max(leading, key=lambda member: int(member.status["term"]), default=None)

    @property
    def leader(self) -> Pid | None:
        return self.coordinator.id if self.coordinator is not None else None

    @property
    def cut_off(self) -> list[Pid]:
        """The members all of whose links are cut."""
        return [id for id in self.members if all(link in self.cuts for link in self.header.edges if id in link)]

    def describe(self) -> dict[str, Any]:
        """The locks and the store, as JSON."""
        view = self.coordinator.status["view"] if self.coordinator is not None else {"locks": []}
        known = {(lock["kind"], lock["name"]): lock for lock in view["locks"]}
        locks = [
            known.get((kind, name), {"kind": kind, "name": name, "slots": slots, "holders": [], "waiters": []})
            for kind, name, slots in SHOWN
        ]
        return {
            "name": self.name,
            "ttl": TTL,
            "voters": self.voters,
            "has_quorum": self.coordinator is not None,
            "locks": [self.describe_lock(lock) for lock in locks],
            "store": self.store.describe(),
        }

    def describe_lock(self, lock: dict[str, Any]) -> dict[str, Any]:
        holders = [
            {
                **holder,
                "member": int(holder["member"]),
                "token": shorten_token(int(holder["token"])),
                "ends": self.find_end(lock, holder),
            }
            for holder in lock["holders"]
        ]
        waiters = [{**waiter, "member": int(waiter["member"])} for waiter in lock["waiters"]]
        return {**lock, "holders": holders, "waiters": waiters}

    def find_end(self, lock: dict[str, Any], holder: dict[str, Any]) -> int | None:
        """When the lease of a holder ends if it is not renewed, in milliseconds since 1970; None: it has not said."""
        member = self.members[int(holder["member"])]
        for lease in member.status.get("leases", []):
            if (lease["kind"], lease["name"], lease["token"]) == (lock["kind"], lock["name"], holder["token"]):
                return round(1000 * (self.before_boot + float(lease["deadline"])))
        return None


def rename(message: SentMessage) -> SentMessage:
    return msgspec.structs.replace(message, sender=message.sender % LIVES, to=message.to % LIVES)
