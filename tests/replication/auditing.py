"""A random history, played to a table under audit."""

from histories import History
from naive_table import NaiveTable

from habemus.replication.entries import (
    Acquire,
    Entry,
    Event,
    Granted,
    Transfer,
    Waiter,
)
from habemus.replication.table import LockTable


class Auditor:
    """What must be true of any lock table, seen from outside."""

    def __init__(self) -> None:
        self.last: dict[str, int] = {}  # token, by name
        self.grants: dict[tuple[int, int], Granted] = {}
        self.asked: dict[tuple[int, int], tuple[int, Acquire]] = {}  # when it came first
        self.reserved = False

    def watch(self, entry: Entry, events: list[Event], table: LockTable) -> None:
        if isinstance(entry, Acquire):
            self.asked.setdefault((entry.session, entry.request), (len(self.asked), entry))
        self.reserved = self.reserved or isinstance(entry, Transfer)
        for event in events:
            if isinstance(event, Granted):
                key = (event.session, event.request)
                if key not in self.grants:
                    assert event.token > self.last.get(event.name, 0), "a token goes back"
                    self.last[event.name] = event.token
                    self.check_turn(event, table)
                assert self.grants.setdefault(key, event) == event, "answered twice, and differently"
        for name, lock in table.locks.items():
            self.check_lock(table.holders(name), table.waiters(name), lock.slots)

    def check_turn(self, granted: Granted, table: LockTable) -> None:
        when, entry = self.asked[granted.session, granted.request]
        for waiter in table.waiters(granted.name):
            earlier, other = self.asked[waiter.session, waiter.request]
            overtaken = earlier < when and other.priority >= entry.priority
            assert self.reserved or not overtaken, "somebody was served out of turn"

    def check_lock(self, holders: list[Granted], waiters: list[Waiter], slots: int) -> None:
        assert holders, "nobody holds a lock that is waited for"
        shared = [holder.shared for holder in holders]
        assert all(shared) or (not any(shared) and len(holders) <= slots), "too many hold a lock"
        assert all(shared) or len({holder.slot for holder in holders}) == len(holders), "two have one slot"
        if waiters and waiters[0].shared == shared[0]:
            assert not waiters[0].shared and len(holders) == slots, "the next one could go in"


def run_history(seed: int, length: int, table: LockTable, model: NaiveTable | None = None):
    """The table, watched by the auditor and held against the model; it is frozen and thawed in between."""
    history, auditor = History(seed), Auditor()
    said = []
    for step in range(length):
        entry = history.next_entry()
        events = table.apply(entry, history.term)
        if model is not None:
            assert events == model.apply(entry, history.term), (seed, step, entry)
        said += events
        auditor.watch(entry, events, table)
        history.tell(events)
        for client in history.live():
            if client.session in table.sessions:
                lost = client.held.keys() - table.sessions[client.session].held.keys()
                assert not lost, "a session relies on what it no longer holds"
        if step % 7 == 0:
            frozen = table.freeze()
            table = type(table).thaw(frozen)
            assert table.freeze() == frozen and hash(frozen) == hash(table.freeze())
    return history, table, said
