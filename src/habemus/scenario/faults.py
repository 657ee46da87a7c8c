"""What can go wrong in a scenario, and right again: crashes, pauses, cuts, clocks, and single messages."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from habemus.scenario.checked import Checked

Pid = Annotated[int, Meta(ge=0)]
LATEST = 10**15
Time = Annotated[int, Meta(ge=0, le=LATEST)]


class Fault(Checked, tag_field="do", tag=str.lower, forbid_unknown_fields=True):
    """Something goes wrong, or right again."""

    at: Time


class Crash(Fault):
    """The process stops: this one, or whoever leads at that time."""

    process: Pid | Literal["leader"]


class Recover(Fault):
    """The process, or everyone who is down, is back with its durable fields only."""

    process: Pid | Literal["crashed"]


class Pause(Fault):
    """The process, or whoever leads at that time, does nothing, but forgets nothing."""

    process: Pid | Literal["leader"]


class Resume(Fault):
    """The paused process, or everyone paused, goes on."""

    process: Pid | Literal["paused"]


class Cut(Fault, omit_defaults=True):
    """These links lose everything, both ways or from the first to the second only."""

    links: list[tuple[Pid, Pid]]
    one_way: bool = False


class Partition(Fault):
    """Every link between different groups is cut."""

    groups: list[list[Pid]]


class Heal(Fault, omit_defaults=True):
    """These links work again; without any named, all do."""

    links: list[tuple[Pid, Pid]] = []


class Skew(Fault):
    """The process's clock jumps ahead by so many ticks."""

    process: Pid
    by: int


class Drift(Fault):
    """From now on the process's clock runs at this rate."""

    process: Pid
    rate: Annotated[float, Meta(gt=0)]


class Slow(Fault, omit_defaults=True):
    """What is sent over these links from now on takes this long, both ways or from the first to the second only."""

    links: list[tuple[Pid, Pid]]
    delay: str
    one_way: bool = False


class MessageFault(Fault):
    """Something happens to one message that is under way then: the one of this number in the trace."""

    message: Annotated[int, Meta(ge=0)]


class Drop(MessageFault):
    """The message is lost."""


class Deliver(MessageFault):
    """The message arrives at once; on a FIFO link, those before it too."""


class Duplicate(MessageFault):
    """The message arrives twice."""


class Postpone(MessageFault, tag="delay"):
    """The message arrives that much later; on a FIFO link, those behind it wait for it."""

    by: Annotated[int, Meta(ge=1, le=LATEST)]


AnyFault = (
    Crash
    | Recover
    | Pause
    | Resume
    | Cut
    | Partition
    | Heal
    | Skew
    | Drift
    | Slow
    | Drop
    | Deliver
    | Duplicate
    | Postpone
)
