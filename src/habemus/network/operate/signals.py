"""The signals that tell a process to end in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def call_when_told_to_end(end: Callable[[], object]) -> None:
    """Have the running loop call this at each of these signals."""
    for number in ENDING:
        # Who starts a process with `nohup` wants it to outlive the terminal.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, end)
