"""What a mutex with leases and tokens is judged by besides: what its holders believe, and the order of its tokens."""

from __future__ import annotations

from habemus.properties.property import Property, Witness
from habemus.properties.world import World


class OneHolder(Property):
    """No two processes believe at once that they are inside, whatever the resource makes of them."""

    name = "one_holder"
    topic = "mutex"

    def violation(self, world: World) -> Witness | None:
        inside = world.lock.inside
        if len(inside) < 2:
            return None
        first, second = sorted(inside.values(), key=lambda use: (use.start, use.event))[-2:]
        return Witness(
            f"{second.process} entered at time {second.start} while {first.process}, inside since {first.start}, "
            f"did not know that it had lost the lock",
            second.start,
            [first.process, second.process],
            [first.event, second.event],
        )


class TokensGrow(Property):
    """Every entry has a larger token than those before it."""

    name = "tokens_grow"
    topic = "mutex"

    def violation(self, world: World) -> Witness | None:
        stale = world.lock.stale
        if stale is None:
            return None
        first, second = stale
        return Witness(
            f"{second.process} entered at time {second.start} with the token {second.token}; {first.process} had "
            f"entered with {first.token} at {first.start}",
            second.start,
            [first.process, second.process],
            [first.event, second.event],
        )


def lease_properties() -> list[Property]:
    return [OneHolder(), TokensGrow()]
