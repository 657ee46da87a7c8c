"""What can be wrong with what a node was told, found or received."""

from __future__ import annotations

import os
import ssl


class NetworkError(ValueError):
    """A node cannot start or go on; the text says why and what would help, in one sentence."""


class WireError(ValueError):
    """What came over a connection is not what the other end may send; it costs that connection and nothing else."""


def system_says(error: OSError) -> str:
    """What the system says, without what Python says around it."""
    if error.errno is None or error.errno < 0 or isinstance(error, ssl.SSLError):  # these have numbers of their own
        return error.strerror or str(error)
    return os.strerror(error.errno)
