"""The logs of all processes as observers see them, and what is wrong with them.

A process announces what it stores, up to where it has committed, and when a snapshot takes the place of its log. The
first of each kind of mistake is kept, as evidence.
"""

from __future__ import annotations

from typing import Any

from habemus.process import Pid

Entry = Any  # a frozen dataclass with a `term`


class ReplicaLog:
    """The log of one process: entries after `base`, of which those up to `commit` are committed."""

    def __init__(self) -> None:
        self.base = 0
        self.base_term = 0
        self.entries: list[Entry] = []
        self.commit = 0

    @property
    def last(self) -> int:
        return self.base + len(self.entries)

    def entry(self, index: int) -> Entry | None:
        """The entry at an index; None if it has none there, or has it in a snapshot."""
        return self.entries[index - self.base - 1] if self.base < index <= self.last else None

    def term_before(self, index: int) -> int:
        """The term of the entry before this index; 0: there is none."""
        if index - 1 <= self.base:
            return self.base_term if index - 1 == self.base else 0
        return int(self.entries[index - self.base - 2].term)

    @property
    def key(self) -> Any:
        return (self.base, self.base_term, tuple(self.entries), self.commit)


class Commitment:
    """An entry was committed: by whom first, and in which term that process was."""

    def __init__(self, entry: Entry, term: int, process: Pid, time: int, event: int) -> None:
        self.entry = entry
        self.term = term
        self.process = process
        self.time = time
        self.event = event


class Clash:
    """Two processes disagree about an entry, each since an event."""

    def __init__(self, process: Pid, event: int, other: Pid, other_event: int, text: str) -> None:
        self.process = process
        self.event = event
        self.other = other
        self.other_event = other_event
        self.text = text


class Logs:
    """The logs of all processes, all entries ever made, and all that was ever committed."""

    def __init__(self) -> None:
        self.replicas: dict[Pid, ReplicaLog] = {}
        # (index, term) -> what precedes it and what it is, who stored it first and when
        self.made: dict[tuple[int, int], tuple[int, Entry, Pid, int]] = {}
        self.committed: dict[int, Commitment] = {}
        self.mismatch: Clash | None = None  # of log matching
        self.overwritten: Clash | None = None  # of state machine safety
        self.incomplete: Clash | None = None  # of leader completeness

    def replica(self, process: Pid) -> ReplicaLog:
        return self.replicas.setdefault(process, ReplicaLog())

    def stores(self, process: Pid, previous: int, entries: tuple[Entry, ...], event: int) -> None:
        """`process` has these entries after `previous`, and none after them."""
        log = self.replica(process)
        del log.entries[previous - log.base :]
        for entry in entries:
            log.entries.append(entry)
            before = log.term_before(log.last)
            first = self.made.setdefault((log.last, entry.term), (before, entry, process, event))
            if self.mismatch is None and (first[0], first[1]) != (before, entry):
                differs = "its value" if first[1] != entry else "the entry before it"
                text = f"{first[2]} and {process} have an entry {log.last} of term {entry.term}, but {differs} differs"
                self.mismatch = Clash(process, event, first[2], first[3], text)

    def commits(self, process: Pid, index: int, term: int, time: int, event: int) -> None:
        """`process`, which is in that term, takes its log up to this index for committed."""
        log = self.replica(process)
        while log.commit < index:
            log.commit += 1
            self.compare(process, log.commit, log.entry(log.commit), term, time, event)

    def compare(self, process: Pid, index: int, entry: Entry, term: int, time: int, event: int) -> None:
        """One entry is committed: is it the one that others have committed there?"""
        first = self.committed.get(index)
        if first is None:
            self.committed[index] = Commitment(entry, term, process, time, event)
        elif first.entry != entry and self.overwritten is None:
            text = f"as entry {index}, {first.process} committed one of term {first.entry.term}, {process} one of term "
            self.overwritten = Clash(process, event, first.process, first.event, f"{text}{entry.term}")

    def restores(self, process: Pid, index: int, term: int, event: int) -> None:
        """`process` has a snapshot in place of its log, up to this entry."""
        log = self.replicas[process] = ReplicaLog()
        log.base, log.base_term, log.commit = index, term, index
        first = self.committed.get(index)
        if first is not None and first.entry.term != term and self.overwritten is None:
            text = f"as entry {index}, {first.process} committed one of term {first.entry.term}, {process} one of term "
            self.overwritten = Clash(process, event, first.process, first.event, f"{text}{term}, in a snapshot")

    def leads(self, process: Pid, term: int, event: int) -> None:
        """`process` takes office: does it have all that was committed in earlier terms?"""
        log = self.replica(process)
        for index, first in self.committed.items() if self.incomplete is None else []:
            if first.term < term and index > log.base and log.entry(index) != first.entry:
                text = f"{process} took office in term {term} without entry {index}, which {first.process} "
                text += f"committed in term {first.term}"
                self.incomplete = Clash(process, event, first.process, first.event, text)
                return

    def forgives(self) -> None:
        """A process that forgot its log counts again: what was committed with its help may be lost from now on."""
        self.committed = {}

    def crashed(self, process: Pid) -> None:
        """The log of a process is gone; if it has it on disk, it will announce it again."""
        self.replicas.pop(process, None)

    @property
    def key(self) -> Any:
        """All that verdicts depend on, now or later."""
        return (
            tuple([(process, self.replicas[process].key) for process in sorted(self.replicas)]),
            tuple(sorted([(place, made[0], made[1].value) for place, made in self.made.items()], key=first_of)),
            tuple(sorted([(index, first.entry, first.term) for index, first in self.committed.items()], key=first_of)),
        )


def first_of(item: tuple[Any, ...]) -> Any:
    return item[0]
