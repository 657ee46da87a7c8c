"""What a node remembers from life to life: the durable fields of its layers, and which lives of the others it has met.

Whoever forgets what it promised could break its promise. So the fields are on disk before anything that depends on them
is said, and a process that comes back without its memory is recognised by those who remember it, and refused.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from habemus.network.errors import NetworkError
from habemus.network.stack import Stack
from habemus.network.storage import Met, Record, Storage, restored_fields, saved_fields
from habemus.process import Anatomy, Pid


class Memory:
    """The record of one process, on disk and as it was last written."""

    def __init__(self, directory: str | Path, group: str, id: Pid, stack: list[Anatomy]) -> None:
        self.storage = Storage(directory)
        self.record = Record(group, id, [anatomy.cls.name for anatomy in stack], lineage=secrets.token_hex(8))
        self.matters = any(anatomy.durable for anatomy in stack)
        self.saved: tuple[Any, ...] | None = None

    def begin_life(self, stack: Stack) -> None:
        """Take up what was promised in earlier lives, and begin a new one."""
        found = self.storage.open()
        if found is not None:
            mine = (self.record.group, self.record.id, self.record.stack)
            if (found.group, found.id, found.stack) != mine:
                raise NetworkError(
                    f"{self.storage.file} belongs to process {found.id} of the group {found.group!r}, which runs "
                    f"{' over '.join(reversed(found.stack))}: give another --data"
                )
            self.record = found
            stack.put_back(restored_fields(found.fields, stack.stack))
        self.record.incarnation += 1
        self.record.fields = saved_fields(stack.durable())
        self.storage.write(self.record)
        self.saved = stack.memory()

    def save(self, stack: Stack) -> None:
        """Put the durable fields on disk if they have changed."""
        if not self.matters:
            return
        memory = stack.memory()
        if memory != self.saved:
            self.record.fields = saved_fields(stack.durable())
            self.storage.write(self.record)
            self.saved = memory

    def recognise(self, peer: Pid, life: Met) -> None:
        """Refuse one that has forgotten an earlier life, if the algorithm relies on what processes remember."""
        if not self.matters:
            return
        met = self.record.met.get(peer)
        # Not by number alone: one that begins from nothing, again and again, would one day have lives enough.
        if met is None or (life.lineage == met.lineage and life.incarnation > met.incarnation):
            self.record.met[peer] = life
            self.storage.write(self.record)
        elif life != met:
            raise NetworkError(
                f"process {peer} has lost its state: its --data is not what it had in life {met.incarnation}, when "
                f"this group last met it; start it with that, or under an id that this group has not seen"
            )
