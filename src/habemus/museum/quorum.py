"""Quorum, broken."""

from __future__ import annotations

from habemus.museum.exhibit import Instance, exhibit
from habemus.mutex.quorum import Grant, Quorum
from habemus.process import Pid

RESTART = {"crashes": 1, "recoveries": 1}


@exhibit(
    "quorum-half",
    violates="mutual_exclusion",
    instance=Instance(n=2, fifo=False),
    happened="Two Elasticsearch nodes that had lost sight of each other both became master.",
    source="https://github.com/elastic/elasticsearch/issues/10935",
)
class HalfIsEnough(Quorum):
    """m = n/2 grants let one in: two halves share nobody."""

    @property
    def enough(self) -> int:
        """How many grants let one in."""
        return self.m or len(self.asked) // 2


@exhibit(
    "quorum-amnesia",
    violates="mutual_exclusion",
    instance=Instance(n=3, fifo=False, parameters={"restart": "amnesia", "coordinators": [3]}, limits=RESTART),
    mended=Instance(n=3, fifo=False, parameters={"restart": "durable", "coordinators": [3]}, limits=RESTART),
    happened="Redis's page on distributed locks warns of it: who restarts without its keys lets in another.",
    source="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/",
)
class Amnesia(Quorum):
    """A coordinator that restarts has forgotten whom it granted, and grants again."""


@exhibit(
    "quorum-any-grant",
    violates="mutual_exclusion",
    instance=Instance(n=3, fifo=False, parameters={"patience": 1, "coordinators": [3]}, limits={"alarms": 2}),
)
class CountsAnyGrant(Quorum):
    """A grant of an earlier request counts for the present one, though its release is under way."""

    def count_grant(self, sender: Pid, message: Grant) -> None:
        if self.asking:
            self.grants.add(sender)
            if self.waiting and len(self.grants) >= self.enough:
                self.cancel_timer("patience")
                self.enter()
