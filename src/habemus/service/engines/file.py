"""The file engine: locks between the processes of one host, by flock; no server, no set-up.

Safe, since the kernel itself keeps the locks, and gives them back at once when a process dies. Fenced. Not fair: those
who wait at the gate (files.py) come in any order. A holder that hangs keeps its lock; its leases have no deadline.

Who waits does not spin. The directory is watched by inotify: when a holder closes its file or dies, the kernel says so,
and everybody who waits for that name tries once more. A thread that sits in a blocking flock would be simpler, but
nothing can call it back from there: a cancelled acquire would take the lock some day, for nobody. The kernel tells of
the end of a file a moment before it drops the lock, so a try that fails is repeated after 1, 2, 4, ... milliseconds;
in the end once a second, in case that news was lost. Without inotify (macOS) the steps end at 20 milliseconds.

A child after os.fork has copies of all open files, and would keep its parent's locks alive. It closes them at once.

What members hold and wait for is published for those who look, a moment later (roster.py). No lock depends on it.
"""

from __future__ import annotations

import os
import socket
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from time import clock_gettime, monotonic
from typing import ClassVar

from habemus.network.node.clock import CLOCK
from habemus.service.engine import FENCED, Engine, Grant, Guarantee, Settle, Wish, answer, check_transfer
from habemus.service.engines.file_lock import FIRST_DELAY, FileAttempt, FileGrant
from habemus.service.engines.files import NameFiles, prepare_directory
from habemus.service.engines.group_files import GroupFiles
from habemus.service.engines.roster import HoldRecord
from habemus.service.engines.watcher import Watcher
from habemus.service.errors import CLOSED, EXPIRED, LEFT, GroupError
from habemus.service.options import JoinOptions
from habemus.service.view import ROLE, Event, EventKind, View

LAST_DELAY = 1.0
LAST_DELAY_WITHOUT_NEWS = 0.02
PUBLISHING_DELAY = 0.02


class Follower:
    """Somebody who is told of events."""

    def __init__(self, tell: Callable[[Event], None], position: int) -> None:
        self.tell = tell
        self.position = position  # the number of the last event it was told of


