"""What a group has in its directory besides the files of its locks: members, history, and the mark of a pause.

members/      who is there (roster.py)
history-N     what happened (history.py)
paused        exists while the group is paused
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import sleep

from habemus.service.engines.files import NameFiles, open_file
from habemus.service.engines.history import History
from habemus.service.engines.roster import Found, HoldRecord, Roster
from habemus.service.view import ROLE, EventKind, Holder, LockState, Member, View, Waiter

LOOKS, BETWEEN = 50, 0.002  # at a predecessor whose end somebody is about to note


class GroupFiles:
    """The directory of one group, as one process uses it."""

    def __init__(self, directory: Path, group: str) -> None:
        self.directory = directory
        self.group = group
        self.history = History(directory)
        self.roster = Roster(directory, self.history)
        self.paused_path = directory / "paused"

    @property
    def id(self) -> str:
        """Of this process; empty if it is no member."""
        return self.roster.record.id if self.roster.record is not None else ""

    # Roles

    def may_lead(self, files: NameFiles) -> bool:
        """Whether this member may take a role now: not during a pause, and not if it is reserved for another."""
        if self.paused_path.exists():
            return False
        member = files.read_reservation()
        if not member or member == self.id or self.is_waiting(member, files.name):
            return not member or member == self.id
        files.drop_reservation()  # it waits no longer
        return True

    def is_waiting(self, member: str, key: str) -> bool:
        record = self.roster.find(member)
        return record is not None and any(f"{wait.kind}/{wait.name}" == key for wait in record.waits)

    def note_leader(self, role: str, token: int) -> None:
        """This member leads; if the one before died, that is noted first, by us or by whoever was faster."""
        with suppress(OSError):
            for _ in range(LOOKS):
                states = lock_states(self.roster.read_all())
                leaders = [state.holders for state in states if (state.kind, state.name) == (ROLE, role)]
                if all(holder.member == self.id for holders in leaders for holder in holders):
                    break
                sleep(BETWEEN)
        self.history.append(EventKind.ELECTED, self.id, role, token)

    # Pause

    def set_paused(self, paused: bool) -> None:
        if paused == self.paused_path.exists():
            return
        if paused:
            os.close(open_file(self.paused_path))
            self.history.append(EventKind.PAUSED, self.id)
        else:
            self.history.append(EventKind.RESUMED, self.id)  # before anybody is elected because of it
            self.paused_path.unlink(missing_ok=True)

    # The view

    def look(self) -> View:
        version = self.history.last_number()
        found = sorted(self.roster.read_all(), key=lambda member: member.record.id)
        return View(
            self.group,
            version,
            tuple(Member(member.record.id, member.record.metadata, alive=member.alive) for member in found),
            tuple(lock_states(found)),
            paused=self.paused_path.exists(),
        )


def lock_states(members: list[Found]) -> list[LockState]:
    """The locks in use, from what the members say about themselves."""
    records: dict[tuple[str, str], list[tuple[str, HoldRecord]]] = {}
    for member in members:
        waits = member.record.waits if member.alive else []
        for record in [*member.record.holds, *waits]:
            records.setdefault((record.kind, record.name), []).append((member.record.id, record))
    states = []
    for (kind, name), found in sorted(records.items()):
        holders = [Holder(id, each.token, each.slot, each.shared) for id, each in found if each.token]
        waiters = [Waiter(id, each.shared) for id, each in found if not each.token]
        in_order = sorted(holders, key=lambda holder: holder.token)
        states.append(LockState(kind, name, found[0][1].slots, tuple(in_order), tuple(waiters)))
    return states
