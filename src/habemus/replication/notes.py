"""What of the entries of a lock table is worth remembering: who came and went, who got a lock and let it go, and why.

The table has no clock and forgets what is over; the program of a voter may keep the history. Locks are noted if their
names begin with `noted`, so that most entries cost a look at a dictionary.
"""

from __future__ import annotations

from habemus.replication.entries import (
    Acquire,
    Attach,
    Cancel,
    Describe,
    EndSession,
    Entry,
    Event,
    Granted,
    Release,
    SessionEntry,
    Wanted,
)
from habemus.replication.leases import (
    GRANTED,
    JOINED,
    LEFT,
    LET_GO,
    PAUSED,
    RELEASED,
    RESUMED,
    WANTED,
    Noted,
)
from habemus.replication.session import Session
from habemus.replication.table import LockTable


def concerns(entry: Entry, table: LockTable, noted: str) -> bool:
    """Whether an entry may lead to a note. Most are about one lock, and its name says it."""
    if isinstance(entry, Acquire):
        return entry.name.startswith(noted)
    if isinstance(entry, Release):
        session = table.sessions.get(entry.session)
        granted = session.held.get(entry.token) if session is not None else None
        return granted is not None and granted.name.startswith(noted)
    return True


class Witness:
    """Looks at a table before and after an entry is applied."""

    def __init__(self, table: LockTable, entry: Entry, noted: str) -> None:
        self.table = table
        self.entry = entry
        self.noted = noted
        self.paused = table.paused
        self.last = table.last
        self.notes: list[Noted] = []
        self.session: Session | None = None
        if isinstance(entry, SessionEntry):
            self.session = table.sessions.get(entry.session)
        self.known = self.session is not None and self.session.metadata != ""
        self.held = [granted for granted in self.at_stake() if granted.name.startswith(noted)]

    def at_stake(self) -> list[Granted]:
        """What the session may hold no longer afterwards."""
        entry, session = self.entry, self.session
        if session is None:
            return []
        if isinstance(entry, EndSession | Attach):
            return [session.held[token] for token in sorted(session.held)]
        token = 0
        if isinstance(entry, Release):
            token = entry.token
        elif isinstance(entry, Cancel):
            token = session.tokens.get(entry.request, 0)
        return [session.held[token]] if token in session.held else []

    def tell(self, events: list[Event], term: int) -> list[Noted]:
        """What has happened, in its order; `events` is what the table said."""
        entry, session = self.entry, self.session
        if session is not None:
            reason = entry.reason if isinstance(entry, EndSession) else RELEASED
            for granted in self.held:
                if granted.token not in session.held:
                    self.note(term, LET_GO, session, granted.name, granted.token, reason)
            if isinstance(entry, EndSession) and self.known and session.number not in self.table.sessions:
                self.note(term, LEFT, session, reason=reason)
            if isinstance(entry, Describe) and not self.known and session.metadata:
                self.note(term, JOINED, session)
        if self.table.paused != self.paused:
            self.note(term, PAUSED if self.table.paused else RESUMED, session)
        for event in events:
            if isinstance(event, Granted) and event.token > self.last and event.name.startswith(self.noted):
                self.note(term, GRANTED, self.table.sessions[event.session], event.name, event.token)
            elif isinstance(event, Wanted) and event.name.startswith(self.noted):
                self.note(term, WANTED, self.table.sessions.get(event.to), event.name)
        return self.notes

    def note(
        self, term: int, what: str, about: Session | None, name: str = "", token: int = 0, reason: str = ""
    ) -> None:
        number, metadata = (about.number, about.metadata) if about is not None else (0, "")
        self.notes.append(Noted(self.table.next_note(term), what, number, metadata, name, token, reason))