class FileEngine(Engine):
    """The locks in one directory."""

    guarantees: ClassVar[frozenset[Guarantee]] = frozenset({FENCED})

    def __init__(self, directory: Path, options: JoinOptions) -> None:
        self.directory = directory
        self.options = options
        self.files = GroupFiles(directory, options.name)
        self.grants: set[FileGrant] = set()
        self.attempts: set[FileAttempt] = set()  # those that wait
        self.followers: list[Follower] = []
        self.publish_at: float | None = None
        self.forked = False
        self.closed = False
        self.mutex = threading.Lock()
        self.watcher: Watcher | None = None

    def open(self) -> None:
        if self.options.observer:
            return
        prepare_directory(self.directory)
        pid = self.options.guardian or os.getpid()
        metadata = {"pid": str(pid), **self.options.metadata}
        try:
            spare = f"{socket.gethostname()}-{pid}"
            self.id = self.files.roster.enter(self.options.id, spare, metadata)
        except OSError as error:
            raise GroupError(f"{self.directory} cannot be used: {error.strerror}") from None
        ENGINES.add(self)

    def acquire(self, wish: Wish, settle: Settle) -> FileAttempt:
        self.check_usable()

        def deliver(result: Grant | GroupError) -> None:
            if isinstance(result, FileGrant):
                self.admit(result)
            settle(result)

        attempt = FileAttempt(self.files, wish, deliver)
        try:
            if attempt.step():
                self.watch()
                self.publish_soon()
            elif attempt.gives_up:
                attempt.refuse(attempt.make_refusal())
            else:
                self.enlist(attempt)
        except BaseException:  # KeyboardInterrupt may come at any moment; nobody else knows of the attempt yet
            attempt.cancel()
            raise
        return attempt

    def close(self) -> None:
        if self.forked or self.closed:
            return
        self.closed = True
        for attempt in list(self.attempts):
            attempt.refuse(GroupError(LEFT))
        self.attempts.clear()
        for grant in list(self.grants):
            grant.lose(CLOSED)
            grant.release()
        if self.watcher is not None:
            self.watcher.end()
        self.files.roster.leave(CLOSED)
        ENGINES.discard(self)

    # What is held and waited for

    def admit(self, grant: FileGrant) -> None:
        grant.on_release = self.discharge
        self.grants.add(grant)
        if grant.wish.kind == ROLE:
            self.publish()
            self.files.note_leader(grant.wish.name, grant.token)
        else:
            self.publish_soon()

    def discharge(self, grant: FileGrant) -> None:
        self.grants.discard(grant)
        if grant.wish.kind == ROLE:
            self.publish()
        else:
            self.publish_soon()

    def enlist(self, attempt: FileAttempt) -> None:
        watcher = self.watch()
        attempt.on_cancel = self.forget
        with self.mutex:
            self.attempts.add(attempt)
        self.publish_soon()
        watcher.ring()  # it tries at once: what happened before it watched is no news

    def forget(self, attempt: FileAttempt) -> None:
        with self.mutex:
            self.attempts.discard(attempt)
        self.publish_soon()

    def publish_soon(self) -> None:
        if self.publish_at is None and self.watcher is not None:
            self.publish_at = monotonic() + PUBLISHING_DELAY
            self.watcher.ring()

    def publish(self) -> None:
        self.publish_at = None
        with self.mutex:
            waiting = [attempt.wish for attempt in self.attempts if not attempt.over]
        holds = [describe(grant.wish, grant.slot, grant.token) for grant in list(self.grants)]
        with suppress(OSError):  # a full disk: others see less, and no lock depends on it
            self.files.roster.publish(holds, [describe(wish) for wish in waiting])

    # The thread that watches the directory

    def watch(self) -> Watcher:
        with self.mutex:
            if self.watcher is None:
                self.watcher = Watcher(self.directory, self.step, self.delay)
            return self.watcher

    def delay(self) -> float | None:
        """Seconds until there is something to do; None: until there is news."""
        with self.mutex:
            due = [attempt.due for attempt in self.attempts]
        if self.publish_at is not None:
            due.append(self.publish_at)
        watcher = self.watcher
        if self.followers or (self.grants and (watcher is None or not watcher.hears)) or self.options.alive_within:
            due.append(monotonic() + min(LAST_DELAY, (self.options.alive_within or LAST_DELAY) / 4))
        return max(0.0, min(due) - monotonic()) if due else None

    def step(self, changed: set[Path]) -> None:
        """Everybody tries for whom there is news, or whose time has come; holders look after their files."""
        hears = self.watcher is not None and self.watcher.hears
        stems = {path.stem for path in changed}
        for grant in list(self.grants):
            if grant.files.stem in stems or self.directory in changed or not hears:
                grant.look()
                grant.hear_wishes()
        if self.is_hung():
            self.give_up()
        else:
            self.try_all(stems, LAST_DELAY if hears else LAST_DELAY_WITHOUT_NEWS)
        if self.publish_at is not None and self.publish_at <= monotonic():
            self.publish()
        if self.followers:
            self.tell_followers(any(path.parent != self.directory for path in changed))

    def try_all(self, stems: set[str], longest: float) -> None:
        with self.mutex:
            attempts = list(self.attempts)
        for attempt in attempts:
            if attempt.files.stem in stems or (attempt.wish.kind == ROLE and self.files.paused_path.name in stems):
                attempt.delay = FIRST_DELAY
            elif attempt.due > monotonic():
                continue
            if attempt.step():
                self.forget(attempt)
            elif attempt.gives_up:
                attempt.refuse(attempt.make_refusal())
                self.forget(attempt)
            else:
                attempt.due = monotonic() + attempt.delay
                attempt.delay = min(2 * attempt.delay, longest)

    def is_hung(self) -> bool:
        """Whether the application has given no sign of life for too long."""
        within = self.options.alive_within
        return within is not None and clock_gettime(CLOCK) - self.last_sign_of_life > within

    def give_up(self) -> None:
        for grant in list(self.grants):
            grant.lose(EXPIRED)
            grant.release()

    # What is known, and what operators ask for

    @property
    def view(self) -> View:
        self.check_usable()
        return self.files.look()

    def fetch_view(self) -> Future[View]:
        return answer(lambda: self.view)

    def fetch_history(self) -> Future[list[Event]]:
        return answer(self.files.history.read)

    def follow(self, tell: Callable[[Event], None]) -> Callable[[], None]:
        self.check_usable()
        prepare_directory(self.directory)
        self.files.roster.directory.mkdir(mode=0o700, exist_ok=True)
        follower = Follower(tell, self.files.history.last_number())
        watcher = self.watch()
        watcher.news.watch(self.files.roster.directory)
        self.followers.append(follower)
        watcher.ring()
        return lambda: self.followers.remove(follower)

    def tell_followers(self, members_changed: bool) -> None:
        with suppress(OSError):
            if members_changed or self.watcher is None or not self.watcher.hears:
                self.files.roster.read_all()  # notes who died
            for follower in list(self.followers):
                for event in self.files.history.read(follower.position):
                    follower.position = event.number
                    follower.tell(event)

    def transfer(self, role: str, to: str) -> Future[None]:
        def reserve() -> None:
            check_transfer(self.view, role, to)
            NameFiles(self.directory, f"{ROLE}/{role}").reserve(to)
            self.files.history.append(EventKind.TRANSFER, to, role)

        return answer(reserve)

    def pause(self, paused: bool) -> Future[None]:
        prepare_directory(self.directory)
        return answer(lambda: self.files.set_paused(paused))

    def abandon(self) -> None:
        """In a child after os.fork: close the copies, so that the parent's locks end with the parent."""
        self.forked = True
        self.mutex = threading.Lock()  # whoever has the old one is not here
        for grant in self.grants:
            grant.abandon()
        for attempt in self.attempts:
            attempt.abandon()
        self.files.roster.abandon()
        if self.watcher is not None:
            self.watcher.close_descriptors()


def describe(wish: Wish, slot: int = 0, token: int = 0) -> HoldRecord:
    return HoldRecord(wish.kind, wish.name, wish.slots, wish.shared, slot, token)


ENGINES: weakref.WeakSet[FileEngine] = weakref.WeakSet()


def abandon_all() -> None:
    for engine in list(ENGINES):
        engine.abandon()


os.register_at_fork(after_in_child=abandon_all)
