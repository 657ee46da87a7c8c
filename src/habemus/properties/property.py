"""What a run is judged by. A violated property has a witness: who, when and in which events.

After each change that observers can see, the properties that it concerns judge the world, so a violation is found in
the event that causes it; at the end of the run each property concludes. Between two such changes nothing is computed.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

from habemus.process import Pid
from habemus.properties.world import World

NO_FAILURE: Final = "no_failure"


class Witness:
    """The evidence for a violation."""

    def __init__(self, text: str, time: int, processes: list[Pid], events: list[int]) -> None:
        self.text = text
        self.time = time
        self.processes = processes
        self.events = events


@mypyc_attr(allow_interpreted_subclasses=True)
class Property:
    """A claim about runs. It holds (True), is violated (False, with a witness) or is still open (None).

    Only a property that the algorithm guarantees is `promised`. A run that violates another one is no failure.
    """

    name = "property"
    topic = "election"  # what it is about: an election, a mutex or a detector
    heeds_followers = True  # whether it depends on whom followers name, not only on who is in office

    def __init__(self) -> None:
        self.witness: Witness | None = None
        self.reached = False
        self.promised = True

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
        """Decide, now that the run is over."""
        if self.witness is None:
            self.witness = self.shortfall(world)
            self.reached = self.witness is None and not self.undecided(world)

    def undecided(self, world: World) -> bool:
        """Whether the run ended too early to tell."""
        return False

    def shortfall(self, world: World) -> Witness | None:
        """The evidence, at the end of the run, that something required has not happened."""
        return None


class NoFailure(Property):
    """No clause fails. A run in which one does ends there."""

    name = NO_FAILURE

    def __init__(self, error: str, world: World, process: Pid, event: int) -> None:
        super().__init__()
        self.witness = Witness(error, world.time, [process], [event])


def join_ids(processes: list[Pid]) -> str:
    """`3`, `3 and 5`, `1, 2, 3 and 40 more`."""
    if len(processes) == 1:
        return str(processes[0])
    if len(processes) > 4:
        return ", ".join(map(str, processes[:3])) + f" and {len(processes) - 3} more"
    return ", ".join(map(str, processes[:-1])) + f" and {processes[-1]}"
