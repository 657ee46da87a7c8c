"""A lock of the file engine: the way to it, and what one has then. files.py has the rules."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

from habemus.service.engine import Attempt, Grant, Settle, Wish
from habemus.service.engines.files import NameFiles, is_at, open_file, try_flock
from habemus.service.engines.group_files import GroupFiles
from habemus.service.errors import DELETED, FORKED, RELEASED, GroupError, LockTaken
from habemus.service.view import ROLE, EventKind

FIRST_DELAY = 0.001
PASSING = 3  # more tries for one who does not wait, if somebody is at the gate, who may be gone in a moment


class FileGrant(Grant):
    """A place that is held. `on_release` is called just before it no longer is."""

    def __init__(self, attempt: FileAttempt, place: int, slot: int, token: int) -> None:
        self.wish = attempt.wish
        self.group = attempt.group
        self.files = attempt.files
        self.place = place
        self.slot = slot
        self.token = token
        self.given_back = False
        self.mutex = threading.Lock()
        self.on_release: Callable[[FileGrant], None] | None = None

    def release(self) -> None:
        try:
            self.look()
        finally:  # whatever a signal handler raises meanwhile: nobody else would let go of it
            self.let_go()

    def let_go(self) -> None:
        with self.mutex:
            if self.lost == FORKED or self.given_back:
                return
            self.given_back = True
        try:
            if self.wish.kind == ROLE:
                reason = self.lost or RELEASED
                self.group.history.append(EventKind.LOST, self.group.id, self.wish.name, self.token, reason)
            if self.on_release is not None:
                self.on_release(self)
            if not self.lost:
                with suppress(OSError):  # a full disk: the files stay, and the next holder tidies up
                    self.files.tidy(self.place, self.slot)
        finally:
            place, self.place = self.place, -1
            os.close(place)

    def share(self) -> int:
        return os.dup(self.place)

    def confirm(self) -> Future[bool]:
        answer: Future[bool] = Future()
        answer.set_result(self.look())
        return answer

    def look(self) -> bool:
        """Whether the file is still where others look for it."""
        with self.mutex:
            held = self.place >= 0 and not self.given_back
            gone = held and not is_at(self.place, self.files.place_path(self.slot))
        if gone:
            self.lose(DELETED)
        return not self.lost

    def abandon(self) -> None:
        """In a child after os.fork: close the copy; nobody is called, since the callbacks are the parent's."""
        self.mutex = threading.Lock()  # whoever has the old one is not here
        self.lost = FORKED
        place, self.place = self.place, -1
        if place >= 0:
            os.close(place)

    def hear_wishes(self) -> None:
        """Whether somebody asked for a transfer."""
        member = self.files.read_reservation() if self.wish.kind == ROLE else ""
        if member not in ("", self.group.id):
            self.want(member)


class FileAttempt(Attempt):
    """Somebody on the way to a place."""

    def __init__(self, group: GroupFiles, wish: Wish, settle: Settle) -> None:
        self.group = group
        self.wish = wish
        self.settle = settle
        self.files = NameFiles(group.directory, wish.key)
        self.gate = -1
        self.at_gate = False
        self.places: dict[int, int] = {}  # files of places that were tried, by slot
        self.grant: FileGrant | None = None
        self.over = False
        self.mutex = threading.Lock()
        self.delay = FIRST_DELAY
        self.due = 0.0
        self.tries = 0
        self.on_cancel: Callable[[FileAttempt], None] | None = None

    def step(self) -> bool:
        """Go as far as possible. Says whether there is no more to do."""
        result: Grant | GroupError | None
        with self.mutex:
            if self.over:
                return True
            self.tries += 1
            try:
                result = self.grant = self.advance()
            except GroupError as error:
                result = error
            except OSError as error:
                result = GroupError(f'"{self.wish.name}" cannot be locked in {self.group.directory}: {error.strerror}')
            if result is None:
                return False
            self.finish()
        self.settle(result)
        return True

    def advance(self) -> FileGrant | None:
        if self.wish.kind == ROLE and not self.group.may_lead(self.files):
            self.leave_gate()
            return None
        if not self.at_gate and not self.take_gate():
            return None
        last, slots = self.files.read_gate(self.gate)
        if slots not in (0, self.wish.slots) and self.files.is_in_use(slots):
            raise GroupError(
                f'"{self.wish.name}" is in use with {slots} slots, not {self.wish.slots}: all have to ask for the same'
            )
        slot = self.take_place()
        if slot is None:
            return None
        token = self.files.next_token(last)
        self.files.write_gate(self.gate, token, self.wish.slots)
        if self.wish.kind == ROLE:
            self.files.drop_reservation()
        return FileGrant(self, self.places.pop(slot), slot, token)

    def take_gate(self) -> bool:
        while True:
            if self.gate < 0:
                self.gate = open_file(self.files.gate_path)
            if not try_flock(self.gate):
                return False
            if is_at(self.gate, self.files.gate_path):
                self.at_gate = True
                return True
            os.close(self.gate)  # the last holder has deleted it
            self.gate = -1

    def leave_gate(self) -> None:
        """Let others pass; closing the file tells them. Places are known only as long as one is at the gate."""
        self.at_gate = False
        self.close_files()

    def take_place(self) -> int | None:
        for slot in range(self.wish.slots):
            if slot not in self.places:
                self.places[slot] = open_file(self.files.place_path(slot))
            if try_flock(self.places[slot], self.wish.shared):
                return slot
        return None

    @property
    def gives_up(self) -> bool:
        return not self.wish.wait and (self.at_gate or self.tries > PASSING)

    def make_refusal(self) -> LockTaken:
        """For one that does not want to wait."""
        return LockTaken(f'"{self.wish.name}" is taken')

    def refuse(self, error: GroupError) -> None:
        with self.mutex:
            if self.over:
                return
            self.finish()
        self.settle(error)

    def cancel(self) -> None:
        with self.mutex:
            if not self.over:
                self.finish()
        if self.grant is not None:
            self.grant.release()
        if self.on_cancel is not None:
            self.on_cancel(self)

    def finish(self) -> None:
        """Close all but the place that is held."""
        self.over = True
        self.close_files()

    def close_files(self) -> None:
        descriptors = [*self.places.values(), self.gate]
        self.places.clear()
        self.gate = -1
        for descriptor in descriptors:
            if descriptor >= 0:
                os.close(descriptor)

    def abandon(self) -> None:
        """In a child after os.fork: close the copies."""
        self.mutex = threading.Lock()  # whoever has the old one is not here
        self.finish()
