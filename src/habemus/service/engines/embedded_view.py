"""What can be seen of an embedded group, read from its lock table."""

from __future__ import annotations

import msgspec

from habemus.replication.entries import LockImage, TableImage
from habemus.service.view import ROLE, Holder, LockState, Member, View, Waiter


class Portrait(msgspec.Struct):
    """What a member says about itself, in the description of its session."""

    id: str
    voter: bool = False
    metadata: dict[str, str] = {}
    process: str = ""  # which process of which host it is, if the kernel can tell (deaths.py)


_portraits = msgspec.json.Decoder(Portrait)  # made once: threads must not be the first to use a type at the same time


def encode_portrait(portrait: Portrait) -> str:
    return msgspec.json.encode(portrait).decode()


def decode_portrait(text: str) -> Portrait | None:
    """None: it has not introduced itself, or is of another version."""
    try:
        return _portraits.decode(text)
    except msgspec.DecodeError:
        return None


def name_sessions(table: TableImage) -> dict[int, str]:
    portraits = {session.session: decode_portrait(session.metadata) for session in table.sessions}
    return {session: known.id if known is not None else str(session) for session, known in portraits.items()}


def make_view(group: str, table: TableImage, has_quorum: bool, coordinator: str) -> View:
    portraits = [decode_portrait(session.metadata) for session in table.sessions]
    members = [Member(known.id, known.metadata, known.voter) for known in portraits if known is not None]
    names = name_sessions(table)
    locks = [make_lock(lock, names) for lock in table.locks]
    return View(
        group,
        version=table.notes,
        members=tuple(sorted(members, key=lambda member: member.id)),
        locks=tuple(sorted(locks, key=lambda lock: (lock.kind, lock.name))),
        has_quorum=has_quorum,
        paused=table.paused,
        coordinator=coordinator,
    )


def make_lock(lock: LockImage, names: dict[int, str]) -> LockState:
    kind, _, name = lock.name.partition("/")
    holders = [Holder(names[held.session], held.token, held.slot, held.shared) for held in lock.holders]
    waiters = [Waiter(names[waiter.session], waiter.shared) for waiter in lock.waiters]
    return LockState(kind, name, lock.slots, tuple(holders), tuple(waiters))


def find_session(table: TableImage, role: str, member: str) -> int | None:
    """The session of a member that waits for a role."""
    names = name_sessions(table)
    waiting = [waiter.session for lock in table.locks if lock.name == f"{ROLE}/{role}" for waiter in lock.waiters]
    return next((session for session in waiting if names[session] == member), None)
