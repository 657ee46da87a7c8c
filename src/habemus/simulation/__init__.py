"""The simulator: virtual time, seeded, every fault."""

from habemus.simulation.outcome import Outcome
from habemus.simulation.run import simulate

__all__ = ["Outcome", "simulate"]
