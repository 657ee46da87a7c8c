"""The errors of the network."""

from __future__ import annotations

import os
import ssl


class NetworkError(ValueError):
    """A node cannot start or continue; the text says why and what would help, in one sentence."""


class StorageError(NetworkError):
    """A process cannot write what it has to remember. That is its own trouble, and no reason to refuse a peer."""


class InUseError(NetworkError):
    """Another process has the directory."""


class WireError(ValueError):
    """A peer sent what it may not send; its connection is closed, and nothing else happens."""


class NamesakeError(WireError):
    """Another process with the id of the peer is connected."""


def system_says(error: OSError) -> str:
    """The text of the operating system, without what Python adds."""
    if error.errno is None or error.errno < 0 or isinstance(error, ssl.SSLError):  # these have their own numbers
        return error.strerror or str(error)
    return os.strerror(error.errno)
