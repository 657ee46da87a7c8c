"""The anonymous ring, which is broken as it is."""

from __future__ import annotations

from habemus.election.anonymous_ring import AnonymousRing
from habemus.museum.exhibit import Instance, exhibit


@exhibit(
    "anonymous-ring",
    violates="uniqueness",
    instance=Instance(n=2),
    mended=Instance(n=2, starters=(1,)),
    happened="D. Angluin proved in 1980 that no deterministic algorithm can do better without names.",
)
class TwoStand(AnonymousRing):
    """Two stand at once, and each takes the other's vote for its own come home: both take the seat."""
