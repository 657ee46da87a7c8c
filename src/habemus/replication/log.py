"""The log of one process: entries in order, numbered from 1, of which a prefix may have become a snapshot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from habemus.process import Message, State, to_plain

SHOWN: Final = 32  # entries at the end of a log that people and traces see


@dataclass(frozen=True)
class LogEntry(Message):
    """What a leader put into the log in its term; without a value it is a leader's first entry, which asks nothing."""

    term: int
    value: Message | None = None


class Log(State):
    """Entries after `base`; those up to `base` are in the snapshot."""

    def __init__(
        self,
        entries: Iterable[LogEntry] = (),
        base: int = 0,
        base_term: int = 0,
        snapshot: Message | None = None,
    ) -> None:
        self.entries = list(entries)
        self.base = base
        self.base_term = base_term
        self.snapshot = snapshot
        self.image: Any = None  # what `freeze` gave last, while nothing has changed

    @property
    def last(self) -> int:
        """The index of the last entry."""
        return self.base + len(self.entries)

    @property
    def last_term(self) -> int:
        return self.entries[-1].term if self.entries else self.base_term

    def term_at(self, index: int) -> int:
        """The term of an entry that is not before the snapshot's last."""
        return self.base_term if index == self.base else self.entries[index - self.base - 1].term

    def holds(self, index: int, term: int) -> bool:
        """Whether there is such an entry. What the snapshot covers is taken to be as the leader has it."""
        return index < self.base or (index <= self.last and self.term_at(index) == term)

    def before_term_of(self, index: int) -> int:
        """The index before the first entry that has the term of this one."""
        term = self.term_at(index)
        while index > self.base and self.term_at(index) == term:
            index -= 1
        return index

    def between(self, first: int, last: int) -> tuple[LogEntry, ...]:
        """The entries from `first` to `last`, both included."""
        return tuple(self.entries[first - self.base - 1 : last - self.base])

    def append(self, entries: Iterable[LogEntry]) -> None:
        self.image = None
        self.entries += entries

    def store(self, previous: int, entries: tuple[LogEntry, ...]) -> int:
        """Have these entries after `previous`; says from which index on that changed anything (0: it did not)."""
        for position, entry in enumerate(entries):
            index = previous + 1 + position
            if index > self.base and not (index <= self.last and self.term_at(index) == entry.term):
                del self.entries[index - self.base - 1 :]
                self.append(entries[position:])
                return index
        return 0

    def compact(self, index: int, snapshot: Message | None) -> None:
        """The snapshot takes the place of all entries up to this one."""
        if index > self.base:
            self.base_term, self.entries, self.base = self.term_at(index), self.entries[index - self.base :], index
            self.snapshot = snapshot
            self.image = None

    # A state of a process

    def freeze(self) -> Any:
        if self.image is None:
            self.image = (tuple(self.entries), self.base, self.base_term, self.snapshot)
        return self.image

    @classmethod
    def thaw(cls, frozen: Any) -> Log:
        entries, base, base_term, snapshot = frozen
        return cls(entries, base, base_term, snapshot)

    def to_plain(self) -> Any:
        """The last entries: a trace shows the log whenever it changes, and would grow with its square."""
        left_out = max(0, len(self.entries) - SHOWN)
        plain = [to_plain(entry) for entry in self.entries[left_out:]]
        after = self.base + left_out
        return {"after": after, "entries": plain} if after else plain
