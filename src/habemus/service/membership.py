"""What joining a group means, whoever waits for it: an asyncio task or a thread."""

from __future__ import annotations

from collections.abc import Iterable
from threading import TIMEOUT_MAX

from habemus.service.engine import Engine, Guarantee, Wish
from habemus.service.engines import choose_engine
from habemus.service.errors import ForkedError, GroupError
from habemus.service.options import JoinOptions, check_name, check_priority, check_seconds
from habemus.service.telemetry import Telemetry
from habemus.service.view import LOCK, ROLE

MOST_SLOTS = 10_000  # each has a file on disk where locks are files


class Membership:
    """A group that this process belongs to, and the engine that grants its locks."""

    def __init__(self, options: JoinOptions, engine: Engine, require: Iterable[Guarantee] = ()) -> None:
        self.name = options.name
        self.options = options
        self.engine = engine
        self.telemetry = Telemetry(options.name)
        self.is_open = False
        wanted = [require] if isinstance(require, str) else require  # one alone, as in require=habemus.QUORUM
        missing = sorted({to_guarantee(guarantee) for guarantee in wanted} - engine.guarantees)
        if missing:
            has = ", ".join(sorted(engine.guarantees)) or "nothing"
            raise GroupError(f"group {self.name!r} cannot promise {', '.join(missing)}: its engine promises {has}")

    def open(self) -> None:
        if self.is_open:
            raise GroupError(f"group {self.name!r} was joined with this object before: call join again")
        self.engine.open()
        self.is_open = True
        if self.options.alive_within is not None:
            self.engine.show_life()

    @property
    def joined(self) -> Engine:
        """The engine, once the group is joined."""
        if not self.is_open:
            raise GroupError(f"group {self.name!r} is not joined yet: (async) with join(...) as group")
        if self.engine.forked:
            raise ForkedError
        return self.engine

    def wish_lock(self, name: str, shared: bool, slots: int | None, wait: float | None, priority: int) -> Wish:
        check_name("name", name)
        if not isinstance(shared, bool):
            raise TypeError(f"shared is True or False, not {shared!r}")
        if slots is not None and (type(slots) is not int or not 1 <= slots <= MOST_SLOTS or shared):
            raise ValueError(f"slots is an integer from 1 to {MOST_SLOTS:,}, and not together with shared=True")
        check_priority(priority)
        if wait is not None:
            check_seconds("wait", wait)
        return Wish(name, LOCK, shared, slots or 1, priority, wait != 0)

    def make_timeout(self, name: str, wait: float | None) -> TimeoutError:
        trouble = self.engine.describe_trouble()
        if trouble:
            return TimeoutError(f'nobody could say within {wait:g} s whether "{name}" is free: {trouble}')
        return TimeoutError(f'"{name}" was not free within {wait:g} s')

    def wish_role(self, role: str) -> Wish:
        check_name("role", role)
        return Wish(role, ROLE, priority=self.options.priority)


def to_guarantee(given: str) -> Guarantee:
    try:
        return Guarantee(given)
    except ValueError:
        known = ", ".join(guarantee.name for guarantee in Guarantee)
        raise GroupError(f"{given!r} is no guarantee: there are habemus.{known.replace(', ', ', habemus.')}") from None


def make_membership(options: JoinOptions, require: Iterable[Guarantee] = ()) -> Membership:
    return Membership(options, choose_engine(options), require)


def patience(wait: float | None) -> float | None:
    """How long to wait for an answer, as asyncio and threads understand it; with wait=0 the engine answers at once."""
    return None if wait is None or wait == 0 or wait >= TIMEOUT_MAX else wait
