"""What every failure detector is judged by: completeness and accuracy, as far as the end of a run shows them."""

from __future__ import annotations

from habemus.properties.property import Property, Witness
from habemus.properties.world import World


class Completeness(Property):
    """At the end every live process suspects every crashed one."""

    name = "completeness"
    topic = "detector"

    def shortfall(self, world: World) -> Witness | None:
        suspicions = world.suspicions
        for observer in world.members:
            for subject in sorted(world.down):
                if observer not in world.down and (observer, subject) not in suspicions.held:
                    since = suspicions.crash_times[subject]
                    text = f"{observer} does not suspect {subject}, which crashed at {since}"
                    return Witness(text, world.time, [observer, subject], [])
        return None


class Accuracy(Property):
    """At the end no live process suspects another live one; mistakes that were corrected are counted only."""

    name = "accuracy"
    topic = "detector"

    def shortfall(self, world: World) -> Witness | None:
        for (observer, subject), since in world.suspicions.mistaken.items():
            return Witness(
                f"{observer} has suspected {subject} since {since}, which is well", world.time, [observer, subject], []
            )
        return None


def detector_properties() -> list[Property]:
    return [Completeness(), Accuracy()]
