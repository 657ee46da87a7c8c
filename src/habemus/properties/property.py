"""What a run is judged by. A property explains itself: when it fails it names who, when and in which events.

After each change that onlookers can see, the properties that it concerns judge the world, so a violation is caught in
the moment it happens; at the end of the run each one concludes. None of this costs anything between two such changes.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from habemus.process import Pid
from habemus.properties.world import World


class Witness:
    """The evidence for a violated property."""

    def __init__(self, text: str, time: int, processes: list[Pid], events: list[int]) -> None:
        self.text = text
        self.time = time
        self.processes = processes
        self.events = events


@mypyc_attr(allow_interpreted_subclasses=True)
class Property:
    """A claim about runs. It holds (True), is violated (False, with a witness) or is still open (None)."""

    name = "property"
    topic = "election"  # what it is about: an election, a mutex or a detector
    heeds_followers = True  # whether it matters who names whom while nobody takes or leaves office

    def __init__(self) -> None:
        self.witness: Witness | None = None
        self.reached = False

    @property
    def holds(self) -> bool | None:
        """The verdict so far."""
        if self.witness is not None:
            return False
        return True if self.reached else None

    def observe(self, world: World) -> None:
        """Judge the world after a change; the first violation is kept."""
        if self.witness is None:
            self.witness = self.violation(world)

    def violation(self, world: World) -> Witness | None:
        """The evidence that the property is violated now, if it is."""
        return None

    def conclude(self, world: World) -> None:
        """The run is over: decide."""
        if self.witness is None:
            self.witness = self.shortfall(world)
            self.reached = self.witness is None and not self.undecided(world)

    def undecided(self, world: World) -> bool:
        """Whether the run ended too early to tell."""
        return False

    def shortfall(self, world: World) -> Witness | None:
        """The evidence, at the end of the run, that what should have come about has not."""
        return None


def enumerated(processes: list[Pid]) -> str:
    """`3`, `3 and 5`, `1, 2, 3 and 40 more`."""
    if len(processes) == 1:
        return str(processes[0])
    if len(processes) > 4:
        return ", ".join(map(str, processes[:3])) + f" and {len(processes) - 3} more"
    return ", ".join(map(str, processes[:-1])) + f" and {processes[-1]}"
