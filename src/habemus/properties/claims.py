"""The claims of an algorithm's author, judged as properties."""

from __future__ import annotations

from typing import Any

from habemus.process.claim import EVENTUALLY, Claim
from habemus.properties.property import Property, Witness
from habemus.properties.world import World


class ClaimProperty(Property):
    """A claim. The driver shows it the processes after every step."""

    topic = "claim"

    def __init__(self, claim: Claim) -> None:
        super().__init__()
        self.name = claim.name
        self.claim = claim

    @property
    def comes_about(self) -> bool:
        return self.claim.kind == EVENTUALLY

    def look(self, world: World, processes: list[Any]) -> None:
        """Judge the state of all processes that are up; the first violation is kept."""
        self.missing = self.claim(processes)
        if self.missing is not None and not self.comes_about and self.witness is None:
            everybody = [process.id for process in processes]
            self.witness = Witness(f"{self.missing} (time {world.time})", world.time, everybody[:8], [world.event])

    missing: str | None = None

    def shortfall(self, world: World) -> Witness | None:
        if self.missing is None or not self.comes_about:
            return None
        return Witness(f"{self.missing}, at the end of the run", world.time, [], [])
