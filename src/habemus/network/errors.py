"""What can be wrong with what a node was told, found or received."""

from __future__ import annotations


class NetworkError(ValueError):
    """A node cannot start or go on; the text says why and what would help, in one sentence."""


class WireError(ValueError):
    """What came over a connection is not what the other end may send; it costs that connection and nothing else."""
