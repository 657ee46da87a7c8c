"""The lock table under random histories: beside the naive one, audited, and with one rule broken at a time."""

from copy import deepcopy

import pytest
from auditing import run_history
from histories import Client, History
from naive_table import NaiveTable
from soak import runs

from habemus.replication.entries import (
    Attach,
    Event,
    Release,
)
from habemus.replication.table import LockTable


def test_the_table_agrees_with_the_naive_one_on_random_histories():
    seen = set()
    for seed in range(runs(3000, soak=60_000)):
        _, _, said = run_history(seed, 50, LockTable(), NaiveTable())
        seen |= {(type(event).__name__, getattr(event, "reason", "")) for event in said}
    reasons = {"taken", "slots", "invalid", "cancelled", "forgotten", "not waiting"}
    assert {reason for name, reason in seen if name == "Refused"} == reasons
    assert {name for name, _ in seen} == {event.__name__ for event in Event.__subclasses__()}


def test_no_waiter_is_lost_everybody_who_stays_gets_in_once_all_others_have_left():
    for seed in range(runs(300, soak=5000)):
        history, table, _ = run_history(seed, 60, LockTable())
        for _ in range(10_000):
            held = [granted for session in table.sessions.values() for granted in session.held.values()]
            if not held:
                break
            table.apply(Release(held[0].session, held[0].token), history.term)
        assert not table.locks and not any(session.waiting for session in table.sessions.values())


# Broken twins: each breaks one rule of the essay, and is caught.


class TokenOfTheTerm(LockTable):
    """Forgets the last token with the last holder."""

    def serve(self, lock, term):
        events = super().serve(lock, term)
        if not self.locks:
            self.last = 0
        return events


class AnswersTwice(LockTable):
    """Does not remember what it decided."""

    def apply(self, entry, term):
        for session in self.sessions.values():
            session.answers.clear()
        return super().apply(entry, term)


class LetsReadersPass(LockTable):
    """Lets in a reader behind a waiting writer."""

    def acquire(self, session, entry, term):
        events = super().acquire(session, entry, term)
        holders = self.holders(entry.name)
        if entry.shared and entry.request in session.waiting and holders[0].shared:
            lock = self.locks[entry.name]
            lock.reserve(session.waiting[entry.request][1])
            return self.serve(lock, term)
        return events


class SleepsThroughACancel(LockTable):
    """Serves nobody when a request is cancelled."""

    asleep = False

    def cancel(self, session, request, term):
        self.asleep = True
        events = super().cancel(session, request, term)
        self.asleep = False
        return events

    def serve(self, lock, term):
        return [] if self.asleep else super().serve(lock, term)


class TrustsALateAttach(LockTable):
    """Lets go of what was asked for after the list was made."""

    def attach(self, session, entry, term):
        return super().attach(session, Attach(entry.session, 10**9, entry.held, entry.open, entry.answered), term)


class ReleasesWhatWasNotHeard(LockTable):
    """An attach lets go of a grant that has not reached its owner, though the request is open."""

    def attach(self, session, entry, term):
        return super().attach(session, Attach(entry.session, entry.latest, entry.held, (), entry.answered), term)


@pytest.mark.parametrize(
    ("twin", "violation"),
    [
        (TokenOfTheTerm, "a token goes back"),
        (AnswersTwice, "answered twice, and differently"),
        (LetsReadersPass, "somebody was served out of turn"),
        (SleepsThroughACancel, "the next one could go in"),
        (TrustsALateAttach, "a session relies on what it no longer holds"),
        (ReleasesWhatWasNotHeard, "a session relies on what it no longer holds"),
    ],
)
def test_a_table_that_breaks_a_rule_is_caught(twin, violation):
    found = set()
    for seed in range(1000):
        try:
            run_history(seed, 50, twin())
        except AssertionError as error:
            found.add(str(error).partition("\n")[0])
        if violation in found:
            return
    raise AssertionError(f"{twin.__name__} does all right, or breaks only {found}")


def test_after_a_table_lost_its_end_an_attach_makes_both_sides_agree():
    disagreements = 0
    for seed in range(runs(500, soak=10_000)):
        history, table = History(seed), LockTable()
        images = []
        for _ in range(50):
            images.append(table.freeze())
            history.tell(table.apply(history.next_entry(), history.term))
        table = LockTable.thaw(images[history.random.randrange(len(images))])
        history.term += 1
        clients = [client for client in history.live() if client.session is not None]
        disagreements += not all(agree(client, table) for client in clients)
        for entry in [client.attach() for client in clients]:
            hear_all(history, table.apply(entry, history.term))
        for entry in [entry for client in clients for entry in client.everything_unanswered()]:
            hear_all(history, table.apply(entry, history.term))
        assert all(agree(client, table) for client in clients), seed
    assert disagreements > 100


def hear_all(history: History, events: list[Event]) -> None:
    for event in events:
        history.hear(event)


def agree(client: Client, table: LockTable) -> bool:
    session = table.sessions.get(client.session)
    if session is None:
        return client.ended
    return session.held == client.held and set(session.waiting) == client.wanted


def test_a_copy_goes_on_as_the_original_does():
    for seed in range(100):
        history, table = History(seed), LockTable()
        for step in range(60):
            entry = history.next_entry()
            copy = deepcopy(table)
            assert copy == table
            events = table.apply(entry, history.term)
            assert copy.apply(entry, history.term) == events and copy == table, (seed, step)
            history.tell(events)
