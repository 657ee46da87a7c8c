"""The rule of all guards, by mode.

    claim of       passes if its token is at least                        and raises
    exclusive      the highest of both marks                              `written`
    shared         the highest exclusive token; readers do not fence      `seen`
                   each other off
    a slot         as exclusive, among the tokens of its slot alone       the slot's own marks

Tokens of a name grow with every grant. So a holder that lost its lock while it was paused has a smaller token than
whoever came after it, in every mode; equal tokens are the same holder.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

from habemus.service.errors import StaleToken


class Marks(NamedTuple):
    """The highest tokens that a resource has seen."""

    written: int = 0  # of exclusive holders
    seen: int = 0  # of shared ones

    def claim(self, resource: str, token: int, shared: bool = False) -> Marks:
        """The marks after this claim; StaleToken if it comes too late."""
        highest = self.written if shared else max(self)
        if token < highest:
            raise StaleToken(resource, token, highest)
        return Marks(self.written, max(self.seen, token)) if shared else Marks(token, self.seen)


class MemoryFence:
    """Keeps the marks in memory: for a resource that lives and dies with one process."""

    def __init__(self) -> None:
        self.marks: dict[tuple[str, int], Marks] = {}
        self.mutex = threading.Lock()

    def claim(self, resource: str, token: int, *, shared: bool = False, slot: int = 0) -> None:
        """Note the token; StaleToken if a newer one was here."""
        with self.mutex:
            self.marks[resource, slot] = self.marks.get((resource, slot), Marks()).claim(resource, token, shared)
