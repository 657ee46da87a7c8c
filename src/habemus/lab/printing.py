"""What a user's own code prints: the first bytes are kept, and sent to the page with the answer.

Nothing reaches the terminal of the server. What bypasses Python's streams (file descriptors, child processes) is
discarded.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from msgspec import Struct

MOST_BYTES = 10_000


class Printout(Struct):
    """What was printed; `left_out` counts the bytes that were not kept."""

    text: str
    left_out: int


class Keeper(io.RawIOBase):
    """Keeps the first bytes that are written to it, and counts the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = b""
        self.left_out = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        fits = bytes(data[: MOST_BYTES - len(self.kept)])
        self.kept += fits
        self.left_out += len(data) - len(fits)
        return len(data)


keeper = Keeper()


def keep_prints() -> None:
    """Keep what this process prints from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    sys.stdout = sys.stderr = io.TextIOWrapper(keeper, "utf-8", "backslashreplace", write_through=True)


def read_printout() -> Printout | None:
    """Return what was printed; None if nothing was."""
    if not keeper.kept:
        return None
    return Printout(keeper.kept.decode(errors="ignore"), keeper.left_out)  # the last character may be cut in two
