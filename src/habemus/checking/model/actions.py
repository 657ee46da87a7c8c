"""Actions: what may happen in a global state, by number.

start      a starter takes its first step; where anybody may be a starter, it may also `abstain`
deliver    a message arrives; at a process that is down it is lost
suspect    the detector reports a crashed process; `trust`, one that has recovered; `inform`, either to all at once
timeout    a timer expires
command    a process asks to enter (`acquire`) or leaves (`release`); a leader proposes an entry (`propose`)
tick       time passes                               pulse   all take a step at once, in a synchronous network
crash, recover, lose, double, overtake, mistake      a fault (see `faults`)
"""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

from habemus.checking.model.inboxes import Inboxes
from habemus.checking.model.limits import EVENTUAL, Limits
from habemus.process import MisuseError, Pid
from habemus.process.shared import can_be_saved, walk_value
from habemus.process.source import locate

REPORTS = ("suspect", "trust")  # of a detector
ARRIVALS = ("deliver", *REPORTS)
REQUESTS = ("acquire", "propose")


class Action:
    """Something that may happen: at one process (`seat`), or to all (-1)."""

    def __init__(
        self, kind: str, seat: int, name: str = "", layer: int = 0, sender: Pid = -1, message: Any = None
    ) -> None:
        self.kind = kind
        self.seat = seat
        self.name = name  # of the timer or the command
        self.layer = layer
        self.sender = sender  # of the message; the subject of a suspicion
        self.message = message

    @property
    def is_request(self) -> bool:
        """Whether a process asks for something that it may do without: to enter, or that a value is stored."""
        return self.kind == "command" and self.name in REQUESTS

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.kind, self.seat, self.name, self.layer, self.sender, type(self.message), self.message)


class Actions:
    """All actions met so far. Those that arrive are made known to the inboxes."""

    def __init__(self, limits: Limits, inboxes: Inboxes) -> None:
        self.limits = limits
        self.inboxes = inboxes
        self.known: list[Action] = []
        self.numbers: dict[Any, int] = {}

    def number_of(self, action: Action) -> int:
        key = action.key
        try:
            number = self.numbers.get(key)
        except TypeError:
            refuse_unhashable(action.message)
        if number is None:
            number = self.numbers[key] = len(self.known)
            self.known.append(action)
            if action.kind == "deliver":
                refuse_opaque(action.message)
                self.inboxes.register(number, action.sender, 1, self.limits.delay)
            elif action.kind in REPORTS:
                latest = max(1, self.limits.detection)
                earliest = 1 if self.limits.detector == EVENTUAL else latest
                self.inboxes.register(number, -1 - action.sender, earliest, latest)  # no message waits for a report
        return number

    def delivery(self, seat: int, sender: Pid, message: Any) -> int:
        return self.number_of(Action("deliver", seat, sender=sender, message=message))

    def report(self, word: str, seat: int, subject: Pid) -> int:
        """The detector tells the process in this seat to suspect, or to trust, another."""
        return self.number_of(Action(word, seat, sender=subject))

    def is_request(self, number: int) -> bool:
        """Whether a process asks for something. It may never do so, and others may not depend on it."""
        return self.known[number].is_request


def refuse_unhashable(message: Any) -> NoReturn:
    """Say which value of a message cannot be hashed, whatever type it declares."""
    for field in dataclasses.fields(message):
        value = getattr(message, field.name)
        if is_changeable(value):
            if isinstance(value, tuple | frozenset):
                raise MisuseError(
                    f"{locate(type(message))} is sent with contents of its {field.name} that cannot be hashed: use "
                    f"numbers, strings and tuples."
                )
            raise MisuseError(
                f"{locate(type(message))} is sent with a {type(value).__name__} as its {field.name}: use tuple or "
                f"frozenset, so that it can be hashed."
            )
    raise MisuseError(f"{locate(type(message))} can be changed after it was sent: declare it @dataclass(frozen=True).")


def refuse_opaque(message: Any) -> None:
    """Refuse a message that holds an object of an unknown class: whoever receives it could change it for all."""
    for field in dataclasses.fields(message) if dataclasses.is_dataclass(message) else ():
        for part in walk_value(getattr(message, field.name)):
            if not can_be_saved(part):
                raise MisuseError(
                    f"{locate(type(message))} is sent with a {type(part).__name__} in its {field.name}, which cannot "
                    f"be saved and compared: use numbers, strings, tuples, frozensets and frozen dataclasses."
                )


def is_changeable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return True
    return False
