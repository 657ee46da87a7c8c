"""What a forked child must not keep.

A child of `os.fork` has copies of all descriptors. As long as it lives, the lock of a directory is held, a port is
listened on and the connections to the peers stay open, even if the process itself has been killed. So a child replaces
its copies right after the fork. Programs that are executed get none of them anyway.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Protocol
from weakref import WeakSet


class Inherited(Protocol):
    """Something that a child must not keep."""

    def descriptors(self) -> Iterable[int]:
        """What it has open."""


_owned: WeakSet[Inherited] = WeakSet()


def keep_from_children(owner: Inherited) -> None:
    """From now on no forked child keeps what this has open."""
    _owned.add(owner)


def let_go() -> None:
    """In a child: replace the copies. Their numbers stay taken, so that nobody closes another file by mistake."""
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for owner in list(_owned):
        for descriptor in owner.descriptors():
            os.dup2(nothing, descriptor, inheritable=False)
    os.close(nothing)


os.register_at_fork(after_in_child=let_go)
