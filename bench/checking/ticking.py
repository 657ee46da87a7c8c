"""Ricart-Agrawala with Lamport's clock in place of the highest number seen: it ticks with every request, in or out.

A habit of implementations that costs nothing in a run, and in all runs thirteen times the states: the clock remembers
how many requests have arrived, and in the end nobody cares.
"""

from __future__ import annotations

from habemus.mutex.ricart_agrawala import Request, RicartAgrawala
from habemus.process import Pid


class TickingRicartAgrawala(RicartAgrawala):
    """Ask everybody, by the clock."""

    name = "ticking-ricart-agrawala"

    def request_entry(self) -> None:
        super().request_entry()
        self.highest = self.number

    def weigh_request(self, sender: Pid, message: Request) -> None:
        super().weigh_request(sender, message)
        self.highest += 1
