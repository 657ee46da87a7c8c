"""What can be seen of a group: its members, its locks and roles, and what happens to them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

LOCK = "lock"
ROLE = "role"


@dataclass(frozen=True)
class Member:
    """A process that has joined."""

    id: str
    metadata: Mapping[str, str] = field(default_factory=dict)  # what it says about itself
    voter: bool = False
    alive: bool = True  # as far as the group knows


@dataclass(frozen=True)
class Holder:
    """A member that has a lock or a role."""

    member: str
    token: int
    slot: int = 0
    shared: bool = False
    remaining: float = math.inf  # seconds until it ends if it is not renewed


@dataclass(frozen=True)
class Waiter:
    """A member that waits for a lock or a role."""

    member: str
    shared: bool = False


@dataclass(frozen=True)
class LockState:
    """A lock or a role that somebody has or waits for. Where the engine is fair, the next waiter comes first."""

    kind: str  # LOCK or ROLE
    name: str
    slots: int = 1
    holders: tuple[Holder, ...] = ()
    waiters: tuple[Waiter, ...] = ()


@dataclass(frozen=True)
class View:
    """A group as one member knows it."""

    group: str
    version: int = 0  # grows with every event
    members: tuple[Member, ...] = ()  # by id
    locks: tuple[LockState, ...] = ()  # those in use, by kind and name
    has_quorum: bool = True
    paused: bool = False
    coordinator: str = ""  # the voter that decides for all; empty if there is none, or no need of one

    @property
    def leaders(self) -> dict[str, str]:
        """The leader of each role that has one."""
        return {lock.name: lock.holders[0].member for lock in self.locks if lock.kind == ROLE and lock.holders}

    def find(self, kind: str, name: str) -> LockState:
        """A lock or a role; one that nobody uses has no holders and no waiters."""
        return next((lock for lock in self.locks if (lock.kind, lock.name) == (kind, name)), LockState(kind, name))


class EventKind(StrEnum):
    JOINED = "joined"
    LEFT = "left"  # reason: closed, dead, expired
    ELECTED = "elected"  # a member leads a role
    LOST = "lost"  # it no longer does; reason: released, or that of a LeaseLost, or dead
    TRANSFER = "transfer"  # a role is to pass to a member, as soon as its leader gives it up
    PAUSED = "paused"
    RESUMED = "resumed"
    QUORUM_LOST = "quorum lost"
    QUORUM_REGAINED = "quorum regained"


@dataclass(frozen=True)
class Event:
    """Something that happened in a group."""

    number: int  # grows from event to event
    time: float  # seconds since 1970, by the clock of who told it
    kind: EventKind
    member: str = ""
    role: str = ""
    token: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Lagged:
    """Stands in for the events that a slow reader of `group.events()` has missed."""

    missed: int


def view_fields(view: View) -> dict[str, Any]:
    """A view as JSON knows it. Tokens are strings, since they outgrow the numbers of JavaScript."""
    return {
        "group": view.group,
        "version": view.version,
        "has_quorum": view.has_quorum,
        "paused": view.paused,
        "coordinator": view.coordinator or None,
        "leaders": view.leaders,
        "members": [member_fields(member) for member in view.members],
        "locks": [lock_fields(lock) for lock in view.locks],
    }


def member_fields(member: Member) -> dict[str, Any]:
    return {"id": member.id, "voter": member.voter, "alive": member.alive, "metadata": dict(member.metadata)}


def lock_fields(lock: LockState) -> dict[str, Any]:
    holders = [
        {
            "member": holder.member,
            "token": str(holder.token),
            "slot": holder.slot,
            "shared": holder.shared,
            "remaining": None if holder.remaining == math.inf else round(holder.remaining, 3),
        }
        for holder in lock.holders
    ]
    waiters = [{"member": waiter.member, "shared": waiter.shared} for waiter in lock.waiters]
    return {"kind": lock.kind, "name": lock.name, "slots": lock.slots, "holders": holders, "waiters": waiters}


def event_fields(event: Event) -> dict[str, Any]:
    """An event as JSON knows it."""
    return {
        "number": event.number,
        "time": round(event.time, 3),
        "kind": str(event.kind),
        "member": event.member or None,
        "role": event.role or None,
        "token": str(event.token) if event.token else None,
        "reason": event.reason or None,
    }
