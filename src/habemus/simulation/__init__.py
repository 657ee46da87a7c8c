"""The simulator: virtual time, seeded, every fault."""

from habemus.simulation.run import simulate

__all__ = ["simulate"]
