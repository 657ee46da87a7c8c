"""Processes that do not outlive the one that started them.

A child asks the kernel to kill it when its parent dies, however that happens, so that none is left behind, not even a
stopped one. Where the kernel knows no such thing, the end of its stdin has to tell the child, which therefore reads it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Do not outlive the parent, whose process id this is, whatever becomes of it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before we asked
        os._exit(1)
