"""The simulator: virtual time, seeded, every fault."""

from habemus.simulation.run import Outcome, simulate

__all__ = ["Outcome", "simulate"]
