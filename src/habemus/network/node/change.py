"""What a node tells its listeners."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple

from habemus.process import Message, Pid

log = logging.getLogger("habemus.network")


class ChangeKind(StrEnum):
    """What may change; each is equal to its string, as in `change.what == "leader"`."""

    LEADER = "leader"  # it follows another leader, or none: `subject` is the leader, or None
    SUSPECT = "suspect"  # its detector suspects `subject`
    TRUST = "trust"  # its detector does not suspect `subject` any more
    ASK = "ask"  # it asks for the lock
    ENTER = "enter"  # it has the lock; `subject` is the fencing token, if the algorithm has one
    LEAVE = "leave"  # it has given the lock back, or lost it
    INDICATION = "indication"  # its topmost layer says something: `subject` is a message


class Change(NamedTuple):
    """Something that a node announced."""

    time: float  # seconds since 1970
    what: ChangeKind
    subject: Pid | Message | None
    term: int | None


def notify(listeners: Iterable[Callable[..., object]], *news: object) -> None:
    """Call every listener. An exception in one is logged: neither the others nor the node may suffer from it."""
    for listener in list(listeners):
        try:
            listener(*news)
        except Exception:
            log.exception("a listener failed; the node goes on")
