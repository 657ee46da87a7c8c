"""A process that does not outlive the one that started it.

A child asks the kernel to kill it when its parent dies, however that happens, so that none is left behind, not even a
stopped one. Where the kernel cannot do that, the child learns from the end of its stdin, which it therefore reads.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Die when the parent, which has this process id, dies; by that signal."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:  # it died before we asked
        os._exit(1)
