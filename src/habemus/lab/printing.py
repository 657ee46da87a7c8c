"""What code of a page's own prints: the beginning of it is kept, and goes to the page beside the answer.

Nothing of it reaches the terminal of the server. Who prints past Python, to the descriptors themselves or from another
process, prints into the void.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from msgspec import Struct

MOST_BYTES = 10_000


class Printout(Struct):
    """What was printed, and how many bytes more, which are not kept."""

    text: str
    left_out: int


class Keeper(io.RawIOBase):
    """Keeps the first bytes that are written to it, and counts the others."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = b""
        self.left_out = 0

    def writable(self) -> bool:
        """It is for nothing else."""
        return True

    def write(self, data: Any) -> int:
        """Keep what there is room for."""
        fits = bytes(data[: MOST_BYTES - len(self.kept)])
        self.kept += fits
        self.left_out += len(data) - len(fits)
        return len(data)


keeper = Keeper()


def keep_prints() -> None:
    """From now on keep what this process prints."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    sys.stdout = sys.stderr = io.TextIOWrapper(keeper, "utf-8", "backslashreplace", write_through=True)


def printed() -> Printout | None:
    """What has been kept; None if nothing was printed."""
    if not keeper.kept:
        return None
    return Printout(keeper.kept.decode(errors="ignore"), keeper.left_out)  # the last letter may be cut in two
