"""What a node remembers over restarts: the durable fields of its layers, and the incarnations of its peers.

A process that forgets a promise could break it. So durable fields are on disk before anything that depends on them is
sent, and a process that restarts without its memory is recognised by peers that remember it, and refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from operator import is_
from pathlib import Path
from typing import Any

from habemus.network.errors import NetworkError, StorageError
from habemus.network.node.stack import Stack
from habemus.network.node.storage import NoStorage, PeerIncarnation, Record, Storage, restore_fields, save_fields
from habemus.process import Anatomy, Pid
from habemus.process.anatomy import freeze

MOST_ANCESTORS = 500


class Memory:
    """The record of one process, on disk and as it was last written."""

    def __init__(self, directory: str | Path | None, group: str, id: Pid, stack: list[Anatomy]) -> None:
        """`directory`: None if nothing has to survive."""
        self.storage = Storage(directory) if directory is not None else NoStorage("")
        self.record = Record(group, id, [anatomy.cls.name for anatomy in stack], lineage=secrets.token_hex(8))
        self.instance = secrets.token_bytes(8)  # of this incarnation
        self.durable = any(anatomy.durable for anatomy in stack)  # whether the algorithm relies on its memory
        self.promises = 0  # that are on disk
        self.saved: list[Any] = []  # the durable fields as they were last written, frozen
        self.constants: list[Any] = []  # the same as they were, if none of them can be changed in its place

    def begin_incarnation(self, stack: Stack) -> None:
        """Restore the durable fields of earlier incarnations, and count this one."""
        found = self.storage.open()
        if found is not None:
            mine = (self.record.group, self.record.id, self.record.stack)
            if (found.group, found.id, found.stack) != mine:
                raise NetworkError(
                    f"{self.storage.file} belongs to process {found.id} of the group {found.group!r}, which runs "
                    f"{' over '.join(reversed(found.stack))}: give another --data"
                )
            if found.refused:
                raise NetworkError(found.refused)
            self.record = found
            stack.begin_life(restore_fields(found.fields, stack.stack))
        self.record.incarnation += 1
        # On disk before a peer can meet this instance: whoever has met it must find it among the ancestors later.
        self.record.ancestors = [*self.record.ancestors, self.instance.hex()][-MOST_ANCESTORS:]
        self.record.fields = save_fields(stack.durable_fields())
        self.storage.write(self.record)
        self.promises = self.record.promises
        self.note_saved(stack.promised())

    def save(self, stack: Stack) -> None:
        """Write the durable fields to disk if they have changed."""
        if not self.durable:
            return
        fields = stack.promised()
        if self.constants and all(map(is_, fields, self.constants)):
            return  # as nearly always: no field was written to
        if list(map(freeze, fields)) != self.saved:
            self.record.fields = save_fields(stack.durable_fields())
            self.record.promises += 1
            self.storage.write(self.record)
            self.promises = self.record.promises
        self.note_saved(fields)

    def note_saved(self, fields: list[Any]) -> None:
        self.saved = list(map(freeze, fields))
        self.constants = fields if all(map(is_constant, fields)) else []

    def found(self, members: tuple[Pid, ...]) -> None:
        """All members have met."""
        before, self.record.roll = self.record.roll, list(members)
        try:
            self.storage.write(self.record)
        except StorageError:
            self.record.roll = before
            raise

    def try_disk(self) -> bool:
        """Whether the disk can be written: write again what is there."""
        with suppress(StorageError):
            self.storage.write(self.record)
        return not self.storage.trouble

    def be_refused(self, reason: str) -> None:
        """No process with this directory is admitted any more; it need not be tried again."""
        self.record.refused = reason
        with suppress(StorageError):  # then the peers will refuse the next one
            self.storage.write(self.record)

    def recognise(self, peer: Pid, seen: PeerIncarnation, ancestors: Sequence[str]) -> None:
        """Refuse a peer that has lost its memory, or returned to an older one, if the algorithm relies on it."""
        if not self.durable:
            return
        met = self.record.met.get(peer)
        if met is not None and met.instance == seen.instance:
            return
        if met is None or (seen.lineage == met.lineage and descends_from(met, seen, ancestors)):
            met_before = dict(self.record.met)
            self.record.met[peer] = seen
            try:
                self.storage.write(self.record)
            except StorageError:
                self.record.met = met_before
                raise
        else:
            raise NetworkError(
                f"process {peer} has lost its state: its --data is not the one it had in incarnation "
                f"{met.incarnation}, the last one that this group met; start it with that directory, or with an id "
                f"that this group has not seen"
            )

    def hear_promises(self, peer: Pid, promises: int) -> None:
        """Remember how many promises a peer has made; on disk with the next record that is written."""
        met = self.record.met.get(peer)
        if met is not None:
            met.promises = max(met.promises, promises)


def is_constant(value: Any) -> bool:
    """Whether a value can only be replaced, not changed."""
    if isinstance(value, tuple):
        return all(map(is_constant, value))
    return value is None or isinstance(value, int | float | str)


def descends_from(met: PeerIncarnation, seen: PeerIncarnation, ancestors: Sequence[str]) -> bool:
    """Whether an incarnation comes after the one that was met, in the same directory and not in an older copy of it.

    The number alone is not enough: an older copy that restarts again and again would reach it one day. It counts only
    if so many have started since that the list does not reach back. A copy that was made while the process ran has its
    instance, but not the promises that it has made since.
    """
    oldest_known = seen.incarnation - len(ancestors)
    later = met.instance in ancestors or oldest_known > met.incarnation
    return later and seen.promises >= met.promises
