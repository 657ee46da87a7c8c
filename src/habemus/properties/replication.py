"""What a replicated log is judged by, besides one leader a term: the properties of Raft's Figure 3."""

from __future__ import annotations

from habemus.properties.logs import Clash
from habemus.properties.property import Property, Witness
from habemus.properties.world import World


class LogMatching(Property):
    """If two logs have an entry with the same index and term, they are the same up to there."""

    name = "log_matching"
    topic = "log"

    def violation(self, world: World) -> Witness | None:
        return bear_witness(world.logs.mismatch, world)


class LeaderCompleteness(Property):
    """A leader has all entries that were committed in earlier terms."""

    name = "leader_completeness"
    topic = "log"

    def violation(self, world: World) -> Witness | None:
        return bear_witness(world.logs.incomplete, world)


class StateMachineSafety(Property):
    """No two processes commit different entries at the same index."""

    name = "state_machine_safety"
    topic = "log"

    def violation(self, world: World) -> Witness | None:
        return bear_witness(world.logs.overwritten, world)


def bear_witness(clash: Clash | None, world: World) -> Witness | None:
    if clash is None:
        return None
    return Witness(clash.text, world.time, [clash.other, clash.process], [clash.other_event, clash.event])


def replication_properties() -> list[Property]:
    return [LogMatching(), LeaderCompleteness(), StateMachineSafety()]
