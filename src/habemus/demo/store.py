"""What the workers of a group write to: it compares tokens, and counts what it refuses."""

from __future__ import annotations

from typing import Any

import msgspec

from habemus.fencing import MemoryFence
from habemus.process import Pid
from habemus.replication.table import TERM_BITS
from habemus.service.errors import StaleToken


def shorten_token(token: int) -> str:
    """`3·14`: the fourteenth number of term 3, for people. Tokens are in the same order as such pairs."""
    term, number = divmod(token, 1 << TERM_BITS)
    return f"{term}·{number}"


class Access(msgspec.Struct):
    """A read or a write under a lease."""

    kind: str  # LOCK or ROLE
    name: str
    token: int
    slot: int = 0
    shared: bool = False


class Store:
    """Keeps the highest tokens, and what it has refused."""

    def __init__(self) -> None:
        self.fence = MemoryFence()
        self.seen: dict[str, str] = {}  # the token of the last write to each, shortened
        self.accepted = 0
        self.refused = 0
        self.refusals: dict[str, dict[str, Any]] = {}  # the last one of each name, the latest at the end

    def take(self, member: Pid, access: Access) -> StaleToken | None:
        """Accept it; or refuse it, and say why."""
        try:
            resource = f"{access.kind}/{access.name}"
            self.fence.claim(resource, access.token, shared=access.shared, slot=access.slot)
        except StaleToken as stale:
            self.refused += 1
            self.refusals.pop(access.name, None)
            self.refusals[access.name] = {
                "member": member,
                "name": access.name,
                "token": shorten_token(stale.token),
                "highest": shorten_token(stale.highest),
            }
            return stale
        self.seen[access.name] = shorten_token(access.token)
        self.accepted += 1
        return None

    def describe(self) -> dict[str, Any]:
        return {
            "accepted": self.accepted,
            "refused": self.refused,
            "refusals": list(reversed(self.refusals.values())),
            "seen": dict(self.seen),
        }
